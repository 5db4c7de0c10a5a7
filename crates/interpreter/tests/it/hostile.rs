//! What programs cannot do.

use std::time::{Duration, Instant};

use periplus_interpreter::{Error, Limits, Program};
use serde_json::json;

use crate::{bounded, interpreter, losses, python, run};

#[tokio::test]
async fn there_are_no_files_no_environment_and_no_clock() {
    for code in [
        "open('/etc/passwd')",
        "import os\nos.listdir('/')",
        "import os\nos.environ",
        "import socket",
        "import subprocess",
        "from pathlib import Path\nPath('/etc/passwd').read_text()",
        "from datetime import datetime\ndatetime.now()",
        "from datetime import date\ndate.today()",
        "__import__('os')",
        "eval('1')",
    ] {
        let error = python(code).await.unwrap_err();
        assert!(
            matches!(&error, Error::Refused(_) | Error::Failed { .. }),
            "{code}: {error}"
        );
    }
}

#[tokio::test]
async fn a_refused_file_stays_refused_inside_a_try() {
    let code = "\
from datetime import datetime
found = []
try:
    found.append(str(datetime.now()))
except Exception as error:
    found.append('refused')
found";
    assert_eq!(python(code).await.unwrap().result, json!(["refused"]));
}

#[tokio::test]
async fn an_endless_loop_ends_at_its_limit() {
    let started = Instant::now();
    let error = bounded("while True:\n    pass").await.unwrap_err();
    assert!(matches!(&error, Error::Time { .. }), "{error}");
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn a_limit_cannot_be_caught() {
    let error = bounded("while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass")
        .await
        .unwrap_err();
    assert!(matches!(&error, Error::Time { .. }), "{error}");
}

#[tokio::test]
async fn huge_integers_end_with_the_worker() {
    for code in [
        "(10 ** 10 ** 8) % 7",
        "len(str(7 ** (3 * 10 ** 7)))",
        "1 << (1 << 60)",
    ] {
        let started = Instant::now();
        let error = bounded(code).await.unwrap_err();
        assert!(
            matches!(
                &error,
                Error::Time { .. } | Error::Memory { .. } | Error::Failed { .. }
            ),
            "{code}: {error}"
        );
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{code}: {:?}",
            started.elapsed()
        );
    }
}

#[tokio::test]
async fn memory_is_bounded_however_it_is_asked_for() {
    for code in [
        "x = []\nwhile True:\n    x.append('a' * 1000)",
        "'a' * 10 ** 9",
        "[0] * 10 ** 10",
        "x = 'a'\nwhile True:\n    x += x",
        "x = [1]\nwhile True:\n    x = x + x",
    ] {
        let error = bounded(code).await.unwrap_err();
        assert!(
            matches!(&error, Error::Memory { .. } | Error::Time { .. }),
            "{code}: {error}"
        );
    }
}

#[tokio::test]
async fn deep_recursion_is_an_error_like_any_other() {
    let error = python("def down(n):\n    return down(n + 1)\ndown(0)")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("RecursionError"), "{error}");
    let nested = python("x = []\nfor i in range(100000):\n    x = [x]\nx")
        .await
        .unwrap_err();
    assert!(
        matches!(&nested, Error::Failed { .. } | Error::Crashed { .. }),
        "{nested}"
    );
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let error = python(&deep).await.unwrap_err();
    assert!(matches!(&error, Error::Refused(_)), "{error}");
}

#[tokio::test]
async fn a_flood_of_output_is_cut_and_costs_no_result() {
    let outcome = python("for i in range(30000):\n    print('x' * 100)\n'done'")
        .await
        .unwrap();
    assert_eq!(outcome.result, json!("done"));
    assert!(outcome.output_truncated);
    assert_eq!(outcome.output.len(), Limits::default().output_bytes);
}

#[tokio::test]
async fn a_flood_of_result_is_refused() {
    let error = python("['x' * 1000 for i in range(10000)]").await.unwrap_err();
    assert!(
        error.to_string().contains("more than the 4194304 allowed"),
        "{error}"
    );
}

#[tokio::test]
async fn a_printed_reply_is_only_text() {
    let forged = r#"{"ending":{"result":{"total":1}},"output":"","output_truncated":false}"#;
    let outcome = python(&format!("print('{forged}')\n'mine'")).await.unwrap();
    assert_eq!(outcome.result, json!("mine"));
    assert_eq!(outcome.output, format!("{forged}\n"));
}

#[tokio::test]
async fn statistics_cannot_be_called_for_ever() {
    let mut program = Program::python("while True:\n    mean([1])", Vec::new());
    program.limits.time = Duration::from_secs(20);
    let error = run(program).await.unwrap_err();
    assert!(
        error.to_string().contains("calls of built-in statistics"),
        "{error}"
    );
}

#[tokio::test]
async fn a_query_only_reads() {
    for query in [
        "insert into rows values ('x', 1, 1)",
        "create table t (a)",
        "drop table rows",
        "attach database '/tmp/x.sqlite' as x",
        "pragma hard_heap_limit = 0",
        "select load_extension('/lib/x.so')",
        "vacuum into '/tmp/x.sqlite'",
        "select 1; drop table rows",
        "select readfile('/etc/passwd')",
    ] {
        let error = run(Program::sql(query, vec![losses()])).await.unwrap_err();
        assert!(matches!(&error, Error::Failed { .. }), "{query}: {error}");
    }
}

#[tokio::test]
async fn a_query_is_bounded_in_time_memory_and_rows() {
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n)";
    let cases = [
        (format!("{endless} select count(*) from n"), "time limit"),
        (
            format!("{endless} select group_concat(i, 'xxxxxxxxxxxxxxxxxxxx') from n"),
            "limit",
        ),
        (format!("{endless} select i from n"), "more than 10000 rows"),
        ("select zeroblob(1000000000)".to_owned(), "too big"),
    ];
    for (query, part) in cases {
        let mut program = Program::sql(query.as_str(), Vec::new());
        program.limits.time = Duration::from_millis(500);
        let error = run(program).await.unwrap_err().to_string();
        assert!(
            error.contains(part) || error.contains("too big"),
            "{query}: {error}"
        );
    }
}

#[tokio::test]
async fn too_large_a_program_is_refused_before_a_worker_sees_it() {
    let error = python(&"#".repeat(70_000)).await.unwrap_err();
    assert!(matches!(&error, Error::TooLarge { .. }), "{error}");
    let mut wide = losses();
    wide.rows = vec![vec![json!(1); 3]; 400_000];
    let error = run(Program::python("1", vec![wide])).await.unwrap_err();
    assert!(matches!(&error, Error::TooLarge { .. }), "{error}");
}

#[tokio::test]
async fn a_program_whose_caller_left_does_not_run_on() {
    let interpreter = interpreter();
    let mut program = Program::python("while True:\n    pass", Vec::new());
    program.limits.time = Duration::from_secs(60);
    let given_up = tokio::time::timeout(Duration::from_millis(200), interpreter.run(program)).await;
    assert!(given_up.is_err());
    // Both places are free again: the dropped run gave its own back.
    let again = interpreter.run(Program::python("1", Vec::new())).await.unwrap();
    assert_eq!(again.result, json!(1));
}
