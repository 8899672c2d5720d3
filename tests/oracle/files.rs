//! The scenario files themselves: complete, and honest about what cannot be told.

use std::collections::BTreeSet;

use codex_triage_lab::{Case, Catalogue, Mode, Truth};

use crate::said::kept;
use crate::{VERSIONS, root};

fn catalogue() -> Catalogue {
    Catalogue::load(&root().join("fixtures/scenarios")).unwrap()
}

#[test]
fn there_are_many_and_each_has_its_own_name() {
    let catalogue = catalogue();
    let names: BTreeSet<&str> = catalogue.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(names.len(), catalogue.cases.len());
    assert!(names.len() >= 173, "{}", names.len());
    for third in 0..3 {
        let size = catalogue.cases.iter().filter(|case| case.third() == third).count();
        assert!(size * 4 > names.len(), "an uneven third: {size}");
    }
}

#[test]
fn every_kind_of_evidence_has_an_answer_and_a_reason() {
    for case in &catalogue().cases {
        for (version, mode) in VERSIONS.into_iter().flat_map(|version| Mode::ALL.map(|mode| (version, mode))) {
            let expected =
                case.expectation(version, mode).unwrap_or_else(|| panic!("{}: nothing expected from {}", case.id, mode.name()));
            assert!(expected.because.len() > 10, "{} {}: why?", case.id, mode.name());
            let known = case.right().contains(&expected.answer.as_str()) || expected.answer == "undetermined";
            assert!(known, "{} {}: {} is not right", case.id, mode.name(), expected.answer);
            assert!(mode != Mode::Cost || expected.answer != "undetermined", "{}: the consented request tells", case.id);
        }
    }
}

/// Whether two scenarios have no right answer in common.
fn disagree(one: &Case, other: &Case) -> bool {
    one.right().iter().all(|cause| !other.right().contains(cause))
}

#[test]
fn what_cannot_be_told_shares_its_evidence_with_another_cause() {
    let catalogue = catalogue();
    let said = kept();
    for case in &catalogue.cases {
        for (version, mode) in VERSIONS.into_iter().flat_map(|version| Mode::ALL.map(|mode| (version, mode))) {
            let Some(expected) = case.expectation(version, mode).filter(|expected| expected.answer == "undetermined") else {
                continue;
            };
            let place = format!("{}@{version} from {}", case.id, mode.name());
            let partners: Vec<&Case> = expected
                .shares_evidence_with
                .iter()
                .map(|id| catalogue.case(id).unwrap_or_else(|| panic!("{place}: no scenario {id}")))
                .filter(|partner| disagree(case, partner))
                .collect();
            assert!(!partners.is_empty(), "{place}: no partner of another cause");
            if mode == Mode::Text {
                let same = |partner: &&Case| said[&partner.id][version].said == said[&case.id][version].said;
                assert!(partners.iter().any(same), "{place}: Codex said something else to the partners");
            }
        }
    }
}

#[test]
fn what_is_all_good_is_ok() {
    let catalogue = catalogue();
    let good: Vec<&Case> = catalogue.cases.iter().filter(|case| case.all_good).collect();
    assert!(good.iter().all(|case| case.truth == Truth::Ok));
    assert!(good.iter().any(|case| case.official) && good.iter().any(|case| !case.official));
}
