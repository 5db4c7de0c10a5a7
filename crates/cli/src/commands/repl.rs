//! `repl`: one connection, many calls.

use std::path::Path;

use comfy_table::{ContentArrangement, Table, presets};
use futures::FutureExt as _;
use periplus_runtime::client::{Answers, Question, Questions};
use periplus_state::{JsonObject, State, describe};
use serde_json::Value;
use tokio::{
    runtime::Runtime,
    signal::unix::{Signal, SignalKind, signal},
};

use super::{App, list, remote};
use crate::{
    attachments,
    exit::{CliError, Exit, Outcome},
    printer,
    question::{Field, MAX_ROUNDS, fields, fill},
    repl::{Input, Line, Next, Prepared, Session, Step, Vocabulary},
};

/// Name of the history file in the user's data folder.
const HISTORY: &str = "repl-history";
const PROMPT: &str = "periplus> ";

const HELP: &str = "\
  TOOL name=value …      call a tool; a value is JSON if it reads as JSON, else text
  name=@state:KEY        pass a value that an earlier call has published
  tools [WORD]           list the tools, or those whose name holds the word
  help TOOL              describe a tool and its arguments
  state                  list the published values
  inspect [KEY [PATH]]   show a value or a part of it, such as features[0].id
  save FOLDER            write the published charts as SVG and their rows as CSV
  exit                   end (also Ctrl-D); Ctrl-C ends a running call

Words are split as in a shell: query='garden landscape'. A line that begins with a space is not remembered.";

pub(crate) fn run(app: &App, headers: &[String]) -> Outcome {
    let headers = remote::given_headers(headers)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let (session, warnings) = runtime.block_on(Session::open(app, &headers))?;
    warnings.iter().for_each(|warning| printer::warning(warning));
    let history = app.settings.data_dir().map(|folder| folder.join(HISTORY));
    let mut input = Input::open(history)?;
    if input.is_terminal() {
        printer::note(&welcome(app, &session));
    }
    let interrupt = {
        let _guard = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    let mut repl = Repl {
        session,
        runtime,
        interrupt,
        has_failed: false,
    };
    let ended = repl.read_lines(&mut input);
    let is_terminal = input.is_terminal();
    input.close();
    repl.runtime.block_on(repl.session.close());
    repl.runtime.shutdown_background();
    ended?;
    // A person has seen what failed; a script looks at the exit code.
    Ok(if repl.has_failed && !is_terminal {
        Exit::Answer
    } else {
        Exit::Success
    })
}

struct Repl {
    session: Session,
    runtime: Runtime,
    interrupt: Signal,
    has_failed: bool,
}

impl Repl {
    fn read_lines(&mut self, input: &mut Input) -> Result<(), CliError> {
        loop {
            input.learn(Vocabulary::of(self.session.toolbox(), self.session.state()));
            let line = match input.next(PROMPT, &self.runtime, &mut self.interrupt)? {
                Next::Line(line) => line,
                Next::Again => continue,
                Next::End => return Ok(()),
            };
            if input.is_terminal() {
                // An interrupt that came too late for the last call is not meant for this one.
                while self.interrupt.recv().now_or_never().flatten().is_some() {}
            }
            match Line::parse(&line).and_then(|line| self.obey(line, input)) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // Nobody reads the output any more.
                Err(error) if error.exit == Exit::Success => return Err(error),
                Err(error) => {
                    self.has_failed = true;
                    printer::error(&error);
                }
            }
        }
    }

    /// Does what a line says; false at the end.
    fn obey(&mut self, line: Line, input: &mut Input) -> Result<bool, CliError> {
        match line {
            Line::Nothing => {}
            Line::Exit => return Ok(false),
            Line::Tools(word) => printer::data(&tools(&self.session, word.as_deref()))?,
            Line::State => printer::data(&values(self.session.state()))?,
            Line::Inspect { key, path } => printer::data(&self.session.inspect(&key, path.as_deref()))?,
            Line::Save(folder) => save(self.session.state(), &folder)?,
            Line::Help(None) => printer::data(HELP)?,
            Line::Help(Some(tool)) => printer::data(&describe_tool(&self.session, &tool)?)?,
            Line::Call { tool, arguments } => self.call(&tool, &arguments, input)?,
        }
        Ok(true)
    }

    /// Makes a call that Ctrl-C ends; the program goes on.
    fn call(&mut self, tool: &str, arguments: &[String], input: &mut Input) -> Result<(), CliError> {
        let call = self.session.prepare(tool, arguments)?;
        let mut answers = None;
        for _ in 0..MAX_ROUNDS {
            match self.send(tool, &call, answers.as_ref())? {
                Step::Said(said) => {
                    printer::data(&said.text)?;
                    said.notes.iter().for_each(|note| printer::note(note));
                    return Ok(());
                }
                Step::Asked(questions) => answers = Some(self.answer(tool, &questions, input)?),
            }
        }
        Err(CliError::answer(format!(
            "{tool} asked {MAX_ROUNDS} times and gave no result"
        )))
    }

    fn send(&mut self, tool: &str, call: &Prepared, answers: Option<&Answers>) -> Result<Step, CliError> {
        let session = &mut self.session;
        self.runtime.block_on(async {
            tracing::debug!(tool, "calling");
            tokio::select! {
                step = session.send(call, answers) => step,
                _ = self.interrupt.recv() => Err(CliError {
                    exit: Exit::Interrupted,
                    message: format!("the call of {tool} was cancelled"),
                    hint: None,
                }),
            }
        })
    }

    fn answer(&mut self, tool: &str, questions: &Questions, input: &mut Input) -> Result<Answers, CliError> {
        let mut responses = JsonObject::new();
        for (key, question) in &questions.requests {
            let form = fields(question).ok_or_else(|| {
                CliError::answer(format!(
                    "{tool} asks {}, which a person cannot answer here",
                    question.method
                ))
            })?;
            printer::note(question.message().unwrap_or_default());
            let response = self
                .fill(&form, input)?
                .map_or_else(Question::decline, Question::accept);
            responses.insert(key.clone(), response);
        }
        Ok(questions.answer(responses))
    }

    /// A filled form; `None` if the person would rather not, by Ctrl-C or Ctrl-D.
    fn fill(&mut self, form: &[Field], input: &mut Input) -> Result<Option<JsonObject>, CliError> {
        fill(form, |prompt| {
            Ok(match input.answer(prompt, &self.runtime, &mut self.interrupt)? {
                Next::Line(line) => Some(line),
                Next::Again | Next::End => None,
            })
        })
    }
}

fn welcome(app: &App, session: &Session) -> String {
    let servers: Vec<&str> = session.servers().collect();
    let url = app.server_url().map(|url| url.to_string()).unwrap_or_default();
    format!(
        "Connected to {url}: {} tools of {}. `help` tells what can be typed.",
        session.toolbox().tools().len(),
        servers.join(", ")
    )
}

fn tools(session: &Session, word: Option<&str>) -> String {
    let rows = session
        .toolbox()
        .tools()
        .iter()
        .filter(|tool| word.is_none_or(|word| tool.exposed_name().contains(word)))
        .map(|tool| {
            let schema = Value::Object(tool.input_schema().clone());
            list::row(tool.exposed_name(), &schema, tool.description())
        });
    list::table(rows)
}

/// What was published, the newest first.
pub(super) fn values(state: &State) -> String {
    if state.is_empty() {
        return "nothing was published yet".to_owned();
    }
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["KEY", "VALUE", "FROM"]);
    for (key, entry) in state.newest_first() {
        table.add_row([
            key.to_string(),
            describe(entry.value.json()),
            format!("{}, turn {}", entry.tool, entry.turn),
        ]);
    }
    list::plain(&mut table)
}

/// Writes what was published as charts; a value that is none is passed over.
fn save(state: &State, folder: &Path) -> Result<(), CliError> {
    let charts: Vec<_> = state
        .iter()
        .flat_map(|(_, entry)| attachments::of_charts(entry.value.json()))
        .collect();
    if charts.is_empty() {
        printer::note("nothing to save: no charts were published yet");
    }
    for chart in &charts {
        printer::note(&chart.save(folder, "chart")?.to_string());
    }
    Ok(())
}

fn describe_tool(session: &Session, name: &str) -> Result<String, CliError> {
    let tool = session.tool(name)?;
    let mut text = format!("{} — {}\n", tool.exposed_name(), tool.description().trim());
    let properties = tool.input_schema().get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let kind = property.get("type").and_then(Value::as_str).unwrap_or("any");
        let about = property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        text += &format!("\n  {name}: {kind}\n      {}", about.replace('\n', "\n      "));
    }
    for (field, key) in tool.produces() {
        text += &format!("\n\n  publishes {field} as {}", key.handle());
    }
    Ok(text)
}
