use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::{inert, is_tidy, rendering, tidied};

/// Code blocks that `rustdoc` would take for Rust, and HTML.
pub(in crate::text) fn alive(text: &str) -> Vec<String> {
    let mut active = Vec::new();
    for options in [Options::empty(), rendering()] {
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "text" => {}
                Event::Start(Tag::CodeBlock(kind)) => active.push(format!("{kind:?}")),
                Event::Html(html) | Event::InlineHtml(html) => active.push(html.to_string()),
                _ => {}
            }
        }
    }
    active
}

fn holds(text: &str) {
    let once = inert(text);
    assert_eq!(alive(&once), Vec::<String>::new(), "{text:?} became {once:?}");
    assert_eq!(inert(&once), once, "{text:?}");
    assert!(!once.chars().any(|c| c != '\n' && super::is_hidden(c)), "{text:?} became {once:?}");
    let behind = format!("{once}\n\nbehind");
    let expected = if once.is_empty() { "behind" } else { &behind };
    assert_eq!(inert(&behind), expected, "{text:?} holds what is put behind it");
}

#[test]
fn code_of_every_kind_becomes_text() {
    let cases = [
        ("Does it.\n\n\n    let x = 1;\n", "Does it.\n\nlet x = 1;"),
        ("```rust\n  run();\n", "```text\n  run();\n```"),
        ("~~~\n```\nx", "~~~text\n```\nx\n~~~"),
        ("-     code", "- code"),
        ("1.     code", "1. code"),
        (">     code", "> code"),
        ("> ```\n> code\n> ```", "> ```text\n> code\n> ```"),
        ("- ~~~ rust,no_run\n  code", "- ~~~text\n  code"),
        ("> -     > code", "> - > code"),
        ("\tcode\n\nprose", "code\n\nprose"),
        ("<pre>\ncode\n</pre>", "\\<pre>\ncode\n\\</pre>"),
        ("a<br/>b", "a\\<br/>b"),
        ("see <https://a.example/x>", "see <https://a.example/x>"),
        ("[a](javascript:alert(1))", "\\[a](javascript:alert(1))"),
        ("[crate::Platform] and [b](https://a.example)", "\\[crate::Platform] and [b](https://a.example)"),
        ("```inline``` code", "```inline``` code"),
        ("one\r\ntwo\rthree\u{2028}four\u{2029}five", "one\ntwo\nthree\nfour\nfive"),
        ("\u{202e}\u{200b}\u{0}\u{1b}", ""),
        ("- one\n  - two", "- one\n  - two"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(inert(text), expected, "{text:?}");
        holds(text);
    }
}

#[test]
fn nothing_that_is_made_of_these_stays_alive() {
    const PARTS: [&str; 40] = [
        "-     ",
        "1.     ",
        ">     ",
        "> ",
        "- ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "```",
        "~~~",
        "````",
        "```rust\n",
        "text",
        "<pre>",
        "</pre>",
        "<!--",
        "-->",
        "<script>",
        "<![CDATA[",
        "[a]",
        "[a]: /b\n",
        "[^1]",
        "[^1]: ",
        "![x](y)",
        "`",
        "``",
        "*",
        "|",
        "|---|---|\n",
        "\\",
        "&lt;",
        "\r",
        "\u{2028}",
        "\u{202e}",
        "===\n",
        "# ",
        "[ ] ",
        "code",
        "1) ",
    ];
    let (mut tidy, mut others) = (0, 0);
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap_or_default()
    };
    for _ in 0..15_000 {
        let text: String = (0..=below(14)).map(|_| PARTS[below(PARTS.len())]).collect();
        holds(&text);
        let is_same = tidied(&text) == text;
        assert!(is_same || !is_tidy(&text), "{text:?}");
        tidy += usize::from(is_tidy(&text));
        others += usize::from(is_same && !is_tidy(&text));
    }
    // An empty text takes the longer way.
    assert!(tidy > 1_000 && others < 10, "{tidy} {others}");
}

#[test]
fn long_texts_are_done_with() {
    for part in ["-     ", "> ", ">     ", "[", "<", "`", "![", "**a", "1.     ", "```\n", "<a ", "[a](", "|"] {
        holds(&part.repeat(10_000 / part.len()));
    }
}
