//! Colour and symbols: one place decides whether there are any.

use owo_colors::{OwoColorize, Style};

use crate::world::World;

/// What `--color` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// When stdout is a terminal and the environment does not forbid it.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A role that a piece of text plays; the palette follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The verdict when something is wrong.
    Alarm,
    /// The verdict when it is open, warnings.
    Caution,
    /// What is fine.
    Good,
    /// Labels and asides.
    Dim,
    /// What counts.
    Strong,
    /// Commands.
    Command,
}

/// Paints text, or not.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Whether colours are on.
    pub color: bool,
    /// Whether symbols beyond ASCII are off.
    pub ascii: bool,
}

impl Paint {
    /// Decides from the flag, then `NO_COLOR`, `CLICOLOR_FORCE`, `FORCE_COLOR`, `CLICOLOR`, `TERM`, then whether stdout is a terminal.
    pub fn decide(choice: ColorChoice, ascii: bool, world: &World, terminal: bool) -> Self {
        let set = |name: &str| world.variable(name).is_some();
        let forced = |name: &str| world.variable(name).is_some_and(|value| value != "0" && value != "false");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if forced("CLICOLOR_FORCE") || forced("FORCE_COLOR") => true,
            ColorChoice::Auto => terminal && world.variable("TERM") != Some("dumb") && world.variable("CLICOLOR") != Some("0"),
        };
        Self { color, ascii }
    }

    /// `text` in `role`.
    pub fn paint(self, role: Role, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let style = match role {
            Role::Alarm => Style::new().red().bold(),
            Role::Caution => Style::new().yellow().bold(),
            Role::Good => Style::new().green(),
            Role::Dim => Style::new().bright_black(),
            Role::Strong => Style::new().bold(),
            Role::Command => Style::new().cyan(),
        };
        text.style(style).to_string()
    }

    /// `text` in the colour of the shade: from 0 (nothing wrong) to 4 (much).
    pub fn shade(self, shade: usize, text: &str) -> String {
        const ORANGE: u8 = 208;
        let style = match shade {
            0 => Style::new().bright_black(),
            1 => Style::new().green(),
            2 => Style::new().yellow(),
            3 => Style::new().color(owo_colors::XtermColors::from(ORANGE)),
            _ => Style::new().red().bold(),
        };
        if self.color { text.style(style).to_string() } else { text.to_owned() }
    }

    /// A symbol, or its ASCII stand-in.
    pub fn symbol(self, symbol: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { symbol }
    }
}

/// `text` with control characters, and marks that hide or turn it, as their numbers: what came from files and servers must not drive the
/// terminal, nor look like something else.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.push(' '),
            _ if drives(character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}

/// Whether a character does something to a terminal besides standing there, the line break apart.
pub fn drives(character: char) -> bool {
    (character.is_control() && character != '\n') || crate::redact::is_invisible(character)
}
