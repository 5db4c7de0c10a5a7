//! The data layer of a collection: three requests to a tiler, each of which may have nothing to say.

use std::time::Duration;

use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use crate::{
    Endpoint,
    endpoint::is_segment,
    upstream::{Upstream, UpstreamError, within},
};

/// A map without a data layer is better than a long wait for it.
const MAX_PATIENCE: Duration = Duration::from_secs(10);
const MAX_BYTES: usize = 1 << 20;
const MAX_SEARCH_ID: usize = 200;
const MAX_RENDER_OPTIONS: usize = 4_000;
const MAX_TEMPLATE: usize = 8_000;

/// A tiler with the mosaic routes of Planetary Computer's.
#[derive(Debug)]
pub(crate) struct Tiler {
    upstream: Upstream,
    patience: Duration,
}

impl Tiler {
    pub(crate) fn new(base: Endpoint, patience: Duration) -> Self {
        Self {
            upstream: Upstream::new(base),
            patience: patience.min(MAX_PATIENCE),
        }
    }

    /// The address of a collection's tiles, with `{z}`, `{x}` and `{y}`; `None` if there is none for any reason.
    pub(crate) async fn layer(&self, collection: &str) -> Option<String> {
        match within(self.patience, self.find_layer(collection)).await {
            Ok(template) => Some(template),
            Err(error) => {
                tracing::debug!(%error, "no data layer");
                None
            }
        }
    }

    async fn find_layer(&self, collection: &str) -> Result<String, UpstreamError> {
        let base = self.upstream.base();
        let mut info = base.at(&["mosaic", "info"]);
        info.query_pairs_mut().append_pair("collection", collection);
        let (info, _) = self.upstream.get(info, MAX_BYTES).await?;
        let mosaic = first(&info["mosaics"], "mosaics")?;
        let options = first(&info["renderOptions"], "render options")?["options"]
            .as_str()
            .filter(|options| options.len() <= MAX_RENDER_OPTIONS)
            .ok_or_else(|| malformed("no render options"))?;

        let search = search_for(collection, &mosaic["cql"]);
        let register = base.at(&["mosaic", "register"]);
        let (registered, _) = self.upstream.post(register, &search, MAX_BYTES).await?;
        let id = registered["searchid"]
            .as_str()
            .filter(|id| is_segment(id) && id.len() <= MAX_SEARCH_ID)
            .ok_or_else(|| malformed("no search id"))?;

        let mut tiles = base.at(&["mosaic", id, "tilejson.json"]);
        set_render_options(&mut tiles, options, collection);
        let (tiles, _) = self.upstream.get(tiles, MAX_BYTES).await?;
        first(&tiles["tiles"], "tiles")?
            .as_str()
            .filter(|template| self.is_usable(template))
            .map(str::to_owned)
            .ok_or_else(|| malformed("no tile address that the map may load"))
    }

    /// Whether a map can use the template and may: the view is granted the tiler's origin and no other.
    fn is_usable(&self, template: &str) -> bool {
        template.len() <= MAX_TEMPLATE
            && ["{z}", "{x}", "{y}"].iter().all(|name| template.contains(name))
            && template.matches('{').count() == 3
            && Url::parse(template).is_ok_and(|url| self.upstream.base().serves(&url))
    }
}

/// What to register: the collection's items under the mosaic's filter, one expression or several that all hold.
fn search_for(collection: &str, cql: &Value) -> Value {
    let mut search = json!({ "filter-lang": "cql2-json", "collections": [collection] });
    let filter = match cql {
        Value::Array(filters) => match filters.as_slice() {
            [] => return search,
            [filter] => filter.clone(),
            filters => json!({ "op": "and", "args": filters }),
        },
        Value::Object(_) => cql.clone(),
        _ => return search,
    };
    search["filter"] = filter;
    search
}

/// Appends the pairs of the options, repeated names included, and the collection.
fn set_render_options(url: &mut Url, options: &str, collection: &str) {
    let options = options.trim_start_matches(['?', '&']);
    let pairs = form_urlencoded::parse(options.as_bytes()).filter(|(name, _)| name != "collection");
    url.query_pairs_mut()
        .extend_pairs(pairs)
        .append_pair("collection", collection);
}

fn first<'a>(value: &'a Value, what: &str) -> Result<&'a Value, UpstreamError> {
    value
        .as_array()
        .and_then(|items| items.first())
        .ok_or_else(|| malformed(&format!("no {what}")))
}

fn malformed(what: &str) -> UpstreamError {
    UpstreamError::Malformed(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_filters_must_all_hold_and_none_filters_nothing() {
        let (a, b) = (
            json!({ "op": "=", "args": [1, 1] }),
            json!({ "op": "<", "args": [1, 2] }),
        );
        for (cql, filter) in [
            (json!([a]), a.clone()),
            (json!([a, b]), json!({ "op": "and", "args": [a, b] })),
            (a.clone(), a.clone()),
            (json!([]), Value::Null),
            (json!(null), Value::Null),
        ] {
            let search = search_for("naip", &cql);
            assert_eq!(search["filter"], filter, "{cql}");
            assert_eq!(search["collections"], json!(["naip"]));
        }
    }

    #[test]
    fn repeated_render_options_are_kept_in_order() {
        let mut url: Url = "https://h/tilejson.json".parse().unwrap();
        let options = "assets=B04&assets=B03&assets=B02&collection=other&color_formula=Gamma RGB 3.2";
        set_render_options(&mut url, options, "sentinel-2-l2a");
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let expected = [
            ("assets", "B04"),
            ("assets", "B03"),
            ("assets", "B02"),
            ("color_formula", "Gamma RGB 3.2"),
            ("collection", "sentinel-2-l2a"),
        ];
        assert_eq!(
            pairs,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn a_template_has_three_placeholders_and_the_tilers_origin() {
        let tiler = Tiler::new("https://tiler.example.org/v1".parse().unwrap(), MAX_PATIENCE);
        for (template, expected) in [
            (
                "https://tiler.example.org/t/{z}/{x}/{y}@1x?assets=a&assets=b",
                true,
            ),
            ("https://tiler.example.org/t/{z}/{x}.png", false),
            ("https://tiler.example.org/t/{z}/{x}/{y}?key={key}", false),
            ("https://elsewhere.example.org/t/{z}/{x}/{y}", false),
            ("http://tiler.example.org/t/{z}/{x}/{y}", false),
            ("/t/{z}/{x}/{y}", false),
            ("javascript:{z}{x}{y}", false),
        ] {
            assert_eq!(tiler.is_usable(template), expected, "{template}");
        }
    }
}
