//! Areas as a list to look through: `areas://search?name=Para&source=gadm&limit=50&offset=0`.

use periplus_toolset::{Body, ResourceTemplate, Value, Variables, json};

use crate::{
    Area, Place, Source,
    catalogue::{AreaCatalogue, CatalogueError, Page},
    geometry::unescaped,
    service::Service,
    wire::AreaRecord,
};

const TEMPLATE: &str = "areas://search{?name,source,limit,offset}";

/// Rows of a page if the request does not say how many.
const DEFAULT_LIMIT: usize = 50;

/// The documents of all searches.
pub(crate) fn template(service: Service) -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "areas", "application/json", move |variables| {
        let service = service.clone();
        Box::pin(async move { document(&service, &variables).await })
    })
    .description(
        "A page of areas: those whose name is like `name`, best first, or all by name. `source` is one of gadm, kba, wdpa, \
         landmark and naturalearth; `limit` is 50 unless said otherwise and 200 at most.",
    )
}

/// What is listed.
#[derive(Debug, Clone)]
pub struct Listing {
    /// A name that the areas' names are like; every name without one.
    pub name: Option<Place>,
    /// The sources to look in; all of them if none is named.
    pub sources: Vec<Source>,
    /// Which of the areas.
    pub page: Page,
}

impl Listing {
    /// The areas with their likeness to the name, if there is one.
    ///
    /// # Errors
    /// The catalogue cannot be asked.
    pub async fn of(
        &self,
        catalogue: &dyn AreaCatalogue,
    ) -> Result<Vec<(Area, Option<f64>)>, CatalogueError> {
        Ok(match &self.name {
            Some(place) => {
                let found = catalogue.search(place, &self.sources, self.page).await?;
                let rows = found.into_iter();
                rows.map(|candidate| (candidate.area, Some(candidate.similarity)))
                    .collect()
            }
            None => {
                let found = catalogue.browse(&self.sources, self.page).await?;
                found.into_iter().map(|area| (area, None)).collect()
            }
        })
    }

    /// Reads the variables of a URI; `None` if one of them cannot be read.
    fn parse(variables: &Variables) -> Option<Self> {
        let value = |name: &str| variables.get(name).map(|value| unescaped(value));
        let number = |name: &str, otherwise: usize| match value(name) {
            Some(value) => value?.parse().ok(),
            None => Some(otherwise),
        };
        let name = match value("name") {
            Some(name) => Some(name?).filter(|name| !name.trim().is_empty()),
            None => None,
        };
        let sources = match value("source") {
            Some(source) => vec![Source::parse(&source?)?],
            None => Vec::new(),
        };
        Some(Self {
            name: name.map(|name| Place::parse(&name)),
            sources,
            page: Page::new(number("limit", DEFAULT_LIMIT)?, number("offset", 0)?),
        })
    }
}

async fn document(service: &Service, variables: &Variables) -> Option<Body> {
    let listing = Listing::parse(variables)?;
    let catalogue = service.catalogue().await;
    let found = listing.of(&*catalogue).await;
    let rows = found
        .inspect_err(|error| {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "the area catalogue did not answer"
            );
        })
        .ok()?;
    let areas: Vec<Value> = rows
        .iter()
        .map(|(area, similarity)| json!(AreaRecord::listed(area, *similarity, catalogue.name())))
        .collect();
    let document = json!({ "areas": areas, "limit": listing.page.limit(), "offset": listing.page.offset() });
    Some(Body::Text(document.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(pairs: &[(&str, &str)]) -> Option<Listing> {
        let variables = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Listing::parse(&variables.collect())
    }

    #[test]
    fn a_list_is_of_every_area_unless_it_is_narrowed() {
        let all = parsed(&[]).unwrap();
        assert!(all.name.is_none() && all.sources.is_empty());
        assert_eq!(all.page, Page::new(DEFAULT_LIMIT, 0));
        let few = parsed(&[
            ("name", "S%C3%A3o"),
            ("source", "protected-areas"),
            ("limit", "5"),
            ("offset", "10"),
        ]);
        let few = few.unwrap();
        assert_eq!(few.name.unwrap().name, "São");
        assert_eq!(
            (few.sources.as_slice(), few.page),
            ([Source::Wdpa].as_slice(), Page::new(5, 10))
        );
        assert!(parsed(&[("name", "%20")]).unwrap().name.is_none());
    }

    #[test]
    fn a_list_that_cannot_be_read_is_none() {
        for pair in [
            ("source", "custom"),
            ("limit", "many"),
            ("offset", "-1"),
            ("name", "%zz"),
        ] {
            assert!(parsed(&[pair]).is_none(), "{pair:?}");
        }
    }
}
