//! The table of the rules: each change between two contracts that the report knows.

use super::{Declaration, Detail, Example, ExamplePart, Grouping, Merge, NameKind, Remedy, Visible, Wire};
use crate::drift::sides::When;

/// The verdict for any client of the contract, if it differs from the one for this client.
macro_rules! contract {
    ($response:ident) => {
        Wire::$response
    };
    ($response:ident $contract:ident) => {
        Wire::$contract
    };
}

/// The name that comes or goes with the change, if one does.
macro_rules! named {
    () => {
        None
    };
    ($kind:ident $side:ident) => {
        Some((NameKind::$kind, When::$side))
    };
}

macro_rules! example {
    (opposite) => {
        None
    };
    ($part:ident $before:literal $after:literal) => {
        Some(Example { part: ExamplePart::$part, before: $before, after: $after })
    };
}

macro_rules! rules {
    ($($subject:literal {$(
        $name:ident $id:literal <> $mirror:ident, $request:ident $response:ident $($contract:ident)?,
        $remedy:ident $detail:ident $merge:ident $grouping:ident $visible:ident $(($named:ident $side:ident))?,
        $says:literal $([$variant:literal $says_variant:literal])*, $sender:literal, $reader:literal, $part:ident $($before:literal => $after:literal)?;
    )*})*) => {
        /// A kind of change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[doc = concat!($subject, " ", $says)] $name,)*)*
        }

        /// Every rule, in the order of its declaration.
        pub const RULES: &[Rule] = &[$($(Rule::$name,)*)*];

        impl Rule {
            /// Its line of the table.
            #[must_use]
            pub fn entry(self) -> &'static Declaration {
                match self {
                    $($(Self::$name => {
                        const ENTRY: &Declaration = &Declaration {
                            id: $id,
                            mirror: Rule::$mirror,
                            request: Wire::$request,
                            response: Wire::$response,
                            contract: contract!($response $($contract)?),
                            subject: $subject,
                            says: $says,
                            variants: &[$(($variant, $says_variant)),*],
                            sender: $sender,
                            reader: $reader,
                            example: example!($part $($before $after)?),
                            remedy: Remedy::$remedy,
                            detail: Detail::$detail,
                            merge: Merge::$merge,
                            grouping: Grouping::$grouping,
                            visible: Visible::$visible,
                            named: named!($($named $side)?),
                        };
                        ENTRY
                    })*)*
                }
            }
        }
    };
}

// A rule: name, id and mirror; its cost in a request, in a response, and, if it is another one, in a response for any client of the
// contract: this client keeps unknown values, and looks at no limit of the values that it reads. Then its five properties, in parentheses
// the kind of name that is new (`After`) or gone (`Before`), its texts (change, in brackets the change of a variant, symptom of the sender,
// symptom of the reader), and an example, which `tests/rules.rs` tries, or `opposite`.
rules! {
    "an operation" {
        OperationRemoved "operation-removed" <> OperationAdded, Break Break, Calls Plain ByPlace ByChange Features, "is gone", "callers: 404 or 405", "", opposite;
        OperationAdded "operation-added" <> OperationRemoved, Safe Safe, Calls Plain ByPlace ByChange Features, "is new", "", "",
            Contract "{}" => "{paths: {/more: {get: {responses: {}}}}}";
        OperationMoved "operation-moved" <> OperationMoved, Break Break, Rebuild Address BySegment ByChange Features, "moved", "callers of the old address: 404", "",
            Contract "{paths: {/old/work: {get: {operationId: work, responses: {}}}}}" => "{paths: {/new/work: {get: {operationId: work, responses: {}}}}}";
        BasePathMoved "base-path-moved" <> BasePathMoved, Safe Safe, BaseUrl Names BySegment ByChange Rust, "moved between the address of the service and the paths", "programs that are compiled anew: 404 until their base URL ends as that of the contract", "",
            Contract "{servers: [{url: 'https://a.test'}], paths: {'/jobs/{id}': null, /things: null, /v1/work: {get: {operationId: work, responses: {}}}}}" => "{servers: [{url: 'https://a.test/v1'}], paths: {'/jobs/{id}': null, /things: null, /work: {get: {operationId: work, responses: {}}}}}";
    }
    "an operation or a parameter" {
        OperationDeprecated "operation-deprecated" <> OperationReactivated, Safe Safe, Calls Plain ByPlace ByChange Rust, "is deprecated", "", "",
            Operation "{}" => "{deprecated: true}";
        OperationReactivated "operation-reactivated" <> OperationDeprecated, Safe Safe, Calls Plain ByPlace ByChange Rust, "is not deprecated any more", "", "", opposite;
    }
    "an operation" {
        OperationIdChanged "operation-id-changed" <> OperationIdChanged, None None, Calls Values ByPlace ByRule Rust, "has another operationId", "", "",
            Operation "{operationId: startJob}" => "{operationId: runJob}";
        OperationTagAdded "operation-tag-added" <> OperationTagRemoved, None None, Calls Plain AcrossOperations ByChange Features, "has another tag", "", "",
            Operation "{tags: [jobs]}" => "{tags: [jobs, work]}";
        OperationTagRemoved "operation-tag-removed" <> OperationTagAdded, None None, Calls Plain AcrossOperations ByChange Features, "lost a tag", "", "", opposite;
        BecameLongRunning "became-long-running" <> BecameImmediate, Risk Risk, Calls Plain ByPlace ByChange Rust, "is long-running now (`x-ms-long-running-operation`)", "callers: the answer comes before the work is done, and says where to ask for its end", "",
            Operation "{}" => "{x-ms-long-running-operation: true}";
        BecameImmediate "became-immediate" <> BecameLongRunning, Risk Risk, Calls Plain ByPlace ByChange Rust, "is not long-running any more (`x-ms-long-running-operation`)", "callers that ask for the end of the work: the answer is the end", "", opposite;
    }
    "an operation or a parameter" {
        SunsetAdded "sunset-added" <> SunsetRemoved, Safe Safe, Calls Values ByPlace ByChange Wire, "has an end date now", "", "",
            Operation "{deprecated: true}" => "{deprecated: true, x-sunset: '2027-01-01'}";
        SunsetRemoved "sunset-removed" <> SunsetAdded, Risk Risk, Service Values ByPlace ByChange Wire, "is deprecated without an end date now", "", "", opposite;
        SunsetChanged "sunset-changed" <> SunsetChanged, Safe Safe, Calls Values ByPlace ByChange Wire, "has another end date", "", "",
            Operation "{deprecated: true, x-sunset: '2027-01-01'}" => "{deprecated: true, x-sunset: '2028-01-01'}";
        SunsetUnreadable "sunset-unreadable" <> SunsetUnreadable, Risk Risk, Service Values ByPlace ByChange Wire, "has an end date that is not a date", "", "",
            Operation "{deprecated: true, x-sunset: '2027-01-01'}" => "{deprecated: true, x-sunset: soon}";
    }
    "an operation or a member" {
        StabilityDecreased "stability-decreased" <> StabilityIncreased, Risk Risk, Service Plain ByPlace ByChange Rust, "is less stable than before", "", "",
            Operation "{x-stability-level: stable}" => "{x-stability-level: beta}";
        StabilityIncreased "stability-increased" <> StabilityDecreased, Safe Safe, Calls Plain ByPlace ByChange Rust, "is more stable than before", "", "", opposite;
        StabilityUnreadable "stability-unreadable" <> StabilityUnreadable, Risk Risk, Service Plain ByPlace ByChange Rust, "has a stability level that does not exist", "", "",
            Operation "{x-stability-level: stable}" => "{x-stability-level: good}";
    }
    "a webhook" {
        WebhookRemoved "webhook-removed" <> WebhookAdded, Risk Risk, Service Plain ByPlace ByChange Rust, "is gone: the service does not call it any more", "", "", opposite;
        WebhookAdded "webhook-added" <> WebhookRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust, "is new", "", "",
            Contract "{}" => "{webhooks: {done: {post: {responses: {}}}}}";
    }
    "a parameter" {
        ParameterRemoved "parameter-removed" <> ParameterAdded, Risk Risk, Calls Plain AcrossOperations ByChange Rust (Parameter Before), "is gone", "callers that send it: most services ignore what they do not know, so there is no error, and another answer", "", opposite;
        ParameterAdded "parameter-added" <> ParameterRemoved, Safe Safe, Calls Plain AcrossOperations ByChange Rust (Parameter After), "is new, and optional", "", "",
            Operation "{}" => "{parameters: [{name: page, in: query, schema: {type: string}}]}";
        RequiredParameterRemoved "required-parameter-removed" <> RequiredParameterAdded, Risk Risk, Calls Plain AcrossOperations ByChange Rust (Parameter Before), "is gone", "callers send it still: most services ignore what they do not know", "", opposite;
        RequiredParameterAdded "required-parameter-added" <> RequiredParameterRemoved, Break Break, Calls Plain AcrossOperations ByChange Rust (Parameter After), "is new, and required", "every caller: 400", "",
            Operation "{}" => "{parameters: [{name: page, in: query, schema: {type: string}, required: true}]}";
        ParameterRenamed "parameter-renamed" <> ParameterRenamed, Risk Risk, Rebuild Names AcrossOperations ByChange Rust, "has another name", "callers that send the old name: most services ignore what they do not know, so there is no error, and another answer", "",
            Operation "{parameters: [{name: pageSize, in: query, schema: {type: string}}]}" => "{parameters: [{name: page_size, in: query, schema: {type: string}}]}";
        ParameterBecameRequired "parameter-became-required" <> ParameterBecameOptional, Break Break, Calls Plain ByPlace ByChange Rust, "is now required", "callers that left it out: 400", "",
            Operation "{parameters: [{name: page, in: query, schema: {type: string}}]}" => "{parameters: [{name: page, in: query, schema: {type: string}, required: true}]}";
        ParameterBecameOptional "parameter-became-optional" <> ParameterBecameRequired, Safe Safe, Calls Plain ByPlace ByChange Rust, "is now optional", "", "", opposite;
        ParameterStyleChanged "parameter-style-changed" <> ParameterStyleChanged, Break Break, Rebuild Values ByPlace ByChange Rust, "is written in another style ({keyword})", "callers send it in the old style: it is misread, or 400", "",
            Operation "{parameters: [{name: ids, in: query, schema: {type: array, items: {type: string}}}]}" => "{parameters: [{name: ids, in: query, schema: {type: array, items: {type: string}}, explode: false}]}";
        EmptyValueAllowed "empty-value-allowed" <> EmptyValueRefused, Safe Safe, Calls Plain ByPlace ByChange Rust, "may be empty now", "", "",
            Operation "{parameters: [{name: page, in: query, schema: {type: string}}]}" => "{parameters: [{name: page, in: query, schema: {type: string}, allowEmptyValue: true}]}";
        EmptyValueRefused "empty-value-refused" <> EmptyValueAllowed, Risk Risk, Calls Plain ByPlace ByChange Rust, "may not be empty any more", "callers that send it empty: 400", "", opposite;
    }
    "an operation" {
        BodyAdded "body-added" <> BodyRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust, "takes a body now, which is optional", "", "",
            Operation "{}" => "{requestBody: {content: {application/json: {schema: {type: string}}}}}";
        BodyRemoved "body-removed" <> BodyAdded, Break Break, Calls Plain ByPlace ByChange Rust, "takes no body any more", "callers that send one: it is ignored, or 400 or 415", "", opposite;
        RequiredBodyAdded "required-body-added" <> RequiredBodyRemoved, Break Break, Calls Plain ByPlace ByChange Rust, "needs a body now", "every caller: 400", "",
            Operation "{}" => "{requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}";
        RequiredBodyRemoved "required-body-removed" <> RequiredBodyAdded, Break Break, Calls Plain ByPlace ByChange Rust, "takes no body any more", "every caller sends one still: it is ignored, or 400 or 415", "", opposite;
    }
    "the body of a request" {
        BodyBecameRequired "body-became-required" <> BodyBecameOptional, Break Break, Calls Plain ByPlace ByChange Rust, "is now required", "callers that left it out: 400", "",
            Operation "{requestBody: {content: {application/json: {schema: {type: string}}}}}" => "{requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}";
        BodyBecameOptional "body-became-optional" <> BodyBecameRequired, Safe Safe, Calls Plain ByPlace ByChange Rust, "is now optional", "", "", opposite;
    }
    "a body" {
        MediaTypeAdded "media-type-added" <> MediaTypeRemoved, Safe Safe, Calls Plain AcrossOperations SentApart Rust, "may also be {keyword}", "", "",
            Operation "{responses: {'200': {content: {application/json: {}}}}}" => "{responses: {'200': {content: {application/json: {}, application/xml: {}}}}}";
        MediaTypeRemoved "media-type-removed" <> MediaTypeAdded, Break Break, Rebuild Plain AcrossOperations SentApart Rust, "may not be {keyword} any more", "callers that send it: 415", "callers that ask for it: 406, or a body that they cannot read", opposite;
        MediaTypeChanged "media-type-changed" <> MediaTypeChanged, Risk Risk, Rebuild Values AcrossOperations ByChange Rust, "has another media type", "callers that send the old one: 415", "readers that ask for the old one, or read no other",
            Operation "{responses: {'200': {content: {application/json: {}}}}}" => "{responses: {'200': {content: {application/vnd.shop+json: {}}}}}";
        ContentSchemaAdded "content-schema-added" <> ContentSchemaRemoved, Risk Safe, Calls Plain ByPlace ByChange Rust, "has a schema now", "callers whose body does not meet it: 400", "",
            Operation "{responses: {'200': {content: {application/json: {}}}}}" => "{responses: {'200': {content: {application/json: {schema: {type: string}}}}}}";
        ContentSchemaRemoved "content-schema-removed" <> ContentSchemaAdded, Safe Risk, Calls Plain ByPlace ByChange Rust, "has no schema any more", "", "readers: the body may be anything", opposite;
        EncodingChanged "encoding-changed" <> EncodingChanged, Risk Risk, Rebuild Plain ByPlace ByChange Rust, "has parts in another encoding", "callers send the parts as before: they are misread, or 400", "",
            Operation "{requestBody: {content: {multipart/form-data: {schema: {properties: {a: {type: string}}}, encoding: {a: {contentType: text/plain}}}}}}" => "{requestBody: {content: {multipart/form-data: {schema: {properties: {a: {type: string}}}, encoding: {a: {contentType: text/csv}}}}}}";
    }
    "an operation" {
        StatusAdded "status-added" <> StatusRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust, "may succeed with {keyword}", "", "",
            Operation "{}" => "{responses: {'204': {description: Done.}}}";
        StatusRemoved "status-removed" <> StatusAdded, Risk Risk, Calls Plain ByPlace ByChange Rust, "does not succeed with {keyword} any more", "", "readers that wait for this status", opposite;
        OtherStatusAdded "other-status-added" <> OtherStatusRemoved, Risk Risk, Calls Plain ByPlace ByChange Rust, "may succeed with {keyword}, and another body than before", "", "older clients: decode error where the service answers so",
            Operation "{responses: {'200': {content: {application/json: {schema: {type: string}}}}}}" => "{responses: {'200': {content: {application/json: {schema: {type: string}}}}, '201': {content: {application/json: {schema: {type: boolean}}}}}}";
        OtherStatusRemoved "other-status-removed" <> OtherStatusAdded, Risk Risk, Calls Plain ByPlace ByChange Rust, "does not succeed with {keyword} any more", "", "readers that wait for this status", opposite;
        AnswerChanged "answer-changed" <> AnswerChanged, Break Break, Calls Names ByPlace ByChange Rust, "succeeds with another status, and another body than before", "", "every reader: decode error, or nothing to read",
            Operation "{responses: {'200': {content: {application/json: {schema: {type: string}}}}}}" => "{responses: {'200': null, '204': {description: Done.}}}";
        ErrorStatusAdded "error-status-added" <> ErrorStatusRemoved, Safe Safe, Calls Plain AcrossOperations ByChange Errors, "may fail with {keyword}", "", "",
            Operation "{}" => "{responses: {'404': {description: No job.}}}";
        ErrorStatusRemoved "error-status-removed" <> ErrorStatusAdded, Safe Safe, Calls Plain AcrossOperations ByChange Errors, "does not fail with {keyword} any more", "", "", opposite;
    }
    "a header of a response" {
        HeaderAdded "header-added" <> HeaderRemoved, Safe Safe, Calls Plain AcrossOperations ByChange Rust, "is new", "", "",
            Operation "{}" => "{responses: {'200': {headers: {X-Total: {schema: {type: integer}}}}}}";
        HeaderRemoved "header-removed" <> HeaderAdded, Risk Risk, Calls Plain AcrossOperations ByChange Rust, "is not sent any more", "", "readers of the header", opposite;
        RequiredHeaderAdded "required-header-added" <> RequiredHeaderRemoved, Safe Safe, Calls Plain AcrossOperations ByChange Rust, "is new, and always there", "", "",
            Operation "{}" => "{responses: {'200': {headers: {X-Total: {required: true, schema: {type: integer}}}}}}";
        RequiredHeaderRemoved "required-header-removed" <> RequiredHeaderAdded, Break Break, Calls Plain AcrossOperations ByChange Rust, "is not sent any more", "", "readers of the header: it was always there", opposite;
        HeaderBecameRequired "header-became-required" <> HeaderBecameOptional, Safe Safe, Calls Plain AcrossOperations ByChange Rust, "is now always there", "", "",
            Operation "{responses: {'200': {headers: {X-Total: {schema: {type: integer}}}}}}" => "{responses: {'200': {headers: {X-Total: {required: true, schema: {type: integer}}}}}}";
        HeaderBecameOptional "header-became-optional" <> HeaderBecameRequired, Break Break, Calls Plain AcrossOperations ByChange Rust, "may be missing now", "", "readers of the header: it was always there", opposite;
    }
    "a schema" {
        TypeChanged "type-changed" <> TypeChanged, Break Break, Calls Values ByPlace ByChange Rust, "has another type", "every writer that sets it: 400", "every reader: decode error",
            Schema "{type: string}" => "{type: boolean}";
        TypeWidened "type-widened" <> TypeNarrowed, Safe Risk, Calls Values ByPlace ByChange Rust, "may be of more types than before", "", "readers: decode error at a value of the new type",
            Schema "{type: string}" => "{type: [string, integer]}";
        TypeNarrowed "type-narrowed" <> TypeWidened, Break Safe, Calls Values ByPlace ByChange Rust, "may be of fewer types than before", "writers that send the old type: 400", "", opposite;
        FormatChanged "format-changed" <> FormatChanged, Risk Risk, Calls Format ByPlace ByChange Rust, "has another format", "writers that send the old format: 400", "readers: decode error at a value of the new format",
            Schema "{type: string, format: date}" => "{type: string, format: uuid}";
        FormatWidened "format-widened" <> FormatNarrowed, Safe Risk, Calls Format ByPlace ByChange Rust, "has a wider format", "", "readers: decode error at a value that the old format did not have",
            Schema "{type: integer, format: int32}" => "{type: integer, format: int64}";
        FormatNarrowed "format-narrowed" <> FormatWidened, Risk Safe, Calls Format ByPlace ByChange Rust, "has a narrower format", "writers of the values that are gone: 400", "", opposite;
        BecameNullable "became-nullable" <> BecameNotNullable, Safe Break, Calls Plain ByPlace ByRule Rust, "may be null now", "", "readers: decode error at a null",
            Schema "{type: string}" => "{type: [string, 'null']}";
        BecameNotNullable "became-not-nullable" <> BecameNullable, Break Safe, Calls Plain ByPlace ByRule Rust, "may not be null any more", "writers that send null: 400", "", opposite;
        EnumValueAdded "enum-value-added" <> EnumValueRemoved, Safe Safe Risk, Calls Plain ByPlace ByChange Rust (Values After), "may also be {keyword}", "", "older clients read it as `Unknown`",
            Schema "{enum: [a, b]}" => "{enum: [a, b, c]}";
        EnumValueRemoved "enum-value-removed" <> EnumValueAdded, Break Safe, Calls Plain ByPlace ByChange Rust (Values Before), "may not be {keyword} any more", "writers that send it: 400", "", opposite;
        ValueNamesChanged "value-names-changed" <> ValueNamesChanged, None None, Calls Plain ByPlace ByChange Rust, "has other names for its values: {keyword}", "", "",
            Schema "{enum: [1, 2], x-enum-varnames: [Low, High]}" => "{enum: [1, 2], x-enum-varnames: [Small, Large]}";
        BecameEnum "became-enum" <> BecameOpen, Break Safe, Calls Plain ByPlace ByChange Rust, "has a fixed list of values now", "writers that send another one: 400", "",
            Schema "{type: string}" => "{type: string, enum: [a, b]}";
        BecameOpen "became-open" <> BecameEnum, Safe Safe Risk, Calls Plain ByPlace ByChange Rust, "has no fixed list of values any more", "", "older clients read new values as `Unknown`", opposite;
        ConstantAdded "constant-added" <> ConstantRemoved, Break Safe, Calls Values ByPlace ByChange Rust, "has one value only now", "writers that send another one: 400", "",
            Schema "{type: string}" => "{type: string, const: a}";
        ConstantRemoved "constant-removed" <> ConstantAdded, Safe Risk, Calls Values ByPlace ByChange Rust, "may have other values than the one before", "", "readers that know one value only", opposite;
        ConstantChanged "constant-changed" <> ConstantChanged, Break Break, Calls Values ByPlace ByChange Rust, "has another constant value", "every writer: 400", "readers that know the old value only",
            Schema "{const: a}" => "{const: b}";
        DefaultAdded "default-added" <> DefaultRemoved, Risk Safe, Calls Values ByPlace ByRule Wire, "has a default now", "callers that leave it out: the service takes another value than before", "",
            Schema "{type: object, properties: {size: {type: integer}}}" => "{type: object, properties: {size: {type: integer, default: 5}}}";
        DefaultRemoved "default-removed" <> DefaultAdded, Risk Safe, Calls Values ByPlace ByRule Wire, "has no default any more", "callers that leave it out: the service takes another value than before", "", opposite;
        DefaultChanged "default-changed" <> DefaultChanged, Risk Safe, Calls Values ByPlace ByChange Wire, "has another default", "callers that leave it out: the service takes another value than before", "",
            Schema "{type: object, properties: {size: {type: integer, default: 5}}}" => "{type: object, properties: {size: {type: integer, default: 6}}}";
    }
    "a member" {
        MemberAdded "member-added" <> MemberRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust (Member After), "is new, and optional", "", "",
            Schema "{type: object}" => "{type: object, properties: {size: {type: integer}}}";
        MemberRemoved "member-removed" <> MemberAdded, Risk Safe Risk, Calls Plain ByPlace ByChange Rust (Member Before), "is gone", "writers that set it: it is ignored, or 400", "running programs read that it is missing", opposite;
        RequiredMemberAdded "required-member-added" <> RequiredMemberRemoved, Break Safe, Calls Plain ByPlace ByChange Rust (Member After), "is new, and required", "every writer: 400", "",
            Schema "{type: object}" => "{type: object, properties: {size: {type: integer}}, required: [size]}";
        RequiredMemberRemoved "required-member-removed" <> RequiredMemberAdded, Risk Break, Calls Plain ByPlace ByChange Rust (Member Before), "is gone", "writers send it still: it is ignored, or 400", "every reader: decode error", opposite;
        BecameRequired "became-required" <> BecameOptional, Break Safe, Calls Plain ByPlace ByRule Rust, "is now required", "callers that left it out: 400", "",
            Schema "{type: object, properties: {size: {type: integer}}}" => "{type: object, properties: {size: {type: integer}}, required: [size]}";
        BecameOptional "became-optional" <> BecameRequired, Safe Break, Calls Plain ByPlace ByRule Rust, "may be left out now", "", "readers: decode error where it is missing", opposite;
        BecameReadOnly "became-read-only" <> BecameNotReadOnly, Risk Safe, Calls Plain ByPlace ByRule Rust, "is read-only now", "writers that set it: it is ignored, or 400", "",
            Schema "{type: object, properties: {size: {type: integer}}}" => "{type: object, properties: {size: {type: integer, readOnly: true}}}";
        BecameNotReadOnly "became-not-read-only" <> BecameReadOnly, Safe Safe, Calls Plain ByPlace ByRule Rust, "can be written now", "", "", opposite;
        RequiredBecameNotReadOnly "required-became-not-read-only" <> RequiredBecameReadOnly, Break Safe, Calls Plain ByPlace ByChange Rust, "has to be written now", "writers that left it out: 400", "", opposite;
        RequiredBecameReadOnly "required-became-read-only" <> RequiredBecameNotReadOnly, Risk Safe, Calls Plain ByPlace ByChange Rust, "is read-only now", "writers send it still: it is ignored, or 400", "",
            Schema "{type: object, properties: {size: {type: integer}}, required: [size]}" => "{type: object, properties: {size: {type: integer, readOnly: true}}, required: [size]}";
        BecameWriteOnly "became-write-only" <> BecameNotWriteOnly, Safe Safe Risk, Calls Plain ByPlace ByChange Rust, "is not sent back any more", "", "running programs read that it is missing",
            Schema "{type: object, properties: {size: {type: integer}}}" => "{type: object, properties: {size: {type: integer, writeOnly: true}}}";
        BecameNotWriteOnly "became-not-write-only" <> BecameWriteOnly, Safe Safe, Calls Plain ByPlace ByChange Rust, "is sent back now", "", "", opposite;
        RequiredBecameWriteOnly "required-became-write-only" <> RequiredBecameNotWriteOnly, Safe Break, Calls Plain ByPlace ByChange Rust, "is not sent back any more", "", "every reader: decode error",
            Schema "{type: object, properties: {size: {type: integer}}, required: [size]}" => "{type: object, properties: {size: {type: integer, writeOnly: true}}, required: [size]}";
        RequiredBecameNotWriteOnly "required-became-not-write-only" <> RequiredBecameWriteOnly, Safe Safe, Calls Plain ByPlace ByChange Rust, "is sent back now", "", "", opposite;
        Deprecated "deprecated" <> Reactivated, Safe Safe, Calls Plain ByPlace ByRule Rust, "is deprecated", "", "",
            Schema "{type: object, properties: {size: {type: integer}}}" => "{type: object, properties: {size: {type: integer, deprecated: true}}}";
        Reactivated "reactivated" <> Deprecated, Safe Safe, Calls Plain ByPlace ByRule Rust, "is not deprecated any more", "", "", opposite;
    }
    "a schema" {
        LimitSet "limit-set" <> LimitUnset, Risk None, Calls Values ByPlace ByChange Wire, "has a limit now: {keyword}", "writers beyond it: 400", "",
            Schema "{type: string}" => "{type: string, maxLength: 9}";
        LimitUnset "limit-unset" <> LimitSet, Safe None Break, Calls Values ByPlace ByChange Wire, "has no {keyword} any more", "", "readers that check the limit", opposite;
        LimitTightened "limit-tightened" <> LimitLoosened, Risk None, Calls Values ByPlace ByChange Wire, "has a tighter limit: {keyword}", "writers beyond it: 400", "",
            Schema "{type: string, maxLength: 9}" => "{type: string, maxLength: 8}";
        LimitLoosened "limit-loosened" <> LimitTightened, Safe None Break, Calls Values ByPlace ByChange Wire, "has a looser limit: {keyword}", "", "readers that check the limit", opposite;
        PatternSet "pattern-set" <> PatternUnset, Risk None, Calls Values ByPlace ByChange Wire, "has to match a pattern now", "writers of what does not match: 400", "",
            Schema "{type: string}" => "{type: string, pattern: ^a}";
        PatternUnset "pattern-unset" <> PatternSet, Safe None Break, Calls Values ByPlace ByChange Wire, "need not match a pattern any more", "", "readers that check the pattern", opposite;
        PatternChanged "pattern-changed" <> PatternChanged, Risk None Break, Calls Values ByPlace ByChange Wire, "has to match another pattern", "writers of what does not match: 400", "readers that check the pattern",
            Schema "{type: string, pattern: ^a}" => "{type: string, pattern: ^b}";
        MembersClosed "members-closed" <> MembersOpened, Risk None, Calls Plain ByPlace ByRule Rust, "takes no undeclared members any more" ["declared" "does not say any more that it takes undeclared members"], "writers that send them: 400", "",
            Schema "{type: object}" => "{type: object, additionalProperties: false}";
        MembersOpened "members-opened" <> MembersClosed, Safe None Risk, Calls Plain ByPlace ByRule Rust, "takes undeclared members now" ["declared" "says now that it takes undeclared members"], "", "readers that take no undeclared members", opposite;
        VariantAdded "variant-added" <> VariantRemoved, Safe Risk, Calls Plain ByPlace ByChange Rust, "has another variant ({keyword})", "", "older clients meet a variant that they do not know",
            Schema "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}" => "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}]}";
        VariantRemoved "variant-removed" <> VariantAdded, Break Safe, Calls Plain ByPlace ByChange Rust, "lost a variant ({keyword})", "writers that send it: 400", "", opposite;
        WrappedInUnion "wrapped-in-union" <> UnwrappedFromUnion, Risk Break, Calls Plain ByPlace ByChange Rust, "is one of several variants now", "writers of what fits no variant: 400", "readers: decode error at another variant",
            Schema "{$ref: '#/components/schemas/A'}" => "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}";
        UnwrappedFromUnion "unwrapped-from-union" <> WrappedInUnion, Break Safe, Calls Plain ByPlace ByChange Rust, "is one of its variants only now", "writers of another variant: 400", "", opposite;
        DiscriminatorAdded "discriminator-added" <> DiscriminatorRemoved, Risk Risk, Calls Plain ByPlace ByChange Rust, "has a discriminator now", "writers that leave it out: 400", "readers choose the variant in another way",
            Schema "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}" => "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind}}";
        DiscriminatorRemoved "discriminator-removed" <> DiscriminatorAdded, Risk Risk, Calls Plain ByPlace ByChange Rust, "has no discriminator any more", "", "readers choose the variant by its discriminator", opposite;
        DiscriminatorChanged "discriminator-changed" <> DiscriminatorChanged, Break Break, Rebuild Values ByPlace ByChange Rust, "has its discriminator in another member", "every writer: 400", "every reader: decode error",
            Schema "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind}}" => "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: sort}}";
        MappingAdded "mapping-added" <> MappingRemoved, Safe Safe, Calls Plain ByPlace ByChange Wire, "has another value of its discriminator: {keyword}", "", "",
            Schema "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {a: A, b: B}}}" => "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {a: A, b: B, c: B}}}";
        MappingRemoved "mapping-removed" <> MappingAdded, Risk Risk, Calls Plain ByPlace ByChange Wire, "lost a value of its discriminator: {keyword}", "writers of this value: 400", "readers: the variant comes with another value, which older clients do not know", opposite;
        MappingChanged "mapping-changed" <> MappingChanged, Risk Risk, Rebuild Plain ByPlace ByChange Wire, "means something else by a value of its discriminator: {keyword}", "writers of this value: 400", "readers: decode error at this value",
            Schema "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {a: A, b: B}}}" => "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {a: B, b: A}}}";
        CompositionChanged "composition-changed" <> CompositionChanged, None None, Calls Plain ByPlace ByChange Rust, "is composed of other schemas (`allOf`), with the same meaning", "", "",
            Schema "{allOf: [{type: string}]}" => "{allOf: [{type: string}, {description: A word.}]}";
        ConstraintAdded "constraint-added" <> ConstraintRemoved, Risk None, Calls Plain ByPlace ByChange Rust, "has another constraint: {keyword}", "writers of what does not meet it: 400", "",
            Schema "{type: array}" => "{type: array, contains: {const: a}}";
        ConstraintRemoved "constraint-removed" <> ConstraintAdded, Safe None Break, Calls Plain ByPlace ByChange Rust, "lost a constraint: {keyword}", "", "readers that check it", opposite;
        ConstraintChanged "constraint-changed" <> ConstraintChanged, Risk None Break, Calls Plain ByPlace ByChange Rust, "has another constraint: {keyword}", "writers of what does not meet it: 400", "readers that check it",
            Schema "{type: object, dependentRequired: {a: [b]}}" => "{type: object, dependentRequired: {a: [c]}}";
    }
    "a type of GraphQL" {
        TypeRemoved "type-removed" <> TypeAdded, Break Break, Calls Plain ByPlace ByChange Rust, "is gone", "writers of values of it: the service refuses the document", "documents that name it: the service refuses them", opposite;
        TypeAdded "type-added" <> TypeRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust, "is new", "", "",
            Graphql "type Query { size: Int }" => "type Query { size: Int } type More { size: Int }";
    }
    "a field of GraphQL" {
        FieldRemoved "field-removed" <> FieldAdded, Break Break, Calls Plain ByPlace ByChange Rust, "is gone", "", "documents that select it: the service refuses them", opposite;
        FieldAdded "field-added" <> FieldRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust, "is new", "", "",
            Graphql "type Query { size: Int }" => "type Query { size: Int more: Int }";
    }
    "an argument or an input field of GraphQL" {
        InputRemoved "input-removed" <> InputAdded, Break Break, Calls Plain ByPlace ByChange Rust, "is gone", "documents that give it: the service refuses them", "", opposite;
        InputAdded "input-added" <> InputRemoved, Safe Safe, Calls Plain ByPlace ByChange Rust, "is new, and optional", "", "",
            Graphql "type Query { size: Int }" => "type Query { size(of: Int): Int }";
        RequiredInputRemoved "required-input-removed" <> RequiredInputAdded, Break Break, Calls Plain ByPlace ByChange Rust, "is gone", "every document that gives it: the service refuses it", "", opposite;
        RequiredInputAdded "required-input-added" <> RequiredInputRemoved, Break Break, Calls Plain ByPlace ByChange Rust, "is new, and required", "every document that leaves it out: the service refuses it", "",
            Graphql "type Query { size: Int }" => "type Query { size(of: Int!): Int }";
    }
    "a GraphQL document" {
        DocumentRefused "document-refused" <> DocumentAccepted, Break Break, Calls Plain ByPlace ByChange Rust, "does not fit the schema any more", "programs that send it: the service refuses it", "",
            Document "type Query { size: Int }" => "type Query { length: Int }";
        DocumentAccepted "document-accepted" <> DocumentRefused, Safe Safe, Calls Plain ByPlace ByChange Rust, "fits the schema now", "", "", opposite;
    }
    "a schema" {
        SchemaRenamed "schema-renamed" <> SchemaRenamed, None None, Calls Names ByPlace ByRule Rust, "has another name", "", "",
            Contract "{paths: {/things: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Old'}}}}}}}}, components: {schemas: {Old: {type: object}}}}" => "{paths: {/things: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}}}}}, components: {schemas: {New: {type: object}}}}";
        SchemaReplaced "schema-replaced" <> SchemaReplaced, None None, Calls Values ByPlace ByChange Rust, "refers to another schema", "", "",
            Schema "{$ref: '#/components/schemas/A'}" => "{$ref: '#/components/schemas/Same'}";
        SchemaExtracted "schema-extracted" <> SchemaInlined, None None, Calls Plain ByPlace ByRule Rust, "refers to a component now: {keyword}", "", "",
            Schema "{type: object, properties: {size: {type: integer}}}" => "{$ref: '#/components/schemas/Size'}";
        SchemaInlined "schema-inlined" <> SchemaExtracted, None None, Calls Plain ByPlace ByRule Rust, "does not refer to a component any more: {keyword}", "", "", opposite;
        SchemaRemoved "schema-removed" <> SchemaAdded, None None, Calls Plain ByPlace ByChange Rust, "is gone, and no operation used it" ["used" "is gone"] ["part" "is gone, as a part of others"], "", "", opposite;
        SchemaAdded "schema-added" <> SchemaRemoved, None None, Calls Plain ByPlace ByChange Rust, "is new, and no operation uses it" ["used" "is new"] ["part" "is new, as a part of others"], "", "",
            Contract "{}" => "{components: {schemas: {More: {type: string}}}}";
    }
    "a component" {
        UnusedChanged "unused-changed" <> UnusedChanged, None None, Calls Plain ByPlace ByChange Rust, "changed, and no operation uses it", "", "",
            Contract "{components: {parameters: {page: {name: page, in: query}}}}" => "{components: {parameters: {page: {name: page, in: header}}}}";
    }
    "an operation" {
        SecurityAdded "security-added" <> SecurityRemoved, Break Break, Service Plain Credentials ByChange Wire, "needs {keyword} now", "callers without it: 401 or 403", "",
            Operation "{}" => "{security: [{key: []}]}";
        SecurityRemoved "security-removed" <> SecurityAdded, Safe Safe, Calls Plain Credentials ByChange Wire, "does not need {keyword} any more", "", "", opposite;
        SecurityDeclared "security-declared" <> SecurityUndeclared, Risk Risk, Calls Plain Credentials ByChange Wire, "says now that callers show {keyword}", "callers that show nothing: 401 or 403, if the service asked for nothing before", "",
            Contract "{components: {securitySchemes: null}}" => "{security: [{key: []}]}";
        SecurityUndeclared "security-undeclared" <> SecurityDeclared, Safe Safe, Calls Plain Credentials ByChange Wire, "does not say any more that callers show {keyword}", "", "", opposite;
        AlternativeAdded "alternative-added" <> AlternativeRemoved, Safe Safe, Calls Plain Credentials ByChange Wire, "may also be called with {keyword}", "", "",
            Operation "{security: [{key: []}]}" => "{security: [{key: []}, {login: []}]}";
        AlternativeRemoved "alternative-removed" <> AlternativeAdded, Break Break, Service Plain Credentials ByChange Wire, "may not be called with {keyword} any more", "callers that use it: 401 or 403", "", opposite;
        ScopeAdded "scope-added" <> ScopeRemoved, Break Break, Service Plain Credentials ByChange Wire, "needs the scope {keyword} now", "callers whose token does not have it: 403", "",
            Operation "{security: [{login: []}]}" => "{security: [{login: [read]}]}";
        ScopeRemoved "scope-removed" <> ScopeAdded, Safe Safe, Calls Plain Credentials ByChange Wire, "does not need the scope {keyword} any more", "", "", opposite;
    }
    "a security scheme" {
        SchemeAdded "scheme-added" <> SchemeRemoved, None None, Calls Plain ByPlace ByChange Wire, "is new", "", "",
            Contract "{}" => "{components: {securitySchemes: {more: {type: http, scheme: basic}}}}";
        SchemeRemoved "scheme-removed" <> SchemeAdded, None None, Calls Plain ByPlace ByChange Wire, "is gone", "", "", opposite;
        SchemeRenamed "scheme-renamed" <> SchemeRenamed, None None, Calls Names ByPlace ByRule Wire, "has another name", "", "",
            Contract "{components: {securitySchemes: {one: {type: http, scheme: basic}}}, security: [{one: []}]}" => "{components: {securitySchemes: {other: {type: http, scheme: basic}}}, security: [{other: []}]}";
        SchemeChanged "scheme-changed" <> SchemeChanged, Risk Risk, Service Values ByPlace ByChange Wire, "has another {keyword}", "callers that are set up for the old one: 401, or no token", "",
            Contract "{security: [{key: []}]}" => "{security: [{key: []}], components: {securitySchemes: {key: {name: X-Token}}}}";
    }
    "the address of the service" {
        ServerChanged "server-changed" <> ServerChanged, Risk Risk, Service Names ByPlace ByChange Wire, "changed", "programs that take their base address from the contract", "",
            Contract "{servers: [{url: 'https://a.test'}]}" => "{servers: [{url: 'https://b.test'}]}";
    }
    "an operation" {
        CallbackChanged "callback-changed" <> CallbackChanged, Risk Risk, Service Plain ByPlace ByChange Wire, "has other callbacks", "programs that the service calls back", "",
            Operation "{}" => "{callbacks: {done: {'{$request.query.url}': {post: {responses: {}}}}}}";
        LinkChanged "link-changed" <> LinkChanged, None None, Calls Plain ByPlace ByChange Wire, "has other links", "", "",
            Operation "{}" => "{responses: {'200': {links: {again: {operationId: startJob}}}}}";
    }
}
