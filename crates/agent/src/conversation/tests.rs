//! Whatever happened to a thread, a provider accepts it.

use periplus_llm::Usage;
use periplus_state::Artifact;
use proptest::prelude::*;

use super::*;
use crate::{Opening, Record, RunId, ThreadId, TurnOutcome};

/// Something that a run may leave behind before it is killed.
#[derive(Debug, Clone)]
enum Step {
    /// A person wrote.
    Asked,
    /// The model said something, with so many calls.
    Said { text: bool, calls: usize },
    /// The results of the calls of the latest message that has any open, from the last to the first, so many of them.
    Results(usize),
    /// The turn ended.
    Ended,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Asked),
        (any::<bool>(), 0..4usize).prop_map(|(text, calls)| Step::Said { text, calls }),
        (0..4usize).prop_map(Step::Results),
        Just(Step::Ended),
    ]
}

/// The thread that these steps make.
fn thread(steps: &[Step]) -> Thread {
    let opening = Opening {
        created_at: chrono::DateTime::UNIX_EPOCH,
        owner: None,
        question: String::new(),
    };
    let mut thread = Thread::new(ThreadId::random(), opening);
    let mut open: Vec<ToolCall> = Vec::new();
    let mut records = vec![asked(1)];
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::Asked => records.push(asked(index + 2)),
            Step::Said { text, calls } => {
                open = (0..*calls)
                    .map(|call| ToolCall::new(format!("c{index}-{call}"), "t", serde_json::Map::new()))
                    .collect();
                records.push(said(index, *text, open.clone()));
            }
            Step::Results(count) => {
                let results = open.split_off(open.len().saturating_sub(*count));
                records.extend(results.iter().rev().map(result));
            }
            Step::Ended => records.push(Record::TurnFinished {
                outcome: TurnOutcome::Answered,
                citations: Vec::new(),
                at: chrono::DateTime::UNIX_EPOCH,
            }),
        }
    }
    for record in &records {
        thread.record(record, |_| None);
    }
    thread
}

fn asked(number: usize) -> Record {
    Record::TurnStarted {
        turn: u32::try_from(number).unwrap(),
        run: RunId::random(),
        message_id: format!("u{number}"),
        text: format!("question {number}"),
        at: chrono::DateTime::UNIX_EPOCH,
    }
}

fn said(index: usize, has_text: bool, tool_calls: Vec<ToolCall>) -> Record {
    Record::Answered {
        message_id: format!("a{index}"),
        message: AssistantMessage {
            text: if has_text {
                "text".to_owned()
            } else {
                String::new()
            },
            tool_calls,
            continuation: None,
        },
        usage: Usage::default(),
    }
}

fn result(call: &ToolCall) -> Record {
    Record::Called {
        message_id: format!("m{}", call.id),
        result: ToolResult::of(call, "done"),
        source: None,
        artifact: Artifact::default(),
        writes: Vec::new(),
    }
}

/// What providers check before they read a word.
fn check(messages: &[Message]) {
    assert!(
        matches!(messages.first(), Some(Message::User { .. })),
        "a person speaks first"
    );
    let mut expected: Vec<&str> = Vec::new();
    let mut earlier: Option<&Message> = None;
    for message in messages {
        match message {
            Message::Tool(result) => {
                assert_eq!(
                    expected.first(),
                    Some(&result.call_id.as_str()),
                    "results in the order of the calls"
                );
                expected.remove(0);
            }
            Message::User { .. } => {
                assert!(expected.is_empty(), "a call without a result");
                assert!(
                    matches!(earlier, None | Some(Message::Assistant(_))),
                    "a person answers an answer"
                );
            }
            Message::Assistant(answer) => {
                assert!(expected.is_empty() && !answer.is_empty());
                expected = answer.tool_calls.iter().map(|call| call.id.as_str()).collect();
            }
        }
        earlier = Some(message);
    }
    assert!(expected.is_empty(), "a call without a result");
}

proptest! {
    #[test]
    fn whatever_a_killed_run_left_a_provider_accepts(
        steps in prop::collection::vec(step(), 0..20),
        memory in prop::sample::select(vec![Memory::Whole, Memory::Brief, Memory::Recent]),
    ) {
        check(&messages(&thread(&steps), memory));
    }

    #[test]
    fn calls_that_dangle_are_exactly_those_without_a_result(steps in prop::collection::vec(step(), 0..20)) {
        let mut thread = thread(&steps);
        let dangling = dangling_calls(&thread);
        let unfinished_results = messages(&thread, Memory::Whole)
            .iter()
            .filter(|message| message.text() == UNFINISHED)
            .count();
        prop_assert_eq!(dangling.len(), unfinished_results);
        for call in &dangling {
            thread.record(&result(call), |_| None);
        }
        prop_assert!(dangling_calls(&thread).is_empty());
    }
}

#[test]
fn a_long_result_of_an_earlier_turn_is_cut_and_keeps_its_keys() {
    let call = ToolCall::new("c", "t", serde_json::Map::new());
    let result = ToolResult::of(
        &call,
        format!("Größe {}\n\n[state updated: a/b/c — …]", "x".repeat(1000)),
    );
    let brief = brief(&result);
    assert!(
        brief.text.starts_with("Größe xxx") && brief.text.ends_with("[state updated: a/b/c — …]"),
        "{}",
        brief.text
    );
    assert!(brief.text.len() < 450);
    let short = ToolResult::of(&call, "short");
    assert_eq!(super::brief(&short), short);
}
