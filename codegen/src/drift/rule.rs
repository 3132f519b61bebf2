//! The properties of a rule. Its table, [`table`], decides all of them for each rule.

mod table;

use serde::Serialize;

use super::sides::When;

pub use table::{RULES, Rule};

/// The cost of a change for a program that is already built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Nothing at all.
    None,
    /// It goes on as before; there is something new to use.
    Safe,
    /// It may fail, or do something else than before.
    Risk,
    /// It fails where it meets the change.
    Break,
}

impl Wire {
    /// As reports write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Risk => "risk",
            Self::Break => "break",
        }
    }

    /// The letter of its section of the report.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::None => 'N',
            Self::Safe => 'A',
            Self::Risk => 'R',
            Self::Break => 'B',
        }
    }
}

/// The way to repair a program that the change breaks, if no public item changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Look at the calls.
    Calls,
    /// Rebuild: generated code that no public item shows follows the contract (addresses, names, styles, media types).
    Rebuild,
    /// Ask the service's team: access, addresses and promises of the service are in no call.
    Service,
    /// Set the base URL.
    BaseUrl,
}

/// The detail that follows the sentence of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Plain,
    /// The values before and after.
    Values,
    /// The same, with `none` for a format that is not there.
    Format,
    /// The keyword, which holds both names.
    Names,
    /// The new address.
    Address,
}

/// Differences that are one finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    ByPlace,
    /// The same part of many operations is one change of the service.
    AcrossOperations,
    /// The same, whether the document names the credentials for all operations or each operation its own.
    Credentials,
    /// A segment that changed everywhere is one move.
    BySegment,
}

/// Findings that are one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// Findings with the same texts.
    ByChange,
    /// All of the rule: a service decides it for its contract at once, by a filter of its generator, a switch, a convention.
    ByRule,
    /// The same, with those that programs send apart.
    SentApart,
}

/// The part of a client that can show the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visible {
    /// Public Rust items.
    Rust,
    /// The same, and the cargo features of other items: those that the operation uses.
    Features,
    /// Public Rust items of errors, which are not part of the result of a call.
    Errors,
    /// Requests and responses alone.
    Wire,
}

/// The kind of name that comes or goes with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameKind {
    Member,
    Parameter,
    /// The values of an enumeration.
    Values,
}

impl NameKind {
    pub(super) fn singular(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Parameter => "parameter",
            Self::Values => "enumeration",
        }
    }
}

/// The part of a contract that an example writes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExamplePart {
    /// Members of the document.
    Contract,
    /// Members of an operation.
    Operation,
    /// The schema of the body of a request and of its response.
    Schema,
    /// A GraphQL schema.
    Graphql,
    /// A GraphQL schema that a document is checked against.
    Document,
}

impl ExamplePart {
    /// The part as readers of an example name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contract => "in the contract",
            Self::Operation => "in an operation",
            Self::Schema => "as the schema of a body",
            Self::Graphql => "in the GraphQL schema",
            Self::Document => "in the GraphQL schema that a document uses",
        }
    }
}

/// The smallest change that the rule is about.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The part that the two texts stand for.
    pub part: ExamplePart,
    /// YAML, or a GraphQL schema; `null` removes a member.
    pub before: &'static str,
    /// The same afterwards.
    pub after: &'static str,
}

/// The declaration of one rule.
#[derive(Debug)]
pub struct Declaration {
    /// Stable name, in kebab case.
    pub id: &'static str,
    /// The rule of the opposite change.
    pub mirror: Rule,
    /// The cost in a request, or for an operation as a whole.
    pub request: Wire,
    /// The cost of a change in a response, for a program that was built with this client.
    pub response: Wire,
    /// The cost of a change in a response, for any client of the contract. In a request, all clients send the same.
    pub contract: Wire,
    /// The subject of the sentence: `an operation`.
    pub subject: &'static str,
    /// The predicate: `is gone`. `{keyword}` is a keyword as part of it.
    pub says: &'static str,
    /// The predicates of variants of the change, in place of `says`.
    pub(super) variants: &'static [(&'static str, &'static str)],
    /// The symptom of programs that send a request.
    pub sender: &'static str,
    /// The symptom of programs that read a response.
    pub reader: &'static str,
    /// The example; `None` if that of the mirror, read backwards, is one.
    pub(super) example: Option<Example>,
    pub(super) remedy: Remedy,
    pub(super) detail: Detail,
    pub(super) merge: Merge,
    pub(super) grouping: Grouping,
    pub(super) visible: Visible,
    /// The kind of name that comes or goes, and the contract that has it.
    pub(super) named: Option<(NameKind, When)>,
}

impl Declaration {
    /// The sentence about any subject, such as `an operation is gone`.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} {}", self.subject, self.says.replace("{keyword}", "…"))
    }

    /// The predicate of a variant of the change.
    pub(super) fn says_of(&self, variant: &str) -> &'static str {
        self.variants.iter().find(|(name, _)| *name == variant).map_or(self.says, |(_, says)| *says)
    }
}

impl Rule {
    /// Returns the rule with this name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        RULES.iter().copied().find(|rule| rule.id() == id)
    }

    /// Stable name, in kebab case.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// The rule of the opposite change.
    #[must_use]
    pub fn mirror(self) -> Self {
        self.entry().mirror
    }

    /// The smallest change that the rule is about.
    #[must_use]
    pub fn example(self) -> Option<Example> {
        let backwards = |example: Example| Example { before: example.after, after: example.before, ..example };
        self.entry().example.or_else(|| self.mirror().entry().example.map(backwards))
    }
}

impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::{NameKind, RULES, Rule, Visible};
    use std::collections::BTreeSet;

    #[test]
    fn mirrors_are_symmetric_and_names_unique() {
        let mut ids = BTreeSet::new();
        for rule in RULES {
            assert_eq!(rule.mirror().mirror(), *rule, "{}", rule.id());
            assert!(ids.insert(rule.id()), "{} stands twice", rule.id());
            assert_eq!(Rule::from_id(rule.id()), Some(*rule));
        }
    }

    /// Catches a column that only one of two opposite rules has.
    #[test]
    fn opposite_rules_are_about_the_same_names_items_and_variants() {
        let names = |rule: &Rule| rule.entry().variants.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        for rule in RULES {
            let (entry, mirror) = (rule.entry(), rule.mirror().entry());
            assert_eq!(mirror.named, entry.named.map(|(kind, side)| (kind, side.other())), "{}", rule.id());
            assert_eq!(mirror.visible, entry.visible, "{}", rule.id());
            assert_eq!(names(&rule.mirror()), names(rule), "{}", rule.id());
        }
        let count =
            |kind| RULES.iter().filter(|rule| rule.entry().named.is_some_and(|(named, _)| named == kind)).count();
        assert_eq!([NameKind::Member, NameKind::Parameter, NameKind::Values].map(count), [4, 4, 2]);
        assert_eq!(RULES.iter().filter(|rule| rule.entry().visible == Visible::Features).count(), 5);
    }
}
