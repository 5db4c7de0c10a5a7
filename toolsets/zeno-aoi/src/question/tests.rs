use super::*;

/// What a question is read as: places, then the units.
fn asked(question: &str) -> (Vec<String>, Option<&'static str>) {
    let request = read(question, &Embedded::shipped());
    let mut places: Vec<String> = request.places.iter().map(Place::text).collect();
    if request.is_global {
        places.push("GLOBAL".to_owned());
    }
    (places, request.subregion.map(Subregion::name))
}

fn check(rows: &[(&str, &[&str], Option<&str>)]) {
    let mut wrong = Vec::new();
    for (question, places, units) in rows {
        let found = asked(question);
        if found.0 != *places || found.1 != *units {
            wrong.push(format!(
                "{question}\n    expected {places:?} {units:?}\n    got      {:?} {:?}",
                found.0, found.1
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_place_is_found_with_what_it_lies_in() {
    check(&[
        (
            "Analyze deforestation rates in the Para, Brazil",
            &["Para, Brazil"],
            None,
        ),
        (
            "tree cover loss in Pará, Brazil since 2015",
            &["Pará, Brazil"],
            None,
        ),
        (
            "Track forest cover loss in Castelo Branco, Portugal",
            &["Castelo Branco, Portugal"],
            None,
        ),
        (
            "Assess natural lands in Resex Catua-Ipixuna",
            &["Resex Catua-Ipixuna"],
            None,
        ),
        ("Measure deforestation in Puri", &["Puri"], None),
        ("Pick russia", &["russia"], None),
        (
            "What percentage of disturbances in Occitanie (FRA) were due to Crop management?",
            &["Occitanie, FRA"],
            None,
        ),
        (
            "In Purbalingga, Indonesia what was the largest transition?",
            &["Purbalingga, Indonesia"],
            None,
        ),
        (
            "True or False: Pocho in Cordoba (ARG) gained natural grasslands from 2020 to 2021",
            &["Pocho, Cordoba, ARG"],
            None,
        ),
        (
            "what was the net greenhouse gas flux for Las Palmas, Canarias (ESP)?",
            &["Las Palmas, Canarias, ESP"],
            None,
        ),
        (
            "In 2000, how much tree cover did Dja et Lobo Cameroon have?",
            &["Dja et Lobo, Cameroon"],
            None,
        ),
        (
            "the largest driver of deforestation in Nannup, Western Australia. Use the latest",
            &["Nannup, Western Australia"],
            None,
        ),
        (
            "What type of natural ecosystem in Uganda had the most disturbances in 2025?",
            &["Uganda"],
            None,
        ),
        (
            "the largest land cover transition between 2015 and 2024 in California was",
            &["California"],
            None,
        ),
        ("Show me deforestation in Brazil", &["Brazil"], None),
        ("deforestation in Ontario", &["Ontario"], None),
        ("deforestation in Lisbon in Portugal", &["Lisbon, Portugal"], None),
        ("How do fires impact nature in Spain?", &["Spain"], None),
        (
            "Brazil deforestation linked to agricultural commodities in 2017",
            &["Brazil"],
            None,
        ),
        (
            "How much forest did Pará lose since 2015, and why?",
            &["Pará"],
            None,
        ),
    ]);
}

#[test]
fn a_designation_is_a_hint_and_no_part_of_the_name() {
    let gazetteer = Embedded::shipped();
    for (question, name, source) in [
        (
            "show me tree cover loss in Cobaipo protected area in Bolivia",
            "Cobaipo, Bolivia",
            Source::Wdpa,
        ),
        (
            "In the Murgia Alta WDPA in Italy, how much natural short vegetation is there?",
            "Murgia Alta, Italy",
            Source::Wdpa,
        ),
        (
            "True or false, loss has increased in the Upper Stung Sen catchment KBA.",
            "Upper Stung Sen",
            Source::Kba,
        ),
        (
            "How many hectares does Alto Rio Negro Indigenous Territory have?",
            "Alto Rio Negro",
            Source::Landmark,
        ),
        (
            "did natural grasslands increase in Hwange national park, botswana?",
            "Hwange, botswana",
            Source::Wdpa,
        ),
        ("fires in Yellowstone National Park", "Yellowstone", Source::Wdpa),
    ] {
        let request = read(question, &gazetteer);
        let found: Vec<_> = request
            .places
            .iter()
            .map(|place| (place.text(), place.source))
            .collect();
        assert_eq!(found, [(name.to_owned(), Some(source))], "{question}");
        assert_eq!(request.subregion, None, "{question}");
    }
}

#[test]
fn places_that_are_compared_stay_apart() {
    check(&[
        (
            "Which country had the most distrubed area, Australia or Brazil?",
            &["Australia", "Brazil"],
            None,
        ),
        ("compare Ecuador and Bolivia", &["Ecuador", "Bolivia"], None),
        (
            "Brazil vs Indonesia: fires in 2023",
            &["Brazil", "Indonesia"],
            None,
        ),
        (
            "Which had more fire-driven loss in 2023: Brazil or Indonesia?",
            &["Brazil", "Indonesia"],
            None,
        ),
        (
            "Compare Brazil, Peru and Colombia",
            &["Brazil", "Peru", "Colombia"],
            None,
        ),
        (
            "Which had more natural grassland in 2000: North or South Dakota?",
            &["North Dakota", "South Dakota"],
            None,
        ),
        (
            "the UK has a lower net GHG flux than the Rep. of Ireland",
            &["UK", "Rep. of Ireland"],
            None,
        ),
        ("Compare Brazil and Pará", &["Brazil", "Pará"], None),
    ]);
}

#[test]
fn units_that_are_named_belong_to_the_place_they_are_named_for() {
    check(&[
        (
            "Which state has the most mangroves in Senegal: Fatick or Ziguinchor?",
            &["Fatick, Senegal", "Ziguinchor, Senegal"],
            None,
        ),
        (
            "Which location in England had the most tree cover loss: Sheffield or Wakefield?",
            &["Sheffield, England", "Wakefield, England"],
            None,
        ),
        (
            "Which US state lost more forest due to wildfires? Washington or Oregon?",
            &["Washington, US", "Oregon, US"],
            None,
        ),
    ]);
}

#[test]
fn units_are_asked_for_by_several_or_by_which() {
    check(&[
        (
            "Which county has the most deforestation in Alabama, USA",
            &["Alabama, USA"],
            Some("district"),
        ),
        ("provinces in Canada", &["Canada"], Some("state")),
        (
            "counties of Texas with the most loss",
            &["Texas"],
            Some("district"),
        ),
        (
            "Which communidad in Spain had the least grassland in 2022?",
            &["Spain"],
            Some("state"),
        ),
        (
            "Which state in belgium had the least deforestation?",
            &["belgium"],
            Some("state"),
        ),
        (
            "Of the Canadian provinces+territories beginning with 'N' - which had the most?",
            &["Canada"],
            Some("state"),
        ),
        (
            "Which sub region of Galicia (ESP), gained the least tree cover?",
            &["Galicia, ESP"],
            Some("district"),
        ),
        (
            "Which state in australia lost the most forest?",
            &["australia"],
            Some("state"),
        ),
        (
            "alerts in Protected Areas in Ucayali, Peru, 2024 or 2025?",
            &["Ucayali, Peru"],
            Some("wdpa"),
        ),
        ("KBAs in Tanzania", &["Tanzania"], Some("kba")),
        (
            "¿Qué departamentos de Bolivia perdieron más bosque?",
            &["Bolivia"],
            Some("state"),
        ),
        (
            "deforestation in the state of Mato Grosso",
            &["Mato Grosso"],
            None,
        ),
    ]);
}

#[test]
fn the_world_is_asked_for_in_words() {
    check(&[
        (
            "Which countries have the most deforestation globally?",
            &["GLOBAL"],
            Some("country"),
        ),
        (
            "Which country in the world had the most grassland in 2022?",
            &["GLOBAL"],
            Some("country"),
        ),
        (
            "Which regions have the highest tree canopy cover globally?",
            &["GLOBAL"],
            Some("state"),
        ),
        ("Global World", &["GLOBAL"], None),
        ("all countries", &["GLOBAL"], None),
        ("loss in Disney World", &["Disney World"], None),
    ]);
}

#[test]
fn a_question_without_a_place_has_none() {
    check(&[
        (
            "What's the geographic coverage of the tree cover loss data?",
            &[],
            None,
        ),
        ("Show Tree Cover Loss by Driver", &[], None),
        ("hello", &[], None),
        ("", &[], None),
        ("Which is better?", &[], None),
    ]);
}

#[test]
fn names_are_known_in_other_languages() {
    check(&[
        ("¿Cuánto bosque perdió Brasil desde 2015?", &["Brasil"], None),
        ("Quanto de floresta perdeu a Indonésia?", &["Indonésia"], None),
        (
            "Combien de forêt la Côte d'Ivoire a-t-elle perdue ?",
            &["Côte d'Ivoire"],
            None,
        ),
        ("Wie viel Wald hat Deutschland verloren?", &["Deutschland"], None),
        ("ブラジルの森林減少", &["ブラジル"], None),
        ("Сколько леса потеряла Россия?", &["Россия"], None),
        ("巴西的森林砍伐", &["巴西"], None),
        ("브라질에서 산림 손실", &["브라질"], None),
        ("desmatamento no Pará", &["Pará"], None),
    ]);
}

#[test]
fn a_listed_candidate_is_taken_as_it_stands() {
    let request = read(
        "Puri, Odisha, India - (district-county) [IND]",
        &Embedded::shipped(),
    );
    assert_eq!(
        request.places,
        [Place::parse("Puri, Odisha, India - (district-county) [IND]")]
    );
}

#[test]
fn hostile_text_is_read_without_harm() {
    let gazetteer = Embedded::shipped();
    for text in [
        "(",
        ",,,,",
        "In In In In",
        &"A ".repeat(900),
        &"Brazil, ".repeat(200),
        "\u{0}\u{301}",
        "'s",
        "ÅÅÅÅ'",
    ] {
        let request = read(text, &gazetteer);
        assert!(request.places.len() <= MAX_PLACES);
    }
}
