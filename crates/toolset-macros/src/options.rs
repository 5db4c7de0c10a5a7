//! The options of `#[tool(…)]` on a function.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, LitStr};

use crate::{
    attribute::{Rename, Setting, settings, wire_name},
    mistakes::Mistakes,
};

const KNOWN: [&str; 12] = [
    "name",
    "title",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "closed_world",
    "timeout",
    "max_result_bytes",
    "concurrency",
    "task",
    "rename_all",
];

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) rename: Rename,
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
    open_world: Option<bool>,
    /// Builder calls for the other options.
    calls: TokenStream,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream, mistakes: &mut Mistakes) -> Self {
        let mut options = Self::default();
        let settings = settings(tokens, mistakes);
        for setting in &settings {
            let outcome = options.apply(setting);
            mistakes.keep(outcome);
        }
        options.reject_contradictions(&settings, mistakes);
        options
    }

    fn apply(&mut self, setting: &Setting) -> syn::Result<()> {
        match setting.key.to_string().as_str() {
            "name" => {
                let name = setting.text()?;
                wire_name(&name)?;
                self.name = Some(name);
            }
            "title" => {
                let title = setting.text()?;
                self.calls.extend(quote!(.title(#title)));
            }
            "read_only" => self.read_only = Some(setting.flag()?),
            "destructive" => self.destructive = Some(setting.flag()?),
            "idempotent" => self.idempotent = Some(setting.flag()?),
            "open_world" => self.open_world = Some(setting.flag()?),
            "closed_world" => {
                setting.bare()?;
                self.open_world = Some(false);
            }
            "timeout" => {
                let millis = milliseconds(&setting.text()?)?;
                self.calls
                    .extend(quote!(.timeout(::core::time::Duration::from_millis(#millis))));
            }
            "max_result_bytes" => {
                let bytes: &Expr = setting.assigned()?;
                self.calls.extend(quote!(.max_result_bytes(#bytes)));
            }
            "concurrency" => {
                let class = setting.text()?;
                self.calls.extend(quote!(.concurrency(#class)));
            }
            "task" => {
                let support = task_support(setting)?;
                self.calls
                    .extend(quote!(.task(::periplus_toolset::TaskSupport::#support)));
            }
            "rename_all" => self.rename = Rename::parse(setting)?,
            _ => return Err(setting.unknown(&KNOWN)),
        }
        Ok(())
    }

    fn reject_contradictions(&self, settings: &[Setting], mistakes: &mut Mistakes) {
        let find = |key: &str| settings.iter().find(|setting| setting.key == key);
        if self.read_only == Some(true)
            && self.destructive == Some(true)
            && let Some(setting) = find("destructive")
        {
            mistakes.at(
                &setting.key,
                "a read-only tool destroys nothing; drop `destructive` or `read_only`",
            );
        }
        if find("open_world").is_some()
            && let Some(setting) = find("closed_world")
        {
            mistakes.at(
                &setting.key,
                "`closed_world` says `open_world = false`; keep one of them",
            );
        }
    }

    /// The builder calls that set these options.
    pub(crate) fn builder_calls(&self) -> TokenStream {
        let hint = |value: Option<bool>| match value {
            Some(value) => quote!(::core::option::Option::Some(#value)),
            None => quote!(::core::option::Option::None),
        };
        let (read_only, destructive) = (hint(self.read_only), hint(self.destructive));
        let (idempotent, open_world) = (hint(self.idempotent), hint(self.open_world));
        let calls = &self.calls;
        quote! {
            #calls
            .annotations(::periplus_toolset::Annotations {
                read_only: #read_only,
                destructive: #destructive,
                idempotent: #idempotent,
                open_world: #open_world,
            })
        }
    }
}

/// `task`, or `task = "required"`.
fn task_support(setting: &Setting) -> syn::Result<TokenStream> {
    if setting.bare().is_ok() {
        return Ok(quote!(Optional));
    }
    let text = setting.text()?;
    match text.value().as_str() {
        "optional" => Ok(quote!(Optional)),
        "required" => Ok(quote!(Required)),
        _ => Err(syn::Error::new(
            text.span(),
            "`task` is \"optional\", which it is alone, or \"required\"",
        )),
    }
}

/// `500ms`, `10s`, `2m`.
fn milliseconds(text: &LitStr) -> syn::Result<u64> {
    let value = text.value();
    let digits = value.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match value.get(digits.len()..).unwrap_or_default().trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        _ => 0,
    };
    match digits
        .trim()
        .parse::<u64>()
        .ok()
        .and_then(|amount| amount.checked_mul(unit))
    {
        Some(millis) if millis > 0 => Ok(millis),
        _ => Err(syn::Error::new(
            text.span(),
            "a duration is a whole number and a unit: \"500ms\", \"10s\", \"2m\"",
        )),
    }
}
