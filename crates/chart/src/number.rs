//! Numbers as people read them.

/// A number with thousands separated and at most `digits` after the point: 1573272.04 is "1,573,272.04".
#[must_use]
pub fn grouped(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut result = String::new();
    if value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        result.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            result.push(',');
        }
        result.push(digit);
    }
    if !fraction.is_empty() {
        result.push('.');
        result.push_str(fraction);
    }
    result
}

/// A number for an axis: below a thousand as it is, then with K, M or B and one digit after the point. The letter is
/// chosen after rounding, so that 999,950 is 1M and not 1000K.
#[must_use]
pub fn short(value: f64) -> String {
    const STEPS: [(f64, &str, i32); 4] = [(1.0, "", 2), (1e3, "K", 1), (1e6, "M", 1), (1e9, "B", 1)];
    let rounded = |(step, letter, digits): (f64, &'static str, i32)| {
        let scale = 10f64.powi(digits);
        ((value / step * scale).round() / scale, letter, digits)
    };
    let [.., billions] = STEPS;
    let (scaled, letter, digits) = STEPS
        .into_iter()
        .map(rounded)
        .find(|(scaled, ..)| scaled.abs() < 1000.0)
        .unwrap_or_else(|| rounded(billions));
    format!("{}{letter}", grouped(scaled, digits.unsigned_abs() as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_keep_what_they_say() {
        for (value, digits, expected) in [
            (1_573_272.0, 2, "1,573,272"),
            (1234.5, 2, "1,234.5"),
            (-1234.567, 2, "-1,234.57"),
            (0.030_22, 5, "0.03022"),
            (-0.001, 2, "0"),
            (999.0, 0, "999"),
        ] {
            assert_eq!(grouped(value, digits), expected);
        }
    }

    #[test]
    fn short_numbers_choose_their_letter_after_rounding() {
        for (value, expected) in [
            (999.0, "999"),
            (999_950.0, "1M"),
            (1_500.0, "1.5K"),
            (1_000.0, "1K"),
            (-2_340_000.0, "-2.3M"),
            (18_075_612_929.0, "18.1B"),
            (0.25, "0.25"),
            (0.0, "0"),
        ] {
            assert_eq!(short(value), expected);
        }
    }
}
