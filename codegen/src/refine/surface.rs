//! The contract's surface: one line per operation.

use super::arguments::arrange;
use super::render::Render;
use crate::model::Provenance;
use crate::text::line;

/// One line per operation: family and name, method and path, arguments and result, statuses, provenance.
pub(crate) fn surface(render: &Render<'_>) -> String {
    let mut text = String::new();
    for operation in &render.model.operations {
        let arguments = arrange(render, operation);
        let mut list: Vec<String> =
            arguments.list.iter().map(|(name, ty)| format!("{name}: {}", render.text(ty, ""))).collect();
        list.extend(
            arguments.setters.iter().map(|setter| format!("[{}: {}]", setter.name, render.text(&setter.rust, ""))),
        );
        let success = render.text(&render.success(&operation.success), "");
        let statuses: Vec<String> = operation.statuses.iter().map(|status| status.status.to_string()).collect();
        let provenance = match operation.provenance {
            Provenance::Plain => "",
            Provenance::Documented => "  documented",
            Provenance::Assumed => "  assumed",
        };
        let family = render.model.families.iter().find(|family| family.name == operation.family);
        let server = family.and_then(|family| family.server.as_deref());
        let server = server.map(|name| format!("  server {}", line(name))).unwrap_or_default();
        text.push_str(&format!(
            "{}.{}  {} {}  ({}) -> {success}  [{}]{provenance}{server}\n",
            operation.family,
            operation.name,
            line(&operation.method),
            line(&operation.target()),
            list.join(", "),
            statuses.join(" "),
        ));
    }
    text
}
