//! Reads the key of a path: the template, the fixed part of the query, and the fragment, which no request can carry.

/// A key of `paths`, taken apart. Literal text is percent-encoded, so that the client sends it as it stands here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Route {
    /// The path, with plain `{name}` placeholders.
    pub(super) path: String,
    /// The names in `path`, each once, in order.
    pub(super) placeholders: Vec<String>,
    /// Pairs of the query without a placeholder, encoded.
    pub(super) fixed: Vec<Pair>,
    /// Pairs of the query whose value is a placeholder: the name on the wire, and the placeholder.
    pub(super) open: Vec<(String, String)>,
    /// The fragment: the text after `#`. No request carries it.
    pub(super) fragment: Option<String>,
    /// The reason that no request can be made of it.
    pub(super) refusal: Option<String>,
}

/// One fixed pair of a query: its name as the contract writes it, and the encoded text of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) text: String,
}

impl Pair {
    /// A pair out of plain texts.
    pub(super) fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), text: format!("{}={}", encode(name, "", false), encode(value, "", false)) }
    }
}

/// A piece of a key.
enum Piece<'t> {
    /// Text, and where it begins in the key.
    Literal(usize, &'t str),
    Name(String),
    /// `{?a,b}` and `{&a,b}` of RFC 6570.
    Query(Vec<String>),
}

impl Route {
    /// Takes a key apart.
    pub(super) fn read(template: &str) -> Self {
        let mut route = Self::default();
        // Pairs of the query: each a list of pieces.
        let mut query: Option<Vec<Vec<Piece<'_>>>> = None;
        for piece in pieces(template) {
            match piece {
                Piece::Query(names) => {
                    for name in names {
                        route.open(&name, &name);
                    }
                }
                Piece::Name(name) => match &mut query {
                    Some(pairs) => push(pairs, Piece::Name(name)),
                    None => route.placeholder(&name),
                },
                Piece::Literal(start, text) => {
                    let hash = text.find('#');
                    let text = hash.map_or(text, |hash| &text[..hash]);
                    let mut rest = text;
                    if query.is_none() {
                        let (path, pairs) =
                            text.split_once('?').map_or((text, None), |(path, rest)| (path, Some(rest)));
                        route.path.push_str(&encode(path, PATH, true));
                        if let Some(pairs) = pairs {
                            query = Some(vec![Vec::new()]);
                            rest = pairs;
                        }
                    }
                    if let Some(pairs) = &mut query {
                        for (index, part) in rest.split('&').enumerate() {
                            if index > 0 {
                                pairs.push(Vec::new());
                            }
                            if !part.is_empty() {
                                push(pairs, Piece::Literal(0, part));
                            }
                        }
                    }
                    if let Some(hash) = hash {
                        // The rest belongs to the fragment, including braces.
                        route.fragment = Some(template[start + hash + 1..].to_owned());
                        break;
                    }
                }
            }
        }
        query.into_iter().flatten().for_each(|pair| route.pair(&pair));
        if route.path.split('/').any(is_step) {
            route.refusal = Some("`.` and `..` are steps, which no request keeps in its path".to_owned());
        }
        route
    }

    fn placeholder(&mut self, name: &str) {
        self.path.push_str(&format!("{{{name}}}"));
        if !self.placeholders.iter().any(|known| known == name) {
            self.placeholders.push(name.to_owned());
        }
    }

    fn open(&mut self, wire: &str, name: &str) {
        if !wire.is_empty() && !self.open.iter().any(|(known, _)| known == wire) {
            self.open.push((wire.to_owned(), name.to_owned()));
        }
    }

    fn pair(&mut self, pieces: &[Piece<'_>]) {
        match pieces {
            [] => {}
            [Piece::Literal(_, text)] => {
                let name = text.split('=').next().unwrap_or(text).to_owned();
                self.fixed.push(Pair { name, text: encode(text, QUERY, true) });
            }
            [Piece::Name(name)] => self.open(name, name),
            [Piece::Literal(_, text), Piece::Name(name)] if text.find('=') == Some(text.len() - 1) => {
                self.open(text.trim_end_matches('='), name);
            }
            _ => {
                self.refusal = Some("its query mixes text and placeholders in one value".to_owned());
            }
        }
    }
}

fn push<'t>(pairs: &mut [Vec<Piece<'t>>], piece: Piece<'t>) {
    if let Some(last) = pairs.last_mut() {
        last.push(piece);
    }
}

/// The literals and placeholders of a key. Routing constraints (`{id:guid}`, `{*rest}`, `{id?}`) are left out; a brace
/// without its other half is text.
fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let (mut start, mut from) = (0, 0);
    while let Some(open) = template[from..].find('{').map(|at| from + at) {
        let Some(close) = closing(template, open) else { break };
        let inner = &template[open + 1..close];
        from = close + 1;
        let piece = if let Some(names) = inner.strip_prefix(['?', '&']) {
            Piece::Query(names.split(',').map(|name| name.trim().trim_end_matches('*').to_owned()).collect())
        } else {
            let name = inner.split([':', '=']).next().unwrap_or(inner).trim_matches(['*', '?', '+']);
            if name.contains(['{', '}']) {
                continue;
            }
            Piece::Name(name.to_owned())
        };
        if start < open {
            out.push(Piece::Literal(start, &template[start..open]));
        }
        out.push(piece);
        start = from;
    }
    if start < template.len() {
        out.push(Piece::Literal(start, &template[start..]));
    }
    out
}

/// Index of the brace that closes the one at `open`. A constraint may contain pairs of its own.
fn closing(template: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in template[open..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(open + at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Characters that need no encoding in a path, beside the unreserved ones (RFC 3986, section 3.3).
const PATH: &str = "!$&'()*+,;=:@/";

/// Characters that need no encoding in a query. URLs of the web encode the apostrophe.
const QUERY: &str = "!$&()*+,;=:@/?";

/// Percent-encodes all but the unreserved characters and those of `kept`; encodings that are there stay where `encoded`.
fn encode(text: &str, kept: &str, encoded: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    for (index, byte) in bytes.iter().enumerate() {
        let is_encoding = || {
            let digits = bytes.get(index + 1..index + 3);
            encoded && *byte == b'%' && digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) || kept.as_bytes().contains(byte) || is_encoding() {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Returns whether a segment is `.` or `..`, encoded or not.
fn is_step(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

/// A template without the names of its placeholders.
pub(super) fn anonymous(path: &str) -> String {
    let mut parts = path.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |path, part| path + "{}" + part.split_once('}').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::Route;

    fn read(template: &str) -> (String, Vec<String>, Vec<String>) {
        let route = Route::read(template);
        assert_eq!(route.refusal, None, "{template}");
        let open = route.open.iter().map(|(wire, name)| format!("{wire}={{{name}}}"));
        let query = route.fixed.iter().map(|pair| pair.text.clone()).chain(open).collect();
        (route.path, route.placeholders, query)
    }

    #[test]
    fn routing_constraints_leave_the_template() {
        let (path, names, _) = read("/a/{id:guid}/b/{*rest}/ToString({x})/{tail?}/{n:regex(^\\d{{3}}$)}");
        assert_eq!(path, "/a/{id}/b/{rest}/ToString({x})/{tail}/{n}");
        assert_eq!(names, ["id", "rest", "x", "tail", "n"]);
    }

    #[test]
    fn literals_are_what_goes_on_the_wire() {
        for (template, path) in [
            ("/a b/ü", "/a%20b/%C3%BC"),
            ("/a%20b/50%/100%2", "/a%20b/50%25/100%252"),
            ("/a\\b|c^d`e\"<>\n", "/a%5Cb%7Cc%5Ed%60e%22%3C%3E%0A"),
            ("/open{brace", "/open%7Bbrace"),
            ("/close}/{x}", "/close%7D/{x}"),
            ("/{a{b}}/{x}", "/%7Ba%7Bb%7D%7D/{x}"),
            ("//a//", "//a//"),
            ("/...", "/..."),
            ("/!$&'()*+,;=:@-._~", "/!$&'()*+,;=:@-._~"),
        ] {
            assert_eq!(read(template).0, path, "{template}");
        }
    }

    #[test]
    fn queries_and_fragments() {
        assert_eq!(
            read("/s?kind=all&x&n=ü b'#c?d"),
            ("/s".to_owned(), Vec::new(), ["kind=all", "x", "n=%C3%BC%20b%27"].map(str::to_owned).to_vec(),)
        );
        assert_eq!(read("/s/{id}?q={term}&v=1&{rest}&").2, ["v=1", "q={term}", "rest={rest}"]);
        assert_eq!(read("/s{?q,page*}").2, ["q={q}", "page={page}"]);
        assert_eq!(read("/s/{a#b}/c").0, "/s/{a#b}/c", "a fragment does not begin inside a placeholder");
        assert_eq!(Route::read("/#X-Amz-Target={a}.b#c").fragment.as_deref(), Some("X-Amz-Target={a}.b#c"));
    }

    #[test]
    fn what_no_request_can_carry_is_refused() {
        for template in ["/a/../b", "/./b", "/a/%2e%2E", "/a/..?b=c", "/a?b=x-{c}", "/a?{b}={c}"] {
            assert!(Route::read(template).refusal.is_some(), "{template}");
        }
        for template in ["/a/.{b}", "/{a}..", "/a?b=.."] {
            assert_eq!(Route::read(template).refusal, None, "{template}");
        }
    }
}
