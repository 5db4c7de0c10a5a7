//! One parameter of a tool function.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Expr, ExprLit, ExprRange, FnArg, Ident, Lit, LitStr, Pat, RangeLimits, Type, spanned::Spanned as _,
};

use crate::{
    attribute::{Rename, Setting, take_settings, wire_name},
    docs,
    mistakes::Mistakes,
    types,
};

const KNOWN: [&str; 10] = [
    "name",
    "default",
    "range",
    "min_length",
    "max_length",
    "min_items",
    "max_items",
    "not_authored",
    "schema",
    "unchecked",
];

/// A parameter of the function, in the order of the call.
pub(crate) enum Parameter {
    Context,
    Argument(Box<Argument>),
}

pub(crate) struct Argument {
    pub(crate) ident: Ident,
    ty: Type,
    name: LitStr,
    description: String,
    default: Option<Expr>,
    /// Builder calls for the other options.
    calls: TokenStream,
}

impl Parameter {
    /// Reads a parameter, and takes what only the macro understands off it.
    pub(crate) fn take(input: &mut FnArg, rename: Rename, mistakes: &mut Mistakes) -> Option<Self> {
        let FnArg::Typed(input) = input else {
            mistakes.at(
                input,
                "a tool is a free function; put what `self` holds into the toolset's state",
            );
            return None;
        };
        let settings = take_settings(&mut input.attrs, mistakes);
        let description = docs::text(&input.attrs);
        input.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
        if is_context(&input.ty) {
            return Some(Self::Context);
        }
        if types::is_named(&input.ty, "Context") {
            mistakes.at(&input.ty, "the context is lent to a tool; write `&Context`");
            return None;
        }
        let Pat::Ident(pattern) = &*input.pat else {
            mistakes.at(
                &input.pat,
                "the argument needs a name; take it whole and destructure it in the body",
            );
            return None;
        };
        let mut argument = Argument {
            name: rename.apply(&pattern.ident),
            ident: pattern.ident.clone(),
            ty: (*input.ty).clone(),
            description,
            default: None,
            calls: TokenStream::new(),
        };
        argument.check(settings.iter().any(|setting| setting.key == "schema"), mistakes);
        for setting in &settings {
            let outcome = argument.apply(setting);
            mistakes.keep(outcome);
        }
        Some(Self::Argument(Box::new(argument)))
    }
}

fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if types::is_named(&reference.elem, "Context"))
}

impl Argument {
    /// The type of a value that is given.
    fn inner(&self) -> &Type {
        types::option_of(&self.ty).unwrap_or(&self.ty)
    }

    fn check(&self, has_schema: bool, mistakes: &mut Mistakes) {
        if self.description.is_empty() {
            mistakes.at(
                &self.ident,
                format_args!(
                    "parameter `{0}` has no doc comment; write `/// …` above it, it is what a model reads",
                    self.ident
                ),
            );
        }
        let declared = has_schema && types::is_named(self.inner(), "Value");
        if let Some(reason) = types::unsupported(self.inner()).filter(|_| !declared) {
            mistakes.at(&self.ty, reason);
        }
    }

    fn apply(&mut self, setting: &Setting) -> syn::Result<()> {
        let inner = self.inner().clone();
        match setting.key.to_string().as_str() {
            "name" => {
                let name = setting.text()?;
                wire_name(&name)?;
                self.name = name;
            }
            "default" => {
                if types::option_of(&self.ty).is_some() {
                    let message = "a parameter with a default is never absent; drop `Option` or the default";
                    return Err(syn::Error::new(setting.key.span(), message));
                }
                self.default = Some(setting.assigned()?.clone());
            }
            "range" => {
                require(
                    types::is_number(&inner),
                    setting,
                    "bounds a number; use `max_length` or `max_items`",
                )?;
                self.calls.extend(range(setting.argument("1..=50")?, &inner)?);
            }
            "min_length" | "max_length" => {
                require(types::is_text(&inner), setting, "bounds the length of a `String`")?;
                self.keyword(setting, "100")?;
            }
            "min_items" | "max_items" => {
                require(types::is_list(&inner), setting, "bounds the length of a `Vec`")?;
                self.keyword(setting, "20")?;
            }
            "not_authored" => {
                setting.bare()?;
                if types::is_scalar(&inner) {
                    let message =
                        "`not_authored` is for objects and lists; a model has to write a scalar itself";
                    return Err(syn::Error::new(setting.key.span(), message));
                }
                self.calls.extend(quote!(.not_authored()));
            }
            "schema" => {
                let schema = setting.assigned()?;
                self.calls
                    .extend(quote_spanned!(schema.span()=> .schema(#schema)));
            }
            "unchecked" => {
                setting.bare()?;
                self.calls.extend(quote!(.unchecked()));
            }
            _ => return Err(setting.unknown(&KNOWN)),
        }
        Ok(())
    }

    fn keyword(&mut self, setting: &Setting, example: &str) -> syn::Result<()> {
        let keyword = match setting.key.to_string().as_str() {
            "min_length" => "minLength",
            "max_length" => "maxLength",
            "min_items" => "minItems",
            _ => "maxItems",
        };
        let limit = setting.argument(example)?;
        self.calls
            .extend(quote_spanned!(limit.span()=> .keyword(#keyword, { let limit: u32 = #limit; limit })));
        Ok(())
    }

    /// The call that declares the parameter.
    pub(crate) fn declaration(&self) -> TokenStream {
        let Self {
            name,
            description,
            calls,
            ..
        } = self;
        let ty = self.inner();
        let parameter = quote!(::periplus_toolset::Parameter);
        let start = match &self.default {
            Some(default @ Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) => quote_spanned! {ty.span()=>
                #parameter::with_default::<#ty>(#name, #description, ::core::convert::From::from(#default))
            },
            Some(default) => quote_spanned! {ty.span()=>
                #parameter::with_default::<#ty>(#name, #description, #default)
            },
            None if types::option_of(&self.ty).is_some() => {
                quote_spanned!(ty.span()=> #parameter::optional::<#ty>(#name, #description))
            }
            None => quote_spanned!(ty.span()=> #parameter::required::<#ty>(#name, #description)),
        };
        quote!(#start #calls)
    }

    /// The expression that takes the argument; `None` is a problem.
    pub(crate) fn taking(&self, arguments: &Ident) -> TokenStream {
        let Self { name, .. } = self;
        let ty = self.inner();
        if types::option_of(&self.ty).is_some() {
            quote_spanned!(ty.span()=> #arguments.take_optional::<#ty>(#name))
        } else {
            quote_spanned!(ty.span()=> #arguments.take::<#ty>(#name))
        }
    }
}

/// Refuses an option on a type that certainly cannot have it.
fn require(fits: Option<bool>, setting: &Setting, purpose: &str) -> syn::Result<()> {
    match fits {
        Some(false) => Err(syn::Error::new(
            setting.key.span(),
            format!("`{}` {purpose}", setting.key),
        )),
        _ => Ok(()),
    }
}

/// `a..=b`, `a..` or `..=b`; the ends are numbers of the parameter's kind.
fn range(expression: &Expr, ty: &Type) -> syn::Result<TokenStream> {
    let Expr::Range(ExprRange {
        start, end, limits, ..
    }) = expression
    else {
        return Err(syn::Error::new_spanned(
            expression,
            "a range is written `1..=50`, `1..` or `..=50`",
        ));
    };
    if end.is_some() && matches!(limits, RangeLimits::HalfOpen(_)) {
        return Err(syn::Error::new_spanned(
            expression,
            "the end belongs to the range; write `..=`",
        ));
    }
    if let (Some(start), Some(end)) = (start.as_deref().and_then(number), end.as_deref().and_then(number))
        && start > end
    {
        return Err(syn::Error::new_spanned(
            expression,
            "the range is empty; its start is above its end",
        ));
    }
    let bound = |value: &Expr| {
        if types::is_float(ty) {
            let place = value.span();
            quote_spanned! {place=> ::periplus_toolset::__private::finite({ let bound: f64 = #value; bound }) }
        } else {
            quote_spanned!(value.span()=> { let bound: i64 = #value; bound })
        }
    };
    let at_least = start.as_deref().map(bound).map(|bound| quote!(.at_least(#bound)));
    let at_most = end.as_deref().map(bound).map(|bound| quote!(.at_most(#bound)));
    Ok(quote!(#at_least #at_most))
}

/// The value of a literal number.
fn number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Int(value), ..
        }) => value.base10_parse().ok(),
        Expr::Lit(ExprLit {
            lit: Lit::Float(value),
            ..
        }) => value.base10_parse().ok(),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            number(&unary.expr).map(|value| -value)
        }
        _ => None,
    }
}
