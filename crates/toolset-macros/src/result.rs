//! `#[derive(ToolResult)]` on a struct.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, LitStr, Type, parse2};

use crate::{
    attribute::{Rename, read_settings, wire_name},
    docs,
    mistakes::Mistakes,
    types,
};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut mistakes = Mistakes::default();
    let fields = read_item(&input, &mut mistakes);
    let ident = &input.ident;
    if !mistakes.is_empty() {
        let errors = mistakes.into_compile_errors();
        let (generics, arguments, bounds) = input.generics.split_for_impl();
        return quote! {
            #errors

            impl #generics ::periplus_toolset::ToolResult for #ident #arguments #bounds {
                fn declare(_: &mut ::periplus_toolset::ResultSchema) {}
                fn into_object(
                    self,
                ) -> ::core::result::Result<::periplus_toolset::JsonObject, ::periplus_toolset::__private::JsonError> {
                    ::core::unreachable!()
                }
            }
        };
    }
    let description = docs::text(&input.attrs);
    let declarations = fields.iter().map(ResultField::declaration);
    let insertions = fields.iter().map(ResultField::insertion);
    quote! {
        impl ::periplus_toolset::ToolResult for #ident {
            fn declare(schema: &mut ::periplus_toolset::ResultSchema) {
                schema.describe(#description);
                #(#declarations)*
            }

            fn into_object(
                self,
            ) -> ::core::result::Result<::periplus_toolset::JsonObject, ::periplus_toolset::__private::JsonError> {
                let mut object = ::periplus_toolset::JsonObject::new();
                #(#insertions)*
                ::core::result::Result::Ok(object)
            }
        }
    }
}

fn read_item(input: &DeriveInput, mistakes: &mut Mistakes) -> Vec<ResultField> {
    if !input.generics.params.is_empty() {
        mistakes.at(
            &input.generics,
            "a tool result cannot be generic: its schema is fixed; name the types",
        );
    }
    reject_serde(&input.attrs, mistakes);
    let mut rename = Rename::Keep;
    for setting in read_settings(&input.attrs, mistakes) {
        if setting.key == "rename_all" {
            rename = mistakes.keep(Rename::parse(&setting)).unwrap_or_default();
        } else {
            mistakes.push(setting.unknown(&["rename_all"]));
        }
    }
    let Data::Struct(data) = &input.data else {
        mistakes.at(
            &input.ident,
            "a tool result is a struct with named fields, one of them `message: String`",
        );
        return Vec::new();
    };
    let Fields::Named(fields) = &data.fields else {
        mistakes.at(
            &input.ident,
            "a tool result has named fields, one of them `message: String`",
        );
        return Vec::new();
    };
    let fields: Vec<ResultField> = fields
        .named
        .iter()
        .filter_map(|field| ResultField::read(field, rename, mistakes))
        .collect();
    check_message(&input.ident, &fields, mistakes);
    fields
}

fn check_message(ident: &Ident, fields: &[ResultField], mistakes: &mut Mistakes) {
    match fields.iter().find(|field| field.name.value() == "message") {
        None => mistakes.at(
            ident,
            format_args!(
                "`{ident}` has no `message: String`; add it, it is the sentence that a model quotes"
            ),
        ),
        Some(message) if !types::is_named(&message.ty, "String") => {
            mistakes.at(&message.ty, "`message` is a `String`, and always there");
        }
        Some(_) => {}
    }
}

fn reject_serde(attributes: &[Attribute], mistakes: &mut Mistakes) {
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"))
    {
        mistakes.at(
            attribute,
            "serde does not write a tool result; use `#[tool(name = \"…\")]` or `#[tool(rename_all = \"…\")]`",
        );
    }
}

struct ResultField {
    ident: Ident,
    ty: Type,
    name: LitStr,
    description: String,
}

impl ResultField {
    fn read(field: &Field, rename: Rename, mistakes: &mut Mistakes) -> Option<Self> {
        let ident = field.ident.clone()?;
        let mut name = rename.apply(&ident);
        for setting in read_settings(&field.attrs, mistakes) {
            if setting.key == "name" {
                let text = setting.text().and_then(|text| wire_name(&text).map(|()| text));
                name = mistakes.keep(text).unwrap_or(name);
            } else {
                mistakes.push(setting.unknown(&["name"]));
            }
        }
        reject_serde(&field.attrs, mistakes);
        let description = docs::text(&field.attrs);
        if description.is_empty() {
            mistakes.at(
                &ident,
                format_args!(
                    "field `{ident}` has no doc comment; write `/// …` above it, it is what clients show"
                ),
            );
        }
        if matches!(name.value().as_str(), "error" | "detail") {
            mistakes.at(
                &ident,
                "`error` and `detail` mark a failed call; return `ToolError`, or rename the field",
            );
        }
        let inner = types::option_of(&field.ty).unwrap_or(&field.ty);
        if let Some(reason) = types::unsupported(inner) {
            mistakes.at(&field.ty, reason);
        }
        Some(Self {
            ident,
            ty: field.ty.clone(),
            name,
            description,
        })
    }

    fn declaration(&self) -> TokenStream {
        let Self {
            name,
            description,
            ty,
            ..
        } = self;
        match types::option_of(ty) {
            Some(inner) => quote!(schema.optional::<#inner>(#name, #description);),
            None => quote!(schema.required::<#ty>(#name, #description);),
        }
    }

    fn insertion(&self) -> TokenStream {
        let Self { ident, name, ty, .. } = self;
        let insert = quote!(::periplus_toolset::__private::insert);
        match types::option_of(ty) {
            Some(inner) => quote! {
                if let ::core::option::Option::Some(value) = &self.#ident {
                    #insert::<#inner>(&mut object, #name, value)?;
                }
            },
            None => quote!(#insert::<#ty>(&mut object, #name, &self.#ident)?;),
        }
    }
}
