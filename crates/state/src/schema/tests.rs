use super::*;

#[expect(clippy::needless_pass_by_value, reason = "cases are written in place")]
fn rewritten(schema: Value, not_authored: &[&str]) -> Option<Value> {
    let names = not_authored.iter().map(|&name| name.to_owned()).collect();
    rewrite(schema.as_object().unwrap(), &names).map(Value::Object)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn what_could_be_structured_is_offered_a_handle() {
    let structured = [
        json!({"type": "object"}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": ["null", "object"]}),
        json!({"$ref": "#/$defs/A"}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"oneOf": []}),
        json!({"allOf": []}),
        json!({"description": "anything"}),
    ];
    for property in structured {
        assert!(could_be_structured(&property), "{property}");
    }
    for property in [
        json!({"type": "string"}),
        json!({"type": ["integer", "null"]}),
        json!(true),
        json!(3),
    ] {
        assert!(!could_be_structured(&property), "{property}");
    }
}

#[test]
fn a_structured_parameter_takes_its_own_form_or_a_handle() {
    let schema = json!({
        "type": "object", "title": "clip",
        "properties": {
            "id": {"type": "string", "default": "x"},
            "aoi": {"description": "Area.", "type": "object", "default": {}},
        },
        "required": ["id"], "x-extra": 1,
    });
    let result = rewritten(schema.clone(), &[]).unwrap();
    assert_eq!(keys(&result), keys(&schema));
    assert_eq!(result["properties"]["id"], schema["properties"]["id"]);
    let aoi = &result["properties"]["aoi"];
    assert_eq!(keys(aoi), ["anyOf", "description"]);
    assert_eq!(aoi["description"], "Area.");
    assert_eq!(aoi["anyOf"][0], json!({"type": "object", "default": {}}));
    assert_eq!(keys(&aoi["anyOf"][1]), ["type", "pattern", "description"]);
    assert_eq!(aoi["anyOf"][1]["pattern"], "^@state:");
}

#[test]
fn a_not_authored_parameter_takes_a_handle_only_whatever_its_type() {
    let schema = json!({
        "type": "object",
        "properties": {"aoi": {"anyOf": [{"$ref": "#/$defs/Fc"}, {"type": "null"}], "default": null, "description": "Area."},
                       "name": {"type": "string"}},
        "required": ["name"],
        "$defs": {"Fc": {"type": "object"}},
    });
    let result = rewritten(schema, &["aoi", "name"]).unwrap();
    let aoi = &result["properties"]["aoi"];
    assert_eq!(keys(aoi), ["type", "pattern", "description"]);
    assert_eq!(aoi["description"], format!("Area. {HANDLE_DESCRIPTION}"));
    assert_eq!(result["properties"]["name"]["description"], HANDLE_DESCRIPTION);
    assert_eq!(result["required"], json!(["name"]));
    assert_eq!(
        result.get("$defs"),
        None,
        "a definition that nothing refers to any more goes"
    );
}

#[test]
fn a_schema_without_structured_parameters_is_left_alone() {
    assert_eq!(
        rewritten(
            json!({"type": "object", "properties": {"q": {"type": "string"}}}),
            &[]
        ),
        None
    );
    assert_eq!(rewritten(json!({"type": "object"}), &["aoi"]), None);
}

#[test]
fn definitions_are_kept_as_far_as_references_reach() {
    let schema = json!({
        "properties": {"a": {"$ref": "#/$defs/A"}, "gone": {"$ref": "#/$defs/D"}},
        "$defs": {"A": {"items": {"$ref": "#/$defs/B~1x"}}, "B/x": {"$ref": "#/$defs/A"}, "D": {"$ref": "#/$defs/E"}, "E": {}},
        "definitions": {"Old": {}},
    });
    let result = rewritten(schema, &["gone"]).unwrap();
    assert_eq!(keys(&result["$defs"]), ["A", "B/x"]);
    assert_eq!(result.get("definitions"), None);
}

#[test]
fn definitions_stay_when_a_reference_is_not_understood() {
    let schema = json!({"properties": {"a": {"$ref": "#node"}}, "$defs": {"N": {"$anchor": "node"}}});
    assert_eq!(keys(&rewritten(schema, &[]).unwrap()["$defs"]), ["N"]);
}

#[test]
fn references_into_a_moved_parameter_move_along() {
    let schema = json!({"properties": {
        "home": {"type": "object", "properties": {"street": {"type": "string"}, "next": {"$ref": "#/properties/home"}}},
        "office": {"$ref": "#/properties/home"},
        "street": {"type": "string", "allOf": [{"$ref": "#/properties/home/properties/street"}]},
        "homestead": {"$ref": "#/properties/homestead"},
    }});
    let result = rewritten(schema, &[]).unwrap();
    let at = |pointer: &str| {
        result
            .pointer(pointer)
            .unwrap_or_else(|| panic!("nothing at {pointer} in {result}"))
    };
    for pointer in [
        "/properties/office/anyOf/0/$ref",
        "/properties/home/anyOf/0/properties/next/$ref",
        "/properties/street/anyOf/0/allOf/0/$ref",
    ] {
        at(at(pointer).as_str().unwrap().trim_start_matches('#'));
    }
    assert_eq!(at("/properties/office/anyOf/0/$ref"), "#/properties/home/anyOf/0");
    assert_eq!(
        at("/properties/homestead/anyOf/0/$ref"),
        "#/properties/homestead/anyOf/0"
    );
}

#[test]
fn a_replaced_parameter_that_others_refer_to_becomes_a_definition() {
    let schema = json!({"properties": {
        "aoi": {"type": "object", "properties": {"self": {"$ref": "#/properties/aoi"}}},
        "mask": {"$ref": "#/properties/aoi"},
    }});
    let result = rewritten(schema, &["aoi"]).unwrap();
    assert_eq!(result["properties"]["mask"]["anyOf"][0]["$ref"], "#/$defs/aoi");
    assert_eq!(
        result["$defs"]["aoi"]["properties"]["self"]["$ref"],
        "#/$defs/aoi"
    );
}

fn resolves(schema: &Value, reference: &str) -> bool {
    reference
        .strip_prefix('#')
        .is_some_and(|pointer| schema.pointer(pointer).is_some())
}

fn all_references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    references::each_reference(schema, &mut |reference| found.push(reference.to_owned()));
    found
}

proptest::proptest! {
    #[test]
    fn no_reference_is_left_dangling(
        properties in proptest::collection::vec((0usize..6, 0usize..9), 1..6),
        definitions in proptest::collection::vec(0usize..9, 3),
        guarded in proptest::collection::btree_set(0usize..6, 0..4),
    ) {
        let places = [
            "#", "#/$defs/d0", "#/$defs/d1", "#/$defs/d2", "#/properties/p0", "#/properties/p1",
            "#/properties/p2/properties/x", "#/$defs/d0/properties/x", "#/properties/p3/anyOf/1",
        ];
        let node = |place: usize| json!({
            "type": "object", "description": "d", "properties": {"x": {"$ref": places[place]}}, "anyOf": [{}, {"$ref": places[place]}],
        });
        let mut schema = json!({"properties": {}, "$defs": {}});
        for (name, place) in properties {
            schema["properties"][format!("p{name}")] = node(place);
        }
        for (name, place) in definitions.into_iter().enumerate() {
            schema["$defs"][format!("d{name}")] = node(place);
        }
        proptest::prop_assume!(all_references(&schema).iter().all(|reference| resolves(&schema, reference)));
        let names = guarded.into_iter().map(|name| format!("p{name}")).collect();
        let result = Value::Object(rewrite(schema.as_object().unwrap(), &names).unwrap());
        for reference in all_references(&result) {
            proptest::prop_assert!(resolves(&result, &reference), "{reference} in {result}");
        }
    }
}
