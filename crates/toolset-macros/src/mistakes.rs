//! Collects the mistakes of one item, so that an author sees all of them in one build.

use proc_macro2::TokenStream;
use syn::spanned::Spanned;

#[derive(Default)]
pub(crate) struct Mistakes(Vec<syn::Error>);

impl Mistakes {
    /// Notes a mistake where it was made; the message says what to do.
    pub(crate) fn at(&mut self, place: &impl Spanned, message: impl std::fmt::Display) {
        self.0.push(syn::Error::new(place.span(), message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// The value of a part, or its mistake noted.
    pub(crate) fn keep<T>(&mut self, part: syn::Result<T>) -> Option<T> {
        part.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.0
            .into_iter()
            .map(|error| error.into_compile_error())
            .collect()
    }
}
