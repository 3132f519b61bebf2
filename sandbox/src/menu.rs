//! The frame of every page: the console's, and the issuer's.

use driftless_sandbox_control::ui::{Frame, Group};

/// The menu: parts of the console, and the pages beside it.
const MENU: [Group; 2] = [
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

/// The frame of every page.
pub(crate) const FRAME: Frame = Frame { brand: "Platform sandbox", menu: &MENU };
