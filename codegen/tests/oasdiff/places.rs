//! At which places of a schema oasdiff has a rule for which change.

/// The beginnings of its names, each by a letter.
const PLACES: [(char, &str); 10] = [
    ('B', "request-body"),
    ('P', "request-property"),
    ('Q', "request-parameter"),
    ('M', "request-parameter-property"),
    ('O', "request-read-only-property"),
    ('H', "request-header-property"),
    ('b', "response-body"),
    ('p', "response-property"),
    ('w', "response-write-only-property"),
    ('h', "response-header"),
];

/// Places by their letters, and the ends of the names of the rules that exist at all of them.
const RULES: [(&str, &str); 21] = [
    (
        "BPQ",
        "exclusive-max-set exclusive-min-set max-length-set max-set min-items-increased min-items-set \
         min-length-increased min-set removed",
    ),
    ("BPQH", "became-enum"),
    ("BPQHpw", "became-required"),
    ("BPQMOp", "enum-value-removed"),
    ("BPQMbp", "list-of-types-narrowed list-of-types-widened"),
    ("BPQMbph", "became-not-nullable became-nullable type-changed type-generalized"),
    ("BPQO", "exclusive-max-decreased exclusive-min-increased max-decreased max-length-decreased min-increased"),
    (
        "BPQbp",
        "default-value-added default-value-changed default-value-removed exclusive-max-increased \
         exclusive-min-decreased max-increased max-length-increased min-decreased min-length-decreased",
    ),
    ("BPQpwh", "became-optional"),
    (
        "BPbp",
        "all-of-added all-of-added-annotation-only all-of-removed all-of-removed-annotation-only any-of-added \
         any-of-removed const-added const-changed const-removed contains-added contains-removed \
         content-encoding-changed content-media-type-changed content-schema-added content-schema-removed \
         dependent-required-added dependent-required-changed dependent-required-removed dependent-schema-added \
         dependent-schema-removed discriminator-added discriminator-mapping-added discriminator-mapping-changed \
         discriminator-mapping-deleted discriminator-property-name-changed discriminator-removed else-added \
         else-removed if-added if-removed max-contains-decreased max-contains-increased min-contains-decreased \
         min-contains-increased one-of-added one-of-removed pattern-property-added pattern-property-removed \
         prefix-items-added prefix-items-removed property-names-added property-names-removed then-added \
         then-removed unevaluated-items-added unevaluated-items-removed unevaluated-properties-added \
         unevaluated-properties-removed",
    ),
    ("BPbph", "type-compatible"),
    ("Bb", "media-type-schema-added media-type-schema-removed wrapped-in-one-of"),
    ("Mbph", "type-specialized"),
    ("P", "became-required-with-default"),
    ("PQ", "pattern-generalized x-extensible-enum-value-removed"),
    ("PQMpw", "enum-value-added"),
    (
        "PQp",
        "deprecated deprecated-sunset-missing pattern-added pattern-changed pattern-removed reactivated \
         sunset-date-too-small",
    ),
    ("Pp", "deprecated-sunset-invalid deprecated-with-sunset stability-decreased stability-increased"),
    ("Q", "max-items-decreased max-items-increased"),
    ("Qbp", "min-items-decreased"),
    ("bp", "max-length-unset min-items-unset"),
];

/// The name of the rule for a change at a place, where there is one.
pub(super) fn name(place: &str, change: &str) -> Option<String> {
    let (letter, _) = PLACES.iter().find(|(_, name)| *name == place)?;
    let exists =
        |(places, changes): &(&str, &str)| places.contains(*letter) && changes.split(' ').any(|own| own == change);
    RULES.iter().any(exists).then(|| format!("{place}-{change}"))
}
