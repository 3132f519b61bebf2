//! Growth as a picture: time and memory over the number of operations, on logarithmic scales, so that a cost that grows with the
//! contract is a straight line.

use std::fmt::Write as _;

use super::figures::{Figure, Spread, number};
use super::measure::Usage;

/// Width and height of one of the two panels, and the room around it.
const PANEL: (f64, f64) = (380.0, 260.0);
const ROOM: (f64, f64) = (60.0, 40.0);
/// Readable on a light and on a dark ground.
const COLOURS: [&str; 4] = ["#2f81f7", "#d29922", "#db61a2", "#3fb950"];
const STYLE: &str = "text{font:12px sans-serif;fill:#57606a}.grid{stroke:#8b949e;stroke-opacity:.35}\
                     @media(prefers-color-scheme:dark){text{fill:#adbac7}}";

/// A panel: its title, and the value that it shows.
type Panel = (&'static str, fn(&Usage) -> f64);

pub(super) fn svg(figures: &[Figure]) -> String {
    let panels: [Panel; 2] = [("user seconds", |run| run.user), ("peak MiB", |run| run.peak_mb)];
    let (width, height) = (2.0 * (PANEL.0 + ROOM.0) + ROOM.0 / 2.0, PANEL.1 + 2.5 * ROOM.1);
    let mut text =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"><style>{STYLE}</style>\n");
    for (index, panel) in panels.into_iter().enumerate() {
        let left = if index == 0 { ROOM.0 } else { 2.0 * ROOM.0 + PANEL.0 };
        // Writing to a string does not fail.
        let _ = writeln!(text, "<g transform=\"translate({left},{})\">{}</g>", ROOM.1, drawn(figures, panel));
    }
    text + "</svg>\n"
}

/// Points of one step: operations, and the middle of the runs.
fn points(step: &[Figure], value: fn(&Usage) -> f64) -> Vec<(f64, f64)> {
    let point = |figure: &Figure| {
        let operations: f64 = figure.program.split(' ').next()?.parse().ok()?;
        let spread: Spread = Spread::new(figure.runs.iter().map(value).collect())?;
        Some((operations.log10(), spread.middle.max(1e-3).log10()))
    };
    step.iter().filter_map(point).collect()
}

fn drawn(figures: &[Figure], (title, value): Panel) -> String {
    let steps: Vec<(&str, Vec<(f64, f64)>)> = figures
        .chunk_by(|one, other| one.contract == other.contract)
        .filter_map(|step| Some((step.first()?.contract.as_str(), points(step, value))))
        // A step that was left out has no points.
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let all = || steps.iter().flat_map(|(_, points)| points);
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let least = all().map(pick).fold(f64::INFINITY, f64::min).floor();
        let most = all().map(pick).fold(f64::NEG_INFINITY, f64::max).ceil();
        if least < most { (least, most) } else { (0.0, 1.0) }
    };
    let (across, up) = (range(|point| point.0), range(|point| point.1));
    let x = |value: f64| (value - across.0) / (across.1 - across.0) * PANEL.0;
    let y = |value: f64| PANEL.1 - (value - up.0) / (up.1 - up.0) * PANEL.1;
    let mut text = format!("<text x=\"0\" y=\"-14\">{title}</text>");
    for power in powers(across) {
        let (at, below) = (x(power), PANEL.1 + 18.0);
        let _ = write!(text, "<path class=\"grid\" d=\"M{at:.1} 0V{}\"/>", PANEL.1);
        let _ =
            write!(text, "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{:.0}</text>", 10_f64.powf(power));
    }
    for power in powers(up) {
        let at = y(power);
        let _ = write!(text, "<path class=\"grid\" d=\"M0 {at:.1}H{}\"/>", PANEL.0);
        let _ = write!(
            text,
            "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            number(10_f64.powf(power))
        );
    }
    let below = PANEL.1 + 36.0;
    let _ = write!(text, "<text x=\"{}\" y=\"{below}\" text-anchor=\"middle\">operations</text>", PANEL.0 / 2.0);
    for ((index, (step, points)), colour) in steps.iter().enumerate().zip(COLOURS) {
        let line: Vec<String> = points.iter().map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value))).collect();
        let _ = write!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        let row = 14.0 + 16.0 * f64::from(u8::try_from(index).unwrap_or_default());
        let _ = write!(text, "<text x=\"10\" y=\"{row}\" style=\"fill:{colour}\">{step}</text>");
    }
    text
}

/// The powers of ten of an axis.
fn powers((least, most): (f64, f64)) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(least), |power| Some(power + 1.0)).take_while(move |power| *power <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_that_grows_with_the_contract_is_a_straight_line() {
        let figures = [10_u32, 100, 1_000].map(|size| {
            let mut figure = Figure::new("growth", "drift", &format!("{size} operations"));
            figure.add(Ok(Usage { wall: 0.0, user: f64::from(size) / 10.0, peak_mb: 50.0 }));
            figure
        });
        let text = svg(&figures);
        assert!(text.contains("points=\"0.0,260.0 190.0,130.0 380.0,0.0\""), "{text}");
        assert!(text.contains("user seconds") && text.contains("peak MiB") && text.contains(">drift</text>"), "{text}");
        assert_eq!(text.matches("<polyline").count(), 2);
    }

    #[test]
    fn without_figures_there_is_a_picture_without_lines() {
        assert!(!svg(&[]).contains("<polyline") && svg(&[]).ends_with("</svg>\n"));
    }
}
