//! SQL: one query over the tables, in a SQLite database that exists in memory alone.
//!
//! The authorizer lets a statement read, compute and recurse, nothing else. The statistics are there as functions:
//! `median`, `quantile`, `stdev`, `pct`, `round_half_even`, `sqrt` and `ln`; `sum` and `avg` are SQLite's.

use std::time::{Duration, Instant};

use rusqlite::{
    Connection, ErrorCode,
    functions::{Aggregate, Context, FunctionFlags},
    hooks::{AuthAction, AuthContext, Authorization},
    limits::Limit,
    types::{ToSqlOutput, Value as Cell, ValueRef},
};
use serde_json::{Map, Number, Value, value::RawValue};

use crate::{Program, Table, protocol::Ending, statistics};

/// Most rows of a result.
const MAX_ROWS: usize = 10_000;
/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS_PER_LOOK: i32 = 1_000;

/// Limits of SQLite's own, each far above an analysis and far below an attack.
const LIMITS: &[(Limit, i32)] = &[
    (Limit::SQLITE_LIMIT_LENGTH, 4 << 20),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 256),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Fills the database and runs the query.
pub(crate) fn run(program: &Program) -> Ending {
    let time = program.limits.time;
    let result_bytes = program.limits.result_bytes;
    let outcome = open(&program.tables, program.limits.memory_bytes)
        .and_then(|database| confine(database, time))
        .and_then(|database| query(&database, &program.code, result_bytes));
    match outcome {
        Ok(Ok(result)) => Ending::Result(result),
        Ok(Err(problem)) => Ending::Failed(problem),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Ending::Time,
            Some(ErrorCode::OutOfMemory) => Ending::Memory,
            _ => Ending::Failed(error.to_string()),
        },
    }
}

fn open(tables: &[Table], memory_bytes: usize) -> rusqlite::Result<Connection> {
    let mut database = Connection::open_in_memory()?;
    database.pragma_update(
        None,
        "hard_heap_limit",
        i64::try_from(memory_bytes).unwrap_or(i64::MAX),
    )?;
    database.pragma_update(None, "temp_store", "memory")?;
    let transaction = database.transaction()?;
    for table in tables {
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(column)).collect();
        let name = quoted(&table.name);
        transaction.execute_batch(&format!("create table {name} ({})", columns.join(", ")))?;
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert = transaction.prepare(&format!("insert into {name} values ({places})"))?;
        for row in &table.rows {
            let missing = std::iter::repeat(&Value::Null);
            let cells = row.iter().chain(missing).take(columns.len()).map(cell);
            insert.execute(rusqlite::params_from_iter(cells))?;
        }
    }
    transaction.commit()?;
    Ok(database)
}

/// An identifier in SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Integer(i64::from(*truth)),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Cell::Integer(whole),
            (None, Some(float)) => Cell::Real(float),
            (None, None) => Cell::Null,
        },
        Value::String(text) => Cell::Text(text.clone()),
        nested @ (Value::Array(_) | Value::Object(_)) => Cell::Text(nested.to_string()),
    }
}

/// Adds the functions, then takes everything away that a query does not need.
fn confine(mut database: Connection, time: Duration) -> rusqlite::Result<Connection> {
    add_functions(&database)?;
    for (limit, most) in LIMITS {
        database.set_limit(*limit, *most)?;
    }
    let started = Instant::now();
    database.progress_handler(STEPS_PER_LOOK, Some(move || started.elapsed() > time))?;
    database.authorizer(Some(|context: AuthContext<'_>| match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }))?;
    Ok(database)
}

type Rows = Result<Box<RawValue>, String>;

fn query(database: &Connection, code: &str, limit: usize) -> rusqlite::Result<Rows> {
    let mut statement = database.prepare(code)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    let mut result = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        if result.len() == MAX_ROWS {
            return Ok(Err(format!(
                "the result has more than {MAX_ROWS} rows; aggregate further, or use LIMIT"
            )));
        }
        let mut object = Map::new();
        for (index, column) in columns.iter().enumerate() {
            object.insert(column.clone(), json(row.get_ref(index)?));
        }
        let object = Value::Object(object);
        bytes += object.to_string().len() + 1;
        if bytes > limit {
            return Ok(Err(format!("the result has more than {limit} bytes as JSON")));
        }
        result.push(object);
    }
    let text = Value::Array(result).to_string();
    Ok(RawValue::from_string(text).map_err(|error| error.to_string()))
}

fn json(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(whole) => Value::from(whole),
        ValueRef::Real(float) => Number::from_f64(float).map_or(Value::Null, Value::Number),
        ValueRef::Text(text) | ValueRef::Blob(text) => Value::from(String::from_utf8_lossy(text)),
    }
}

fn add_functions(database: &Connection) -> rusqlite::Result<()> {
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    database.create_scalar_function("sqrt", 1, pure, |context| {
        Ok(context.get::<Option<f64>>(0)?.map(f64::sqrt))
    })?;
    database.create_scalar_function("ln", 1, pure, |context| {
        Ok(context.get::<Option<f64>>(0)?.map(f64::ln))
    })?;
    database.create_scalar_function("pct", 2, pure, |context| {
        let (part, whole) = (context.get::<Option<f64>>(0)?, context.get::<Option<f64>>(1)?);
        Ok(part
            .zip(whole)
            .and_then(|(part, whole)| statistics::pct(part, whole)))
    })?;
    for arguments in [1, 2] {
        database.create_scalar_function("round_half_even", arguments, pure, move |context| {
            let digits = if arguments == 2 { context.get::<i32>(1)? } else { 0 };
            Ok(context
                .get::<Option<f64>>(0)?
                .map(|value| statistics::round_half_even(value, digits)))
        })?;
    }
    database.create_aggregate_function(
        "median",
        1,
        pure,
        OfValues(|values, _| statistics::median(values)),
    )?;
    database.create_aggregate_function("stdev", 1, pure, OfValues(|values, _| statistics::stdev(values)))?;
    database.create_aggregate_function("quantile", 2, pure, OfValues(statistics::quantile))?;
    Ok(())
}

/// An aggregate over the values that are not null; the second argument, if there is one, is the share of a quantile.
struct OfValues(fn(&[f64], f64) -> Option<f64>);

impl Aggregate<(Vec<f64>, f64), ToSqlOutput<'static>> for OfValues {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<(Vec<f64>, f64)> {
        Ok((Vec::new(), 0.0))
    }

    fn step(&self, context: &mut Context<'_>, (values, q): &mut (Vec<f64>, f64)) -> rusqlite::Result<()> {
        if let Some(value) = context.get::<Option<f64>>(0)? {
            values.push(value);
        }
        if context.len() > 1 {
            *q = context.get(1)?;
        }
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        values: Option<(Vec<f64>, f64)>,
    ) -> rusqlite::Result<ToSqlOutput<'static>> {
        let result = values.and_then(|(values, q)| self.0(&values, q));
        Ok(ToSqlOutput::Owned(result.map_or(Cell::Null, Cell::Real)))
    }
}
