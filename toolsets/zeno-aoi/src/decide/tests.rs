use super::*;
use crate::{Area, Bounds, Source, Subtype};

fn area(source: Source, id: &str, name: &str, subtype: Subtype) -> Area {
    Area {
        source,
        id: id.to_owned(),
        name: name.to_owned(),
        subtype,
        kind: None,
        bounds: Bounds::WORLD,
        iso3: id.get(..3).map(str::to_owned),
        area_km2: None,
    }
}

fn candidate(id: &str, name: &str, subtype: Subtype) -> Candidate {
    Candidate {
        area: area(Source::Gadm, id, name, subtype),
        similarity: 0.9,
        likeness: Likeness::Own,
    }
}

fn ids(choice: &Choice) -> Vec<&str> {
    match choice {
        Choice::One(candidate, _) => vec![&candidate.area.id],
        Choice::Ambiguous(candidates) => candidates
            .iter()
            .map(|candidate| candidate.area.id.as_str())
            .collect(),
        Choice::None(_) => Vec::new(),
    }
}

fn chosen(place: &str, candidates: &[Candidate]) -> Choice {
    choose(&Place::parse(place), candidates, &Embedded::shipped())
}

fn puri() -> Vec<Candidate> {
    vec![
        candidate("AGO.17.11.1_1", "Puri, Puri, Uíge, Angola", Subtype::Municipality),
        candidate("AGO.17.11_1", "Puri, Uíge, Angola", Subtype::DistrictCounty),
        candidate(
            "IND.26.26.2_1",
            "Puri, Puri, Odisha, India",
            Subtype::Municipality,
        ),
        candidate("IND.26.26_1", "Puri, Odisha, India", Subtype::DistrictCounty),
    ]
}

#[test]
fn a_name_in_two_countries_is_asked_about() {
    let choice = chosen("Puri", &puri());
    assert!(matches!(choice, Choice::Ambiguous(_)));
    assert_eq!(ids(&choice).len(), 4);
}

#[test]
fn no_question_is_asked_when_the_request_names_the_parent() {
    for place in [
        "Puri, India",
        "Puri, Odisha, India",
        "Puri, Odisha",
        "Puri, IND",
        "Puri, Indien",
    ] {
        assert_eq!(ids(&chosen(place, &puri())), ["IND.26.26_1"], "{place}");
    }
}

#[test]
fn a_listed_candidate_is_the_answer() {
    let choice = chosen("Puri, Puri, Odisha, India - (municipality) [IND]", &puri());
    assert_eq!(ids(&choice), ["IND.26.26.2_1"]);
}

#[test]
fn a_longer_name_with_the_same_beginning_is_another_name() {
    let mut candidates = puri();
    candidates.retain(|candidate| candidate.area.id.starts_with("IND"));
    let mut purisima = candidate("MEX.3.1_1", "Purisima, Durango, Mexico", Subtype::DistrictCounty);
    purisima.likeness = Likeness::Near;
    candidates.push(purisima);
    assert_eq!(ids(&chosen("Puri", &candidates)), ["IND.26.26_1"]);
}

#[test]
fn a_country_is_asked_about_if_a_state_elsewhere_has_its_name() {
    let candidates = [
        candidate("GEO", "Georgia", Subtype::Country),
        candidate("USA.11_1", "Georgia, United States", Subtype::StateProvince),
    ];
    assert_eq!(ids(&chosen("Georgia", &candidates)).len(), 2);
    assert_eq!(ids(&chosen("Georgia, USA", &candidates)), ["USA.11_1"]);
}

#[test]
fn a_country_is_not_doubted_because_of_a_district_elsewhere() {
    let candidates = [
        candidate("LUX", "Luxembourg", Subtype::Country),
        candidate(
            "BEL.3.4_1",
            "Luxembourg, Wallonie, Belgium",
            Subtype::DistrictCounty,
        ),
    ];
    assert_eq!(ids(&chosen("Luxembourg", &candidates)), ["LUX"]);
}

/// Only a country is large enough to be meant without a doubt.
#[test]
fn a_state_is_asked_about_if_any_unit_elsewhere_has_its_name() {
    let candidates = [
        candidate("USA.5_1", "California, United States", Subtype::StateProvince),
        candidate(
            "COL.27.11.3_1",
            "California, Soto, Santander, Colombia",
            Subtype::Municipality,
        ),
    ];
    assert_eq!(ids(&chosen("California", &candidates)).len(), 2);
    assert_eq!(ids(&chosen("California, USA", &candidates)), ["USA.5_1"]);
}

#[test]
fn namesakes_that_gave_way_are_kept_beside_the_chosen_one() {
    let candidates = [
        candidate("IND.26.26_1", "Puri, Odisha, India", Subtype::DistrictCounty),
        candidate(
            "IND.26.26.2_1",
            "Puri, Puri, Odisha, India",
            Subtype::Municipality,
        ),
    ];
    let Choice::One(first, others) = chosen("Puri", &candidates) else {
        panic!("the larger unit of the two is meant");
    };
    assert_eq!(first.area.id, "IND.26.26_1");
    assert_eq!(others, candidates[1..]);
}

#[test]
fn a_candidate_that_is_left_out_is_not_chosen() {
    let mut place = Place::parse("Puri");
    place.excluded = vec![Place::parse("Angola")];
    let gazetteer = Embedded::shipped();
    assert_eq!(ids(&choose(&place, &puri(), &gazetteer)), ["IND.26.26_1"]);
    // A listed line leaves out that candidate and not the unit inside it.
    place
        .excluded
        .push(Place::parse("Puri, Odisha, India - (district-county) [IND]"));
    assert_eq!(ids(&choose(&place, &puri(), &gazetteer)), ["IND.26.26.2_1"]);
}

#[test]
fn namesakes_under_unrelated_parents_of_one_country_are_asked_about() {
    let candidates = [
        candidate(
            "USA.14.83_1",
            "Washington, Illinois, United States",
            Subtype::DistrictCounty,
        ),
        candidate(
            "USA.20.70_1",
            "Washington, Maine, United States",
            Subtype::DistrictCounty,
        ),
    ];
    assert_eq!(ids(&chosen("Washington", &candidates)).len(), 2);
    assert_eq!(ids(&chosen("Washington, Maine", &candidates)), ["USA.20.70_1"]);
}

#[test]
fn a_unit_inside_its_namesake_gives_way() {
    let candidates = [
        candidate("MEX", "Mexico", Subtype::Country),
        candidate("MEX.15_1", "México, Mexico", Subtype::StateProvince),
    ];
    assert_eq!(ids(&chosen("Mexico", &candidates)), ["MEX"]);
    assert_eq!(ids(&chosen("México, Mexico", &candidates)), ["MEX.15_1"]);
}

#[test]
fn typed_accents_count_and_missing_ones_do_not() {
    let candidates = [
        candidate("BRA.14_1", "Pará, Brazil", Subtype::StateProvince),
        candidate("SUR.6_1", "Para, Suriname", Subtype::StateProvince),
    ];
    assert_eq!(ids(&chosen("Pará", &candidates)), ["BRA.14_1"]);
    assert_eq!(ids(&chosen("Para, Brazil", &candidates)), ["BRA.14_1"]);
    assert_eq!(ids(&chosen("Para", &candidates)).len(), 2);
}

#[test]
fn a_park_and_a_province_of_one_name_are_asked_about_unless_the_kind_is_said() {
    let park = Candidate {
        area: area(
            Source::Wdpa,
            "555",
            "Chaco, National Park, ARG",
            Subtype::ProtectedArea,
        ),
        similarity: 0.88,
        likeness: Likeness::Own,
    };
    let candidates = [
        candidate("ARG.3_1", "Chaco, Argentina", Subtype::StateProvince),
        park,
    ];
    assert_eq!(ids(&chosen("Chaco", &candidates)).len(), 2);
    let mut place = Place::parse("Chaco");
    place.source = Some(Source::Gadm);
    let choice = choose(&place, &candidates, &Embedded::shipped());
    assert_eq!(ids(&choice), ["ARG.3_1"]);
}

#[test]
fn nothing_near_enough_is_nothing_and_the_nearest_are_named() {
    let mut near = candidate("BOL", "Bolivia", Subtype::Country);
    near.likeness = Likeness::Near;
    near.similarity = 0.3;
    let choice = chosen("Cobaipo", &[near]);
    assert_eq!(choice, Choice::None(vec!["Bolivia".to_owned()]));
}

fn near(id: &str, name: &str) -> Candidate {
    Candidate {
        similarity: 0.7,
        likeness: Likeness::Near,
        ..candidate(id, name, Subtype::Country)
    }
}

#[test]
fn a_typing_mistake_is_forgiven_if_one_name_is_clearly_the_nearest() {
    let candidates = [near("IND", "India"), near("IDN", "Indonesia")];
    assert_eq!(ids(&chosen("Indonessia", &candidates)), ["IDN"]);
    let candidates = [near("SDN", "Sudan"), near("AAA", "Sudar")];
    assert_eq!(ids(&chosen("Sudat", &candidates)), Vec::<&str>::new());
}

#[test]
fn a_longer_name_is_no_typing_mistake() {
    let candidates = [
        near("BWA.14", "South-East, Botswana"),
        near("BRA.4", "Amazonas, Brazil"),
    ];
    assert_eq!(ids(&chosen("Southeast Asia", &candidates)), Vec::<&str>::new());
    assert_eq!(ids(&chosen("Amazon", &candidates)), Vec::<&str>::new());
}
