//! Doc comments as text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment among the attributes, without the space after the slashes; empty if there is none.
pub(crate) fn text(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    let lines: Vec<&str> = lines.iter().flat_map(|line| line.lines()).collect();
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    lines.join("\n").trim().to_owned()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    if !pair.path.is_ident("doc") {
        return None;
    }
    match &pair.value {
        // An empty line separates paragraphs.
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) if text.value().is_empty() => Some("\n".to_owned()),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) => Some(text.value()),
        _ => None,
    }
}
