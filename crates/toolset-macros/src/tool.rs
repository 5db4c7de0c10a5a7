//! `#[tool]` on a function.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, Item, ItemFn, ReturnType, Signature, Type, ext::IdentExt as _, parse2};

use crate::{
    attribute::{Rename, wire_name},
    docs,
    mistakes::Mistakes,
    options::Options,
    parameter::{Argument, Parameter},
    types,
};

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: ItemFn = match parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => return not_a_function(item, error).into_compile_error(),
    };
    let mut mistakes = Mistakes::default();
    let options = Options::parse(options, &mut mistakes);
    let description = docs::text(&function.attrs);
    if description.is_empty() {
        let message = format_args!(
            "tool `{0}` has no doc comment; write `/// …` above it, it is how a model knows what the tool does",
            function.sig.ident
        );
        mistakes.at(&function.sig.ident, message);
    }
    check_signature(&function.sig, &mut mistakes);
    let inputs = function.sig.inputs.iter_mut();
    let parameters: Vec<Parameter> = inputs
        .filter_map(|input| Parameter::take(input, options.rename, &mut mistakes))
        .collect();
    check_contexts(&function.sig, &parameters, &mut mistakes);
    let tool = Tool {
        function,
        options,
        description,
        parameters,
    };
    if mistakes.is_empty() {
        tool.expand()
    } else {
        tool.expand_mistaken(mistakes)
    }
}

fn not_a_function(item: TokenStream, error: syn::Error) -> syn::Error {
    match parse2::<Item>(item) {
        Ok(item) => syn::Error::new_spanned(item, "`#[tool]` belongs on a function: `async fn name(…) -> …`"),
        // The author is still typing the function.
        Err(_) => error,
    }
}

fn check_signature(signature: &Signature, mistakes: &mut Mistakes) {
    if signature.asyncness.is_none() {
        mistakes.at(
            &signature.fn_token,
            "a tool is an async function; write `async fn`",
        );
    }
    if !signature.generics.params.is_empty() {
        mistakes.at(
            &signature.generics,
            "a tool cannot be generic: its schema is fixed; name the types",
        );
    }
    if let Some(unsafety) = &signature.unsafety {
        mistakes.at(unsafety, "a tool cannot be unsafe: a model calls it");
    }
    match &signature.output {
        ReturnType::Default => mistakes.at(
            &signature.ident,
            "a tool returns a struct with `#[derive(ToolResult)]`, or `Result<ThatStruct, ToolError>`",
        ),
        ReturnType::Type(_, ty)
            if matches!(**ty, Type::ImplTrait(_) | Type::Reference(_) | Type::Tuple(_)) =>
        {
            mistakes.at(
                ty,
                "a tool returns a struct with `#[derive(ToolResult)]`, or `Result<ThatStruct, ToolError>`",
            );
        }
        ReturnType::Type(_, ty) if types::option_of(ty).is_some() => {
            mistakes.at(
                ty,
                "a tool always answers; say \"nothing found\" in the `message`, or return `ToolError`",
            );
        }
        ReturnType::Type(..) => {}
    }
    if Rename::Keep.apply(&signature.ident).value().len() > 64 {
        mistakes.keep(wire_name(&Rename::Keep.apply(&signature.ident)));
    }
}

fn check_contexts(signature: &Signature, parameters: &[Parameter], mistakes: &mut Mistakes) {
    let contexts = parameters
        .iter()
        .filter(|parameter| matches!(parameter, Parameter::Context))
        .count();
    if contexts > 1 {
        mistakes.at(
            &signature.inputs,
            "the context is given once; keep one `cx: &Context`",
        );
    }
}

struct Tool {
    function: ItemFn,
    options: Options,
    description: String,
    parameters: Vec<Parameter>,
}

impl Tool {
    fn expand(self) -> TokenStream {
        let ident = &self.function.sig.ident;
        let visibility = &self.function.vis;
        let original = self.original();
        let doc = format!(
            "Builds the tool `{ident}`; the function itself is `{}`.",
            self.original_name()
        );
        let name = self
            .options
            .name
            .clone()
            .unwrap_or_else(|| Rename::Keep.apply(ident));
        let description = &self.description;
        let options = self.options.builder_calls();
        let declarations = self.arguments().map(Argument::declaration);
        let returned = self.returned();
        let handler = self.handler();
        quote! {
            #original

            #[doc = #doc]
            #visibility fn #ident() -> ::periplus_toolset::Tool {
                ::periplus_toolset::Tool::builder(#name)
                    .description(#description)
                    #options
                    #(.parameter(#declarations))*
                    .returns::<#returned>()
                    .answers(#handler)
            }
        }
    }

    /// The mistakes, and items of the same names, so that nothing else in the crate is reported.
    fn expand_mistaken(self, mistakes: Mistakes) -> TokenStream {
        let ident = &self.function.sig.ident;
        let visibility = &self.function.vis;
        let errors = mistakes.into_compile_errors();
        quote! {
            #errors

            #[doc(hidden)]
            #visibility fn #ident() -> ::periplus_toolset::Tool {
                ::core::unreachable!()
            }
        }
    }

    /// The function as it was written, as `call_<name>`.
    fn original(&self) -> TokenStream {
        let mut function = self.function.clone();
        function.sig.ident = self.original_name();
        quote! {
            #[allow(clippy::too_many_arguments, reason = "they are the arguments of the tool")]
            #function
        }
    }

    fn original_name(&self) -> Ident {
        let ident = &self.function.sig.ident;
        format_ident!("call_{}", ident.unraw(), span = ident.span())
    }

    fn returned(&self) -> TokenStream {
        match &self.function.sig.output {
            ReturnType::Type(_, ty) => quote!(#ty),
            ReturnType::Default => quote!(()),
        }
    }

    fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            Parameter::Context => None,
        })
    }

    /// The closure between JSON and the function.
    fn handler(&self) -> TokenStream {
        let original = self.original_name();
        let returned = self.returned();
        // Names of the macro's own, which nothing of the author's can meet.
        let arguments = Ident::new("arguments", Span::mixed_site());
        let cx = Ident::new("cx", Span::mixed_site());
        let count = self.arguments().count();
        let idents: Vec<Ident> = (0..count)
            .map(|index| format_ident!("argument_{index}", span = Span::mixed_site()))
            .collect();
        let takings = self.arguments().map(|argument| argument.taking(&arguments));
        let mut given = idents.iter();
        let values: Vec<TokenStream> = self
            .parameters
            .iter()
            .map(|parameter| match parameter {
                Parameter::Context => quote!(#cx),
                Parameter::Argument(_) => {
                    let ident = given.next();
                    quote!(#ident)
                }
            })
            .collect();
        let unused = self
            .parameters
            .iter()
            .all(|p| matches!(p, Parameter::Argument(_)))
            .then(|| quote!(let _ = #cx;));
        let taking = if idents.is_empty() {
            quote!(let _ = #arguments;)
        } else {
            quote! {
                let mut #arguments = ::periplus_toolset::__private::Arguments::new(#arguments);
                #(let #idents = #takings;)*
                let (#(::core::option::Option::Some(#idents),)*) = (#(#idents,)*) else {
                    return ::core::result::Result::Err(#arguments.refusal());
                };
            }
        };
        quote! {
            |#arguments, #cx| ::std::boxed::Box::pin(async move {
                #unused
                #taking
                <#returned as ::periplus_toolset::ToolReturn>::into_answer(#original(#(#values),*).await)
            })
        }
    }
}
