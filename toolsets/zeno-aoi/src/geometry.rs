//! The shape of an area as a document, for views that draw it: `area://gadm/BRA.14`.

use std::fmt::Write;

use periplus_toolset::{Body, ResourceTemplate, Variables, json};

use crate::{Area, Source, outline, service::Service};

const TEMPLATE: &str = "area://{source}/{id}";

/// Where the outlines of all countries can be read at once: a map must not fetch hundreds of shapes.
pub(crate) const WORLD: &str = "area://gadm/WORLD";

/// The id in it; no country has a code of five letters.
const WORLD_ID: &str = "WORLD";

/// Where the shape of an area can be read.
pub(crate) fn reference(area: &Area) -> String {
    format!("area://{}/{}", area.source, escaped(&area.id))
}

/// The documents of all areas.
pub(crate) fn template(service: Service) -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "area", "application/json", move |variables| {
        let service = service.clone();
        Box::pin(async move { document(&service, &variables).await })
    })
    .description(
        "The shape of an area as a GeoJSON geometry, with its name, subtype, source and id; area://gadm/WORLD is a GeoJSON \
         collection of all countries in outlines.",
    )
}

async fn document(service: &Service, variables: &Variables) -> Option<Body> {
    let source = Source::parse(variables.get("source")?)?;
    let id = unescaped(variables.get("id")?)?;
    if (source, id.as_str()) == (Source::Gadm, WORLD_ID) {
        // Drawing it for the first time takes longer than other calls should wait for.
        let world = tokio::task::spawn_blocking(outline::world).await.ok()?;
        return Some(Body::Text(world.to_owned()));
    }
    let found = service.catalogue().await.shape(source, &id).await;
    let (area, shape) = found
        .inspect_err(|error| {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "the area catalogue did not answer"
            );
        })
        .ok()??;
    let document = json!({
        "name": area.name,
        "subtype": area.subtype,
        "source": area.source,
        "src_id": area.id,
        "geometry": shape.to_geojson(),
    });
    Some(Body::Text(document.to_string()))
}

/// An id as one segment of a URI.
fn escaped(id: &str) -> String {
    let mut escaped = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~') {
            escaped.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

pub(crate) fn unescaped(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?].map(|digit| char::from(digit).to_digit(16));
                u8::try_from(digits[0]? * 16 + digits[1]?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_as_a_segment() {
        for id in ["BRA.14_1", "AUS+00?", "a/b%", "é"] {
            let segment = escaped(id);
            assert!(!segment.contains(['/', '?', '+']), "{segment}");
            assert_eq!(unescaped(&segment).as_deref(), Some(id));
        }
        for broken in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(unescaped(broken), None, "{broken}");
        }
    }
}
