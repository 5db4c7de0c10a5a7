//! The stable codes of answers without figures, with when each occurs.

/// Every `error` of this toolset.
pub const CODES: &[(&str, &str)] = &[
    (
        "dataset_unavailable",
        "A dataset that this deployment hides, or that does not exist.",
    ),
    ("outside_period", "Dates wholly outside what the dataset covers."),
    (
        "mixed_areas",
        "Areas of several kinds, which one analysis cannot take.",
    ),
    (
        "area_kind_unsupported",
        "Areas of a kind that the dataset has no statistics for.",
    ),
    (
        "level_too_deep",
        "An administrative unit below district level, where statistics end.",
    ),
    (
        "area_without_statistics",
        "An area that the service knows neither by id nor by shape.",
    ),
    ("too_many_areas", "More areas than a pull may have."),
    (
        "no_data",
        "The service answered, and has no rows for these areas and dates.",
    ),
    (
        "request_refused",
        "The service refused the request; the detail has its words.",
    ),
    ("not_authorized", "The service wants another token."),
    (
        "service_unavailable",
        "The service cannot be reached, fails, or answers what cannot be read.",
    ),
    ("timed_out", "The analysis was not finished in time."),
    (
        "analysis_failed",
        "The service could not compute the analysis; the detail has its reason.",
    ),
    ("no_insight", "The rows give no chart; the detail says why."),
    ("too_many_rows", "More rows than one analysis looks at."),
    ("cancelled", "The caller went away."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_explained_in_a_sentence() {
        let codes: BTreeSet<_> = CODES.iter().map(|(code, _)| code).collect();
        assert_eq!(codes.len(), CODES.len());
        assert!(CODES.iter().all(|(_, when)| when.ends_with('.')));
    }
}
