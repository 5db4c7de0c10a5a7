//! The statistics that programs call by name, and that answers are computed with: exact sums, one definition each.
//!
//! Sums are the correctly rounded sum of the exact values, so that a total does not depend on the order of the rows.

/// The correctly rounded sum (Shewchuk's partials). Not finite if a value is not, or if a partial sum overflows.
#[must_use]
pub fn sum(values: &[f64]) -> f64 {
    let mut partials: Vec<f64> = Vec::new();
    for &value in values {
        let mut high = value;
        let mut kept = 0;
        for index in 0..partials.len() {
            let mut other = partials[index];
            if high.abs() < other.abs() {
                (high, other) = (other, high);
            }
            let total = high + other;
            let rest = other - (total - high);
            if rest != 0.0 {
                partials[kept] = rest;
                kept += 1;
            }
            high = total;
        }
        partials.truncate(kept);
        partials.push(high);
    }
    if partials.iter().any(|partial| !partial.is_finite()) {
        return values.iter().sum();
    }
    rounded(&partials)
}

/// The sum of non-overlapping partials, smallest first, with the tie of the last bit decided by what is below it.
fn rounded(partials: &[f64]) -> f64 {
    let mut rest = partials.iter().rev().copied();
    let Some(mut high) = rest.next() else { return 0.0 };
    let mut low = 0.0;
    for next in rest.by_ref() {
        let before = high;
        high = before + next;
        low = next - (high - before);
        if low != 0.0 {
            break;
        }
    }
    if let Some(next) = rest.next()
        && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
    {
        let doubled = low * 2.0;
        let moved = high + doubled;
        if doubled == moved - high {
            high = moved;
        }
    }
    high
}

/// The mean; none of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| sum(values) / values.len() as f64)
}

/// The median; the mean of the two in the middle for an even count.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which the share `q` (0 to 1) of the values lies, interpolated linearly between neighbours.
#[must_use]
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    if values.is_empty() || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = q * (sorted.len() - 1) as f64;
    let below = position.floor();
    let share = position - below;
    let low = *sorted.get(below as usize)?;
    let high = sorted.get(below as usize + 1).copied().unwrap_or(low);
    Some(if share == 0.0 {
        low
    } else {
        low + (high - low) * share
    })
}

/// The standard deviation of a sample (divided by one less than the count); none of fewer than two values.
#[must_use]
pub fn stdev(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
    Some((sum(&squares) / (values.len() - 1) as f64).sqrt())
}

/// A straight line through points, by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Change of y for one step of x.
    pub slope: f64,
    /// y where x is zero.
    pub intercept: f64,
    /// Share of the variance of y that the line explains; 1 where y does not vary.
    pub r2: f64,
}

/// The least-squares line; none of fewer than two points, of lists of different lengths, or where x does not vary.
#[must_use]
pub fn linreg(xs: &[f64], ys: &[f64]) -> Option<Line> {
    if xs.len() != ys.len() || xs.len() < 2 {
        return None;
    }
    let (mean_x, mean_y) = (mean(xs)?, mean(ys)?);
    let products = |pair: fn(f64, f64) -> f64| {
        let terms: Vec<f64> = xs
            .iter()
            .zip(ys)
            .map(|(x, y)| pair(x - mean_x, y - mean_y))
            .collect();
        sum(&terms)
    };
    let (xx, xy, yy) = (
        products(|x, _| x * x),
        products(|x, y| x * y),
        products(|_, y| y * y),
    );
    if xx == 0.0 {
        return None;
    }
    let slope = xy / xx;
    Some(Line {
        slope,
        intercept: mean_y - slope * mean_x,
        r2: if yy == 0.0 { 1.0 } else { xy * xy / (xx * yy) },
    })
}

/// What part of `whole` `part` is, in percent; none where the whole is zero.
#[must_use]
pub fn pct(part: f64, whole: f64) -> Option<f64> {
    (whole != 0.0).then(|| 100.0 * part / whole)
}

/// Most digits before or after the point that a number is rounded to.
const MOST_DIGITS: i32 = 308;

/// Rounds the exact binary value to `digits` after the point, ties to the even neighbour: 2.5 is 2 and 2.675, which is
/// stored as a little less, is 2.67 to two digits. Negative digits round before the point.
#[must_use]
pub fn round_half_even(value: f64, digits: i32) -> f64 {
    if !value.is_finite() {
        return value;
    }
    let digits = digits.clamp(-MOST_DIGITS, MOST_DIGITS);
    if digits < 0 {
        let step = 10f64.powi(-digits);
        return (value / step).round_ties_even() * step;
    }
    // Printing is exact and rounds ties to even; no multiplication could be.
    format!("{value:.*}", digits.unsigned_abs() as usize)
        .parse()
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sum_is_exact_whatever_the_order() {
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[1e16, 1.0, -1e16]), 1.0);
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[1e100, 1.0, -1e100, 1e-16]), 1.0);
        assert!(sum(&[f64::NAN, 1.0]).is_nan());
    }

    #[test]
    fn rounding_is_that_of_the_exact_value() {
        for (value, digits, expected) in [
            (2.5, 0, 2.0),
            (3.5, 0, 4.0),
            (0.125, 2, 0.12),
            (2.675, 2, 2.67),
            (-2.5, 0, -2.0),
            (1_573_272.4, -3, 1_573_000.0),
            (2_500.0, -3, 2_000.0),
        ] {
            assert_eq!(round_half_even(value, digits), expected, "{value} to {digits}");
        }
    }

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), Some(2.5));
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 1.0), Some(4.0));
        assert_eq!(quantile(&values, 0.25), Some(1.75));
        assert_eq!(quantile(&values, 1.5), None);
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_deviation_is_that_of_a_sample() {
        assert_eq!(
            stdev(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).map(|value| (value * 1e6).round()),
            Some(2_138_090.0)
        );
        assert_eq!(stdev(&[1.0]), None);
    }

    #[test]
    fn a_line_goes_through_points_that_lie_on_one() {
        let line = linreg(&[1.0, 2.0, 3.0], &[3.0, 5.0, 7.0]).unwrap();
        assert_eq!((line.slope, line.intercept, line.r2), (2.0, 1.0, 1.0));
        assert_eq!(linreg(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(linreg(&[1.0, 2.0], &[1.0]), None);
    }

    proptest! {
        #[test]
        fn a_sum_of_whole_numbers_is_their_sum(values in prop::collection::vec(-1_000_000_000i64..1_000_000_000, 0..200)) {
            let floats: Vec<f64> = values.iter().map(|value| *value as f64).collect();
            prop_assert_eq!(sum(&floats), values.iter().sum::<i64>() as f64);
        }

        #[test]
        fn a_sum_does_not_depend_on_the_order(mut values in prop::collection::vec(-1e12f64..1e12, 0..60)) {
            let forwards = sum(&values);
            values.reverse();
            prop_assert_eq!(forwards, sum(&values));
        }
    }
}
