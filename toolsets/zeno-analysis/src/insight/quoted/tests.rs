use proptest::prelude::*;

use super::*;

fn quotable(figures: &[f64], texts: &[&str]) -> Quotable {
    let mut quotable = Quotable::default();
    for figure in figures {
        quotable.figure(*figure);
    }
    for text in texts {
        quotable.text(text);
    }
    quotable
}

#[test]
fn roundings_of_a_figure_may_be_said_in_many_ways() {
    let quotable = quotable(&[1_573_272.0, -12.345, 0.030_22], &["2015", "30 %"]);
    for text in [
        "1,573,272 ha",
        "1.573.272 ha",
        "1 573 272 ha",
        "1,573,000 ha",
        "1.57 million ha",
        "1.6 Mha",
        "1,573 thousand ha",
        "a decrease of 12.3 %",
        "12 percent",
        "0.0302 tCO2e per tonne",
        "in 2015 at 30 % canopy",
    ] {
        assert_eq!(quotable.unsupported(text), [""; 0], "{text}");
    }
}

#[test]
fn numbers_that_follow_from_nothing_are_named_as_written() {
    let quotable = quotable(&[1_573_272.0, 12.345], &["2015"]);
    for (text, expected) in [
        ("170 million ha in 2015", "170 million"),
        ("1,573,400 ha", "1,573,400"),
        ("2 million ha", "2 million"),
        ("in 2016", "2016"),
        ("13 %", "13"),
        ("12.4 %", "12.4"),
    ] {
        assert_eq!(quotable.unsupported(text), [expected], "{text}");
    }
}

#[test]
fn digits_inside_words_are_no_numbers() {
    let quotable = quotable(&[], &[]);
    assert_eq!(quotable.unsupported("CO2e, CH4 and N2O of GLAD-S2"), [""; 0]);
    assert_eq!(quotable.unsupported("30 m pixels"), ["30"]);
}

#[test]
fn a_date_is_allowed_as_a_whole() {
    let quotable = quotable(&[], &["2024-01-03"]);
    assert_eq!(quotable.unsupported("since 2024-01-03"), [""; 0]);
    assert_eq!(quotable.unsupported("since 2024-01-04"), ["2024-01-04"]);
}

/// Independent of the code under test: whether a figure, printed with these decimals, reads as the number.
fn prints_as(figure: f64, decimals: usize, number: f64) -> bool {
    let printed: f64 = format!("{figure:.decimals$}").parse().unwrap();
    (printed - number).abs() < 1e-9 * number.abs().max(1e-9)
}

proptest! {
    #[test]
    fn every_rounding_of_a_figure_that_keeps_its_size_is_accepted(
        figures in prop::collection::vec(1.0f64..1e9, 1..20),
        decimals in 0usize..4,
    ) {
        let quotable = quotable(&figures, &[]);
        for figure in &figures {
            let printed = format!("{figure:.decimals$}");
            let error = (printed.parse::<f64>().unwrap() - figure).abs();
            if error <= MAX_ERROR * figure {
                prop_assert_eq!(quotable.unsupported(&printed), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn a_number_that_is_no_rounding_of_any_figure_is_rejected(
        figures in prop::collection::vec(1.0f64..1e7, 0..20),
        number in 1u64..100_000_000,
        decimals in 0usize..3,
    ) {
        let value = number as f64 / 10f64.powi(decimals as i32);
        let written = format!("{value:.decimals$}");
        let quotable = quotable(&figures, &[]);
        let zeros = written.len() - written.trim_end_matches('0').len();
        // Zeros at the end and a fraction of three digits have a second reading, which has its own test.
        prop_assume!(decimals > 0 || zeros == 0);
        if !figures.iter().any(|figure| prints_as(*figure, decimals, value)) {
            let text = format!("Loss in Pará was {written} ha.");
            let near_tie = figures.iter().any(|figure| {
                let half = 0.5 * 10f64.powi(-(decimals as i32));
                ((figure - value).abs() - half).abs() < 1e-6
            });
            prop_assume!(!near_tie);
            prop_assert_eq!(quotable.unsupported(&text), vec![written]);
        }
    }
}
