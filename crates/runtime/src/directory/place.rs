//! Where a toolset is served, as the directory reaches it.

use std::{collections::BTreeSet, str::FromStr};

use url::Url;

use super::DirectoryError;

/// A toolset and the address that its health and MCP paths stand below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(super) name: String,
    pub(super) base: Url,
}

impl Place {
    /// A toolset below an address; the MCP address itself is understood too.
    ///
    /// # Errors
    /// [`DirectoryError::Place`] if the name is not kebab case, or the address is no plain HTTP address.
    pub fn new(name: &str, address: &str) -> Result<Self, DirectoryError> {
        let refuse = |reason: String| DirectoryError::Place {
            entry: format!("{name}={address}"),
            reason,
        };
        if !is_kebab(name) {
            return Err(refuse(format!("the name `{name}` is not kebab case")));
        }
        let mut base: Url = address
            .parse()
            .map_err(|error| refuse(format!("the address is not a URL ({error})")))?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(refuse("the address is neither http nor https".to_owned()));
        }
        // A secret in an address would be told to every reader of the directory.
        if !base.username().is_empty() || base.password().is_some() {
            return Err(DirectoryError::Place {
                entry: name.to_owned(),
                reason: "the address must not hold a user or a password".to_owned(),
            });
        }
        base.set_query(None);
        base.set_fragment(None);
        let path = base.path().trim_end_matches('/');
        let path = path.strip_suffix("/mcp").unwrap_or(path).to_owned();
        base.set_path(&path);
        Ok(Self {
            name: name.to_owned(),
            base,
        })
    }

    /// The kebab-case name of the toolset.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The MCP address.
    #[must_use]
    pub fn mcp(&self) -> Url {
        self.below("mcp")
    }

    pub(super) fn health(&self) -> Url {
        self.below("health")
    }

    fn below(&self, name: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{name}", self.base.path().trim_end_matches('/')));
        url
    }
}

impl FromStr for Place {
    type Err = DirectoryError;

    /// Reads `name=address`.
    fn from_str(entry: &str) -> Result<Self, DirectoryError> {
        match entry.split_once('=') {
            Some((name, address)) => Self::new(name.trim(), address.trim()),
            None => Err(DirectoryError::Place {
                entry: entry.to_owned(),
                reason: "there is no `=`".to_owned(),
            }),
        }
    }
}

/// Sorts places by name and refuses two of one name.
pub(super) fn sorted(mut places: Vec<Place>) -> Result<Vec<Place>, DirectoryError> {
    if places.is_empty() {
        return Err(DirectoryError::NoPlace);
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = places.iter().find(|place| !names.insert(&place.name)) {
        return Err(DirectoryError::DuplicatePlace {
            name: twice.name.clone(),
        });
    }
    places.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(places)
}

fn is_kebab(name: &str) -> bool {
    name.split('-')
        .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_name_and_an_address() {
        for (entry, mcp, health) in [
            ("hello=http://h:1", "http://h:1/mcp", "http://h:1/health"),
            ("hello = http://h:1/ ", "http://h:1/mcp", "http://h:1/health"),
            (
                "a-1=https://h/x/mcp/?q#f",
                "https://h/x/mcp",
                "https://h/x/health",
            ),
            (
                "a=http://[::1]:1/hello",
                "http://[::1]:1/hello/mcp",
                "http://[::1]:1/hello/health",
            ),
        ] {
            let place: Place = entry.parse().unwrap();
            assert_eq!(
                (place.mcp().as_str(), place.health().as_str()),
                (mcp, health),
                "{entry}"
            );
        }
    }

    #[test]
    fn a_broken_entry_is_refused_with_its_reason() {
        for (entry, reason) in [
            ("hello", "no `=`"),
            ("Hello=http://h", "kebab"),
            ("=http://h", "kebab"),
            ("hello=h:1", "neither http"),
            ("hello=/x", "not a URL"),
            ("hello=ftp://h", "neither http"),
        ] {
            let error = entry.parse::<Place>().unwrap_err().to_string();
            assert!(error.contains(reason), "{entry}: {error}");
        }
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        let error = "a=http://u:s3cret@h".parse::<Place>().unwrap_err().to_string();
        assert!(error.contains("password") && !error.contains("s3cret"), "{error}");
    }

    #[test]
    fn places_are_sorted_and_unique() {
        let place = |name: &str| Place::new(name, "http://h").unwrap();
        let names: Vec<String> = sorted(vec![place("b"), place("a")])
            .unwrap()
            .into_iter()
            .map(|place| place.name)
            .collect();
        assert_eq!(names, ["a", "b"]);
        assert!(sorted(vec![place("a"), place("a")]).is_err());
        assert!(sorted(vec![]).is_err());
    }
}
