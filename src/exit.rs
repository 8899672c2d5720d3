//! Exit codes.

use codex_triage_checks::finding::{Finding, Severity};
use codex_triage_checks::kind::Cause;

use crate::cli::{FailOn, Global};
use crate::report::Report;

/// Healthy, or nothing from the severity of `--fail-on` on.
pub const FINE: u8 = 0;
/// A cause was found, or a finding from the severity of `--fail-on` on.
pub const FOUND: u8 = 1;
/// Wrong usage.
pub const USAGE: u8 = 2;
/// Undetermined, or something needed could not be looked at and nothing worse was found.
pub const UNDETERMINED: u8 = 3;
/// The program failed.
pub const INTERNAL: u8 = 4;

/// The exit code of a report.
pub fn code(report: &Report, global: &Global) -> u8 {
    let by_cause = |cause: Cause| match cause {
        _ if !global.exit_verdict => FOUND,
        Cause::Overload => 10,
        Cause::Quota => 11,
        Cause::Config => 12,
        Cause::Network => 13,
        _ => 14,
    };
    match report.verdict.cause {
        Cause::Undetermined => UNDETERMINED,
        Cause::Healthy => {
            let fails = |severity: Severity| match global.fail_on {
                FailOn::Note => severity >= Severity::Note && severity != Severity::Unknown,
                FailOn::Warning => severity >= Severity::Warning,
                FailOn::Error => severity >= Severity::Error,
            };
            let skipped = |code: &str| code.ends_with(".skipped") || code.ends_with(".absent");
            let asked = |finding: &&Finding| !report.verdict.is_about_advice() || report.verdict.also.contains(&finding.code);
            if report.findings.iter().filter(asked).any(|finding| fails(finding.severity) && !skipped(&finding.code)) {
                FOUND
            } else if report.looked_in_vain() && !report.verdict.is_about_advice() {
                UNDETERMINED
            } else {
                FINE
            }
        }
        cause => by_cause(cause),
    }
}
