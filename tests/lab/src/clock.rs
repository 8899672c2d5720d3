//! The clock of a server, which may be wrong.

use std::time::{SystemTime, UNIX_EPOCH};

/// A `Date` header's value, `off` seconds away from the truth.
#[allow(clippy::disallowed_methods, reason = "a server dates its answers")]
pub(crate) fn http_date(off: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    format(now + off)
}

/// IMF-fixdate (RFC 9110, section 5.6.7) of a moment in Unix seconds.
fn format(moment: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (days, second) = (moment.div_euclid(86_400), moment.rem_euclid(86_400));
    let weekday = DAYS[days.rem_euclid(7) as usize];
    // Days to a civil date, in eras of 400 years that begin on 1 March.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12;
    let year = era * 400 + year_of_era + i64::from(month < 2);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{weekday}, {day:02} {} {year} {hour:02}:{minute:02}:{:02} GMT", MONTHS[month as usize], second % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_of_the_standard_and_a_leap_day() {
        assert_eq!(super::format(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(super::format(1_709_164_800), "Thu, 29 Feb 2024 00:00:00 GMT");
    }
}
