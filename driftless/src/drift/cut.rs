//! A report that is cut to the length of a comment.

/// Room for the end of a cut report.
const END: usize = 300;

/// The lines that fit into `most` characters, and a last one that counts the others. `most` is above [`END`]. The worst
/// findings stand first, so the least urgent ones are left out.
pub(super) fn markdown(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let (mut kept, mut room, mut lines, mut is_folded) = (String::new(), most.saturating_sub(END), 0, false);
    for line in text.split_inclusive('\n') {
        let Some(rest) = room.checked_sub(line.chars().count()) else { break };
        (room, lines) = (rest, lines + 1);
        // No text of a contract begins a line.
        is_folded = line.starts_with("<details>") || is_folded && !line.starts_with("</details>");
        kept.push_str(line);
    }
    if is_folded {
        kept.push_str("\n</details>\n");
    }
    let all = text.lines().count();
    kept.push_str(&format!(
        "\n**The report is cut here: {} of its {all} lines do not fit into {most} characters. \
         The same command without `--max-characters` writes all of it.**\n",
        all - lines
    ));
    kept
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn a_report_is_cut_between_lines_and_ends_what_is_folded() {
        let row = |number: usize| format!("| B{number} | `ü{}` |\n", "x".repeat(number % 70));
        let rows = |from, to| (from..to).map(row).collect::<String>();
        let text =
            format!("# Head\n\n{}\n<details><summary>more</summary>\n\n{}\n</details>\n", rows(0, 9), rows(9, 90));
        let whole = text.chars().count();
        assert_eq!(markdown(text.clone(), whole), text);
        for most in (400..whole).step_by(7) {
            let cut = markdown(text.clone(), most);
            assert!(cut.chars().count() <= most, "{most}: {cut}");
            assert_eq!(cut.matches("<details>").count(), cut.matches("</details>").count(), "{most}");
            let kept = cut.lines().filter(|line| line.starts_with("| B")).count();
            // Rows are whole, the first ones, and the number of those that are left out is right.
            assert!(cut.lines().filter(|line| line.starts_with("| B")).eq(rows(0, kept).lines()), "{most}");
            let left_out: usize = cut.split_once("cut here: ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
            assert!(left_out >= 90 - kept, "{most}: {left_out} and {kept}");
        }
        // A single line without an end.
        let cut = markdown("x".repeat(5000), 1000);
        assert!(cut.chars().count() <= 1000 && cut.contains("1 of its 1 lines"), "{cut}");
    }
}
