//! Tools as the guide reads them from their declarations, and from nothing else.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    example::Example,
    words::{stems, words},
};
use crate::ToolDefinition;

const PRODUCES: &str = "io.developmentseed.toolsets/produces";
const NOT_AUTHORED: &str = "io.developmentseed.toolsets/notAuthored";
const EXAMPLES: &str = "io.developmentseed.toolsets/examples";

/// Tools that belong to the conversation itself: they read state or ask the person, they answer no question.
const CONVERSATION_TOOLS: &[&str] = &["inspect_state", "interrupt", "ask_user"];

/// Declarations beyond these numbers are not read; a host offers far fewer.
const MAX_TOOLS: usize = 100;
const MAX_PARAMETERS: usize = 30;
const MAX_PRODUCTS: usize = 20;
const MAX_EXAMPLES: usize = 20;
const MAX_KEYS: usize = 16;

/// A declared tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// Its position among the tools that were read.
    pub(super) index: usize,
    pub(super) name: String,
    /// The first sentence of the description.
    pub(super) summary: String,
    pub(super) name_stems: Vec<String>,
    /// How much each word of the declaration says for the tool, by where it stands.
    weights: HashMap<String, u32>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) produces: Vec<Product>,
    pub(super) examples: Vec<Example>,
}

/// A parameter of a tool.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) required: bool,
    /// Takes a published value only, by handle.
    pub(super) not_authored: bool,
    pub(super) stems: Vec<String>,
    description_stems: Vec<String>,
    /// Keys of the published values it takes, if it is not authored.
    pub(super) keys: Vec<String>,
    /// Positions of the tools that publish them.
    pub(super) producers: Vec<usize>,
}

/// What a parameter holds, as far as the guide can fill it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// The person's question itself.
    Question,
    /// The words of it that say what to look for.
    Keywords,
    /// A short text, such as a name.
    Text,
    /// One of these.
    Choice(Vec<String>),
    /// A day, first or last of a period.
    Date(Bound),
    /// A number.
    Number,
    /// A yes or no.
    Flag,
    /// An object or list, which the guide cannot write.
    Structure,
}

/// Which end of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    First,
    Last,
}

/// A value a tool publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) field: String,
    pub(super) key: String,
    stems: Vec<String>,
}

/// Every tool the guide may plan with.
pub(super) fn read(definitions: &[ToolDefinition]) -> Vec<Tool> {
    let plannable = definitions
        .iter()
        .filter(|tool| !CONVERSATION_TOOLS.contains(&tool.name.as_str()));
    let mut tools: Vec<Tool> = plannable
        .take(MAX_TOOLS)
        .enumerate()
        .map(|(index, tool)| Tool::read(index, tool))
        .collect();
    link(&mut tools);
    tools
}

/// Tells every not-authored parameter which published values it takes: those under its own name, else those whose name
/// holds all its words or the other way round.
fn link(tools: &mut [Tool]) {
    let products: Vec<(usize, Product)> = tools
        .iter()
        .flat_map(|tool| tool.produces.iter().map(|product| (tool.index, product.clone())))
        .collect();
    let mut by_field: HashMap<&str, Vec<&(usize, Product)>> = HashMap::new();
    for published in &products {
        by_field.entry(&published.1.field).or_default().push(published);
    }
    for tool in tools {
        for parameter in tool
            .parameters
            .iter_mut()
            .filter(|parameter| parameter.not_authored)
        {
            let similar = || {
                products
                    .iter()
                    .filter(|(_, product)| contains_words(parameter, &product.stems))
                    .collect()
            };
            let fitting = by_field
                .get(parameter.name.as_str())
                .cloned()
                .unwrap_or_else(similar);
            for (index, product) in fitting.into_iter().take(MAX_KEYS) {
                parameter.keys.push(product.key.clone());
                if *index != tool.index {
                    parameter.producers.push(*index);
                }
            }
        }
    }
}

fn contains_words(parameter: &Parameter, field: &[String]) -> bool {
    let within =
        |some: &[String], all: &[String]| !some.is_empty() && some.iter().all(|stem| all.contains(stem));
    within(&parameter.stems, field) || within(field, &parameter.stems)
}

/// The tool that asks the person, if the conversation has one.
pub(super) fn asking_tool(definitions: &[ToolDefinition]) -> Option<&str> {
    let mut names = definitions.iter().map(|tool| tool.name.as_str());
    names.rfind(|name| matches!(*name, "interrupt" | "ask_user"))
}

impl Tool {
    fn read(index: usize, definition: &ToolDefinition) -> Self {
        let examples = definition
            .meta
            .get(EXAMPLES)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let mut tool = Self {
            index,
            name: definition.name.clone(),
            summary: first_sentence(&definition.description),
            name_stems: stems(&definition.name),
            weights: HashMap::new(),
            parameters: parameters(definition),
            produces: products(&definition.meta),
            examples: examples.take(MAX_EXAMPLES).filter_map(Example::read).collect(),
        };
        tool.weights = weights(&tool, &definition.description);
        tool
    }

    /// Whether a question names this tool outright, in one word or several: "who am I" names `whoami`.
    pub(super) fn is_named_in(&self, question: &str) -> bool {
        const MIN_CHARS: usize = 6;
        let compact = |text: &str| -> String {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        };
        let name = compact(&self.name);
        let words: Vec<String> = words(question).iter().map(|word| compact(word.text)).collect();
        let begins_at = |start: usize| {
            let mut rest = name.as_str();
            for word in words.iter().skip(start) {
                let Some(after) = rest.strip_prefix(word.as_str()) else {
                    break;
                };
                rest = after;
            }
            rest.is_empty()
        };
        name.chars().count() >= MIN_CHARS && (0..words.len()).any(begins_at)
    }

    /// How much a word says for this tool: 3 in its name, 2 in an example, 1 elsewhere in its declaration.
    pub(super) fn weight(&self, stem: &str) -> u32 {
        self.weights.get(stem).copied().unwrap_or_default()
    }

    /// Whether a planned step means this tool: by its name, or by the part after the toolset's.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name
            || self
                .name
                .rsplit_once("__")
                .is_some_and(|(_, short)| short == name)
    }

    /// Whether it takes by handle what another publishes.
    pub(super) fn takes_from(&self, other: &Self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| parameter.producers.contains(&other.index))
    }

    /// Whether it is handed the question as it is.
    pub(super) fn takes_question(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Question)
    }
}

impl Parameter {
    /// Whether it takes the value under a published key.
    pub(super) fn takes(&self, key: &str) -> bool {
        self.keys.iter().any(|own| own == key) || key.rsplit('/').next() == Some(self.name.as_str())
    }
}

fn weights(tool: &Tool, description: &str) -> HashMap<String, u32> {
    let mut weights: HashMap<String, u32> = stems(description).into_iter().map(|stem| (stem, 1)).collect();
    let words =
        |parameter: &Parameter| [parameter.stems.clone(), parameter.description_stems.clone()].concat();
    let parameters = tool
        .parameters
        .iter()
        .filter(|parameter| !parameter.not_authored)
        .flat_map(words);
    weights.extend(parameters.map(|stem| (stem, 1)));
    weights.extend(
        tool.examples
            .iter()
            .flat_map(Example::stems)
            .map(|stem| (stem.to_owned(), 2)),
    );
    weights.extend(tool.name_stems.iter().map(|stem| (stem.clone(), 3)));
    weights
}

fn products(meta: &Map<String, Value>) -> Vec<Product> {
    let Some(Value::Array(products)) = meta.get(PRODUCES) else {
        return Vec::new();
    };
    let text = |product: &Value, name: &str| product.get(name).and_then(Value::as_str).map(str::to_owned);
    let products = products.iter().take(MAX_PRODUCTS);
    products
        .filter_map(|product| {
            let field = text(product, "field")?;
            Some(Product {
                key: text(product, "stateKey")?,
                stems: stems(&field),
                field,
            })
        })
        .collect()
}

fn parameters(definition: &ToolDefinition) -> Vec<Parameter> {
    let names = |value: Option<&Value>| -> Vec<String> {
        let names = value.and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let required = names(definition.parameters.get("required"));
    let not_authored = names(definition.meta.get(NOT_AUTHORED));
    let Some(Value::Object(properties)) = definition.parameters.get("properties") else {
        return Vec::new();
    };
    let properties = properties.iter().take(MAX_PARAMETERS);
    properties
        .map(|(name, schema)| Parameter {
            name: name.clone(),
            kind: kind(name, schema),
            required: required.contains(name),
            not_authored: not_authored.contains(name) || takes_only_handles(schema),
            stems: stems(name),
            description_stems: stems(
                schema
                    .get("description")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            ),
            keys: Vec::new(),
            producers: Vec::new(),
        })
        .collect()
}

/// A host that narrows a parameter to handles says so in the schema.
fn takes_only_handles(schema: &Value) -> bool {
    schema.get("pattern").and_then(Value::as_str) == Some("^@state:")
}

fn kind(name: &str, schema: &Value) -> Kind {
    if let Some(choices) = choices(schema) {
        return Kind::Choice(choices);
    }
    match type_of(schema) {
        Some("integer" | "number") => Kind::Number,
        Some("boolean") => Kind::Flag,
        Some("string") => text_kind(name, schema),
        _ => Kind::Structure,
    }
}

fn text_kind(name: &str, schema: &Value) -> Kind {
    let name_stems = stems(name);
    let has = |words: &[&str]| name_stems.iter().any(|stem| words.contains(&stem.as_str()));
    let is_date = schema.get("format").and_then(Value::as_str) == Some("date") || has(&["dat"]);
    if is_date && has(&["start", "begin", "first"]) {
        return Kind::Date(Bound::First);
    }
    if is_date && has(&["end", "last", "stop"]) {
        return Kind::Date(Bound::Last);
    }
    let description = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let asks_for_question = stems(description)
        .iter()
        .any(|stem| matches!(stem.as_str(), "question" | "user" | "request"));
    match name {
        "question" | "prompt" => Kind::Question,
        "query" | "q" | "text" | "topic" | "words" | "keywords" if asks_for_question => Kind::Question,
        "query" | "q" | "text" | "topic" | "words" | "keywords" => Kind::Keywords,
        _ => Kind::Text,
    }
}

/// The values of an enumeration, also where `null` is one of the alternatives.
fn choices(schema: &Value) -> Option<Vec<String>> {
    let listed = schema.get("enum").or_else(|| {
        let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
        alternatives
            .iter()
            .find_map(|alternative| alternative.get("enum"))
    })?;
    let choices: Vec<String> = listed
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    (!choices.is_empty()).then_some(choices)
}

/// The type a parameter has besides `null`.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => Some(name),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null"),
        _ => {
            let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
            let types: Vec<&str> = alternatives
                .iter()
                .filter_map(type_of)
                .filter(|name| *name != "null")
                .collect();
            // What may be a structure is widened with a handle's string; the structure is what it is.
            types
                .iter()
                .copied()
                .find(|name| matches!(*name, "object" | "array"))
                .or(types.first().copied())
        }
    }
}

/// The first sentence of a description, whose lines may be broken anywhere.
fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = words.join(" ");
    match line.find(". ") {
        Some(dot) => line[..=dot].to_owned(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parameter(name: &str, schema: Value) -> Parameter {
        let schema = json!({"type": "object", "properties": {name: schema}});
        parameters(&ToolDefinition::new("t", "", schema)).remove(0)
    }

    #[test]
    fn the_kind_of_a_parameter_is_read_from_its_schema_and_name() {
        for (name, schema, expected) in [
            ("question", json!({"type": "string"}), Kind::Question),
            (
                "query",
                json!({"type": "string", "description": "The user's question."}),
                Kind::Question,
            ),
            (
                "query",
                json!({"type": "string", "description": "Words that must occur."}),
                Kind::Keywords,
            ),
            ("name", json!({"type": "string", "default": "world"}), Kind::Text),
            (
                "start_date",
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
                Kind::Date(Bound::First),
            ),
            (
                "endDate",
                json!({"type": ["string", "null"], "format": "date"}),
                Kind::Date(Bound::Last),
            ),
            ("limit", json!({"type": "integer"}), Kind::Number),
            ("deep", json!({"type": "boolean"}), Kind::Flag),
            (
                "kind",
                json!({"enum": ["a", "b"]}),
                Kind::Choice(vec!["a".into(), "b".into()]),
            ),
            (
                "area",
                json!({"anyOf": [{"type": "string", "pattern": "^@state:"}, {"type": "object"}]}),
                Kind::Structure,
            ),
            ("anything", json!({}), Kind::Structure),
        ] {
            assert_eq!(parameter(name, schema).kind, expected, "{name}");
        }
    }

    #[test]
    fn a_parameter_narrowed_to_handles_is_not_authored() {
        assert!(parameter("area", json!({"type": "string", "pattern": "^@state:"})).not_authored);
        assert!(!parameter("area", json!({"type": "string", "pattern": "^x"})).not_authored);
    }

    #[test]
    fn a_parameter_takes_values_of_its_name_before_those_of_a_similar_one() {
        let tool = |name: &str, parameter: &str, field: &str| {
            let schema = json!({"type": "object", "properties": {parameter: {"type": "object"}}});
            let mut tool = ToolDefinition::new(name, "", schema);
            tool.meta.insert(NOT_AUTHORED.into(), json!([parameter]));
            tool.meta.insert(
                PRODUCES.into(),
                json!([{"field": field, "stateKey": format!("s/{name}/{field}")}]),
            );
            tool
        };
        let tools = read(&[
            tool("a", "area", "dataset"),
            tool("b", "dataset", "dataset_candidates"),
            tool("c", "x", "area_of_interest"),
        ]);
        assert_eq!(tools[0].parameters[0].keys, ["s/c/area_of_interest"]);
        assert_eq!(tools[1].parameters[0].keys, ["s/a/dataset"]);
        assert!(tools[2].parameters[0].keys.is_empty());
        assert!(!tools[1].parameters[0].takes("s/b/dataset_candidates"));
    }

    #[test]
    fn a_tool_is_named_by_whole_words_only() {
        let named = |tool: &str, question: &str| {
            read(&[ToolDefinition::new(tool, "", json!({}))])[0].is_named_in(question)
        };
        assert!(
            named("whoami", "Who am I?")
                && named("pick_dataset", "run pick_dataset")
                && named("search", "search it")
        );
        assert!(
            !named("search", "research it")
                && !named("pick_dataset", "pick a dataset")
                && !named("hello", "hello")
        );
    }

    #[test]
    fn a_summary_is_the_first_sentence() {
        assert_eq!(first_sentence("Find maps. Then more."), "Find maps.");
        assert_eq!(
            first_sentence("Find maps\nof places. Then more."),
            "Find maps of places."
        );
        assert_eq!(first_sentence("Find maps\n\nThen more."), "Find maps");
        assert_eq!(first_sentence(" one "), "one");
    }
}
