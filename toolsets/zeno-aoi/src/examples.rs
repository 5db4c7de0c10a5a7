//! Questions that begin with a place and go on with other toolsets: what a planner without a model follows.

use periplus_toolset::{Value, json};

/// Subjects that are asked about a place; each is a question with the gap `{place}`.
const SUBJECTS: [&str; 12] = [
    "How much tree cover was lost in {place}?",
    "Tree cover loss in {place}",
    "Deforestation in {place}",
    "What are the drivers of tree cover loss in {place}?",
    "How much tree cover loss was due to fires in {place}?",
    "How much tree cover is there in {place}?",
    "Tree cover gain in {place}",
    "Forest greenhouse gas net flux of {place}",
    "Disturbance alerts in {place}",
    "Natural lands of {place}",
    "Land cover of {place}",
    "Grassland of {place}",
];

/// The questions, each with the calls from the area to an insight.
pub(crate) fn questions() -> impl Iterator<Item = Value> {
    SUBJECTS.into_iter().map(|question| {
        let area = "@state:zeno-aoi/pick_aoi/aoi_selection";
        let dataset = "@state:zeno-analysis/pick_dataset/dataset";
        let statistics = "@state:zeno-analysis/pull_data/statistics";
        json!({
            "question": question,
            "arguments": { "question": question },
            "then": [
                { "tool": "pick_dataset", "arguments": { "query": question, "aoi_selection": area } },
                { "tool": "pull_data", "arguments": { "query": question, "dataset": dataset, "aoi_selection": area } },
                { "tool": "generate_insight", "arguments": { "query": question, "statistics": statistics, "dataset": dataset } },
            ],
        })
    })
}

#[cfg(test)]
mod tests {
    use periplus_llm::{ChatModel as _, ChatRequest, Message, ToolDefinition, guide::Guide};

    use super::*;

    #[tokio::test]
    async fn a_planner_without_a_model_starts_with_the_place() {
        let tool = |name: &str, parameter: &str| {
            let schema = json!({ "type": "object", "properties": { parameter: { "type": "string" } }, "required": [parameter] });
            ToolDefinition::new(name, "Does its part.", schema)
        };
        let mut tools = vec![tool("pick_aoi", "question")];
        tools.extend(["pick_dataset", "pull_data", "generate_insight"].map(|name| tool(name, "query")));
        let key = "io.developmentseed.toolsets/examples".to_owned();
        tools[0].meta.insert(key, questions().collect());
        for (question, expected) in [
            (
                "tree cover loss in Pará, Brazil since 2015",
                "Tree cover loss in Pará, Brazil since 2015",
            ),
            (
                "How much tree cover was lost in Bolivia in 2020?",
                "How much tree cover was lost in Bolivia in 2020?",
            ),
            ("Show me deforestation in Brazil", "Deforestation in Brazil"),
        ] {
            let request = ChatRequest::new(vec![Message::user(question)]).with_tools(tools.clone());
            let reply = Guide::new()
                .reply(request, tokio_util::sync::CancellationToken::new())
                .await
                .unwrap();
            let call = &reply.message.tool_calls[0];
            assert_eq!(
                (call.name.as_str(), &call.arguments["question"]),
                ("pick_aoi", &json!(expected)),
                "{question}"
            );
        }
    }
}
