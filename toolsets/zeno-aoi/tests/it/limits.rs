//! How many areas one selection may have.

use periplus_zeno_aoi::{
    Area, Bounds, Place, Source, Subtype,
    catalogue::{embedded::Embedded, recorded::Recorded},
    pick::{Lookup, Outcome, pick},
    request::{Request, Subregion},
};

fn area(source: Source, id: String, subtype: Subtype) -> Area {
    Area {
        source,
        name: format!("{id}, Land"),
        id,
        subtype,
        kind: None,
        bounds: Bounds::WORLD,
        iso3: Some("AAA".to_owned()),
        area_km2: None,
    }
}

/// What becomes of a country with so many units.
async fn picked(units: usize, source: Source, word: Subregion) -> Outcome {
    let mut catalogue = Recorded::default();
    let country = Area {
        name: "Land".to_owned(),
        ..area(Source::Gadm, "AAA".to_owned(), Subtype::Country)
    };
    catalogue.search("Land", vec![country]);
    let rows = (0..units).map(|unit| area(source, format!("AAA.{unit}_1"), word.subtype()));
    catalogue.units("AAA", word.subtype(), rows.collect());
    let request = Request {
        places: vec![Place::parse("Land")],
        subregion: Some(word),
        ..Request::default()
    };
    let lookup = Lookup {
        catalogue: &catalogue,
        gazetteer: &Embedded::shipped(),
        reader: None,
    };
    pick(lookup, &request)
        .await
        .expect("the recording has the answer")
}

#[tokio::test]
async fn as_many_areas_as_can_be_analysed_pass_and_one_more_is_refused_with_the_numbers() {
    for (source, word, limit) in [
        (Source::Gadm, Subregion::District, 1000),
        (Source::Wdpa, Subregion::Wdpa, 50),
        (Source::Kba, Subregion::Kba, 50),
        (Source::Landmark, Subregion::Landmark, 50),
    ] {
        let Outcome::Selected { selection, .. } = picked(limit, source, word).await else {
            panic!("{limit} areas of {source} can be analysed");
        };
        assert_eq!(selection.aois.len(), limit);
        assert_eq!(selection.name, format!("{limit} {} in Land", word.plural()));
        let Outcome::Nothing(text) = picked(limit + 1, source, word).await else {
            panic!("{} areas of {source} are too many", limit + 1);
        };
        for number in [&(limit + 1).to_string(), "1000 of gadm", "50 of any other"] {
            assert!(text.contains(number), "{text}");
        }
    }
}

#[tokio::test]
async fn no_units_at_all_are_refused_with_advice() {
    let Outcome::Nothing(text) = picked(0, Source::Wdpa, Subregion::Wdpa).await else {
        panic!("there are none");
    };
    assert!(text.starts_with("No matching areas were found"), "{text}");
    assert!(text.contains("broader place"), "{text}");
}
