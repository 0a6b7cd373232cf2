//! The records of a CSV file one after the other, with their lines, and with the means to go back
//! when a quote was not closed.

use anyhow::Result;

/// One record of the file, fields apart.
pub(crate) struct Record<'a> {
    /// Line of the file on which it starts, from 1.
    pub(crate) line: u64,
    start: usize,
    /// As it stands in the file, without its line end.
    pub(crate) raw: &'a [u8],
    /// Without quotes.
    pub(crate) fields: csv::ByteRecord,
}

impl Record<'_> {
    /// True for a record over several lines that looks as if it swallowed rows: quotes that do
    /// not pair, another number of fields, or inside it a line that is a row itself.
    pub(crate) fn quote_is_open(&self, columns: usize, delimiter: u8) -> bool {
        if !self.raw.contains(&b'\n') {
            return false;
        }
        let quotes = self.raw.iter().filter(|byte| **byte == b'"').count();
        let looks_like_a_row =
            |line: &[u8]| line.iter().filter(|byte| **byte == delimiter).count() + 1 >= columns;
        let swallowed = columns > 1
            && self
                .fields
                .iter()
                .any(|field| field.split(|byte| *byte == b'\n').skip(1).any(looks_like_a_row));
        quotes % 2 == 1 || self.fields.len() != columns || swallowed
    }
}

/// The records of a file one after the other, with the means to go back.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    /// Where in `bytes` the reader began.
    base: usize,
    reader: csv::Reader<&'a [u8]>,
    /// Comma, semicolon or tab: the one that the first line has most of.
    pub(crate) delimiter: u8,
    /// `line` is the number of the line in which byte `counted` stands.
    counted: usize,
    line: u64,
}

impl<'a> Records<'a> {
    /// At the beginning of the file.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let first_line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let delimiter = [b',', b';', b'\t']
            .into_iter()
            .max_by_key(|delimiter| first_line.iter().filter(|byte| *byte == delimiter).count())
            .unwrap_or(b',');
        let reader = reader_of(bytes, delimiter);
        Self { bytes, base: 0, reader, delimiter, counted: 0, line: 1 }
    }

    /// The next one; blank lines are none.
    pub(crate) fn next_record(&mut self) -> Result<Option<Record<'a>>> {
        let mut fields = csv::ByteRecord::new();
        let from = self.base + usize::try_from(self.reader.position().byte())?;
        if !self.reader.read_byte_record(&mut fields)? {
            return Ok(None);
        }
        let to = self.base + usize::try_from(self.reader.position().byte())?;
        // The reader stands in front of the blank lines and half line ends that it will skip.
        let raw = &self.bytes[from..to];
        let skipped = raw.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let raw = raw[skipped..].trim_ascii_end();
        let start = from + skipped;
        Ok(Some(Record { line: self.line_of(start), start, raw, fields }))
    }

    /// Reads on from the second line of a record that should have ended with its first.
    pub(crate) fn go_back_behind_first_line(&mut self, record: &Record<'a>) {
        let first_line = record.raw.iter().take_while(|byte| **byte != b'\n').count();
        self.base = record.start + first_line;
        self.reader = reader_of(&self.bytes[self.base..], self.delimiter);
    }

    fn line_of(&mut self, place: usize) -> u64 {
        let passed = &self.bytes[self.counted..place];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.counted = place;
        self.line
    }
}

fn reader_of(bytes: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes)
}
