//! Names as words: comparison without regard to case and separators, plurals, and the names that pages and envelopes use.

/// A name in lower case, without separators: `project_id`, `projectId` and `Project-Id` are `projectid`.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The singular of an English word in lower case, good enough to compare names.
pub(crate) fn singular(word: &str) -> String {
    let replaced = |end: &str, new: &str| word.strip_suffix(end).map(|stem| format!("{stem}{new}"));
    if word.len() < 4 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    replaced("ies", "y")
        .or_else(|| {
            ["sses", "shes", "ches", "xes", "zes"].iter().find_map(|end| replaced(end, end.strip_suffix("es")?))
        })
        .or_else(|| replaced("people", "person"))
        .or_else(|| replaced("s", ""))
        .unwrap_or_else(|| word.to_owned())
}

/// Returns whether a name stands in a list of plain names.
pub(crate) fn is_one(name: &str, names: &[&str]) -> bool {
    names.contains(&plain(name).as_str())
}

/// Members that hold the elements of a list.
pub(crate) const ELEMENTS: &[&str] = &[
    "items",
    "data",
    "results",
    "result",
    "value",
    "values",
    "list",
    "records",
    "entries",
    "content",
    "rows",
    "elements",
    "resources",
    "nodes",
    "hits",
    "objects",
    "collection",
    "embedded",
    "response",
    "payload",
];

/// Members that hold one item.
pub(crate) const WRAPPERS: &[&str] =
    &["data", "result", "item", "value", "response", "payload", "content", "resource", "entity"];

pub(crate) const TOTAL: &[&str] = &[
    "total",
    "totalcount",
    "totalitems",
    "totalresults",
    "totalrecords",
    "totalelements",
    "totalsize",
    "totalentries",
    "itemcount",
    "resultcount",
    "recordcount",
    "odatacount",
];
/// The number of elements of the page, or of all pages: contracts use both senses.
pub(crate) const COUNT: &[&str] = &["count", "size", "numberofelements", "length"];
pub(crate) const PAGES: &[&str] = &["totalpages", "pagecount", "pages", "lastpage", "numpages", "numberofpages"];
pub(crate) const MORE: &[&str] =
    &["hasmore", "hasnext", "hasnextpage", "more", "istruncated", "hasmoreitems", "hasmoreresults"];
pub(crate) const BACK: &[&str] = &["hasprevious", "haspreviouspage", "hasprev"];
pub(crate) const NEXT: &[&str] = &[
    "next",
    "nextpage",
    "nexttoken",
    "nextpagetoken",
    "nextcursor",
    "nextlink",
    "cursor",
    "nextmarker",
    "continuationtoken",
    "nextpageuri",
    "nextpageurl",
    "odatanextlink",
    "endcursor",
];

pub(crate) const LIMIT: &[&str] = &[
    "limit",
    "pagesize",
    "perpage",
    "size",
    "top",
    "maxresults",
    "maxitems",
    "take",
    "pagelimit",
    "itemsperpage",
    "resultsperpage",
    "rows",
    "numresults",
    "first",
];
pub(crate) const OFFSET: &[&str] = &["offset", "skip", "start", "startindex", "startat", "from", "pageoffset"];
pub(crate) const PAGE: &[&str] = &["page", "pagenumber", "pageindex", "pageno", "pagenum", "currentpage"];
pub(crate) const CURSOR: &[&str] = &[
    "cursor",
    "pagetoken",
    "nexttoken",
    "after",
    "startingafter",
    "marker",
    "continuationtoken",
    "nextpagetoken",
    "nextcursor",
    "since",
];
pub(crate) const SORT: &[&str] = &["sort", "sortby", "orderby", "order", "sortkey", "sortcolumn", "ordering"];
pub(crate) const DIRECTION: &[&str] = &["sortdirection", "sortdir", "sortorder", "orderdirection", "direction", "dir"];
pub(crate) const TEXT: &[&str] = &["q", "query", "search", "searchterm", "searchtext", "term", "keyword", "text"];
