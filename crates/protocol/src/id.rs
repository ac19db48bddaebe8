//! The `id` by which a client knows its queries.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The `id` of a query, as it stands there. A number comes back as it was written, however large.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Id(pub(crate) Box<RawValue>);

/// Ids are equal if they are written alike.
impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for Id {}

impl Id {
    /// Returns the number of bytes of the id as it was written.
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.get().len()
    }
}

/// Null.
impl Default for Id {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}
