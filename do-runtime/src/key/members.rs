//! Named members written in any order and sorted by name at the end: of a struct, an object, a key.

use std::ops::Range;

use super::text::push_quoted;

/// The members written so far. They stand one after the other, with commas, at the end of the
/// text.
#[derive(Debug)]
pub(super) struct Members<N> {
    start: usize,
    list: Vec<Member<N>>,
}

/// One member: its name, and where it stands.
#[derive(Debug)]
pub(super) struct Member<N> {
    pub(super) name: N,
    whole: Range<usize>,
    node: usize,
}

impl<N> Member<N> {
    /// Where its node stands.
    pub(super) fn node(&self) -> Range<usize> {
        self.node..self.whole.end.saturating_sub(1)
    }
}

/// Two members have this name.
#[derive(Debug)]
pub(super) struct Twice<N>(pub(super) N);

impl<N: AsRef<str>> Members<N> {
    /// The members that begin where the text ends.
    pub(super) fn new(text: &str) -> Self {
        Self { start: text.len(), list: Vec::new() }
    }

    /// Begins a member: its node is what is appended until [`end`](Self::end).
    pub(super) fn begin(&mut self, text: &mut String, name: N) {
        if text.len() > self.start {
            text.push(',');
        }
        let start = text.len();
        text.push('[');
        push_quoted(text, name.as_ref());
        text.push(',');
        let node = text.len();
        self.list.push(Member { name, whole: start..node, node });
    }

    /// Ends the member begun last.
    pub(super) fn end(&mut self, text: &mut String) {
        text.push(']');
        if let Some(member) = self.list.last_mut() {
            member.whole.end = text.len();
        }
    }

    /// Ends the member begun last, and leaves it out if its node is null. Its name still counts.
    pub(super) fn end_unless_null(&mut self, text: &mut String) {
        self.end(text);
        if let Some(member) = self.list.last_mut()
            && text[member.node()] == *r#"["n"]"#
        {
            // The comma before it goes too.
            text.truncate(member.whole.start.saturating_sub(1).max(self.start));
            member.node = text.len();
            member.whole = text.len()..text.len();
        }
    }

    /// Puts the members in the order of the UTF-8 bytes of their names.
    pub(super) fn sort(self, text: &mut String) -> Result<Vec<Member<N>>, Twice<N>> {
        let Self { start, mut list } = self;
        if list.is_sorted_by(|a, b| a.name.as_ref() < b.name.as_ref()) {
            return Ok(list);
        }
        list.sort_by(|a, b| a.name.as_ref().cmp(b.name.as_ref()));
        if let Some(at) =
            list.windows(2).position(|two| two[0].name.as_ref() == two[1].name.as_ref())
        {
            return Err(Twice(list.swap_remove(at).name));
        }
        let moved = reorder(text, start, list.iter().map(|member| member.whole.clone()));
        for (member, whole) in list.iter_mut().zip(moved) {
            member.node = whole.start + (member.node - member.whole.start);
            member.whole = whole;
        }
        Ok(list)
    }
}

/// Rewrites the end of the text as these pieces of it, in this order, with commas between them.
/// Gives their new places; an empty piece stays empty.
pub(super) fn reorder(
    text: &mut String,
    start: usize,
    pieces: impl Iterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let old = text.split_off(start);
    pieces
        .map(|piece| {
            if piece.is_empty() {
                return text.len()..text.len();
            }
            if text.len() > start {
                text.push(',');
            }
            let begin = text.len();
            text.push_str(&old[piece.start - start..piece.end - start]);
            begin..text.len()
        })
        .collect()
}
