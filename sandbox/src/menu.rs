//! The menu and the style of every page: the console's, and the issuer's.

/// The menu: parts of the console, and the pages beside it.
const MENU: [(&str, &[(&str, &str)]); 2] = [
    (
        "Sandbox",
        &[
            ("/sandbox#/", "Overview"),
            ("/sandbox#/state", "State"),
            ("/sandbox#/operations", "Operations"),
            ("/sandbox#/requests", "Requests"),
            ("/sandbox#/faults", "Faults"),
            ("/sandbox#/clock", "Clock"),
            ("/sandbox#/issuer", "Issuer"),
            ("/sandbox#/addresses", "Addresses"),
        ],
    ),
    (
        "Interfaces",
        &[
            ("/swagger/index.html", "Contract"),
            ("/graphiql", "GraphQL"),
            ("/sandbox/control", "Control"),
            ("/identity/profile/api-tokens", "API tokens"),
        ],
    ),
];

/// The style of every page: colours, header and menu.
pub(crate) const STYLE: &str = include_str!("ui/style.css");
/// The style of the sandbox's own content.
pub(crate) const CONTENT_STYLE: &str = include_str!("ui/console.css");
/// The beginning of every page.
pub(crate) const HEADER: &str = "<header><a class=\"skip\" href=\"#main\">Skip to the content</a>\
    <a class=\"brand\" href=\"/sandbox\">Platform sandbox</a>\
    <button type=\"button\" id=\"menu\" aria-expanded=\"false\" aria-controls=\"parts\">Menu</button><div id=\"bar\"></div></header>\n";

/// The beginning of a page without scripts, whose menu is always open.
pub(crate) const PLAIN_HEADER: &str = "<header><a class=\"skip\" href=\"#main\">Skip to the content</a>\
    <a class=\"brand\" href=\"/sandbox\">← Platform sandbox</a></header>\n";

/// The menu, with the page of this address marked.
pub(crate) fn html(current: &str) -> String {
    let mut menu = String::from("<nav id=\"parts\" aria-label=\"Pages\">");
    for (group, links) in MENU {
        menu += &format!("<p>{group}</p><ul>");
        for (address, name) in links {
            let here = if *address == current { " aria-current=\"page\"" } else { "" };
            menu += &format!("<li><a href=\"{address}\"{here}>{name}</a></li>");
        }
        menu += "</ul>";
    }
    menu + "<div id=\"who\"></div></nav>\n"
}
