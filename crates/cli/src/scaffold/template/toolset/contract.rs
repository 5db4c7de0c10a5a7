//! What callers of `__NAME__` rely on.

use periplus_toolset::contract;

#[test]
fn the_contract_holds() {
    contract::sweep(&__CRATE__::toolset());
}
