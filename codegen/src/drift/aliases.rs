//! The same changes in the words of oasdiff, so that both can be compared.

use super::change::{Change, Spot};
use super::rule::Rule;

/// The names of oasdiff's rules for a change, as far as it has any.
pub(super) fn of(change: &Change) -> Vec<String> {
    let place = place(change);
    let own = operation(change);
    if !own.is_empty() {
        return own;
    }
    [schema(change, &place), change.besides.clone()].concat()
}

fn schema(change: &Change, place: &str) -> Vec<String> {
    let schema = |suffix: &str| vec![format!("{place}-{suffix}")];
    let direction = if change.class.response { "response" } else { "request" };
    let necessity = if change.required { "required" } else { "optional" };
    let many = change.variant == "list-of-types";
    match change.rule {
        Rule::TypeWidened if many => schema("list-of-types-widened"),
        Rule::TypeNarrowed if many => schema("list-of-types-narrowed"),
        Rule::TypeChanged if many => [schema("list-of-types-widened"), schema("list-of-types-narrowed")].concat(),
        Rule::TypeChanged | Rule::FormatChanged => schema("type-changed"),
        Rule::TypeWidened | Rule::FormatWidened => schema("type-generalized"),
        Rule::TypeNarrowed | Rule::FormatNarrowed
            if change.class.response || change.class.spot == Spot::ParameterProperty =>
        {
            schema("type-specialized")
        }
        Rule::TypeNarrowed | Rule::FormatNarrowed => schema("type-changed"),
        Rule::BecameNullable => schema("became-nullable"),
        Rule::BecameNotNullable => schema("became-not-nullable"),
        Rule::EnumValueAdded => schema("enum-value-added"),
        Rule::EnumValueRemoved => schema(&format!("{}enum-value-removed", change.variant)),
        Rule::BecameEnum => schema("became-enum"),
        Rule::ConstantAdded => schema("const-added"),
        Rule::ConstantRemoved => schema("const-removed"),
        Rule::ConstantChanged => schema("const-changed"),
        Rule::DefaultAdded | Rule::DefaultRemoved | Rule::DefaultChanged if change.variant == "always" => Vec::new(),
        Rule::DefaultAdded => schema("default-value-added"),
        Rule::DefaultRemoved => schema("default-value-removed"),
        Rule::DefaultChanged => schema("default-value-changed"),
        Rule::MemberAdded | Rule::RequiredMemberAdded if !change.class.response => {
            let suffix = if change.variant == "with-default" && change.required { "-with-default" } else { "" };
            vec![format!("new-{necessity}-request-property{suffix}")]
        }
        Rule::MemberRemoved | Rule::RequiredMemberRemoved if !change.class.response => schema("removed"),
        Rule::MemberAdded | Rule::RequiredMemberAdded | Rule::MemberRemoved | Rule::RequiredMemberRemoved => {
            let hidden = if change.variant == "hidden" { "-write-only" } else { "" };
            let added = matches!(change.rule, Rule::MemberAdded | Rule::RequiredMemberAdded);
            vec![format!("response-{necessity}{hidden}-property-{}", if added { "added" } else { "removed" })]
        }
        Rule::BecameRequired if change.variant == "with-default" && !change.class.response => {
            schema("became-required-with-default")
        }
        Rule::BecameRequired | Rule::BecameOptional if change.variant == "undeclared" => Vec::new(),
        Rule::BecameRequired => schema("became-required"),
        Rule::BecameOptional => schema("became-optional"),
        Rule::BecameReadOnly | Rule::RequiredBecameReadOnly => member(direction, necessity, "became-read-only"),
        Rule::BecameNotReadOnly | Rule::RequiredBecameNotReadOnly => {
            member(direction, necessity, "became-not-read-only")
        }
        Rule::BecameWriteOnly | Rule::RequiredBecameWriteOnly => member(direction, necessity, "became-write-only"),
        Rule::BecameNotWriteOnly | Rule::RequiredBecameNotWriteOnly => {
            member(direction, necessity, "became-not-write-only")
        }
        Rule::Deprecated => schema(&format!("deprecated{}", change.variant)),
        Rule::Reactivated => schema("reactivated"),
        Rule::LimitSet | Rule::LimitUnset | Rule::LimitTightened | Rule::LimitLoosened => limit(change, place),
        Rule::PatternSet => schema("pattern-added"),
        Rule::PatternUnset => schema("pattern-removed"),
        Rule::PatternChanged => schema(&format!("pattern-{}", change.variant)),
        Rule::VariantAdded => schema(&format!("{}-added", change.variant)),
        Rule::VariantRemoved => schema(&format!("{}-removed", change.variant)),
        Rule::WrappedInUnion if change.variant == "one-of" => schema("wrapped-in-one-of"),
        Rule::WrappedInUnion => schema(&format!("{}-added", change.variant)),
        Rule::UnwrappedFromUnion => schema(&format!("{}-removed", change.variant)),
        Rule::DiscriminatorAdded => schema("discriminator-added"),
        Rule::DiscriminatorRemoved => schema("discriminator-removed"),
        Rule::DiscriminatorChanged => schema("discriminator-property-name-changed"),
        Rule::MappingAdded => schema("discriminator-mapping-added"),
        Rule::MappingRemoved => schema("discriminator-mapping-deleted"),
        Rule::MappingChanged => schema("discriminator-mapping-changed"),
        Rule::CompositionChanged => schema(&format!("all-of-{}", change.variant)),
        Rule::ConstraintAdded => constraint(change, place, "added"),
        Rule::ConstraintRemoved => constraint(change, place, "removed"),
        Rule::ConstraintChanged => constraint(change, place, "changed"),
        _ => Vec::new(),
    }
}

fn member(direction: &str, necessity: &str, suffix: &str) -> Vec<String> {
    vec![format!("{direction}-{necessity}-property-{suffix}")]
}

fn place(change: &Change) -> String {
    let direction = if change.class.response { "response" } else { "request" };
    let spot = match (change.class.spot, change.class.muted, change.class.response) {
        (Spot::Body | Spot::Operation, _, _) => "body",
        (Spot::Property, true, false) => "read-only-property",
        (Spot::Property, true, true) => "write-only-property",
        (Spot::Property, false, _) => "property",
        (Spot::Parameter, _, _) => "parameter",
        (Spot::ParameterProperty, _, _) => "parameter-property",
        (Spot::Header, _, _) => "header",
    };
    format!("{direction}-{spot}")
}

/// What concerns an operation, a parameter or a body as a whole.
fn operation(change: &Change) -> Vec<String> {
    let request = |suffix: &str| vec![format!("request-{suffix}")];
    let parameter = matches!(change.class.spot, Spot::Parameter);
    let scope = if change.variant == "global" { "api-global-security" } else { "api-security" };
    let one = |id: &str| vec![id.to_owned()];
    let direction = if change.class.response { "response" } else { "request-body" };
    match change.rule {
        Rule::OperationRemoved => vec![format!("api-{}", change.variant)],
        Rule::OperationAdded => one("endpoint-added"),
        Rule::OperationDeprecated if parameter => one("request-parameter-deprecated"),
        Rule::OperationDeprecated if change.variant == "with-sunset" => one("endpoint-deprecated-with-sunset"),
        Rule::OperationDeprecated => one("endpoint-deprecated"),
        Rule::OperationReactivated if parameter => one("request-parameter-reactivated"),
        Rule::OperationReactivated => one("endpoint-reactivated"),
        Rule::OperationIdChanged if change.variant == "added" => one("api-operation-id-added"),
        Rule::OperationIdChanged => one("api-operation-id-removed"),
        Rule::OperationTagAdded => one("api-tag-added"),
        Rule::OperationTagRemoved => one("api-tag-removed"),
        Rule::SunsetRemoved if parameter => one("request-parameter-sunset-deleted"),
        Rule::SunsetRemoved => one("sunset-deleted"),
        Rule::SunsetUnreadable if parameter => one("request-parameter-sunset-parse"),
        Rule::SunsetUnreadable if change.variant == "known" => one("api-path-sunset-parse"),
        Rule::SunsetUnreadable => one("api-deprecated-sunset-parse"),
        Rule::StabilityDecreased => one("api-stability-decreased"),
        Rule::StabilityIncreased => one("api-stability-increased"),
        Rule::StabilityUnreadable => one("api-invalid-stability-level"),
        Rule::WebhookAdded => one("webhook-added"),
        Rule::WebhookRemoved => one("webhook-removed"),
        Rule::ParameterRemoved | Rule::RequiredParameterRemoved => match change.variant {
            "announced" => request("parameter-removed-with-deprecation"),
            "sunset-parse" => request("parameter-sunset-parse"),
            "before-sunset" => request("parameter-removed-before-sunset"),
            _ => request("parameter-removed"),
        },
        Rule::ParameterAdded | Rule::RequiredParameterAdded => {
            let necessity = if change.required { "required" } else { "optional" };
            match change.variant {
                "path" => one("new-request-path-parameter"),
                "with-default" => vec![format!("new-{necessity}-request-default-parameter-to-existing-path")],
                _ => vec![format!("new-{necessity}-request-parameter")],
            }
        }
        Rule::ParameterRenamed => {
            let necessity = if change.required { "required" } else { "optional" };
            [request("parameter-removed"), vec![format!("new-{necessity}-request-parameter")]].concat()
        }
        Rule::ParameterBecameRequired => request("parameter-became-required"),
        Rule::ParameterBecameOptional => request("parameter-became-optional"),
        Rule::BodyAdded => request("body-added-optional"),
        Rule::RequiredBodyAdded => request("body-added-required"),
        Rule::BodyRemoved | Rule::RequiredBodyRemoved => request("body-removed"),
        Rule::BodyBecameRequired => request("body-became-required"),
        Rule::BodyBecameOptional => request("body-became-optional"),
        Rule::MediaTypeAdded => vec![format!("{direction}-media-type-added")],
        Rule::MediaTypeRemoved => vec![format!("{direction}-media-type-removed")],
        Rule::ContentSchemaAdded => vec![format!("{}-media-type-schema-added", place(change))],
        Rule::ContentSchemaRemoved => vec![format!("{}-media-type-schema-removed", place(change))],
        Rule::StatusAdded | Rule::OtherStatusAdded => one("response-success-status-added"),
        Rule::StatusRemoved | Rule::OtherStatusRemoved => one("response-success-status-removed"),
        Rule::ErrorStatusAdded => one("response-non-success-status-added"),
        Rule::ErrorStatusRemoved => one("response-non-success-status-removed"),
        Rule::HeaderAdded | Rule::RequiredHeaderAdded => one("response-header-added"),
        Rule::HeaderRemoved => one("optional-response-header-removed"),
        Rule::RequiredHeaderRemoved => one("required-response-header-removed"),
        Rule::HeaderBecameOptional => one("response-header-became-optional"),
        Rule::SchemaRemoved | Rule::SchemaRenamed => one("api-schema-removed"),
        Rule::SecurityAdded | Rule::AlternativeAdded => vec![format!("{scope}-added")],
        Rule::SecurityRemoved | Rule::AlternativeRemoved => vec![format!("{scope}-removed")],
        Rule::ScopeAdded => vec![format!("{scope}-scope-added")],
        Rule::ScopeRemoved => vec![format!("{scope}-scope-removed")],
        Rule::SchemeAdded => one("api-security-component-added"),
        Rule::SchemeRemoved => one("api-security-component-removed"),
        Rule::SchemeChanged => match change.variant {
            "type" => one("api-security-component-type-changed"),
            "url" => one("api-security-component-oauth-url-changed"),
            "token-url" => one("api-security-component-oauth-token-url-changed"),
            "scope-added" => one("api-security-component-oauth-scope-added"),
            "scope-removed" => one("api-security-component-oauth-scope-removed"),
            "scope-changed" => one("api-security-component-oauth-scope-changed"),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn limit(change: &Change, place: &str) -> Vec<String> {
    let (name, upper) = match change.keyword.as_str() {
        "maximum" => ("max", true),
        "minimum" => ("min", false),
        "exclusiveMaximum" => ("exclusive-max", true),
        "exclusiveMinimum" => ("exclusive-min", false),
        "maxLength" => ("max-length", true),
        "minLength" => ("min-length", false),
        "maxItems" => ("max-items", true),
        "minItems" => ("min-items", false),
        "maxContains" => ("max-contains", true),
        "minContains" => ("min-contains", false),
        _ => return Vec::new(),
    };
    let suffix = match (change.rule, upper) {
        (Rule::LimitSet, _) => "set",
        (Rule::LimitUnset, _) => "unset",
        (Rule::LimitTightened, true) | (Rule::LimitLoosened, false) => "decreased",
        _ => "increased",
    };
    vec![format!("{place}-{name}-{suffix}")]
}

fn constraint(change: &Change, place: &str, suffix: &str) -> Vec<String> {
    let (name, suffix) = match change.keyword.as_str() {
        "contains" => ("contains", suffix),
        "contentEncoding" => ("content-encoding", "changed"),
        "contentMediaType" => ("content-media-type", "changed"),
        "contentSchema" => ("content-schema", suffix),
        "dependentRequired" => ("dependent-required", suffix),
        "dependentSchemas" => ("dependent-schema", suffix),
        "else" => ("else", suffix),
        "if" => ("if", suffix),
        "patternProperties" => ("pattern-property", suffix),
        "prefixItems" => ("prefix-items", suffix),
        "propertyNames" => ("property-names", suffix),
        "then" => ("then", suffix),
        "unevaluatedItems" => ("unevaluated-items", suffix),
        "unevaluatedProperties" => ("unevaluated-properties", suffix),
        _ => return Vec::new(),
    };
    vec![format!("{place}-{name}-{suffix}")]
}
