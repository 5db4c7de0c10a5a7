//! `whoami`: names the account behind the caller's token.

use periplus_toolset::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::TOKEN_HEADER;

/// The account that a token belongs to.
#[derive(Debug, ToolResult)]
pub(crate) struct Account {
    /// Which account the call was made for.
    message: String,
    /// Name of the account, derived from the token: the same token gives the same account.
    account: String,
}

/// Tell which account the caller's credential belongs to.
#[tool(title = "Who am I", read_only, idempotent, closed_world)]
pub(crate) async fn whoami(cx: &Context) -> Result<Account, ToolError> {
    let token = cx.credential(TOKEN_HEADER)?;
    // The token itself is for nobody's log.
    tracing::info!(present = true, length = token.len(), "credential header read");
    let account = account_of(token);
    Ok(Account {
        message: format!("This call is made for the account {account}."),
        account,
    })
}

/// `user-` and the first eight hex digits of the token's SHA-256.
fn account_of(token: &str) -> String {
    let digest = hex::encode(Sha256::digest(token));
    format!("user-{}", digest.get(..8).expect("a SHA-256 has 64 hex digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_the_start_of_the_tokens_digest() {
        // The digest of "abc" is a published test vector.
        assert_eq!(account_of("abc"), "user-ba7816bf");
    }
}
