//! docs/quick-reference.md and its Chinese twin are what the data says. `UPDATE_DOCS=1 cargo test --test quick_reference` writes them.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]
#![allow(clippy::disallowed_methods, reason = "whoever changes the data asks by a variable to have the pages written")]

use std::fs;
use std::path::Path;

use codex_triage::docs::quick_reference;
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource};

fn page(language: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/i18n").join(language).join("advice.ftl");
    let resource = FluentResource::try_new(fs::read_to_string(file).unwrap()).expect("the file is Fluent");
    let mut bundle = FluentBundle::new(vec![language.parse().unwrap()]);
    bundle.set_use_isolating(false);
    bundle.add_resource(resource).expect("no message stands twice");
    let text = |id: &str, args: &[(String, String)]| {
        let message = bundle.get_message(id).unwrap_or_else(|| panic!("{id} has no message"));
        let args: FluentArgs<'_> = args.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut errors = Vec::new();
        let text = bundle.format_pattern(message.value().unwrap(), Some(&args), &mut errors).into_owned();
        assert!(errors.is_empty(), "{id}: {errors:?}");
        text
    };
    quick_reference(language == "zh", &text)
}

#[test]
fn the_pages_are_what_the_data_says() {
    for (language, name) in [("en", "quick-reference.md"), ("zh", "quick-reference.zh-CN.md")] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        let wanted = page(language);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&file, &wanted).unwrap();
        }
        let stands = fs::read_to_string(&file).unwrap_or_default();
        assert!(stands == wanted, "docs/{name} is stale: UPDATE_DOCS=1 cargo test --test quick_reference");
    }
}
