//! Parts of a key from other crates, each behind the feature of its name.

#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "time",
    feature = "url",
    feature = "uuid"
))]
use super::{KeyPart, Node, Present, Written};

#[cfg(feature = "uuid")]
impl KeyPart for uuid::Uuid {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.uuid(self.into_bytes())
    }
}

/// An instant: the same in every time zone.
#[cfg(feature = "chrono")]
impl<Zone: chrono::TimeZone> KeyPart for chrono::DateTime<Zone> {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        // A leap second has more than 10^9 nanoseconds there, and is the next second here.
        let nanoseconds = i128::from(self.timestamp_subsec_nanos());
        node.instant(i128::from(self.timestamp()) * 1_000_000_000 + nanoseconds)
    }
}

/// An instant: the same with every offset.
#[cfg(feature = "time")]
impl KeyPart for time::OffsetDateTime {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.instant(self.unix_timestamp_nanos())
    }
}

#[cfg(feature = "time")]
impl KeyPart for time::UtcDateTime {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.instant(self.unix_timestamp_nanos())
    }
}

#[cfg(feature = "jiff")]
impl KeyPart for jiff::Timestamp {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.instant(self.as_nanosecond())
    }
}

#[cfg(feature = "rust_decimal")]
impl KeyPart for rust_decimal::Decimal {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.decimal(self.mantissa(), self.scale())
    }
}

#[cfg(feature = "url")]
impl KeyPart for url::Url {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.string(self.as_str())
    }
}
