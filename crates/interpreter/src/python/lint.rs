//! What a program uses that the interpreter does not have, all of it at once.
//!
//! The interpreter itself stops at the first such thing, and a model that wrote five needs five tries. Only what is
//! sure to fail is reported: this is no style check.

use ruff_python_ast::{
    Expr, Number, Operator, Stmt,
    visitor::{Visitor, walk_expr, walk_stmt},
};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextSize};

use crate::Finding;

/// Deepest nesting of expressions and blocks.
const MAX_NESTING: u16 = 150;
/// Most findings in one report.
const MAX_FINDINGS: usize = 30;

/// Modules there are, and the names of theirs that there are not.
const MODULES: &[(&str, &[&str])] = &[
    (
        "collections",
        &["OrderedDict", "ChainMap", "UserDict", "UserList", "abc"],
    ),
    ("dataclasses", &[]),
    ("datetime", &[]),
    (
        "functools",
        &[
            "lru_cache",
            "cache",
            "cmp_to_key",
            "cached_property",
            "singledispatch",
            "wraps",
        ],
    ),
    (
        "itertools",
        &["groupby", "product", "combinations", "permutations", "tee"],
    ),
    ("json", &[]),
    ("math", &["fsum", "hypot", "prod", "dist"]),
    ("re", &[]),
    ("typing", &["TypedDict"]),
    ("unicodedata", &[]),
    ("__future__", &[]),
];

/// Functions there are not.
const FUNCTIONS: &[&str] = &[
    "breakpoint",
    "compile",
    "dir",
    "eval",
    "exec",
    "globals",
    "help",
    "input",
    "locals",
    "memoryview",
    "open",
    "vars",
    "__import__",
];

/// Built-in types whose methods cannot be named without an object.
const BUILTIN_TYPES: &[&str] = &["str", "list", "dict", "set", "tuple", "int", "float", "bytes"];

/// Everything in `code` that cannot run, by line.
pub(super) fn check(code: &str) -> Vec<Finding> {
    let options = ParseOptions::from(Mode::Module).with_max_recursion_depth(MAX_NESTING);
    let parsed = parse_unchecked(code, options);
    let mut lint = Lint {
        code,
        findings: Vec::new(),
    };
    for error in parsed.errors() {
        lint.report(error.location.start(), format!("syntax error: {}", error.error));
    }
    if lint.findings.is_empty()
        && let Some(module) = parsed.syntax().as_module()
    {
        lint.visit_body(&module.body);
    }
    lint.findings.sort_by_key(|finding| finding.line);
    lint.findings.truncate(MAX_FINDINGS);
    lint.findings
}

struct Lint<'a> {
    code: &'a str,
    findings: Vec<Finding>,
}

impl Lint<'_> {
    fn report(&mut self, at: TextSize, message: impl Into<String>) {
        let before = self.code.get(..at.to_usize()).unwrap_or(self.code);
        self.findings.push(Finding {
            line: before.matches('\n').count() + 1,
            message: message.into(),
        });
    }

    fn import(&mut self, at: TextSize, module: &str, names: &[&str]) {
        let root = module.split('.').next().unwrap_or(module);
        let Some((_, missing)) = MODULES.iter().find(|(name, _)| *name == root) else {
            self.report(at, format!("no module `{module}`; {}", instead_of(root)));
            return;
        };
        for name in names.iter().filter(|name| missing.contains(name)) {
            self.report(at, format!("`{module}` has no `{name}`; {}", instead_of(name)));
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let at = statement.start();
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.import(at, &alias.name, &[]);
                }
            }
            Stmt::ImportFrom(import) => {
                let names: Vec<&str> = import.names.iter().map(|alias| alias.name.as_str()).collect();
                match &import.module {
                    Some(module) if import.level == 0 => self.import(at, module, &names),
                    _ => self.report(at, "no module to import from: the program is alone"),
                }
            }
            Stmt::ClassDef(class) => {
                let bases = class
                    .arguments
                    .as_ref()
                    .is_some_and(|arguments| !arguments.args.is_empty() || !arguments.keywords.is_empty());
                if bases {
                    self.report(at, "a class cannot inherit; use functions and dictionaries");
                }
            }
            Stmt::FunctionDef(function) if !function.decorator_list.is_empty() => {
                self.report(at, "no decorators on functions; call the function instead");
            }
            Stmt::Match(_) => self.report(at, "no `match`; use if and elif"),
            Stmt::Delete(_) => self.report(at, "no `del`; build a new list or dictionary, or use pop()"),
            Stmt::With(_) => self.report(at, "no `with`: there are no files or locks"),
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expr) {
        let at = expression.start();
        match expression {
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.report(at, "no `yield`; collect into a list and return it");
            }
            Expr::NumberLiteral(number) if matches!(number.value, Number::Complex { .. }) => {
                self.report(at, "no complex numbers");
            }
            Expr::BinOp(operation)
                if operation.op == Operator::Mod
                    && matches!(*operation.left, Expr::StringLiteral(_) | Expr::FString(_)) =>
            {
                self.report(at, "no percent formatting; use an f-string");
            }
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) if FUNCTIONS.contains(&name.id.as_str()) => {
                    self.report(at, format!("no function `{}`; {}", name.id, instead_of(&name.id)));
                }
                // Calling a method of a type, `str.lower(text)`, is no better than naming it.
                _ => {}
            },
            Expr::Attribute(attribute) => {
                let Expr::Name(owner) = &*attribute.value else {
                    return;
                };
                let (owner, name) = (owner.id.as_str(), attribute.attr.as_str());
                if BUILTIN_TYPES.contains(&owner)
                    && !matches!(name, "fromkeys" | "fromhex" | "from_bytes" | "maketrans")
                {
                    self.report(
                        at,
                        format!("no `{owner}.{name}` by itself; write a lambda: lambda x: x.{name}()"),
                    );
                } else if MODULES
                    .iter()
                    .any(|(module, missing)| *module == owner && missing.contains(&name))
                {
                    self.report(at, format!("`{owner}` has no `{name}`; {}", instead_of(name)));
                }
            }
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Lint<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.statement(statement);
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.expression(expression);
        walk_expr(self, expression);
    }
}

/// What to write instead of something that is missing.
fn instead_of(name: &str) -> &'static str {
    match name {
        "statistics" | "numpy" | "scipy" => {
            "call mean, median, quantile, stdev or linreg, which are built in"
        }
        "pandas" | "polars" => "the rows are lists of dictionaries; group with group_sum, rank with top_n",
        "fsum" => "sum() will do, and group_sum is exact",
        "prod" | "hypot" | "dist" => "write the loop",
        "groupby" => "use a defaultdict(list), or group_sum",
        "product" | "combinations" | "permutations" => "write nested loops",
        "OrderedDict" => "dictionaries keep their order",
        "lru_cache" | "cache" => "keep a dictionary",
        "cmp_to_key" => "sort with key=",
        "decimal" | "fractions" => "use floats, and round_half_even to round",
        "operator" => "write a lambda",
        "os" | "sys" | "io" | "pathlib" | "socket" | "subprocess" | "urllib" | "requests" | "open"
        | "input" => "there is nothing outside the program",
        "time" | "random" => "results must not depend on the moment or on chance",
        "csv" => "the tables are already rows",
        _ => "write it without",
    }
}

#[cfg(test)]
mod tests;
