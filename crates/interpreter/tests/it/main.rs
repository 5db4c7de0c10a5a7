//! Programs in real workers.

mod guards;
mod hostile;
mod programs;

use std::path::PathBuf;

use periplus_interpreter::{Config, Error, Interpreter, Limits, Outcome, Program, Table};
use serde_json::{Value, json};

/// An interpreter whose workers are the example `worker`, which cargo builds with the tests.
fn interpreter() -> Interpreter {
    Interpreter::new(Config::new(example("worker")))
}

fn example(name: &str) -> PathBuf {
    let mut folder: PathBuf = std::env::current_exe().expect("the test has a path");
    folder.pop();
    folder.pop();
    folder.join("examples").join(name)
}

async fn run(program: Program) -> Result<Outcome, Error> {
    interpreter().run(program).await
}

async fn python(code: &str) -> Result<Outcome, Error> {
    run(Program::python(code, vec![losses()])).await
}

async fn result_of(code: &str) -> Value {
    python(code).await.expect("the program runs").result
}

/// A program under tight limits: half a second and 64 MiB.
async fn bounded(code: &str) -> Result<Outcome, Error> {
    let mut program = Program::python(code, vec![losses()]);
    program.limits = Limits {
        time: std::time::Duration::from_millis(500),
        memory_bytes: 64 << 20,
        ..Limits::default()
    };
    run(program).await
}

fn losses() -> Table {
    let row = |place: &str, year: i64, area: Value| vec![json!(place), json!(year), area];
    Table {
        name: "rows".to_owned(),
        columns: ["name", "year", "area_ha"].map(str::to_owned).to_vec(),
        rows: vec![
            row("Pará", 2016, json!(10.5)),
            row("Pará", 2015, json!(4.0)),
            row("Acre", 2015, json!(1.25)),
            row("Acre", 2016, Value::Null),
        ],
    }
}
