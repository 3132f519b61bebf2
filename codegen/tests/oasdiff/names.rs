//! The changes of a comparison by their names in oasdiff.

use super::places::name;
use crate::drift::change::{Carrier, Change, Spot};
use crate::drift::rule::Rule;

/// The names of oasdiff's rules for a change, as far as it has any.
pub(super) fn names(change: &Change) -> Vec<String> {
    let place = place(change);
    let own = operation(change);
    if own.is_empty() { schema(change, place) } else { own }
}

fn schema(change: &Change, place: &str) -> Vec<String> {
    // The first of these names that there is.
    let first = |suffixes: &[&str]| suffixes.iter().find_map(|suffix| name(place, suffix)).into_iter().collect();
    let schema = |suffix: &str| first(&[suffix]);
    // Reported of members that are only read, as of others.
    let first_plain = |suffixes: &[&str]| {
        let plain = if place == "request-read-only-property" { "request-property" } else { place };
        suffixes.iter().find_map(|suffix| name(place, suffix).or_else(|| name(plain, suffix))).into_iter().collect()
    };
    let header_first = |suffix: &str| {
        let place = if is_header_member(change) { "request-header-property" } else { place };
        name(place, suffix).into_iter().collect()
    };
    let direction = if change.class.is_response() { "response" } else { "request" };
    let necessity = if change.required { "required" } else { "optional" };
    let is_member = matches!(change.class.spot, Spot::Property);
    let many = change.variant == "list-of-types";
    match change.rule {
        Rule::TypeWidened if many => schema("list-of-types-widened"),
        Rule::TypeNarrowed if many => schema("list-of-types-narrowed"),
        // The half that breaks.
        Rule::TypeChanged if many && change.class.is_response() => schema("list-of-types-widened"),
        Rule::TypeChanged if many => schema("list-of-types-narrowed"),
        Rule::TypeChanged | Rule::TypeWidened | Rule::TypeNarrowed if change.variant == "loose" => {
            first(&["type-compatible", "type-generalized"])
        }
        // The encoding of a member of a parameter is not known: a text may do for the type before, another type does not.
        Rule::TypeChanged | Rule::FormatChanged
            if change.class.spot == Spot::ParameterProperty
                && change.after.as_ref().is_none_or(|after| !after.value.starts_with("string")) =>
        {
            schema("type-specialized")
        }
        Rule::TypeChanged | Rule::FormatChanged => schema("type-changed"),
        // A format that is gone makes a response incompatible; only its type can be more general.
        Rule::FormatWidened if change.class.is_response() => schema("type-changed"),
        Rule::TypeWidened | Rule::FormatWidened => schema("type-generalized"),
        Rule::TypeNarrowed | Rule::FormatNarrowed => first(&["type-specialized", "type-changed"]),
        Rule::BecameNullable => schema("became-nullable"),
        Rule::BecameNotNullable => schema("became-not-nullable"),
        Rule::EnumValueAdded if change.variant.is_empty() => first_plain(&["enum-value-added"]),
        Rule::EnumValueRemoved if place == "response-body" && change.variant.is_empty() => {
            vec!["response-mediatype-enum-value-removed".to_owned()]
        }
        Rule::EnumValueRemoved => schema(&format!("{}enum-value-removed", change.variant)),
        Rule::BecameEnum => header_first("became-enum"),
        Rule::ConstantAdded => schema("const-added"),
        Rule::ConstantRemoved => schema("const-removed"),
        Rule::ConstantChanged => schema("const-changed"),
        Rule::DefaultAdded | Rule::DefaultRemoved | Rule::DefaultChanged if change.variant == "always" => Vec::new(),
        Rule::DefaultAdded => schema("default-value-added"),
        Rule::DefaultRemoved => schema("default-value-removed"),
        Rule::DefaultChanged => schema("default-value-changed"),
        Rule::RequiredMemberAdded if is_header_member(change) => {
            vec!["new-required-request-header-property".to_owned()]
        }
        Rule::MemberAdded | Rule::RequiredMemberAdded | Rule::MemberRemoved | Rule::RequiredMemberRemoved
            if !is_member =>
        {
            Vec::new()
        }
        Rule::MemberAdded | Rule::RequiredMemberAdded if !change.class.is_response() => {
            let suffix = if change.variant == "with-default" && change.required { "-with-default" } else { "" };
            vec![format!("new-{necessity}-request-property{suffix}")]
        }
        Rule::MemberRemoved | Rule::RequiredMemberRemoved if !change.class.is_response() => schema("removed"),
        Rule::MemberAdded | Rule::RequiredMemberAdded | Rule::MemberRemoved | Rule::RequiredMemberRemoved => {
            let hidden = if change.variant == "hidden" { "-write-only" } else { "" };
            let added = matches!(change.rule, Rule::MemberAdded | Rule::RequiredMemberAdded);
            vec![format!("response-{necessity}{hidden}-property-{}", if added { "added" } else { "removed" })]
        }
        Rule::BecameRequired if change.variant == "with-default" && !change.class.is_response() => {
            schema("became-required-with-default")
        }
        Rule::BecameRequired | Rule::BecameOptional if change.variant == "undeclared" => Vec::new(),
        Rule::BecameRequired => header_first("became-required"),
        Rule::BecameOptional => schema("became-optional"),
        _ if !is_member && is_access(change.rule) => Vec::new(),
        Rule::BecameReadOnly | Rule::RequiredBecameReadOnly => member(direction, necessity, "became-read-only"),
        Rule::BecameNotReadOnly | Rule::RequiredBecameNotReadOnly => {
            member(direction, necessity, "became-not-read-only")
        }
        Rule::BecameWriteOnly | Rule::RequiredBecameWriteOnly => member(direction, necessity, "became-write-only"),
        Rule::BecameNotWriteOnly | Rule::RequiredBecameNotWriteOnly => {
            member(direction, necessity, "became-not-write-only")
        }
        Rule::Deprecated => schema(change.variant),
        Rule::Reactivated => schema("reactivated"),
        Rule::LimitSet | Rule::LimitUnset | Rule::LimitTightened | Rule::LimitLoosened => limit(change, place),
        Rule::PatternSet => first_plain(&["pattern-added"]),
        Rule::PatternUnset => first_plain(&["pattern-removed"]),
        Rule::PatternChanged if change.variant == "generalized" => {
            first_plain(&["pattern-generalized", "pattern-changed"])
        }
        Rule::PatternChanged => first_plain(&["pattern-changed"]),
        Rule::VariantAdded => schema(&format!("{}-added", change.variant)),
        Rule::VariantRemoved => schema(&format!("{}-removed", change.variant)),
        Rule::WrappedInUnion if change.variant == "one-of" => first(&["wrapped-in-one-of", "one-of-added"]),
        Rule::WrappedInUnion => schema(&format!("{}-added", change.variant)),
        Rule::UnwrappedFromUnion => schema(&format!("{}-removed", change.variant)),
        Rule::DiscriminatorAdded => schema("discriminator-added"),
        Rule::DiscriminatorRemoved => schema("discriminator-removed"),
        Rule::DiscriminatorChanged => schema("discriminator-property-name-changed"),
        Rule::MappingAdded => schema("discriminator-mapping-added"),
        Rule::MappingRemoved => schema("discriminator-mapping-deleted"),
        Rule::MappingChanged => schema("discriminator-mapping-changed"),
        Rule::CompositionChanged => schema(&format!("all-of-{}", change.variant)),
        Rule::StabilityDecreased => schema("stability-decreased"),
        Rule::StabilityIncreased => schema("stability-increased"),
        Rule::ConstraintAdded => constraint(change, place, "added"),
        Rule::ConstraintRemoved => constraint(change, place, "removed"),
        Rule::ConstraintChanged => constraint(change, place, "changed"),
        _ => Vec::new(),
    }
}

/// Reports whether the change lies in a header of a request.
fn is_header_member(change: &Change) -> bool {
    change.class.spot == Spot::ParameterProperty && change.class.carrier == Carrier::RequestHeader
}

fn is_access(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::BecameReadOnly
            | Rule::RequiredBecameReadOnly
            | Rule::BecameNotReadOnly
            | Rule::RequiredBecameNotReadOnly
            | Rule::BecameWriteOnly
            | Rule::RequiredBecameWriteOnly
            | Rule::BecameNotWriteOnly
            | Rule::RequiredBecameNotWriteOnly
    )
}

fn member(direction: &str, necessity: &str, suffix: &str) -> Vec<String> {
    vec![format!("{direction}-{necessity}-property-{suffix}")]
}

fn place(change: &Change) -> &'static str {
    match (change.class.is_response(), change.class.spot, change.class.unsent) {
        (false, Spot::Body | Spot::Operation, _) => "request-body",
        (false, Spot::Property, true) => "request-read-only-property",
        (false, Spot::Property, false) => "request-property",
        (_, Spot::Parameter, _) => "request-parameter",
        (_, Spot::ParameterProperty, _) => "request-parameter-property",
        (true, Spot::Body | Spot::Operation, _) => "response-body",
        (true, Spot::Property, true) => "response-write-only-property",
        (true, Spot::Property, false) => "response-property",
        (_, Spot::Header, _) => "response-header",
    }
}

/// The names for an operation, a parameter or a body as a whole.
fn operation(change: &Change) -> Vec<String> {
    let request = |suffix: &str| vec![format!("request-{suffix}")];
    let parameter = matches!(change.class.spot, Spot::Parameter);
    let scope = if change.variant == "global" { "api-global-security" } else { "api-security" };
    let one = |id: &str| vec![id.to_owned()];
    let direction = if change.class.is_response() { "response" } else { "request-body" };
    match change.rule {
        Rule::OperationRemoved => vec![format!("api-{}", change.variant)],
        Rule::OperationAdded => one("endpoint-added"),
        Rule::OperationDeprecated if parameter && change.variant == "past" => {
            request("parameter-sunset-date-too-small")
        }
        Rule::OperationDeprecated if parameter => one("request-parameter-deprecated"),
        Rule::OperationDeprecated if change.variant == "past" => one("api-sunset-date-too-small"),
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
        Rule::SunsetUnreadable => match (change.variant, parameter) {
            ("reactivated", true) => request("parameter-reactivated"),
            ("reactivated", false) => one("endpoint-reactivated"),
            ("deleted", true) => request("parameter-sunset-deleted"),
            ("deleted", false) => one("sunset-deleted"),
            ("added", _) => Vec::new(),
            (_, true) => request("parameter-sunset-parse"),
            ("known", false) => one("api-path-sunset-parse"),
            (_, false) => one("api-deprecated-sunset-parse"),
        },
        Rule::SunsetChanged if change.variant != "past" => Vec::new(),
        Rule::SunsetChanged if parameter => request("parameter-sunset-date-changed-too-small"),
        Rule::SunsetChanged => one("api-sunset-date-changed-too-small"),
        Rule::StabilityDecreased if change.class.spot == Spot::Operation => one("api-stability-decreased"),
        Rule::StabilityIncreased if change.class.spot == Spot::Operation => one("api-stability-increased"),
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
        Rule::MediaTypeAdded | Rule::MediaTypeRemoved if parameter => Vec::new(),
        Rule::MediaTypeAdded => vec![format!("{direction}-media-type-added")],
        Rule::MediaTypeRemoved => vec![format!("{direction}-media-type-removed")],
        Rule::MediaTypeChanged if change.variant == "rewritten" => {
            ["removed", "added"].map(|end| format!("{direction}-media-type-{end}")).into()
        }
        Rule::MediaTypeChanged if change.class.is_response() => {
            vec![format!("response-media-type-name-{}", change.variant)]
        }
        Rule::ContentSchemaAdded => name(place(change), "media-type-schema-added").into_iter().collect(),
        Rule::ContentSchemaRemoved => name(place(change), "media-type-schema-removed").into_iter().collect(),
        Rule::AnswerChanged => {
            vec!["response-success-status-added".to_owned(), "response-success-status-removed".to_owned()]
        }
        Rule::StatusAdded | Rule::OtherStatusAdded => one("response-success-status-added"),
        Rule::StatusRemoved | Rule::OtherStatusRemoved => one("response-success-status-removed"),
        Rule::ErrorStatusAdded => one("response-non-success-status-added"),
        Rule::ErrorStatusRemoved => one("response-non-success-status-removed"),
        Rule::HeaderAdded | Rule::RequiredHeaderAdded => one("response-header-added"),
        Rule::HeaderRemoved => one("optional-response-header-removed"),
        Rule::RequiredHeaderRemoved => one("required-response-header-removed"),
        Rule::HeaderBecameOptional => one("response-header-became-optional"),
        Rule::SchemaRemoved | Rule::SchemaRenamed => one("api-schema-removed"),
        Rule::SecurityAdded | Rule::SecurityDeclared | Rule::AlternativeAdded => vec![format!("{scope}-added")],
        Rule::SecurityRemoved | Rule::SecurityUndeclared | Rule::AlternativeRemoved => vec![format!("{scope}-removed")],
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
    let (limit, upper) = match change.keyword.as_str() {
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
    name(place, &format!("{limit}-{suffix}")).into_iter().collect()
}

fn constraint(change: &Change, place: &str, suffix: &str) -> Vec<String> {
    let (keyword, suffix) = match change.keyword.as_str() {
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
    name(place, &format!("{keyword}-{suffix}")).into_iter().collect()
}
