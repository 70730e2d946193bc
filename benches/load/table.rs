//! Figures, their aims, and the table of both.

use std::fmt;
use std::time::Duration;

/// Further than this from an aim, a run fails.
const FAILS_BEYOND: f64 = 5.0;

/// What was measured.
#[derive(Debug, Clone)]
pub struct Figure {
    name: String,
    value: String,
    aim: Option<Aim>,
    note: String,
}

#[derive(Debug, Clone)]
struct Aim {
    text: String,
    /// How many times worse than the aim; up to 1 it is met.
    distance: f64,
    /// Whether a figure that is far off fails the run.
    is_judged: bool,
}

/// All that was measured.
#[derive(Debug, Default)]
pub struct Table {
    figures: Vec<Figure>,
}

impl Figure {
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), aim: None, note: String::new() }
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Aims at no more than this.
    #[must_use]
    pub fn below(self, measured: f64, aim: f64, unit: &str) -> Self {
        self.aim(format!("< {aim}{unit}"), measured / aim)
    }

    /// Aims at no less than this.
    #[must_use]
    pub fn at_least(self, measured: f64, aim: f64, unit: &str) -> Self {
        self.aim(format!(">= {aim}{unit}"), aim / measured.max(f64::MIN_POSITIVE))
    }

    /// Only times fail a run, however far off the rest is.
    #[must_use]
    pub fn not_judged(mut self) -> Self {
        if let Some(aim) = &mut self.aim {
            aim.is_judged = false;
        }
        self
    }

    fn aim(mut self, text: String, distance: f64) -> Self {
        self.aim = Some(Aim { text, distance, is_judged: true });
        self
    }

    fn mark(&self) -> String {
        match &self.aim {
            None => String::new(),
            Some(aim) if aim.distance <= 1.0 => "met".to_owned(),
            Some(aim) => format!("{:.1} times off", aim.distance),
        }
    }
}

impl Table {
    /// Adds a figure, and prints it: a run takes minutes.
    pub fn add(&mut self, figure: Figure) {
        eprintln!("  {}: {} {}", figure.name, figure.value, figure.note);
        self.figures.push(figure);
    }

    /// Whether a time is so far from its aim that something must be broken.
    pub fn is_far_off(&self) -> bool {
        let mut aims = self.figures.iter().filter_map(|figure| figure.aim.as_ref());
        aims.any(|aim| aim.is_judged && aim.distance > FAILS_BEYOND)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["figure", "measured", "aim", "", "beside it"].map(str::to_owned);
        let row = |figure: &Figure| {
            let aim = figure.aim.as_ref().map_or_else(String::new, |aim| aim.text.clone());
            [figure.name.clone(), figure.value.clone(), aim, figure.mark(), figure.note.clone()]
        };
        let rows: Vec<_> = std::iter::once(heads).chain(self.figures.iter().map(row)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let [name, value, aim, mark, _] = [0, 1, 2, 3, 4].map(width);
        for [a, b, c, d, e] in &rows {
            let line = format!("{a:<name$}  {b:>value$}  {c:>aim$}  {d:<mark$}  {e}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The value that this share of the sorted ones does not exceed.
pub fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get(sorted.len() * percent / 100).or(sorted.get(last)).copied().unwrap_or_default()
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

pub fn show_millis(time: Duration) -> String {
    format!("{:.1} ms", millis(time))
}

/// A count in a time.
pub fn rate(count: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / time.as_secs_f64()
}

pub fn show_rate(rate: f64) -> String {
    format!("{rate:.0}/s")
}

/// Bytes as millions.
pub fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1000).unwrap_or(u32::MAX)) / 1000.0
}
