//! A check with a name, for tasks that make several and report each.

use anyhow::{Result, ensure};

/// One script and how it ended.
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) outcome: Result<()>,
}

impl Check {
    /// Succeeds if all did; otherwise names every one that failed.
    pub(crate) fn all(checks: &[Self]) -> Result<()> {
        let failed: Vec<String> = checks
            .iter()
            .filter_map(|check| {
                let error = check.outcome.as_ref().err()?;
                Some(format!("{}: {error:#}", check.name))
            })
            .collect();
        ensure!(failed.is_empty(), "{}", failed.join("\n"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn all_failures_are_named() {
        let check = |name: &str, outcome| Check {
            name: name.to_owned(),
            outcome,
        };
        assert!(Check::all(&[check("a", Ok(()))]).is_ok());
        let mixed = [
            check("a", Err(anyhow!("too slow"))),
            check("b", Ok(())),
            check("c", Err(anyhow!("wrong"))),
        ];
        assert_eq!(
            Check::all(&mixed).unwrap_err().to_string(),
            "a: too slow\nc: wrong"
        );
    }
}
