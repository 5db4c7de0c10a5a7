//! What programs can do.

use std::time::Duration;

use periplus_interpreter::{Error, Program, Table};
use serde_json::json;

use crate::{interpreter, losses, python, result_of, run};

#[tokio::test]
async fn the_last_expression_is_the_result() {
    let result = result_of(
        "total = sum(r['area_ha'] for r in rows if r['name'] == 'Pará')\n{'total': total, 'n': len(rows)}",
    )
    .await;
    assert_eq!(result, json!({ "total": 14.5, "n": 4 }));
}

#[tokio::test]
async fn built_in_statistics_skip_what_is_missing() {
    let code = "\
areas = [r['area_ha'] for r in rows]
{
    'mean': mean(areas), 'median': median(areas), 'q': quantile(areas, q=1), 'stdev': round_half_even(stdev(areas), 3),
    'line': linreg([1, 2, 3], [2.0, None, 6.0]),
    'sums': group_sum(rows, ['year'], 'area_ha'),
    'top': [r['name'] for r in top_n(rows, 'area_ha', 2)],
    'pct': pct(1, 4), 'none': pct(1, 0),
}";
    assert_eq!(
        result_of(code).await,
        json!({
            "mean": 5.25, "median": 4.0, "q": 10.5, "stdev": 4.75,
            "line": { "slope": 2.0, "intercept": 0.0, "r2": 1.0 },
            "sums": [{ "year": 2015, "area_ha": 5.25 }, { "year": 2016, "area_ha": 10.5 }],
            "top": ["Pará", "Pará"],
            "pct": 25.0, "none": null,
        })
    );
}

#[tokio::test]
async fn printed_text_comes_back_beside_the_result() {
    let outcome = python("print('total', 3, sep='=')\nNone").await.unwrap();
    assert_eq!(
        (outcome.output.as_str(), outcome.result),
        ("total=3\n", json!(null))
    );
}

#[tokio::test]
async fn an_error_of_the_program_has_its_traceback() {
    let error = python("x = 1\nrows[99]").await.unwrap_err();
    let Error::Failed { message, .. } = &error else {
        panic!("{error}")
    };
    assert!(
        message.contains("line 2") && message.contains("IndexError"),
        "{message}"
    );
}

#[tokio::test]
async fn a_wrong_call_of_a_statistic_says_how_to_call_it() {
    for (code, part) in [
        ("mean('abc')", "must be a list"),
        ("mean([])", "too few values"),
        ("group_sum(rows, 'place', 'area_ha')", "no 'place'"),
        ("pct(1)", "`whole` is missing"),
        ("top_n(rows, 'area_ha', 1, 2)", "top_n(rows, key, n)"),
    ] {
        let error = python(code).await.unwrap_err().to_string();
        assert!(error.contains(part), "{code}: {error}");
    }
}

#[tokio::test]
async fn what_the_language_lacks_is_refused_before_anything_runs() {
    let error = python("print(1)\nimport pandas\nclass A(dict): pass")
        .await
        .unwrap_err();
    let Error::Refused(findings) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        findings.iter().map(|finding| finding.line).collect::<Vec<_>>(),
        [2, 3]
    );
    assert!(
        error.to_string().contains("line 2: no module `pandas`"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_no_data_is_no_result() {
    for code in ["lambda: 1", "10 ** 40", "{(1, 2): 3}"] {
        let error = python(code).await.unwrap_err();
        assert!(matches!(&error, Error::Failed { .. }), "{code}: {error}");
    }
    assert_eq!(
        result_of("[float('nan'), float('inf'), (1, {2})]").await,
        json!([null, null, [1, [2]]])
    );
}

#[tokio::test]
async fn a_query_sees_the_tables_and_the_statistics() {
    let query =
        "select name, sum(area_ha) as area_ha, median(area_ha) as middle, quantile(area_ha, 1.0) as most,
        round_half_even(2.675, 2) as r, pct(1, 8) as p from rows group by name order by area_ha desc";
    let outcome = run(Program::sql(query, vec![losses()])).await.unwrap();
    assert_eq!(
        outcome.result,
        json!([
            { "name": "Pará", "area_ha": 14.5, "middle": 7.25, "most": 10.5, "r": 2.67, "p": 12.5 },
            { "name": "Acre", "area_ha": 1.25, "middle": 1.25, "most": 1.25, "r": 2.67, "p": 12.5 },
        ])
    );
}

#[tokio::test]
async fn one_interpreter_serves_many_programs_one_worker_each() {
    let interpreter = interpreter();
    interpreter.warm();
    let mut running = tokio::task::JoinSet::new();
    for n in 0..6 {
        let interpreter = interpreter.clone();
        running.spawn(async move {
            let outcome = interpreter
                .run(Program::python(format!("x = {n}\nx * 2"), Vec::new()))
                .await;
            (n, outcome.unwrap().result)
        });
    }
    while let Some(done) = running.join_next().await {
        let (n, result) = done.unwrap();
        assert_eq!(result, json!(n * 2));
    }
}

#[tokio::test]
async fn five_thousand_rows_are_a_matter_of_moments() {
    let table = Table {
        name: "rows".to_owned(),
        columns: vec!["day".to_owned(), "area_ha".to_owned()],
        rows: (0..5_000)
            .map(|n| vec![json!(n % 30), json!(f64::from(n) / 7.0)])
            .collect(),
    };
    let interpreter = interpreter();
    interpreter.warm();
    let outcome = interpreter
        .run(Program::python(
            "len(group_sum(rows, 'day', 'area_ha'))",
            vec![table],
        ))
        .await
        .unwrap();
    assert_eq!(outcome.result, json!(30));
    assert!(outcome.elapsed < Duration::from_secs(5), "{:?}", outcome.elapsed);
}

#[tokio::test]
async fn a_name_that_is_no_name_is_refused() {
    for name in ["", "1a", "a b", "a;drop", "é"] {
        let mut table = losses();
        table.name = name.to_owned();
        let error = run(Program::python("1", vec![table])).await.unwrap_err();
        assert!(matches!(&error, Error::TableName { .. }), "{name}: {error}");
    }
    let error = run(Program::python("1", vec![losses(), losses()]))
        .await
        .unwrap_err();
    assert!(matches!(&error, Error::TableName { .. }), "{error}");
}

#[tokio::test]
async fn a_worker_that_cannot_be_started_is_named() {
    let missing =
        periplus_interpreter::Interpreter::new(periplus_interpreter::Config::new("/nonexistent/worker"));
    let error = missing.run(Program::python("1", Vec::new())).await.unwrap_err();
    assert!(error.to_string().contains("/nonexistent/worker"), "{error}");
}
