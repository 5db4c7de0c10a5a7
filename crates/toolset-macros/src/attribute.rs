//! Reading `#[tool(…)]` options one by one, so that a mistake in one hides no other.

use proc_macro2::TokenStream;
use syn::{
    Attribute, Expr, Ident, LitBool, LitStr, Token,
    ext::IdentExt as _,
    parenthesized,
    parse::{Parse, ParseStream, Parser as _},
    punctuated::Punctuated,
};

use crate::mistakes::Mistakes;

/// `key`, `key = value` or `key(value)`.
pub(crate) struct Setting {
    pub(crate) key: Ident,
    value: Option<Expr>,
    /// `key(value)` rather than `key = value`.
    in_parentheses: bool,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            return Ok(Self {
                key,
                value: Some(input.parse()?),
                in_parentheses: false,
            });
        }
        if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            let value = content.parse()?;
            if !content.is_empty() {
                return Err(content.error(format!("`{key}(…)` takes one value")));
            }
            return Ok(Self {
                key,
                value: Some(value),
                in_parentheses: true,
            });
        }
        Ok(Self {
            key,
            value: None,
            in_parentheses: false,
        })
    }
}

impl Setting {
    pub(crate) fn text(&self) -> syn::Result<LitStr> {
        match self.assigned()? {
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Ok(text.clone()),
            other => Err(syn::Error::new_spanned(
                other,
                format!("`{}` is a text in quotes", self.key),
            )),
        }
    }

    /// `key` alone is `true`.
    pub(crate) fn flag(&self) -> syn::Result<bool> {
        match &self.value {
            None => Ok(true),
            Some(Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Bool(LitBool { value, .. }),
                ..
            })) => Ok(*value),
            Some(other) => Err(syn::Error::new_spanned(
                other,
                format!("`{}` is `true` or `false`", self.key),
            )),
        }
    }

    pub(crate) fn bare(&self) -> syn::Result<()> {
        match &self.value {
            None => Ok(()),
            Some(value) => Err(syn::Error::new_spanned(
                value,
                format!("`{}` takes no value", self.key),
            )),
        }
    }

    pub(crate) fn assigned(&self) -> syn::Result<&Expr> {
        match &self.value {
            Some(value) if !self.in_parentheses => Ok(value),
            _ => Err(syn::Error::new(
                self.key.span(),
                format!("write `{} = …`", self.key),
            )),
        }
    }

    pub(crate) fn argument(&self, example: &str) -> syn::Result<&Expr> {
        match &self.value {
            Some(value) if self.in_parentheses => Ok(value),
            _ => Err(syn::Error::new(
                self.key.span(),
                format!("write `{}({example})`", self.key),
            )),
        }
    }

    pub(crate) fn unknown(&self, known: &[&str]) -> syn::Error {
        let message = format!("unknown option `{}`; known are {}", self.key, known.join(", "));
        syn::Error::new(self.key.span(), message)
    }
}

/// Parses a list of settings; keys that come twice are a mistake.
pub(crate) fn settings(tokens: TokenStream, mistakes: &mut Mistakes) -> Vec<Setting> {
    let parsed = Punctuated::<Setting, Token![,]>::parse_terminated.parse2(tokens);
    let settings: Vec<Setting> = mistakes.keep(parsed).into_iter().flatten().collect();
    for (index, setting) in settings.iter().enumerate() {
        if settings
            .iter()
            .take(index)
            .any(|before| before.key == setting.key)
        {
            mistakes.at(
                &setting.key,
                format_args!("`{}` is given twice; keep one", setting.key),
            );
        }
    }
    settings
}

/// Takes the `#[tool(…)]` attributes out of a list and parses them.
pub(crate) fn take_settings(attributes: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Vec<Setting> {
    let (ours, others) = std::mem::take(attributes)
        .into_iter()
        .partition(|a| a.path().is_ident("tool"));
    *attributes = others;
    read_settings(&ours, mistakes)
}

/// Parses the `#[tool(…)]` attributes of a list.
pub(crate) fn read_settings(attributes: &[Attribute], mistakes: &mut Mistakes) -> Vec<Setting> {
    let mut tokens = TokenStream::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("tool"))
    {
        if let Some(list) = mistakes.keep(attribute.meta.require_list()) {
            let more = &list.tokens;
            tokens.extend(quote::quote!(#more,));
        }
    }
    settings(tokens, mistakes)
}

/// How names change between Rust and the wire.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Rename {
    #[default]
    Keep,
    Camel,
}

impl Rename {
    pub(crate) fn parse(setting: &Setting) -> syn::Result<Self> {
        let text = setting.text()?;
        match text.value().as_str() {
            "camelCase" => Ok(Self::Camel),
            "snake_case" => Ok(Self::Keep),
            _ => Err(syn::Error::new(
                text.span(),
                "`rename_all` is \"camelCase\" or \"snake_case\"",
            )),
        }
    }

    pub(crate) fn apply(self, ident: &Ident) -> LitStr {
        let name = ident.unraw().to_string();
        let name = match self {
            Self::Keep => name,
            Self::Camel => camel_case(&name),
        };
        LitStr::new(&name, ident.span())
    }
}

fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.chars() {
        if letter == '_' && !out.is_empty() {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(letter.to_uppercase());
        } else {
            out.push(letter);
        }
    }
    out
}

/// Checks a name that goes on the wire.
pub(crate) fn wire_name(text: &LitStr) -> syn::Result<()> {
    let name = text.value();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if (1..=64).contains(&name.len()) && name.chars().all(allowed) {
        return Ok(());
    }
    Err(syn::Error::new(
        text.span(),
        "a name has 1 to 64 of the characters A-Z a-z 0-9 _ . -",
    ))
}
