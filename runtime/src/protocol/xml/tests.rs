use super::{Member, Name, Place, Root, Shape, read, write};
use crate::Value;

/// A JSON value.
macro_rules! json {
    ($($json:tt)+) => {
        Value::from(serde_json::json!($($json)+))
    };
}

static ANY: Shape = Shape::Any;
static TEXT: Shape = Shape::Text;
static NUMBER: Shape = Shape::Number;
static BOOLEAN: Shape = Shape::Boolean;
static NUMBERS: Shape = Shape::List(Name::plain("n"), &NUMBER);
static TAG: Shape = Shape::Object(
    &[
        Member { wire: "id", name: Name::plain("id"), place: Place::Attribute, shape: &NUMBER },
        Member { wire: "label", name: Name::plain("label"), place: Place::Text, shape: &TEXT },
    ],
    None,
);
static TAGS: Shape = Shape::List(Name::plain("tag"), &TAG);
static PET: Shape = Shape::Object(
    &[
        Member { wire: "id", name: Name::plain("id"), place: Place::Attribute, shape: &NUMBER },
        Member { wire: "children", name: Name::plain("child"), place: Place::Items, shape: &PET },
        Member { wire: "good", name: Name::plain("good"), place: Place::Element, shape: &BOOLEAN },
        Member { wire: "name", name: Name::within("Name", "p", "urn:pets"), place: Place::Element, shape: &TEXT },
        Member { wire: "photoUrls", name: Name::plain("photoUrl"), place: Place::Items, shape: &TEXT },
        Member { wire: "sizes", name: Name::plain("sizes"), place: Place::Attribute, shape: &NUMBERS },
        Member { wire: "tags", name: Name::plain("tags"), place: Place::Element, shape: &TAGS },
        Member { wire: "weight", name: Name::plain("weight"), place: Place::Element, shape: &NUMBER },
    ],
    None,
);
static ROOT: Root = Root { name: Name::within("Pet", "", "urn:zoo"), shape: &PET };
static OPEN: Shape = Shape::Object(&[], Some(&ANY));

fn read_pet(text: &str) -> Value {
    read(text, &ROOT).unwrap()
}

fn refused(text: impl AsRef<str>) -> String {
    read(text.as_ref(), &ROOT).unwrap_err()
}

#[test]
fn a_document_goes_round() {
    let pet = json!({
        "id": 7,
        "children": [{"id": 8, "children": [], "name": "<b> & \"c\"\r\n\t", "photoUrls": []}],
        "good": true,
        "name": " Ida ",
        "photoUrls": ["a", ""],
        "sizes": [1, 2.5],
        "tags": [{"id": 1, "label": "x"}, {"label": ""}],
        "weight": 9_007_199_254_740_993_i64,
    });
    let text = write(&pet, &ROOT).unwrap();
    assert_eq!(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Pet xmlns=\"urn:zoo\" id=\"7\" sizes=\"1 2.5\"><child id=\"8\">\
         <p:Name xmlns:p=\"urn:pets\">&lt;b&gt; &amp; &quot;c&quot;&#13;\n\t</p:Name></child><good>true</good>\
         <p:Name xmlns:p=\"urn:pets\"> Ida </p:Name><photoUrl>a</photoUrl><photoUrl></photoUrl>\
         <tags><tag id=\"1\">x</tag><tag></tag></tags><weight>9007199254740993</weight></Pet>"
    );
    assert_eq!(read_pet(&text), pet);
}

#[test]
fn a_reader_is_tolerant() {
    let text =
        "\u{feff}<?xml version='1.0' encoding='utf-8'?><!-- c --><z:pet xmlns:z='urn:other' id=' 007 ' other='1'>
        <Name>a<![CDATA[<b>]]><!-- c -->c</Name><new><x/></new><tags><Tag id='1'>t</Tag><x>u</x></tags>
        <weight>+1.50e1</weight><good>0</good></z:pet><?end?>\n";
    let expected = json!({
        "id": 7, "children": [], "photoUrls": [], "name": "a<b>c", "good": false, "weight": 15,
        "tags": [{"id": 1, "label": "t"}, {"label": "u"}],
    });
    assert_eq!(read_pet(text), expected);
    let nil = "<Pet xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><weight i:nil='true'/><good/></Pet>";
    assert_eq!(read_pet(nil), json!({"children": [], "photoUrls": [], "weight": null, "good": null}));
    // Another namespace is another name.
    assert_eq!(read_pet("<Pet><a:Name xmlns:a='urn:x'>n</a:Name></Pet>"), json!({"children": [], "photoUrls": []}));
    assert_eq!(read_pet("<Pet><weight>-INF</weight></Pet>")["weight"], json!("-Infinity"));
    // The member's own name, although the contract gives the element another.
    assert_eq!(read_pet("<Pet><photoUrls>u</photoUrls></Pet>")["photoUrls"], json!(["u"]));
    // The type refuses a text that is not a number.
    assert_eq!(read_pet("<Pet><weight>heavy</weight></Pet>")["weight"], json!("heavy"));
}

#[test]
fn what_is_not_declared_is_kept_where_the_contract_is_open() {
    static OPEN_ROOT: Root = Root { name: Name::plain("r"), shape: &OPEN };
    let text = "<r><a x='1'><b>1</b><b>2</b><c/></a><d>t</d></r>";
    let value = read(text, &OPEN_ROOT).unwrap();
    assert_eq!(value, json!({"a": {"x": "1", "b": ["1", "2"], "c": ""}, "d": "t"}));
    let written = write(&value, &OPEN_ROOT).unwrap();
    assert!(written.ends_with("<r><a><b>1</b><b>2</b><c></c><x>1</x></a><d>t</d></r>") || written.contains("<x>1</x>"));
    assert!(write(&json!({"a b": 1}), &OPEN_ROOT).unwrap_err().contains("`a b` cannot be the name"));
    assert!(write(&json!({"x><y": 1}), &OPEN_ROOT).is_err());
    assert!(write(&json!({"a": "\u{0}"}), &OPEN_ROOT).unwrap_err().contains("U+0000"));
    assert_eq!(write(&json!({"a": null}), &OPEN_ROOT).unwrap().matches("xsi:nil=\"true\"").count(), 1);
}

#[test]
fn hostile_documents_are_refused_and_say_where() {
    let laughs = "<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><Pet><weight>&b;</weight></Pet>";
    assert_eq!(refused(laughs), "the document contains a DTD, which is refused");
    let outside = "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><Pet><weight>&x;</weight></Pet>";
    assert_eq!(refused(outside), "the document contains a DTD, which is refused");
    assert_eq!(refused("<Pet>\n&canary;</Pet>"), "the document is not well-formed at line 2, column 1");
    for broken in [
        "",
        "canary",
        "<Pet>",
        "<Pet></Other>",
        "<Pet/><Pet/>",
        "<Pet/>canary",
        "<Pet id='1' id='2'/>",
        "<Pet xmlns:a='u' xmlns:b='u' a:id='1' b:id='2'/>",
        "<Pet id=canary/>",
        "<Pet>\u{1}</Pet>",
        "<Pet>&#0;</Pet>",
        "<a:Pet/>",
        "<Pet",
        "{\"canary\":1}",
    ] {
        let error = refused(broken);
        assert!(error.starts_with("the document is not well-formed at line") && !error.contains("canary"), "{error}");
    }
    let children = |depth: usize| format!("<Pet>{}{}</Pet>", "<child>".repeat(depth), "</child>".repeat(depth));
    assert!(read(&children(100), &ROOT).is_ok());
    assert!(refused(children(200)).contains("more than 128 deep"));
    // A parser compares all attributes of an element with each other, and all namespaces in scope.
    let attributes: String = (0..200_000).map(|index| format!(" a{index}='x'")).collect();
    assert_eq!(refused(format!("<Pet{attributes}/>")), "an element has more than 256 attributes, at byte 1");
    let namespaces: String = (0..60_000).map(|index| format!("<x xmlns:n{index}='u'>")).collect();
    assert_eq!(refused(format!("<Pet>{namespaces}")), "the document declares more than 64 prefixes of namespaces");
    let many: String = (0..300).map(|index| format!("<!-- a='{index}\" --><x a=\"{index} > '\"/>&lt;")).collect();
    assert!(read(&format!("<Pet>{many}</Pet>"), &ROOT).is_ok());
    // Skipping needs no stack.
    let deep = format!("<Pet>{}{}</Pet>", "<x>".repeat(100_000), "</x>".repeat(100_000));
    assert!(read(&deep, &ROOT).is_ok());
}
