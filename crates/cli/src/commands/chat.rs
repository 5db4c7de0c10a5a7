//! `chat`: an agent in the terminal.

use futures::{FutureExt as _, StreamExt as _};
use periplus_agent::{
    Agent, AgentError, Interrupt, RunContext, ThreadId, TurnEvent, TurnResult, TurnStream, UserMessage,
};
use periplus_llm::Provider;
use periplus_runtime::client::Credentials;
use periplus_state::{HANDLE_PREFIX, InspectRequest, Moment, Toolbox, inspect};
use tokio::{
    runtime::Runtime,
    signal::unix::{Signal, SignalKind, signal},
};

use super::{App, list, remote, repl};
use crate::{
    agent::{self, Prepared},
    args::Chat as Arguments,
    chat::{COMMANDS, Form, Line, Screen},
    config::nearest,
    exit::{CliError, Exit, Outcome},
    printer,
    repl::{Input, Next, Vocabulary},
};

/// Name of the history file in the user's data folder.
const HISTORY: &str = "chat-history";
const PROMPT: &str = "you> ";

const HELP: &str = "\
  /tools               list the tools that the agent has
  /state               list the values that tools have published in this thread
  /inspect KEY [PATH]  show a value or a part of it, such as features[0].id
  /new                 begin a new thread
  /quit                end (also Ctrl-D); Ctrl-C ends a running turn

Everything else is a message.";

pub(crate) fn run(app: &App, arguments: &Arguments) -> Outcome {
    let thread = match &arguments.thread {
        Some(id) => {
            ThreadId::parse(id).map_err(|error| CliError::usage(format!("--thread {id:?}: {error}")))?
        }
        None => ThreadId::random(),
    };
    let headers = remote::given_headers(&arguments.headers)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let prepared = runtime.block_on(agent::prepare(app, &headers))?;
    let mut input = Input::open(app.settings.data_dir().map(|folder| folder.join(HISTORY)))?;
    welcome(&prepared, &thread, input.is_terminal());
    let toolsets = prepared.agent.toolsets();
    if toolsets.connected().is_empty() && !toolsets.unreachable().is_empty() {
        let nothing = nothing_to_work_with();
        // A person may go on, and a server that comes back is found; a script would get an answer from nothing.
        if !input.is_terminal() {
            return Err(nothing);
        }
        printer::error(&nothing);
    }
    let credentials = Credentials::new(prepared.headers.iter().map(|(name, value)| (name, value)))?;
    let interrupt = {
        let _guard = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    let mut chat = Chat {
        agent: prepared.agent.clone(),
        credentials,
        thread,
        runtime,
        interrupt,
        has_failed: false,
    };
    let ended = chat.read_lines(&mut input);
    let is_terminal = input.is_terminal();
    input.close();
    chat.runtime.shutdown_background();
    ended?;
    // A person has seen what failed; a script looks at the exit code.
    Ok(if chat.has_failed && !is_terminal {
        Exit::Answer
    } else {
        Exit::Success
    })
}

fn nothing_to_work_with() -> CliError {
    CliError {
        exit: Exit::Connect,
        message: "no server can be reached, so there are no tools".to_owned(),
        hint: Some(
            "name an index, a server's root or an address that ends in /mcp, or none to use the toolsets of this program"
                .to_owned(),
        ),
    }
}

/// Says what the agent has, and what it lacks.
fn welcome(prepared: &Prepared, thread: &ThreadId, is_terminal: bool) {
    let toolsets = prepared.agent.toolsets();
    let names: Vec<&str> = toolsets
        .connected()
        .iter()
        .map(|connected| connected.name.as_str())
        .collect();
    if is_terminal {
        let model = match prepared.model.provider() {
            Provider::Guide => "The guide".to_owned(),
            _ => prepared.model.to_string(),
        };
        printer::note(&format!(
            "{model} answers, with {} tools of {}.\n/help tells what can be typed; Ctrl-C ends a running turn.\nGo on later with: periplus chat --thread {thread}\n",
            toolsets.tools().len(),
            if names.is_empty() {
                "no toolset".to_owned()
            } else {
                names.join(", ")
            },
        ));
    }
    prepared
        .notes
        .iter()
        .for_each(|note| printer::note(&format!("note: {note}")));
    for server in toolsets.unreachable() {
        printer::warning(&format!("cannot reach {server}"));
    }
    toolsets
        .warnings()
        .iter()
        .for_each(|warning| printer::warning(warning));
    let is_given = |header: &str| {
        prepared
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case(header))
    };
    for connected in toolsets.connected() {
        let declared = connected.credential_headers().unwrap_or_default();
        for header in declared.iter().filter(|header| !is_given(header)) {
            printer::note(&format!(
                "note: {} takes the credential {header}; give it with -H",
                connected.name
            ));
        }
    }
}

struct Chat {
    agent: Agent,
    credentials: Credentials,
    thread: ThreadId,
    runtime: Runtime,
    interrupt: Signal,
    has_failed: bool,
}

impl Chat {
    fn read_lines(&mut self, input: &mut Input) -> Result<(), CliError> {
        // A thread that was left at a question begins with it.
        let waiting = self
            .runtime
            .block_on(self.agent.thread(&self.thread))
            .map_err(|error| failure(&error))?;
        if let Some(thread) = waiting {
            let answered = self.answer_all(input, thread.interrupts());
            self.report(answered)?;
        }
        loop {
            if input.is_terminal() {
                input.learn(Vocabulary::of_commands(&COMMANDS, &*self.state()?));
            }
            let line = match input.next(PROMPT, &self.runtime, &mut self.interrupt)? {
                Next::Line(line) => line,
                Next::Again => continue,
                Next::End => return Ok(()),
            };
            if input.is_terminal() {
                // An interrupt that came too late for the last turn is not meant for this one.
                while self.interrupt.recv().now_or_never().flatten().is_some() {}
            }
            match Line::parse(&line) {
                Ok(Line::Quit) => return Ok(()),
                Ok(line) => {
                    let obeyed = self.obey(input, line);
                    self.report(obeyed)?;
                }
                Err(error) => self.report(Err(error))?,
            }
        }
    }

    /// Shows what went wrong and goes on, unless nobody reads the output any more or the program is to end.
    fn report(&mut self, outcome: Result<(), CliError>) -> Result<(), CliError> {
        match outcome {
            Err(error) if matches!(error.exit, Exit::Success | Exit::Interrupted) => Err(error),
            Err(error) => {
                self.has_failed = true;
                printer::error(&error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn obey(&mut self, input: &mut Input, line: Line) -> Result<(), CliError> {
        match line {
            Line::Nothing | Line::Quit => {}
            Line::Help => printer::data(HELP)?,
            Line::Tools => printer::data(&self.tools())?,
            Line::State => printer::data(&repl::values(&*self.state()?))?,
            Line::Inspect { key, path } => printer::data(&self.inspect(&key, path)?)?,
            Line::New => {
                self.thread = ThreadId::random();
                printer::note(&format!("thread {}", self.thread));
            }
            Line::Message(text) => {
                let context = self.context();
                let cancel = context.cancel.clone();
                let message = UserMessage::from(text.as_str());
                let stream = self
                    .runtime
                    .block_on(self.agent.stream_turn(context, message))
                    .map_err(|error| failure(&error))?;
                let result = self.show(stream, &cancel)?;
                self.answer_all(input, result.interrupts)?;
            }
        }
        Ok(())
    }

    fn context(&self) -> RunContext {
        let mut context = RunContext::new(self.thread.clone());
        context.credentials = self.credentials.clone();
        context
    }

    fn state(&self) -> Result<std::sync::Arc<periplus_state::State>, CliError> {
        let thread = self
            .runtime
            .block_on(self.agent.thread(&self.thread))
            .map_err(|error| failure(&error))?;
        Ok(thread.map(|thread| thread.state).unwrap_or_default())
    }

    /// A value, or a part of it, over as many lines as it takes.
    fn inspect(&self, key: &str, path: Option<String>) -> Result<String, CliError> {
        let state = self.state()?;
        let key = key.strip_prefix(HANDLE_PREFIX).unwrap_or(key);
        if state.get(key).is_none() && key != "*" {
            let near = nearest(key, state.newest_first().into_iter().map(|(key, _)| key.as_str()));
            let hint = near.map_or_else(
                || "/state lists the keys".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            return Err(CliError::answer(format!("nothing is published under {key}")).hint(hint));
        }
        let request = InspectRequest {
            key: key.to_owned(),
            path,
            ..InspectRequest::default()
        };
        let text = inspect(&request, Moment::Now(&state), &Toolbox::default());
        Ok(printer::legible(text))
    }

    fn tools(&self) -> String {
        let toolsets = self.agent.toolsets();
        let rows = toolsets.tools().iter().map(|tool| {
            let schema = serde_json::from_str(tool.remote.input_schema.get()).unwrap_or_default();
            list::row(
                &tool.offered_name,
                &schema,
                tool.remote.description.as_deref().unwrap_or_default(),
            )
        });
        list::table(rows)
    }

    /// Shows a run as it goes; Ctrl-C cancels it.
    fn show(
        &mut self,
        mut stream: TurnStream,
        cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<TurnResult, CliError> {
        let mut screen = Screen::default();
        loop {
            let next = self.runtime.block_on(async {
                tokio::select! {
                    item = stream.next() => Some(item),
                    _ = self.interrupt.recv() => None,
                }
            });
            match next {
                None => cancel.cancel(),
                Some(Some(Ok(TurnEvent::Finished(result)))) => {
                    screen.end(&result)?;
                    return Ok(*result);
                }
                Some(Some(Ok(event))) => screen.show(event)?,
                Some(Some(Err(error))) => {
                    screen.flush()?;
                    return Err(failure(&error));
                }
                Some(None) => return Err(failure(&AgentError::BrokenOff(self.thread.clone()))),
            }
        }
    }

    /// Asks every open question, goes on with the answers, and so on until none is open.
    fn answer_all(&mut self, input: &mut Input, mut questions: Vec<Interrupt>) -> Result<(), CliError> {
        while !questions.is_empty() {
            let mut answers = Vec::new();
            for question in &questions {
                let form = Form::of(question);
                printer::prose(&format!("\n{}", form.message()))?;
                match self.fill_in(input, &form)? {
                    Some(values) => answers.push(form.answer(values)),
                    None => answers.push(form.declined()),
                }
            }
            let context = self.context();
            let cancel = context.cancel.clone();
            let stream = self
                .runtime
                .block_on(self.agent.resume(context, answers))
                .map_err(|error| failure(&error))?;
            questions = self.show(stream, &cancel)?.interrupts;
        }
        Ok(())
    }

    /// The values of all fields; nothing if the person declines.
    fn fill_in(
        &mut self,
        input: &mut Input,
        form: &Form,
    ) -> Result<Option<Vec<serde_json::Value>>, CliError> {
        let mut values = Vec::new();
        for field in &form.fields {
            for line in field.lines() {
                printer::prose(&line)?;
            }
            let prompt = format!("{}> ", field.hint());
            loop {
                let line = match input.answer(&prompt, &self.runtime, &mut self.interrupt)? {
                    Next::Line(line) => line,
                    Next::Again | Next::End => String::new(),
                };
                match field.read(&line) {
                    Ok(Some(value)) => break values.push(value),
                    Ok(None) => return Ok(None),
                    Err(hint) if input.is_terminal() => printer::note(&hint),
                    Err(hint) => return Err(CliError::answer(format!("{line:?} is no answer")).hint(hint)),
                }
            }
        }
        Ok(Some(values))
    }
}

fn failure(error: &AgentError) -> CliError {
    CliError::answer(error.to_string())
}
