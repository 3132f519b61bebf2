//! `--fields`.

use driftless_runtime::Value;

use super::generated::{in_more_rounds, with_seeds};
use super::{FORMATS, json, print, printer, stream, terminal};
use crate::output::field::{self, Field};
use crate::output::{Format, Printer};
use crate::terminal::Terminal;

#[test]
fn each_name_of_a_part_is_a_field_that_gives_it() {
    with_seeds(3000, |source| {
        let value = source.object(4);
        let parts = field::parts(&value, usize::MAX);
        if parts.is_empty() {
            return;
        }
        let text = parts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let fields = Field::read_all(&text).unwrap_or_else(|failure| panic!("{text}: {failure}"));
        assert_eq!(fields.len(), parts.len(), "{text}");
        for (field, (name, part)) in fields.iter().zip(&parts) {
            assert!(field.get(&value).is_some_and(|value| std::ptr::eq(value, *part)), "{name}");
            assert_eq!(field.name, *name);
        }
    });
}

#[test]
#[ignore = "longer: .ci/run --all runs it"]
fn each_name_of_a_part_is_a_field_that_gives_it_in_more_rounds() {
    in_more_rounds(&[each_name_of_a_part_is_a_field_that_gives_it]);
}

#[test]
fn paths_and_pointers_name_parts() {
    let row = json(
        r#"{"id":7,"owner":{"name":"Ada"},"tags":["x","y"],"a.b":{"c":1},"m":[{"k":[5,6]}],"s/t":2,"q\"":3," p ":4}"#,
    );
    for (text, expected) in [
        ("id", "7"),
        (" id ", "7"),
        ("owner.name", r#""Ada""#),
        ("tags[1]", r#""y""#),
        ("tags[ 1 ]", r#""y""#),
        (r#""a.b".c"#, "1"),
        ("m[0].k[1]", "6"),
        ("/m/0/k/1", "6"),
        ("/s~1t", "2"),
        (r#""q\"""#, "3"),
        (r#"" p ""#, "4"),
        ("owner", r#"{"name":"Ada"}"#),
        ("tags[2]", "-"),
        ("owner.none.deeper", "-"),
        ("id[0]", "-"),
        ("id.x", "-"),
        ("a.b.c", "-"),
        ("/m/00", "-"),
    ] {
        let fields = Field::read_all(text).unwrap();
        assert_eq!(fields.len(), 1);
        assert_eq!(fields[0].get(&row).map_or("-".to_owned(), Value::to_string), expected, "{text}");
    }
    let list = json("[[1,2],[3,4]]");
    assert_eq!(Field::read_all("[1][0]").unwrap()[0].get(&list), Some(&Value::from(3)));
}

#[test]
fn wrong_fields_are_usage_failures_that_show_the_form() {
    for text in [
        "", ",", "a,", ",a", "a,,b", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[]", "a]", "\"a", "a\"b\"", "a.[0]",
        "a[0]b", "a,a", "\"a\"b",
    ] {
        let failure = Printer::new(None, Some(text), Terminal::FILE, true).unwrap_err();
        assert_eq!(failure.exit, crate::Exit::Usage, "{text}");
        assert!(failure.message.contains("--fields") && !failure.hint.is_empty(), "{failure}");
    }
}

#[test]
fn all_formats_have_only_the_fields_in_their_order() {
    let rows = json(r#"[{"id":1,"name":"Atlas","owner":{"name":"Ada","id":5}},{"id":2,"owner":null}]"#);
    let fields = Some("owner.name,id");
    let texts = FORMATS.map(|format| print(&printer(format, fields, Terminal::FILE), &rows).0);
    assert_eq!(texts[0], "OWNER.NAME  ID\nAda          1\n             2\n");
    assert_eq!(
        texts[1],
        "[\n  {\n    \"owner.name\": \"Ada\",\n    \"id\": 1\n  },\n  {\n    \"owner.name\": null,\n    \"id\": 2\n  }\n]\n"
    );
    assert_eq!(texts[2], "{\"owner.name\":\"Ada\",\"id\":1}\n{\"owner.name\":null,\"id\":2}\n");
    assert_eq!(texts[3], "- owner.name: Ada\n  id: 1\n- owner.name: null\n  id: 2\n");
    assert_eq!(texts[4], "owner.name,id\nAda,1\n,2\n");
}

#[test]
fn a_field_that_no_row_has_is_a_warning_with_the_fields_that_exist() {
    let rows = json(r#"[{"id":1,"owner":{"name":"Ada"}},{"id":2,"tags":["x"]}]"#);
    for format in FORMATS {
        let (_, err) = print(&printer(format, Some("id,nmae,owner.name,tags"), Terminal::FILE), &rows);
        assert_eq!(err, "warning: no result has nmae; the fields are id, owner.name, tags\n", "{format:?}");
        let (_, err) = print(&printer(format, Some("id,nmae"), Terminal::FILE), &rows[0]);
        assert_eq!(err, "warning: no result has nmae; the fields are id, owner.name\n", "{format:?}");
        let (out, err) = stream(&printer(format, Some("id,nmae"), Terminal::FILE), &[]);
        assert!(!err.contains("warning"), "no row says nothing about the fields: {err}");
        assert_eq!(out == "id,nmae\n", format == Format::Csv);
    }
}

#[test]
fn a_warning_about_fields_is_short_for_any_row() {
    let row = (0..10_000)
        .map(|index| (format!("field\u{1b}{index}{}", "x".repeat(150)), Value::from(index)))
        .collect::<driftless_runtime::Object>();
    let (_, err) = print(&printer(Format::Ndjson, Some("x"), Terminal::FILE), &Value::Object(row));
    assert!(err.len() < 3000 && err.ends_with("…\n") && !err.contains('\u{1b}'), "{err}");
}

#[test]
fn columns_without_room_are_named() {
    let rows = json(r#"[{"alpha":"aaaaaaaaaa","beta":"bbbbbbbbbb","gamma":"cccccccccc"}]"#);
    let (out, err) = print(&printer(Format::Table, Some("alpha,beta,gamma"), terminal(16)), &rows);
    assert_eq!(out, "ALPHA    BETA\naaaaaa…  bbbbbb…\n");
    assert_eq!(err, "warning: the terminal is too narrow for gamma\n");
}
