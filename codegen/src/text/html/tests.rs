use super::super::inert::{inert, tests::alive};
use super::markdown;

#[test]
fn html_becomes_markdown() {
    let cases = [
        ("one<br/>two", "one\n\ntwo"),
        ("one<br>two<BR />three", "one\n\ntwo\n\nthree"),
        ("<p>one</p>\n<p>two</p>", "one\n\ntwo\n\n"),
        ("<para>one</para><para>two</para>", "one\n\ntwo\n\n"),
        ("a <b>bold</b> and <em> thin </em> word", "a **bold** and  *thin*  word"),
        ("use <c>null</c> or <code>a&lt;b&gt;</code>", "use `null` or `a<b>`"),
        ("an <see cref=\"T:Shop.Models.Order\" /> by <paramref name=\"id\"/>", "an `Order` by `id`"),
        ("<see langword='null'/>, <see cref=\"M:Shop.Orders.Find(System.Guid)\"/>", "`null`, `Find`"),
        ("<see cref=\"T:System.Collections.List`1\"/>", "`List`"),
        ("see <a href=\"https://a.example/x?y=1&amp;z=2\">the page</a>", "see [the page](https://a.example/x?y=1&z=2)"),
        ("see <a href=\"javascript:alert(1)\">this</a>", "see this"),
        ("see <a href='https://a.example/](javascript:x)'>this</a>", "see this"),
        ("<see href=\"https://a.example\"/>", "<https://a.example>"),
        ("of:<ul><li>one</li><li>two <b>x</b></li></ul>end", "of:\n- one\n- two **x**\n\nend"),
        ("<ol>\n  <li>one\n  <li>two\n</ol>", "1. one\n2. two\n\n"),
        (
            "<list type=\"bullet\"><item><description>one</description></item><item><term>two</term></item></list>",
            "- one\n- two\n\n",
        ),
        (
            "of<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>x<br/>y</td></tr></table>end",
            "of\n\n| a | b |\n|---|---|\n| 1\\|2 | x y |\n\nend",
        ),
        ("<h2>Title</h2>text", "#### Title\n\ntext"),
        ("<pre>a\n  b</pre>", "```text\na\n  b\n```\n\n"),
        ("a<script>alert('<b>')</script>b<style>x{}</style>c<!-- no -->d", "abcd"),
        ("replace <your-id> and <T> by a", "replace <your-id> and <T> by a"),
        ("a < b > c <", "a < b > c <"),
        ("`<br/>` stays", "`<br/>` stays"),
        ("```\n<b>x</b>\n```\n<b>y</b>", "```\n<b>x</b>\n```\n**y**"),
        ("<b>open, <i>crossed</b></i>", "**open, crossed**"),
        ("</b></ul></table></a>", ""),
        ("<p> one </p> <note><title>Note</title> <p>two</p></note><?x y>", "one\n\nNote\n\ntwo\n\n"),
        ("no tags", "no tags"),
    ];
    for (html, expected) in cases {
        let read = markdown(html);
        let squeezed = |text: &str| text.replace("  ", " ").trim().to_owned();
        assert_eq!(squeezed(&read), squeezed(expected), "{html}");
    }
}

/// The rest of a description does not depend on an end that nobody wrote.
#[test]
fn a_tag_without_its_end_is_text() {
    let kept = [
        "send <script> and more",
        "a <style> and more",
        "a <!-- and more",
        "PHP begins with <?php and more",
        "`<? ` and <? and 1 > 0",
        "`Authorization`: Bearer <value> and <value>",
        "a <title>, a <code>, an <item> and a <summary of it>",
        "SELECT * FROM <table>, a <list>",
        "<b>",
        "`</title>` does not end <title>",
    ];
    for text in kept {
        assert_eq!(markdown(text), text);
    }
    let read = [
        ("<b> and <b>bold</b>", "<b> and **bold**"),
        ("<script>x</script>a <script> b", "a <script> b"),
        ("a <!-- x -->b <!-- c", "a b <!-- c"),
        ("a <font color=\"red\">b", "a b"),
        ("<ul><li>one<li>two", "- one\n- two"),
        ("<table><tr><td>one", "| one |\n|---|\n"),
        ("a<br/>```code``` b", "a\n\n```code``` b"),
        ("a<br/>```\n<b>x</b>\n```", "a\n\n```\n<b>x</b>\n```"),
    ];
    for (html, expected) in read {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

/// A paragraph, an item or a row takes white space away in which an element began.
#[test]
fn an_element_that_begins_in_white_space_keeps_its_text() {
    let cases = [
        ("a   <b><p>é</b>", "a **é**"),
        ("a   <b><p>e</b>f", "a **e**f"),
        ("a   <i><ul><li>é</i>", "a *- é*"),
        ("<table>ab   <td><p>aé</td>", "ab\n\n| aé |\n|---|\n"),
    ];
    for (html, expected) in cases {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

/// No arrangement of tags is markup of HTML, code that runs, or a link elsewhere, and none takes long.
#[test]
fn nothing_that_is_made_of_tags_stays_alive() {
    const PARTS: [&str; 54] = [
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<code>",
        "</code>",
        "<pre>",
        "</pre>",
        "<a href=\"https://a.example\">",
        "</a>",
        "<a href='javascript:x'>",
        "<ul>",
        "</ul>",
        "<ol>",
        "<li>",
        "</li>",
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "</td>",
        "<th>",
        "<br/>",
        "<p>",
        "<para>",
        "<script>",
        "</script>",
        "<style>",
        "<see cref=\"T:A.B\"/>",
        "<see href=\"x\">",
        "<h1>",
        "<!--",
        "-->",
        "<x",
        ">",
        "<",
        "\"",
        "'",
        "`",
        "```",
        "\n",
        "\n\n",
        "    ",
        "- ",
        "|",
        "[a]",
        "](b)",
        "&lt;",
        "&amp;lt;",
        "\\",
        "word",
        "é",
        "   ",
        "<img src=x onerror=alert(1)>",
    ];
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap_or_default()
    };
    for _ in 0..10_000 {
        let text: String = (0..=below(14)).map(|_| PARTS[below(PARTS.len())]).collect();
        let read = inert(&markdown(&text));
        assert_eq!(alive(&read), Vec::<String>::new(), "{text:?} became {read:?}");
        assert!(!read.contains("](javascript"), "{text:?} became {read:?}");
    }
    for part in
        ["<b>", "<ul><li>", "<table><tr><td>", "<a href='", "<!--", "`", "<see cref=\"", "<x ", "<?x ", "<script>"]
    {
        markdown(&part.repeat(20_000 / part.len()));
    }
}
