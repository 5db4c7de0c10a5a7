//! What can be told about a type from its spelling.

use syn::{GenericArgument, PathArguments, Type, TypePath};

const NUMBERS: [&str; 12] = [
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64",
];

/// The last segment of a path type, such as `String`.
fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(TypePath { qself: None, path }) => path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}

pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    last_name(ty).is_some_and(|last| last == name)
}

/// `T` of `Option<T>`.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    let Type::Path(TypePath { qself: None, path }) = ty else {
        return None;
    };
    let last = path.segments.last().filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// `true` for a number, `false` for a type that is certainly none, `None` if the spelling does not say.
pub(crate) fn is_number(ty: &Type) -> Option<bool> {
    let name = last_name(ty)?;
    if NUMBERS.contains(&name.as_str()) {
        return Some(true);
    }
    [
        "String",
        "bool",
        "char",
        "Vec",
        "HashMap",
        "BTreeMap",
        "JsonObject",
    ]
    .contains(&name.as_str())
    .then_some(false)
}

pub(crate) fn is_float(ty: &Type) -> bool {
    is_named(ty, "f32") || is_named(ty, "f64")
}

pub(crate) fn is_text(ty: &Type) -> Option<bool> {
    if is_named(ty, "String") {
        Some(true)
    } else {
        known(ty).then_some(false)
    }
}

pub(crate) fn is_list(ty: &Type) -> Option<bool> {
    let list = ["Vec", "HashSet", "BTreeSet"]
        .iter()
        .any(|name| is_named(ty, name));
    if list {
        Some(true)
    } else {
        known(ty).then_some(false)
    }
}

/// A type that has neither members nor items.
pub(crate) fn is_scalar(ty: &Type) -> bool {
    is_number(ty) == Some(true) || ["String", "bool", "char"].iter().any(|name| is_named(ty, name))
}

fn known(ty: &Type) -> bool {
    is_number(ty).is_some()
}

/// Why a value of this type cannot come from or go to JSON, and what to write instead.
pub(crate) fn unsupported(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Reference(reference) if is_named(&reference.elem, "str") => {
            Some("borrowed text cannot be read from a call; use `String`")
        }
        Type::Reference(reference) if matches!(*reference.elem, Type::Slice(_)) => {
            Some("a borrowed list cannot be read from a call; use `Vec<T>`")
        }
        Type::Reference(_) => Some("a reference cannot be read from a call; use the owned type"),
        Type::ImplTrait(_) | Type::TraitObject(_) => Some("a trait has no schema; name a concrete type"),
        Type::Tuple(_) => Some("a tuple has no names for its parts; use a struct, or one parameter each"),
        Type::BareFn(_) | Type::Ptr(_) | Type::Never(_) => Some("this type has no JSON form"),
        Type::Infer(_) => Some("the schema needs the type; write it out"),
        Type::Path(_) if is_named(ty, "i128") || is_named(ty, "u128") => {
            Some("JSON numbers do not reach 128 bits; use `i64`, `u64` or `String`")
        }
        Type::Path(_) if is_named(ty, "Value") => Some(
            "`Value` declares nothing; use `JsonObject` for a free-form object, a struct, or add `#[tool(schema = …)]`",
        ),
        _ => None,
    }
}
