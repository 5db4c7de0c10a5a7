//! The headers of a modern request that repeat what the body says, so that proxies can route without reading it.

use std::borrow::Cow;

use base64::Engine as _;
use http::{HeaderMap, HeaderName};
use periplus_toolset::JsonObject;
use serde_json::Value;

use super::{Era, Request, RpcError};

/// The header that repeats the method.
pub(in crate::server) const METHOD_HEADER: &str = "mcp-method";
/// The header that repeats the name of a tool or prompt, or the URI of a resource.
pub(in crate::server) const NAME_HEADER: &str = "mcp-name";

/// Checks `Mcp-Method` and `Mcp-Name`: required of modern requests, and never wrong in others.
///
/// # Errors
/// If one is missing, repeated, or says something else than the body.
pub(in crate::server) fn check_routing_headers(
    era: Era,
    request: &Request<'_>,
    headers: &HeaderMap,
) -> Result<(), RpcError> {
    check_method_header(era, &request.method, headers)?;
    let name = match request.method.as_ref() {
        "tools/call" | "prompts/get" => request.params.name(),
        "resources/read" => request.params.uri(),
        "tasks/get" | "tasks/update" | "tasks/cancel" => request.params.task_id(),
        _ => return Ok(()),
    };
    name.map_or(Ok(()), |name| expect(era, headers, NAME_HEADER, &name))
}

/// Checks `Mcp-Method` alone, which is all that a notification has.
///
/// # Errors
/// As for requests.
pub(in crate::server) fn check_method_header(
    era: Era,
    method: &str,
    headers: &HeaderMap,
) -> Result<(), RpcError> {
    expect(era, headers, METHOD_HEADER, method)
}

fn expect(era: Era, headers: &HeaderMap, header: &str, body: &str) -> Result<(), RpcError> {
    match single(headers, header)? {
        None if era == Era::Legacy => Ok(()),
        None => Err(RpcError::header_mismatch(format!(
            "the {header} header is missing"
        ))),
        Some(value) if value == body => Ok(()),
        Some(_) => Err(RpcError::header_mismatch(format!(
            "the {header} header and the body differ"
        ))),
    }
}

/// The one value of a header, decoded.
fn single<'a>(headers: &'a HeaderMap, header: &str) -> Result<Option<Cow<'a, str>>, RpcError> {
    let mut values = headers.get_all(header).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(RpcError::header_mismatch(format!(
            "the {header} header is given twice"
        )));
    }
    value
        .to_str()
        .ok()
        .and_then(decode)
        .map(Some)
        .ok_or_else(|| RpcError::header_mismatch(format!("the {header} header is not encoded as it must be")))
}

/// Undoes the encoding of values that are not plain ASCII: `=?base64?…?=`.
fn decode(value: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    else {
        return Some(Cow::Borrowed(value));
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// The arguments that a tool's input schema asks to have repeated in `Mcp-Param-…` headers (`x-mcp-header`).
#[derive(Debug, Default)]
pub(in crate::server) struct ParamHeaders(Vec<(Vec<String>, HeaderName)>);

impl ParamHeaders {
    /// Collects the annotations that are reachable through `properties` alone.
    pub(in crate::server) fn of(schema: &JsonObject) -> Self {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found);
        Self(found)
    }

    /// Compares headers and arguments.
    ///
    /// # Errors
    /// If a header is missing, not expected, or differs from its argument.
    pub(in crate::server) fn check(
        &self,
        arguments: &JsonObject,
        headers: &HeaderMap,
    ) -> Result<(), RpcError> {
        for (path, header) in &self.0 {
            let expected = lookup(arguments, path).and_then(plain_text);
            let sent = single(headers, header.as_str())?;
            let agree = match (&expected, &sent) {
                (Some(expected), Some(sent)) => expected == sent || same_integer(expected, sent),
                (None, None) => true,
                _ => false,
            };
            if !agree {
                let path = path.join(".");
                return Err(RpcError::header_mismatch(format!(
                    "the {header} header and argument {path} differ"
                )));
            }
        }
        Ok(())
    }

    /// The headers that repeat these arguments, not yet encoded.
    pub(in crate::server) fn values<'a>(
        &'a self,
        arguments: &'a JsonObject,
    ) -> impl Iterator<Item = (&'a HeaderName, Cow<'a, str>)> {
        self.0
            .iter()
            .filter_map(|(path, header)| Some((header, plain_text(lookup(arguments, path)?)?)))
    }
}

fn collect(schema: &JsonObject, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, HeaderName)>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object() else {
            continue;
        };
        path.push(name.clone());
        let header = property.get("x-mcp-header").and_then(Value::as_str);
        if let Some(header) = header.and_then(|h| HeaderName::try_from(format!("mcp-param-{h}")).ok()) {
            found.push((path.clone(), header));
        }
        collect(property, path, found);
        path.pop();
    }
}

fn lookup<'a>(arguments: &'a JsonObject, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(arguments.get(first)?, |value, key| value.get(key))
}

fn plain_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn same_integer(left: &str, right: &str) -> bool {
    left.parse::<i64>()
        .ok()
        .zip(right.parse::<i64>().ok())
        .is_some_and(|(left, right)| left == right)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_value_beyond_ascii_travels_in_base64() {
        assert_eq!(decode("=?base64?w6k=?=").unwrap(), "é");
        assert_eq!(decode("plain").unwrap(), "plain");
        assert_eq!(decode("=?base64?%%?="), None);
        assert_eq!(decode("=?base64?w6k?="), None, "padding is required");
    }

    #[test]
    fn annotated_arguments_must_be_repeated_in_their_headers() {
        let schema = json!({ "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "page": { "properties": { "size": { "type": "integer", "x-mcp-header": "Size" } } },
        }});
        let annotated = ParamHeaders::of(schema.as_object().unwrap());
        let arguments = json!({ "region": "nord", "page": { "size": 7 } });
        let arguments = arguments.as_object().unwrap();
        let check = |pairs: &[(&'static str, &str)]| annotated.check(arguments, &headers(pairs)).is_ok();
        assert!(check(&[("mcp-param-region", "nord"), ("mcp-param-size", "07")]));
        assert!(!check(&[("mcp-param-region", "sud"), ("mcp-param-size", "7")]));
        assert!(!check(&[("mcp-param-region", "nord")]));
        assert!(annotated.check(&JsonObject::new(), &headers(&[])).is_ok());
        assert!(
            annotated
                .check(&JsonObject::new(), &headers(&[("mcp-param-size", "1")]))
                .is_err()
        );
    }
}
