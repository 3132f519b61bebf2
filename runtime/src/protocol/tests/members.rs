//! Members of records: those that are missing, and those that are null.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{from_str, to_value};

use crate::codegen::{Undeclared, prelude::*};

/// Two records of required members; the second one keeps the others.
macro_rules! required {
    ($type:ident $kept:ident $($member:ident $wire:literal)*) => {
        #[derive(Debug)]
        struct $type { $($member: u8),* }
        record!($type { $($member: required $wire),* });
        #[derive(Debug)]
        struct $kept { $($member: u8,)* rest: Undeclared }
        record!($kept { $($member: required $wire,)* rest: rest });
    };
}
/// As many members as a number has bits, and one more.
macro_rules! wide {
    ($($member:ident $wire:literal)*) => {
        required! { Full FullKept $($member $wire)* }
        required! { Over OverKept $($member $wire)* m64 "m64" }
    };
}
required! { Narrow NarrowKept m0 "m0" m1 "m1" m2 "m2" }
required! { Nameless NamelessKept empty "" }
required! { Last LastKept m0 "m0" empty "" }
wide! {
    m0 "m0" m1 "m1" m2 "m2" m3 "m3" m4 "m4" m5 "m5" m6 "m6" m7 "m7" m8 "m8" m9 "m9" m10 "m10" m11 "m11"
    m12 "m12" m13 "m13" m14 "m14" m15 "m15" m16 "m16" m17 "m17" m18 "m18" m19 "m19" m20 "m20" m21 "m21"
    m22 "m22" m23 "m23" m24 "m24" m25 "m25" m26 "m26" m27 "m27" m28 "m28" m29 "m29" m30 "m30" m31 "m31"
    m32 "m32" m33 "m33" m34 "m34" m35 "m35" m36 "m36" m37 "m37" m38 "m38" m39 "m39" m40 "m40" m41 "m41"
    m42 "m42" m43 "m43" m44 "m44" m45 "m45" m46 "m46" m47 "m47" m48 "m48" m49 "m49" m50 "m50" m51 "m51"
    m52 "m52" m53 "m53" m54 "m54" m55 "m55" m56 "m56" m57 "m57" m58 "m58" m59 "m59" m60 "m60" m61 "m61"
    m62 "m62" m63 "m63"
}

#[test]
fn a_required_member_that_is_missing_is_an_error_whatever_the_others_are() {
    fn check<T: DeserializeOwned + Serialize>(names: &[String]) {
        let object = |members: &[&str]| {
            let members: Vec<String> = members.iter().map(|name| format!("{name:?}:1")).collect();
            format!("{{{}}}", members.join(","))
        };
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = object(&all);
        assert_eq!(serde_json::to_string(&from_str::<T>(&text).unwrap()).unwrap(), text);
        for missing in 0..all.len() {
            // A member twice, one without a name, and one that is not declared, in its place.
            for other in all.iter().copied().chain(["", "more"]).filter(|other| *other != all[missing]) {
                let mut members = all.clone();
                members[missing] = other;
                let error = from_str::<T>(&object(&members)).map(|value| to_value(value).unwrap()).unwrap_err();
                assert!(error.to_string().starts_with(&format!("field `{}` of ", all[missing])), "{error}");
            }
        }
    }
    let names = |count: u8| (0..count).map(|number| format!("m{number}")).collect::<Vec<_>>();
    check::<Narrow>(&names(3));
    check::<NarrowKept>(&names(3));
    check::<Full>(&names(64));
    check::<FullKept>(&names(64));
    check::<Over>(&names(65));
    check::<OverKept>(&names(65));
    check::<Nameless>(&[String::new()]);
    check::<NamelessKept>(&[String::new()]);
    check::<Last>(&["m0".to_owned(), String::new()]);
    check::<LastKept>(&["m0".to_owned(), String::new()]);
}

/// Members of which null is a value, and one of which it is not.
#[derive(Debug)]
struct Nulls {
    any: Option<Value>,
    optional: Option<Value>,
}
record!(Nulls { any: any "any", optional: optional "optional" });

#[test]
fn null_is_a_value_of_any_and_leaves_an_optional_member_out() {
    let written = |text: &str| serde_json::to_string(&from_str::<Nulls>(text).unwrap()).unwrap();
    assert_eq!(written(r#"{"any":null,"optional":null}"#), r#"{"any":null}"#);
    assert_eq!(written("{}"), "{}");
}
