//! The macros of `do-runtime`: entry points only.

mod key_part;

use proc_macro::TokenStream;

/// Makes a struct or an enum a part of an idempotency key.
///
/// Follows `#[serde(rename, rename_all, rename_all_fields, transparent)]`; refuses what gives a
/// value two readings: `flatten`, `untagged`, `skip`, `default`, `with` and their kin.
/// `#[key_part(crate = path)]` says where the runtime lives if it is not `::do_runtime`.
#[proc_macro_derive(KeyPart, attributes(key_part, serde))]
pub fn derive_key_part(input: TokenStream) -> TokenStream {
    key_part::derive(input.into()).into()
}
