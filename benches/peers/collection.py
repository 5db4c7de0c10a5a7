"""What SQLite with FTS5, DuckDB and NumPy need for the collection benchmark's questions.

usage: collection.py BIG.csv FOLDER

Loads BIG.csv once into FOLDER, then prints one JSON object: question -> peer -> median milliseconds,
and under "answers" the counts the questions gave, so that the caller can hold them against its own.
"""

import csv
import json
import os
import re
import sqlite3
import statistics
import sys
import time
import unicodedata

# OpenBLAS settings of the surroundings would slow the peer down.
os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)

import duckdb
import numpy as np
import pyarrow as pa

SOURCE, FOLDER = sys.argv[1], sys.argv[2]
TEXT_COLUMNS = [
    "Title", "Department", "Object Name", "Classification", "Culture", "Medium", "Object Date", "Tags",
    "Artist Display Name", "City", "State", "Country", "Region",
]
COLUMNS = "id title department object_name culture medium country tags public begin_year end_year text".split()

SELECT = (
    "select id from o where department in ('Islamic Art', 'Asian Art') and not (medium like '%silver%') "
    "and begin_year <= 1700 and end_year >= 1500 and public order by id"
)
QUESTIONS = {
    "select": SELECT,
    "substring": "select count(*) from o where text like '%garden%'",
    "facet": "select medium, count(*) from o where medium is not null group by medium order by medium limit 25",
    "facet_within": (
        "select culture, count(*) from o where department = 'Asian Art' and culture is not null "
        "group by culture order by culture limit 25"
    ),
}


def norm(text):
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return re.sub(r"\s+", " ", "".join(c for c in folded if not unicodedata.combining(c))).strip()


def rows(path):
    csv.field_size_limit(10**9)
    with open(path, newline="", encoding="utf-8-sig") as file:
        for cells in csv.DictReader(file):
            yield (
                int(cells["Object ID"]), cells["Title"], cells["Department"], cells["Object Name"],
                cells["Culture"] or None, cells["Medium"] or None, cells["Country"] or None, cells["Tags"] or None,
                cells["Is Public Domain"] == "True", int(cells["Object Begin Date"] or 0),
                int(cells["Object End Date"] or 0), norm(" ".join(cells[name] for name in TEXT_COLUMNS)),
            )


def load_sqlite(path):
    db = sqlite3.connect(path)
    db.execute("pragma journal_mode = off")
    db.execute("pragma synchronous = off")
    db.execute(f"create table o({', '.join(COLUMNS)}, primary key(id))".replace("id,", "id integer,", 1))
    db.executemany(f"insert into o values({','.join('?' * len(COLUMNS))})", rows(SOURCE))
    for column in ("department", "culture", "country", "begin_year"):
        db.execute(f"create index i_{column} on o({column})")
    db.execute("create virtual table ft using fts5(text, content='o', content_rowid='id')")
    db.execute("insert into ft(rowid, text) select id, text from o")
    db.execute("analyze")
    db.commit()
    db.close()


def load_duckdb(path, source):
    table = list(zip(*source.execute("select * from o")))
    arrow = pa.table({name: list(values) for name, values in zip(COLUMNS, table)})
    db = duckdb.connect(path)
    db.register("arrow", arrow)
    db.execute("create table o as select * from arrow")
    db.close()


def median_ms(question, runs=9):
    question()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        answer = question()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), answer


def main():
    os.makedirs(FOLDER, exist_ok=True)
    sqlite_path, duckdb_path = os.path.join(FOLDER, "peer.sqlite"), os.path.join(FOLDER, "peer.duckdb")
    report = {"import": {}, "answers": {}}
    if not os.path.exists(sqlite_path):
        start = time.perf_counter()
        load_sqlite(sqlite_path)
        report["import"]["sqlite_ms"] = (time.perf_counter() - start) * 1000
    sqlite = sqlite3.connect(sqlite_path)
    sqlite.execute("pragma cache_size = -400000")
    sqlite.execute("pragma mmap_size = 2000000000")
    if not os.path.exists(duckdb_path):
        load_duckdb(duckdb_path, sqlite)
    duck = duckdb.connect(duckdb_path, read_only=True)
    duck.execute("pragma threads = 2")
    for name, query in QUESTIONS.items():
        sqlite_ms, sqlite_answer = median_ms(lambda: sqlite.execute(query).fetchall())
        duckdb_ms, duckdb_answer = median_ms(lambda: duck.execute(query).fetchall())
        report[name] = {"sqlite": sqlite_ms, "duckdb": duckdb_ms}
        count = sqlite_answer[0][0] if name == "substring" else len(sqlite_answer)
        other = duckdb_answer[0][0] if name == "substring" else len(duckdb_answer)
        assert count == other, (name, count, other)
        report["answers"][name] = count
    within = [r[0] for r in sqlite.execute("select id from o where department = 'Asian Art' order by id limit 5000")]
    sqlite.execute("create temp table eligible(id integer primary key)")
    sqlite.executemany("insert into eligible values(?)", [(i,) for i in within])
    bm25_ms, _ = median_ms(lambda: sqlite.execute(
        "select rowid, bm25(ft) from ft where ft match 'garden OR landscape' "
        "and rowid in (select id from eligible) order by bm25(ft) limit 25").fetchall())
    report["bm25"] = {"sqlite": bm25_ms}
    vectors = np.random.default_rng(0).standard_normal((5000, 1152), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine_ms, _ = median_ms(lambda: np.argsort(-(vectors @ vectors[0]))[:25], 51)
    report["cosine_5000"] = {"numpy": cosine_ms}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
