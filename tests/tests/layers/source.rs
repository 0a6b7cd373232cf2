//! A source file as the rules see it: its tokens in a row, without docs and without tests.

use std::rc::Rc;
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A file of the workspace.
pub(crate) struct Source {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// Its lines, as they stand.
    pub(crate) lines: Vec<String>,
    /// The tokens of its code, without those of tests.
    pub(crate) tokens: Vec<Token>,
    /// First and last line of each function that is not a test's.
    pub(crate) functions: Vec<(usize, usize)>,
    /// How many of its lines belong to tests.
    pub(crate) test_lines: usize,
}

/// One token and where it stands.
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
    /// The module that it is in, from the crate's root.
    pub(crate) module: Rc<[String]>,
}

impl Source {
    /// Reads a file; `text` must be Rust.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut source = Self {
            path: path.to_owned(),
            test_lines: if is_test(path) { lines.len() } else { 0 },
            lines,
            tokens: Vec::new(),
            functions: Vec::new(),
        };
        if !is_test(path) {
            let tokens = TokenStream::from_str(text)
                .unwrap_or_else(|error| panic!("{path} is not Rust: {error}"));
            source.flatten(tokens, &module_of(path));
        }
        source
    }

    /// The module of the file, from its crate's root.
    pub(crate) fn module(&self) -> Rc<[String]> {
        module_of(&self.path)
    }

    /// Where the tokens say `words`, one after another: the index of the first.
    pub(crate) fn places<'a>(&'a self, words: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        self.tokens
            .windows(words.len())
            .enumerate()
            .filter(move |(_, window)| {
                window.iter().zip(words).all(|(token, word)| token.text == **word)
            })
            .map(|(at, _)| at)
    }

    fn flatten(&mut self, stream: TokenStream, module: &Rc<[String]>) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            if let Some(after) = self.skipped(&trees, at) {
                at = after;
                continue;
            }
            if is_ident(&trees[at], "fn") {
                self.note_function(&trees[at..]);
            }
            match &trees[at] {
                TokenTree::Group(group) => {
                    let inner = match trees[..at] {
                        [.., ref word, TokenTree::Ident(ref name)] if is_ident(word, "mod") => {
                            let mut inner = module.to_vec();
                            inner.push(name.to_string());
                            inner.into()
                        }
                        _ => Rc::clone(module),
                    };
                    self.push_group(group, &inner);
                }
                tree => self.push(tree.to_string(), tree.span().start().line, module),
            }
            at += 1;
        }
    }

    fn push_group(&mut self, group: &Group, module: &Rc<[String]>) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        self.push(open.to_owned(), group.span_open().start().line, module);
        self.flatten(group.stream(), module);
        self.push(close.to_owned(), group.span_close().start().line, module);
    }

    fn push(&mut self, text: String, line: usize, module: &Rc<[String]>) {
        self.tokens.push(Token { text, line, module: Rc::clone(module) });
    }

    /// Where to go on after docs or an item of tests, if one begins here.
    fn skipped(&mut self, trees: &[TokenTree], at: usize) -> Option<usize> {
        if !is_punct(&trees[at], '#') {
            return None;
        }
        let inner = trees.get(at + 1).is_some_and(|tree| is_punct(tree, '!'));
        let after = at + 2 + usize::from(inner);
        let TokenTree::Group(attribute) = trees.get(after - 1)? else {
            return None;
        };
        let text = attribute.stream().to_string();
        if text.starts_with("doc =") {
            return Some(after);
        }
        if text.replace(' ', "") != "cfg(test)" {
            return None;
        }
        let end =
            after + trees[after..].iter().position(|tree| is_punct(tree, ';') || is_block(tree))?;
        self.test_lines += trees[end].span().end().line - trees[at].span().start().line + 1;
        Some(end + 1)
    }

    fn note_function(&mut self, trees: &[TokenTree]) {
        // `fn(u8) -> u8` is a type and has no name; a trait's method may have no block.
        let Some(TokenTree::Ident(_)) = trees.get(1) else {
            return;
        };
        let end = trees.iter().find(|tree| is_punct(tree, ';') || is_block(tree));
        if let Some(block) = end.filter(|tree| is_block(tree)) {
            self.functions.push((trees[0].span().start().line, block.span().end().line));
        }
    }
}

fn is_ident(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == word)
}

fn is_punct(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_block(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Files that hold nothing but tests.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("tests/")
        || path.contains("/tests/")
        || name == "tests.rs"
        || name.ends_with("_tests.rs")
}

/// `do-runtime/src/store/mod.rs` is `[store]`, `do-runtime/src/lib.rs` is `[]`.
fn module_of(path: &str) -> Rc<[String]> {
    let inside = path.split_once("/src/").map_or(path, |(_, inside)| inside);
    let inside = inside.strip_suffix(".rs").unwrap_or(inside);
    inside
        .split('/')
        .filter(|part| !matches!(*part, "lib" | "main" | "mod"))
        .map(str::to_owned)
        .collect()
}
