//! Python programs, run by monty: tables in, the value of the last expression out.

mod host;
mod lint;
mod values;

use std::borrow::Cow;

use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, PrintWriter,
    PrintWriterCallback, ResourceLimits, ResourceTracker,
};

pub use self::host::HOST_FUNCTIONS;
use crate::{Limits, Program, protocol::Ending, worker::Output};

/// The name a program has in its tracebacks.
const SCRIPT: &str = "analysis.py";

/// Most calls of host functions and look-ups of their names in one run. Each costs a copy of its arguments.
const MAX_HOST_CALLS: usize = 100_000;

/// The language, described to whoever writes a program.
pub const DIALECT: &str = "\
The program runs in a small Python without files, network, clock or packages.
The value of the last expression is the result: dictionaries, lists, text, numbers, None.
Available: functions, lambdas, comprehensions, generator expressions, f-strings (also with format specs), try/except,
plain classes; the modules math, json, re, datetime, collections (defaultdict, Counter, deque, namedtuple), itertools
(accumulate, chain, islice, pairwise, zip_longest and others, not groupby), functools (reduce, partial).
Not available: pandas, numpy, statistics, csv, decimal, random, time, os; class inheritance, yield, match, del, with,
decorators, percent formatting (`\"%s\" % x`), complex numbers, sorted(key=str.lower) (write a lambda), eval, open.
Use these built-in functions instead; None counts as missing and is skipped:
mean(values), median(values), quantile(values, q), stdev(values), linreg(xs, ys) -> {slope, intercept, r2},
group_sum(rows, keys, value) -> rows of keys and sums, ordered by key, top_n(rows, key, n) -> the n largest rows,
pct(part, whole), round_half_even(value, digits).";

/// Checks a program and runs it.
pub(crate) fn run(program: Program, output: &mut Output) -> Ending {
    let findings = lint::check(&program.code);
    if !findings.is_empty() {
        return Ending::Refused(findings);
    }
    let limits = program.limits;
    match execute(program, output) {
        Ok(value) => match values::to_json(&value, limits.result_bytes) {
            Ok(result) => Ending::Result(result),
            Err(problem) => Ending::Failed(format!("the result cannot be passed on: {problem}")),
        },
        Err(error) => ending_of(&error),
    }
}

fn execute(program: Program, output: &mut Output) -> Result<MontyObject, MontyException> {
    let names = program.tables.iter().map(|table| table.name.clone()).collect();
    let run = MontyRun::new(program.code, SCRIPT, names, CompileOptions::default())?;
    let inputs = program.tables.into_iter().map(values::from_table).collect();
    let mut progress = run.start(inputs, tracker(&program.limits), PrintWriter::Callback(output))?;
    let mut calls = 0;
    loop {
        calls += 1;
        if calls > MAX_HOST_CALLS {
            return Err(MontyException::new(
                ExcType::RuntimeError,
                Some(format!("more than {MAX_HOST_CALLS} calls of built-in statistics")),
            ));
        }
        let print = PrintWriter::Callback(output);
        progress = match progress {
            RunProgress::Complete(value) => return Ok(value),
            RunProgress::NameLookup(lookup) => {
                let found = NameLookupResult::from(host::function(&lookup.name));
                lookup.resume(found, print)?
            }
            RunProgress::FunctionCall(call) => {
                let result = match host::call(&call.function_name, &call.args, &call.kwargs) {
                    Ok(value) => ExtFunctionResult::Return(value),
                    Err(error) => ExtFunctionResult::Error(error),
                };
                call.resume(result, print)?
            }
            RunProgress::OsCall(call) => call.resume(nothing_outside(), print)?,
            RunProgress::ResolveFutures(_) => return Err(nothing_outside()),
        };
    }
}

fn tracker(limits: &Limits) -> ResourceTracker {
    ResourceTracker::new(
        ResourceLimits::default()
            .max_duration(limits.time)
            .max_memory(limits.memory_bytes),
    )
}

fn nothing_outside() -> MontyException {
    MontyException::new(
        ExcType::PermissionError,
        Some("there is nothing outside this program: no files, no network, no clock".to_owned()),
    )
}

fn ending_of(error: &MontyException) -> Ending {
    match error.exc_type() {
        ExcType::TimeoutError => Ending::Time,
        ExcType::MemoryError => Ending::Memory,
        _ => Ending::Failed(error.to_string()),
    }
}

impl PrintWriterCallback for Output {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.push(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.push(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}
