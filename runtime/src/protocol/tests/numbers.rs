//! A number keeps its digits in each position: read, written, and read and written.

use super::super::{Draft, style};
use crate::{codegen::prelude::*, protocol::Content};

/// All positions in one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Everywhere {
    pub required: Decimal,
    pub optional: Option<Decimal>,
    pub nullable: Option<Decimal>,
    pub maybe: Maybe<Decimal>,
    pub list: Vec<Option<Decimal>>,
    pub map: BTreeMap<String, Vec<Decimal>>,
    pub tagged: Tagged,
    pub untagged: Vec<Untagged>,
    pub keyed: Keyed,
    pub boxed: Box<Inner>,
    pub count: i64,
    pub any: Value,
    pub object: Object,
    pub list_of_any: Vec<Value>,
    pub unknown_tagged: Tagged,
    pub unknown_untagged: Untagged,
    pub extra: BTreeMap<String, Value>,
}
record!(Everywhere {
    required: required "required",
    optional: optional "optional",
    nullable: nullable "nullable",
    maybe: maybe "maybe",
    list: required "list",
    map: required "map",
    tagged: required "tagged",
    untagged: required "untagged",
    keyed: required "keyed",
    boxed: required "boxed",
    count: required "count",
    any: required "any",
    object: required "object",
    list_of_any: required "listOfAny",
    unknown_tagged: required "unknownTagged",
    unknown_untagged: required "unknownUntagged",
    extra: extra
});

#[derive(Clone, Debug, PartialEq)]
pub struct Inner {
    pub price: Decimal,
}
record!(Inner { price: required "price" });

#[derive(Clone, Debug, PartialEq)]
pub struct Nested {
    pub inner: Untagged,
    pub again: Option<Box<Tagged>>,
}
record!(Nested { inner: required "inner", again: optional "again" });

#[derive(Clone, Debug, PartialEq)]
pub enum Tagged {
    Inner(Box<Inner>),
    Nested(Box<Nested>),
    Unknown(Value),
}
tagged_union!(Tagged, "kind" { Inner(Box<Inner>) = "inner", Nested(Box<Nested>) = "nested" });

#[derive(Clone, Debug, PartialEq)]
pub enum Untagged {
    Inner(Box<Inner>),
    Number(Decimal),
    Unknown(Value),
}
untagged_union!(Untagged { Inner(Box<Inner>), Number(Decimal) });

#[derive(Clone, Debug, PartialEq)]
pub enum Keyed {
    Price(Decimal),
    All(Vec<Tagged>),
}
keyed_union!(Keyed { Price(Decimal) = "price", All(Vec<Tagged>) = "all" });

/// A seeded generator of JSON numbers, far beyond the range of a float.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn digits(&mut self) -> String {
        let count = 1 + self.below(30);
        (0..count).map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap_or_default())).collect()
    }

    fn next(&mut self) -> String {
        let whole = self.digits();
        let whole = whole.trim_start_matches('0');
        let mut text =
            format!("{}{}", if self.below(2) == 0 { "-" } else { "" }, if whole.is_empty() { "0" } else { whole });
        if self.below(3) > 0 {
            text += &format!(".{}", self.digits());
        }
        if self.below(4) == 0 {
            text += &format!("e-{}", self.below(40));
        }
        text
    }
}

fn everywhere(n: &mut Numbers, count: &str) -> String {
    let mut text = r#"{"required":N,"optional":N,"nullable":N,"maybe":N,"list":[N,null,N],"map":{"a":[N],"b":[]},
        "tagged":{"kind":"nested","inner":{"price":N},"again":{"kind":"inner","price":N}},"untagged":[{"price":N},N],
        "keyed":{"all":[{"kind":"inner","price":N},{"kind":"other","n":[N]}]},"boxed":{"price":N},"count":C,
        "any":{"a":[N,{"b":N}],"c":N},"object":{"x":N,"y":[[N]],"1":-0.0},"listOfAny":[N,[N],{"z":N},7.0,1e3],
        "unknownTagged":{"kind":"strange","price":N,"deep":{"deeper":[N]}},"unknownUntagged":[{"p":N},N],"more":N}"#
        .split_ascii_whitespace()
        .collect::<String>()
        .replace('C', count);
    while text.contains('N') {
        text = text.replacen('N', &n.next(), 1);
    }
    text
}

#[test]
fn what_is_read_is_written_back_digit_by_digit() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..300 {
        let text = everywhere(&mut numbers, "7");
        let value: Everywhere = crate::json::lenient::from_slice(text.as_bytes()).expect("read");
        assert_eq!(serde_json::to_string(&value).expect("written"), text);
        // An integer that is written as a decimal costs no other number its digits.
        let odd = everywhere(&mut numbers, "7.0");
        let value: Everywhere = crate::json::lenient::from_slice(odd.as_bytes()).expect("read");
        assert_eq!(value.count, 7);
        assert_eq!(serde_json::to_string(&value).expect("written"), odd.replace("\"count\":7.0", "\"count\":7"));
        // A value that was read is read again inside another one.
        let keyed = format!(r#"{{"price":{}}}"#, numbers.next());
        let value: Keyed = serde_json::from_str(&keyed).expect("read");
        assert_eq!(serde_json::to_string(&vec![value]).expect("written"), format!("[{keyed}]"));
    }
}

#[test]
fn what_is_sent_has_every_digit_in_every_style_and_body() {
    let mut numbers = Numbers(0xD1B5_4A32_D192_ED03);
    let styles = [
        Style::Form,
        Style::FormUnexploded,
        Style::Space,
        Style::Pipe,
        Style::Tab,
        Style::Deep,
        Style::Simple,
        Style::SimpleExploded,
        Style::Label,
        Style::LabelExploded,
        Style::Matrix,
        Style::MatrixExploded,
        Style::Json,
    ];
    static FORM: Operation = Operation { method: Post, path: "/x", ..Operation::family("test") };
    let base = url::Url::parse("https://a.example").expect("an address");
    for _ in 0..100 {
        let text = numbers.next();
        let number = Decimal::new(text.as_str()).expect("a number");
        let inner = Inner { price: number.clone() };
        let values: [&dyn Argument; 9] = [
            &number,
            &vec![number.clone()],
            &inner,
            &BTreeMap::from([("a", number.clone())]),
            &Tagged::Inner(Box::new(inner.clone())),
            &Value::Number(number.clone()),
            &Value::from([number.clone()]),
            &[("a", number.clone())].into_iter().collect::<Object>(),
            &Tagged::Unknown([("n", number.clone())].into_iter().collect::<Object>().into()),
        ];
        for value in values {
            let tree = super::super::to_value(value).expect("written");
            for how in styles {
                let pairs = style::pairs("p", how, &tree, style::plain).join("&");
                assert!(pairs.contains(&text), "{how:?} {pairs} {text}");
                let path = style::expand("p", how, &tree, style::plain).expect("a text");
                assert!(path.contains(&text), "{how:?} {path} {text}");
            }
        }
        let body = |payload| match Draft::new(&FORM, &[], payload)
            .and_then(|draft| draft.prepare(&base, None, false))
            .expect("prepared")
            .body
        {
            Content::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("text"),
            _ => String::new(),
        };
        assert_eq!(body(Payload::Json(&inner)), format!("{{\"price\":{text}}}"));
        assert_eq!(body(Payload::Form(&inner)), format!("price={text}"));
        let mut parts = Parts::default();
        parts.text("a", &number);
        parts.texts("b", vec![number.clone()]);
        parts.json("c", &inner);
        parts.styled("d", Style::Deep, &inner);
        let written =
            format!("{:?}", parts.parts.iter().map(|part| &part.upload.source).map(bytes).collect::<Vec<_>>());
        assert_eq!(written.matches(&text).count(), 4, "{written}");
        #[cfg(feature = "xml")]
        xml(&text, &inner);
    }
}

fn bytes(source: &crate::protocol::UploadSource) -> String {
    match source {
        crate::protocol::UploadSource::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

#[cfg(feature = "xml")]
fn xml(text: &str, inner: &Inner) {
    use super::super::xml::{Member, Name, Place, Root, Shape, read, write};
    static TEXT: Shape = Shape::Text;
    static INNER: Shape = Shape::Object(
        &[Member { wire: "price", name: Name::plain("price"), place: Place::Element, shape: &TEXT }],
        None,
    );
    static ROOT: Root = Root { name: Name::plain("inner"), shape: &INNER };
    let document = write(&super::super::to_value(inner).expect("written"), &ROOT).expect("a document");
    assert!(document.contains(&format!("<price>{text}</price>")), "{document}");
    let value = read(&document, &ROOT).expect("read");
    let value: Inner = value.to().expect("an Inner");
    assert_eq!(value.price.as_str(), text);
}

#[test]
fn unions_in_each_other_end_where_json_ends() {
    let deep = |count: usize| {
        let open = r#"{"kind":"nested","inner":1,"again":"#.repeat(count);
        format!("{open}{}{}", r#"{"kind":"inner","price":1.10}"#, "}".repeat(count))
    };
    let text = deep(100);
    let value: Tagged = serde_json::from_str(&text).expect("read");
    assert_eq!(serde_json::to_string(&value).expect("written"), text);
    for count in [200, 100_000] {
        let error = serde_json::from_str::<Tagged>(&deep(count)).expect_err("too deep");
        assert!(error.to_string().contains("recursion limit"), "{error}");
    }
}

#[test]
fn an_object_of_one_member_has_one() {
    for text in ["{}", r#"{"price":1,"all":[]}"#, r#"{"other":1}"#, "1", r#"{"price":null}"#] {
        assert!(serde_json::from_str::<Keyed>(text).is_err(), "{text}");
    }
    let value: Keyed = serde_json::from_str(r#"{"price":1.10,"all":null}"#).expect("read");
    assert_eq!(serde_json::to_string(&value).expect("written"), r#"{"price":1.10}"#);
}
