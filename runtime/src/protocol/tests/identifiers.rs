use std::{collections::BTreeMap, str::FromStr};

use crate::{
    codegen::prelude::*,
    json::lenient,
    protocol::{Argument, to_bytes},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ProjectId(Uuid);
identifier!(ProjectId { Uuid });

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct BuildNumber(i64);
identifier!(BuildNumber { i64 });

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct OwnerName(String);
identifier!(OwnerName { String });

#[derive(Clone, Debug, PartialEq)]
struct Build {
    id: ProjectId,
    number: Option<BuildNumber>,
    owner: Maybe<OwnerName>,
}
record!(Build { id: required "id", number: optional "number", owner: maybe "owner" });

#[test]
fn an_identifier_has_the_bytes_of_its_scalar() {
    fn same(one: &dyn Argument, other: &dyn Argument) {
        assert_eq!(to_bytes(one).unwrap(), to_bytes(other).unwrap());
    }
    let (id, number, owner) = (Uuid::from_u128(7), i64::MIN, "a/b \"ü\"");
    same(&ProjectId::from(id), &id);
    same(&BuildNumber::from(number), &number);
    same(&OwnerName::from(owner), &owner);
    same(&[Some(ProjectId::from(id)), None].as_slice(), &[Some(id), None].as_slice());
    same(&BTreeMap::from([("a", OwnerName::from(owner))]), &BTreeMap::from([("a", owner)]));
}

#[test]
fn what_its_scalar_reads_an_identifier_reads() {
    // A number in JSON that is whole is an integer, whatever its form.
    for text in ["7", "7.0", "\"7\"", "7.5", "null", "9223372036854775807", "9223372036854775808"] {
        let scalar = lenient::from_slice::<i64>(text.as_bytes()).ok();
        let id = lenient::from_slice::<BuildNumber>(text.as_bytes()).ok();
        assert_eq!(id.map(i64::from), scalar, "{text}");
    }
    for text in ["\"00000000-0000-0000-0000-000000000007\"", "\"00000000000000000000000000000007\"", "\"x\"", "7"] {
        let scalar = lenient::from_slice::<Uuid>(text.as_bytes()).ok();
        assert_eq!(lenient::from_slice::<ProjectId>(text.as_bytes()).ok().map(Uuid::from), scalar, "{text}");
    }
    let text = r#"{"id":"00000000-0000-0000-0000-000000000007","owner":null}"#;
    let build: Build = lenient::from_slice(text.as_bytes()).unwrap();
    assert_eq!(build, Build { id: Uuid::from_u128(7).into(), number: None, owner: Maybe::Null });
    assert_eq!(serde_json::to_string(&build).unwrap(), text);
}

#[test]
fn an_identifier_converts_from_its_scalar_and_its_text() {
    let id = ProjectId::from_str("00000000-0000-0000-0000-000000000007").unwrap();
    assert_eq!((Uuid::from(id), id.to_string()), (Uuid::from_u128(7), Uuid::from_u128(7).to_string()));
    assert!("x".parse::<ProjectId>().is_err() && "x".parse::<BuildNumber>().is_err());
    assert_eq!("7".parse::<BuildNumber>().map(i64::from), Ok(7));
    let owner: OwnerName = "ada".parse().unwrap();
    assert_eq!((owner.as_str(), owner.as_ref(), owner.to_string().as_str()), ("ada", "ada", "ada"));
    assert_eq!(format!("{owner:>5}"), "  ada");
    assert_eq!(String::from(owner.clone()), "ada");
    assert!(owner < OwnerName::from("bea".to_owned()) && BuildNumber::from(2) > BuildNumber::from(1));
}
