//! The rules: what can change between two contracts, and what it costs a program that is already built.

use serde::Serialize;

/// How much a change costs a program that is already built.
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

/// The declaration of one rule.
#[derive(Debug)]
pub struct Declaration {
    /// Stable name, in kebab case.
    pub id: &'static str,
    /// The rule of the opposite change.
    pub mirror: Rule,
    /// What it costs in a request, or for an operation as a whole.
    pub request: Wire,
    /// The cost of a change in a response, for a program that was built with this client.
    pub response: Wire,
    /// The cost of a change in a response, for any client of the contract. In a request, all clients send the same.
    pub contract: Wire,
    /// What changed: the predicate of a sentence about the subject.
    pub says: &'static str,
    /// Who notices in a request, and how.
    pub sender: &'static str,
    /// Who notices in a response, and how.
    pub reader: &'static str,
}

/// The verdict for any client of the contract, where it is another one than for this client.
macro_rules! contract {
    ($response:ident) => {
        Wire::$response
    };
    ($response:ident $contract:ident) => {
        Wire::$contract
    };
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $id:literal <> $mirror:ident, $request:ident $response:ident $($contract:ident)?, $says:literal, $sender:literal, $reader:literal;)*) => {
        /// What can change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $says] $name,)*
        }

        /// Every rule, in the order of its declaration.
        pub const RULES: &[Rule] = &[$(Rule::$name,)*];

        impl Rule {
            /// What the rule declares.
            #[must_use]
            pub fn entry(self) -> &'static Declaration {
                match self {
                    $(Self::$name => {
                        const ENTRY: &Declaration = &Declaration {
                            id: $id,
                            mirror: Rule::$mirror,
                            request: Wire::$request,
                            response: Wire::$response,
                            contract: contract!($response $($contract)?),
                            says: $says,
                            sender: $sender,
                            reader: $reader,
                        };
                        ENTRY
                    })*
                }
            }
        }
    };
}

// `{keyword}` is a keyword as part of a sentence. The verdicts are those of a request, of a response, and, if it is another one, of a
// response for any client of the contract: this client keeps unknown values, and looks at no limit of what it reads.
rules! {
    OperationRemoved "operation-removed" <> OperationAdded, Break Break, "is gone", "callers: 404 or 405", "";
    OperationAdded "operation-added" <> OperationRemoved, Safe Safe, "is new", "", "";
    OperationMoved "operation-moved" <> OperationMoved, Break Break, "moved", "callers of the old address: 404", "";
    BasePathMoved "base-path-moved" <> BasePathMoved, Safe Safe, "moved between the address of the service and the paths", "programs that are compiled anew: 404 until their base URL ends as that of the contract", "";
    OperationDeprecated "operation-deprecated" <> OperationReactivated, Safe Safe, "is deprecated", "", "";
    OperationReactivated "operation-reactivated" <> OperationDeprecated, Safe Safe, "is not deprecated any more", "", "";
    OperationIdChanged "operation-id-changed" <> OperationIdChanged, None None, "has another operationId", "", "";
    OperationTagAdded "operation-tag-added" <> OperationTagRemoved, None None, "has another tag", "", "";
    OperationTagRemoved "operation-tag-removed" <> OperationTagAdded, None None, "lost a tag", "", "";
    BecameLongRunning "became-long-running" <> BecameImmediate, Risk Risk, "is long-running now (`x-ms-long-running-operation`)", "callers: the answer comes before the work is done, and says where to ask for its end", "";
    BecameImmediate "became-immediate" <> BecameLongRunning, Risk Risk, "is not long-running any more (`x-ms-long-running-operation`)", "callers that ask for the end of the work: the answer is the end", "";
    SunsetAdded "sunset-added" <> SunsetRemoved, Safe Safe, "has an end date now", "", "";
    SunsetRemoved "sunset-removed" <> SunsetAdded, Risk Risk, "is deprecated without an end date now", "", "";
    SunsetChanged "sunset-changed" <> SunsetChanged, Safe Safe, "has another end date", "", "";
    SunsetUnreadable "sunset-unreadable" <> SunsetUnreadable, Risk Risk, "has an end date that is not a date", "", "";
    StabilityDecreased "stability-decreased" <> StabilityIncreased, Risk Risk, "is less stable than before", "", "";
    StabilityIncreased "stability-increased" <> StabilityDecreased, Safe Safe, "is more stable than before", "", "";
    StabilityUnreadable "stability-unreadable" <> StabilityUnreadable, Risk Risk, "has a stability level that does not exist", "", "";
    WebhookRemoved "webhook-removed" <> WebhookAdded, Risk Risk, "is gone: the service does not call it any more", "", "";
    WebhookAdded "webhook-added" <> WebhookRemoved, Safe Safe, "is new", "", "";

    ParameterRemoved "parameter-removed" <> ParameterAdded, Risk Risk, "is gone", "callers that send it: most services ignore what they do not know, so there is no error, and another answer", "";
    ParameterAdded "parameter-added" <> ParameterRemoved, Safe Safe, "is new, and optional", "", "";
    RequiredParameterRemoved "required-parameter-removed" <> RequiredParameterAdded, Risk Risk, "is gone", "callers send it still: most services ignore what they do not know", "";
    RequiredParameterAdded "required-parameter-added" <> RequiredParameterRemoved, Break Break, "is new, and required", "every caller: 400", "";
    ParameterRenamed "parameter-renamed" <> ParameterRenamed, Risk Risk, "has another name", "callers that send the old name: most services ignore what they do not know, so there is no error, and another answer", "";
    ParameterBecameRequired "parameter-became-required" <> ParameterBecameOptional, Break Break, "is now required", "callers that left it out: 400", "";
    ParameterBecameOptional "parameter-became-optional" <> ParameterBecameRequired, Safe Safe, "is now optional", "", "";
    ParameterStyleChanged "parameter-style-changed" <> ParameterStyleChanged, Break Break, "is written in another style ({keyword})", "callers send it in the old style: it is misread, or 400", "";
    EmptyValueAllowed "empty-value-allowed" <> EmptyValueRefused, Safe Safe, "may be empty now", "", "";
    EmptyValueRefused "empty-value-refused" <> EmptyValueAllowed, Risk Risk, "may not be empty any more", "callers that send it empty: 400", "";

    BodyAdded "body-added" <> BodyRemoved, Safe Safe, "takes a body now, which is optional", "", "";
    BodyRemoved "body-removed" <> BodyAdded, Break Break, "takes no body any more", "callers that send one: it is ignored, or 400 or 415", "";
    RequiredBodyAdded "required-body-added" <> RequiredBodyRemoved, Break Break, "needs a body now", "every caller: 400", "";
    RequiredBodyRemoved "required-body-removed" <> RequiredBodyAdded, Break Break, "takes no body any more", "every caller sends one still: it is ignored, or 400 or 415", "";
    BodyBecameRequired "body-became-required" <> BodyBecameOptional, Break Break, "is now required", "callers that left it out: 400", "";
    BodyBecameOptional "body-became-optional" <> BodyBecameRequired, Safe Safe, "is now optional", "", "";
    MediaTypeAdded "media-type-added" <> MediaTypeRemoved, Safe Safe, "may also be {keyword}", "", "";
    MediaTypeRemoved "media-type-removed" <> MediaTypeAdded, Break Break, "may not be {keyword} any more", "callers that send it: 415", "callers that ask for it: 406, or a body that they cannot read";
    MediaTypeChanged "media-type-changed" <> MediaTypeChanged, Risk Risk, "has another media type", "callers that send the old one: 415", "readers that ask for the old one, or read no other";
    ContentSchemaAdded "content-schema-added" <> ContentSchemaRemoved, Risk Safe, "has a schema now", "callers whose body does not meet it: 400", "";
    ContentSchemaRemoved "content-schema-removed" <> ContentSchemaAdded, Safe Risk, "has no schema any more", "", "readers: the body may be anything";
    EncodingChanged "encoding-changed" <> EncodingChanged, Risk Risk, "has parts in another encoding", "callers send the parts as before: they are misread, or 400", "";

    StatusAdded "status-added" <> StatusRemoved, Safe Safe, "may succeed with {keyword}", "", "";
    StatusRemoved "status-removed" <> StatusAdded, Risk Risk, "does not succeed with {keyword} any more", "", "readers that wait for this status";
    OtherStatusAdded "other-status-added" <> OtherStatusRemoved, Risk Risk, "may succeed with {keyword}, and another body than before", "", "older clients: decode error where the service answers so";
    OtherStatusRemoved "other-status-removed" <> OtherStatusAdded, Risk Risk, "does not succeed with {keyword} any more", "", "readers that wait for this status";
    AnswerChanged "answer-changed" <> AnswerChanged, Break Break, "succeeds with another status, and another body than before", "", "every reader: decode error, or nothing to read";
    ErrorStatusAdded "error-status-added" <> ErrorStatusRemoved, Safe Safe, "may fail with {keyword}", "", "";
    ErrorStatusRemoved "error-status-removed" <> ErrorStatusAdded, Safe Safe, "does not fail with {keyword} any more", "", "";
    HeaderAdded "header-added" <> HeaderRemoved, Safe Safe, "is new", "", "";
    HeaderRemoved "header-removed" <> HeaderAdded, Risk Risk, "is not sent any more", "", "readers of the header";
    RequiredHeaderAdded "required-header-added" <> RequiredHeaderRemoved, Safe Safe, "is new, and always there", "", "";
    RequiredHeaderRemoved "required-header-removed" <> RequiredHeaderAdded, Break Break, "is not sent any more", "", "readers of the header: it was always there";
    HeaderBecameRequired "header-became-required" <> HeaderBecameOptional, Safe Safe, "is now always there", "", "";
    HeaderBecameOptional "header-became-optional" <> HeaderBecameRequired, Break Break, "may be missing now", "", "readers of the header: it was always there";

    TypeChanged "type-changed" <> TypeChanged, Break Break, "has another type", "every writer that sets it: 400", "every reader: decode error";
    TypeWidened "type-widened" <> TypeNarrowed, Safe Risk, "may be of more types than before", "", "readers: decode error at a value of the new type";
    TypeNarrowed "type-narrowed" <> TypeWidened, Break Safe, "may be of fewer types than before", "writers that send the old type: 400", "";
    FormatChanged "format-changed" <> FormatChanged, Risk Risk, "has another format", "writers that send the old format: 400", "readers: decode error at a value of the new format";
    FormatWidened "format-widened" <> FormatNarrowed, Safe Risk, "has a wider format", "", "readers: decode error at a value that the old format did not have";
    FormatNarrowed "format-narrowed" <> FormatWidened, Risk Safe, "has a narrower format", "writers of the values that are gone: 400", "";
    BecameNullable "became-nullable" <> BecameNotNullable, Safe Break, "may be null now", "", "readers: decode error at a null";
    BecameNotNullable "became-not-nullable" <> BecameNullable, Break Safe, "may not be null any more", "writers that send null: 400", "";
    EnumValueAdded "enum-value-added" <> EnumValueRemoved, Safe Safe Risk, "may also be {keyword}", "", "older clients read it as `Unknown`";
    EnumValueRemoved "enum-value-removed" <> EnumValueAdded, Break Safe, "may not be {keyword} any more", "writers that send it: 400", "";
    ValueNamesChanged "value-names-changed" <> ValueNamesChanged, None None, "has other names for its values: {keyword}", "", "";
    BecameEnum "became-enum" <> BecameOpen, Break Safe, "has a fixed list of values now", "writers that send another one: 400", "";
    BecameOpen "became-open" <> BecameEnum, Safe Safe Risk, "has no fixed list of values any more", "", "older clients read new values as `Unknown`";
    ConstantAdded "constant-added" <> ConstantRemoved, Break Safe, "has one value only now", "writers that send another one: 400", "";
    ConstantRemoved "constant-removed" <> ConstantAdded, Safe Risk, "may have other values than the one before", "", "readers that know one value only";
    ConstantChanged "constant-changed" <> ConstantChanged, Break Break, "has another constant value", "every writer: 400", "readers that know the old value only";
    DefaultAdded "default-added" <> DefaultRemoved, Risk Safe, "has a default now", "callers that leave it out: the service takes another value than before", "";
    DefaultRemoved "default-removed" <> DefaultAdded, Risk Safe, "has no default any more", "callers that leave it out: the service takes another value than before", "";
    DefaultChanged "default-changed" <> DefaultChanged, Risk Safe, "has another default", "callers that leave it out: the service takes another value than before", "";

    MemberAdded "member-added" <> MemberRemoved, Safe Safe, "is new, and optional", "", "";
    MemberRemoved "member-removed" <> MemberAdded, Risk Safe Risk, "is gone", "writers that set it: it is ignored, or 400", "running programs read that it is missing";
    RequiredMemberAdded "required-member-added" <> RequiredMemberRemoved, Break Safe, "is new, and required", "every writer: 400", "";
    RequiredMemberRemoved "required-member-removed" <> RequiredMemberAdded, Risk Break, "is gone", "writers send it still: it is ignored, or 400", "every reader: decode error";
    BecameRequired "became-required" <> BecameOptional, Break Safe, "is now required", "callers that left it out: 400", "";
    BecameOptional "became-optional" <> BecameRequired, Safe Break, "may be left out now", "", "readers: decode error where it is missing";
    BecameReadOnly "became-read-only" <> BecameNotReadOnly, Risk Safe, "is read-only now", "writers that set it: it is ignored, or 400", "";
    BecameNotReadOnly "became-not-read-only" <> BecameReadOnly, Safe Safe, "can be written now", "", "";
    RequiredBecameNotReadOnly "required-became-not-read-only" <> RequiredBecameReadOnly, Break Safe, "has to be written now", "writers that left it out: 400", "";
    RequiredBecameReadOnly "required-became-read-only" <> RequiredBecameNotReadOnly, Risk Safe, "is read-only now", "writers send it still: it is ignored, or 400", "";
    BecameWriteOnly "became-write-only" <> BecameNotWriteOnly, Safe Safe Risk, "is not sent back any more", "", "running programs read that it is missing";
    BecameNotWriteOnly "became-not-write-only" <> BecameWriteOnly, Safe Safe, "is sent back now", "", "";
    RequiredBecameWriteOnly "required-became-write-only" <> RequiredBecameNotWriteOnly, Safe Break, "is not sent back any more", "", "every reader: decode error";
    RequiredBecameNotWriteOnly "required-became-not-write-only" <> RequiredBecameWriteOnly, Safe Safe, "is sent back now", "", "";
    Deprecated "deprecated" <> Reactivated, Safe Safe, "is deprecated", "", "";
    Reactivated "reactivated" <> Deprecated, Safe Safe, "is not deprecated any more", "", "";

    LimitSet "limit-set" <> LimitUnset, Risk None, "has a limit now: {keyword}", "writers beyond it: 400", "";
    LimitUnset "limit-unset" <> LimitSet, Safe None Break, "has no {keyword} any more", "", "readers that check the limit";
    LimitTightened "limit-tightened" <> LimitLoosened, Risk None, "has a tighter limit: {keyword}", "writers beyond it: 400", "";
    LimitLoosened "limit-loosened" <> LimitTightened, Safe None Break, "has a looser limit: {keyword}", "", "readers that check the limit";
    PatternSet "pattern-set" <> PatternUnset, Risk None, "has to match a pattern now", "writers of what does not match: 400", "";
    PatternUnset "pattern-unset" <> PatternSet, Safe None Break, "need not match a pattern any more", "", "readers that check the pattern";
    PatternChanged "pattern-changed" <> PatternChanged, Risk None Break, "has to match another pattern", "writers of what does not match: 400", "readers that check the pattern";
    MembersClosed "members-closed" <> MembersOpened, Risk None, "takes no undeclared members any more", "writers that send them: 400", "";
    MembersOpened "members-opened" <> MembersClosed, Safe None Risk, "takes undeclared members now", "", "readers that take no undeclared members";
    VariantAdded "variant-added" <> VariantRemoved, Safe Risk, "has another variant ({keyword})", "", "older clients meet a variant that they do not know";
    VariantRemoved "variant-removed" <> VariantAdded, Break Safe, "lost a variant ({keyword})", "writers that send it: 400", "";
    WrappedInUnion "wrapped-in-union" <> UnwrappedFromUnion, Risk Break, "is one of several variants now", "writers of what fits no variant: 400", "readers: decode error at another variant";
    UnwrappedFromUnion "unwrapped-from-union" <> WrappedInUnion, Break Safe, "is one of its variants only now", "writers of another variant: 400", "";
    DiscriminatorAdded "discriminator-added" <> DiscriminatorRemoved, Risk Risk, "has a discriminator now", "writers that leave it out: 400", "readers choose the variant in another way";
    DiscriminatorRemoved "discriminator-removed" <> DiscriminatorAdded, Risk Risk, "has no discriminator any more", "", "readers choose the variant by its discriminator";
    DiscriminatorChanged "discriminator-changed" <> DiscriminatorChanged, Break Break, "has its discriminator in another member", "every writer: 400", "every reader: decode error";
    MappingAdded "mapping-added" <> MappingRemoved, Safe Safe, "has another value of its discriminator: {keyword}", "", "";
    MappingRemoved "mapping-removed" <> MappingAdded, Risk Risk, "lost a value of its discriminator: {keyword}", "writers of this value: 400", "readers: the variant comes with another value, which older clients do not know";
    MappingChanged "mapping-changed" <> MappingChanged, Risk Risk, "means something else by a value of its discriminator: {keyword}", "writers of this value: 400", "readers: decode error at this value";
    CompositionChanged "composition-changed" <> CompositionChanged, None None, "is composed of other schemas (`allOf`), with the same meaning", "", "";
    ConstraintAdded "constraint-added" <> ConstraintRemoved, Risk None, "has another constraint: {keyword}", "writers of what does not meet it: 400", "";
    ConstraintRemoved "constraint-removed" <> ConstraintAdded, Safe None Break, "lost a constraint: {keyword}", "", "readers that check it";
    ConstraintChanged "constraint-changed" <> ConstraintChanged, Risk None Break, "has another constraint: {keyword}", "writers of what does not meet it: 400", "readers that check it";

    TypeRemoved "type-removed" <> TypeAdded, Break Break, "is gone", "writers of values of it: the service refuses the document", "documents that name it: the service refuses them";
    TypeAdded "type-added" <> TypeRemoved, Safe Safe, "is new", "", "";
    FieldRemoved "field-removed" <> FieldAdded, Break Break, "is gone", "", "documents that select it: the service refuses them";
    FieldAdded "field-added" <> FieldRemoved, Safe Safe, "is new", "", "";
    InputRemoved "input-removed" <> InputAdded, Break Break, "is gone", "documents that give it: the service refuses them", "";
    InputAdded "input-added" <> InputRemoved, Safe Safe, "is new, and optional", "", "";
    RequiredInputRemoved "required-input-removed" <> RequiredInputAdded, Break Break, "is gone", "every document that gives it: the service refuses it", "";
    RequiredInputAdded "required-input-added" <> RequiredInputRemoved, Break Break, "is new, and required", "every document that leaves it out: the service refuses it", "";

    DocumentRefused "document-refused" <> DocumentAccepted, Break Break, "does not fit the schema any more", "programs that send it: the service refuses it", "";
    DocumentAccepted "document-accepted" <> DocumentRefused, Safe Safe, "fits the schema now", "", "";

    SchemaRenamed "schema-renamed" <> SchemaRenamed, None None, "has another name", "", "";
    SchemaReplaced "schema-replaced" <> SchemaReplaced, None None, "refers to another schema", "", "";
    SchemaExtracted "schema-extracted" <> SchemaInlined, None None, "refers to a component now: {keyword}", "", "";
    SchemaInlined "schema-inlined" <> SchemaExtracted, None None, "does not refer to a component any more: {keyword}", "", "";
    SchemaRemoved "schema-removed" <> SchemaAdded, None None, "is gone, and no operation used it", "", "";
    SchemaAdded "schema-added" <> SchemaRemoved, None None, "is new, and no operation uses it", "", "";
    UnusedChanged "unused-changed" <> UnusedChanged, None None, "changed, and no operation uses it", "", "";

    SecurityAdded "security-added" <> SecurityRemoved, Break Break, "needs {keyword} now", "callers without it: 401 or 403", "";
    SecurityRemoved "security-removed" <> SecurityAdded, Safe Safe, "does not need {keyword} any more", "", "";
    SecurityDeclared "security-declared" <> SecurityUndeclared, Risk Risk, "says now that callers show {keyword}", "callers that show nothing: 401 or 403, if the service asked for nothing before", "";
    SecurityUndeclared "security-undeclared" <> SecurityDeclared, Safe Safe, "does not say any more that callers show {keyword}", "", "";
    AlternativeAdded "alternative-added" <> AlternativeRemoved, Safe Safe, "may also be called with {keyword}", "", "";
    AlternativeRemoved "alternative-removed" <> AlternativeAdded, Break Break, "may not be called with {keyword} any more", "callers that use it: 401 or 403", "";
    ScopeAdded "scope-added" <> ScopeRemoved, Break Break, "needs the scope {keyword} now", "callers whose token does not have it: 403", "";
    ScopeRemoved "scope-removed" <> ScopeAdded, Safe Safe, "does not need the scope {keyword} any more", "", "";
    SchemeAdded "scheme-added" <> SchemeRemoved, None None, "is new", "", "";
    SchemeRemoved "scheme-removed" <> SchemeAdded, None None, "is gone", "", "";
    SchemeRenamed "scheme-renamed" <> SchemeRenamed, None None, "has another name", "", "";
    SchemeChanged "scheme-changed" <> SchemeChanged, Risk Risk, "has another {keyword}", "callers that are set up for the old one: 401, or no token", "";
    ServerChanged "server-changed" <> ServerChanged, Risk Risk, "changed", "programs that take their base address from the contract", "";
    CallbackChanged "callback-changed" <> CallbackChanged, Risk Risk, "has other callbacks", "programs that the service calls back", "";
    LinkChanged "link-changed" <> LinkChanged, None None, "has other links", "", "";
}

impl Rule {
    /// The rule with this name.
    #[must_use]
    pub fn of(id: &str) -> Option<Self> {
        RULES.iter().copied().find(|rule| rule.entry().id == id)
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
}

impl Rule {
    /// Whether changes of that kind can be seen in Rust: limits, defaults, security and prose cannot.
    pub(super) fn is_of_source(self) -> bool {
        !matches!(
            self,
            Self::LimitSet
                | Self::LimitUnset
                | Self::LimitTightened
                | Self::LimitLoosened
                | Self::PatternSet
                | Self::PatternUnset
                | Self::PatternChanged
                | Self::DefaultAdded
                | Self::DefaultRemoved
                | Self::DefaultChanged
                | Self::SecurityAdded
                | Self::SecurityRemoved
                | Self::SecurityDeclared
                | Self::SecurityUndeclared
                | Self::AlternativeAdded
                | Self::AlternativeRemoved
                | Self::ScopeAdded
                | Self::ScopeRemoved
                | Self::SchemeAdded
                | Self::SchemeRemoved
                | Self::SchemeRenamed
                | Self::SchemeChanged
                | Self::ServerChanged
                | Self::SunsetAdded
                | Self::SunsetRemoved
                | Self::SunsetChanged
                | Self::SunsetUnreadable
                | Self::CallbackChanged
                | Self::LinkChanged
                | Self::MappingAdded
                | Self::MappingRemoved
                | Self::MappingChanged
        )
    }
}

impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::{RULES, Rule};
    use std::collections::BTreeSet;

    #[test]
    fn mirrors_are_symmetric_and_names_unique() {
        let mut seen = BTreeSet::new();
        for rule in RULES {
            assert_eq!(rule.mirror().mirror(), *rule, "{}", rule.id());
            assert!(seen.insert(rule.id()), "{} stands twice", rule.id());
            assert_eq!(Rule::of(rule.id()), Some(*rule));
        }
    }
}
