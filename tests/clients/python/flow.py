"""What every official client must be able to do with a running server, whatever its API is called.

A client is an async function `connect(url, headers)`, a context manager that gives an object with
`tools()` (names) and `call(name, arguments)` (a `Result`).
"""

import hashlib
import json
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass


@dataclass
class Result:
    is_error: bool
    structured: dict | None
    text: str


def expect(condition, what):
    if not condition:
        raise AssertionError(what)
    print(f"ok {what}", flush=True)


async def hello(connect, url):
    async with connect(url, {}) as client:
        expect(await client.tools() == ["hello"], "hello is listed")
        result = await client.call("hello", {"name": "Ada"})
        expect(result.structured == {"message": "Hello, Ada!"}, "hello answers with a structured result")
        expect(json.loads(result.text) == result.structured, "the text is the structured result")
        result = await client.call("hello", {"nme": "Ada"})
        expect(result.is_error and "name" in result.text, "a mistyped argument is an error that names the right one")


async def credential(connect, url):
    async with connect(url, {}) as client:
        result = await client.call("whoami", {})
        expect(result.is_error and "x-demo-token" in result.text, "a missing credential is an error that names the header")
    async with connect(url, {"X-Demo-Token": "s3"}) as client:
        result = await client.call("whoami", {})
        account = "user-" + hashlib.sha256(b"s3").hexdigest()[:8]
        expect(result.structured and result.structured["account"] == account, "the credential header reaches the tool")


async def research(connect, url):
    """The six steps: capabilities, facets, select, rank, objects, evidence."""
    async with connect(url, {}) as client:

        async def ask(name, arguments):
            result = await client.call(name, arguments)
            expect(not result.is_error and result.structured, f"{name} answers" + (f" ({result.text})" if result.is_error else ""))
            return result.structured

        capabilities = await ask("collection_capabilities", {})
        expect(capabilities["snapshot"], "the snapshot has an id")
        facets = await ask("collection_facets", {"field": "department", "prefix": "isl", "pageSize": 10})
        department = facets["values"][0]["value"]
        predicate = {
            "all": [
                {"field": "department", "op": "eq", "value": department},
                {"not": {"field": "medium", "op": "contains_normalized", "value": "silver"}},
            ]
        }
        selected = await ask("collection_select", {"predicate": predicate, "pageSize": 25})
        expect(0 < selected["counts"]["eligibleCount"] <= 2000, "the selection is small enough to rank")
        ranked = await ask(
            "collection_rank",
            {
                "selection": selected["selection"],
                "anchor": {"type": "topic_text", "topicText": "garden landscape"},
                "axis": "topic",
                "method": "lexical_bm25_v1",
                "pageSize": 10,
                "maxCandidates": 2000,
                "includeUnscored": True,
            },
        )
        best = ranked["results"][0]
        objects = await ask("collection_objects", {"objectIds": [best["objectId"]]})
        expect([found["objectId"] for found in objects["objects"]] == [best["objectId"]], "the best object is hydrated")
        evidence = await ask("collection_evidence", {"evidenceIds": best["evidenceIds"]})
        expect(not evidence["missingEvidenceIds"], "all evidence of the best object resolves")
        expect(len(evidence["evidence"]) == len(best["evidenceIds"]), "every evidence id has an item")


async def stac(connect, url):
    # The bundled recording answers where no catalogue can be reached.
    async with connect(url, {}) as client:
        found = await client.call("search_collections", {"query": "sentinel", "limit": 3})
        expect(not found.is_error and found.structured["collections"], "collections of the catalogue are found")
        collection = found.structured["collections"][0]["id"]
        shown = await client.call("show_map", {"collection_id": collection})
        expect(not shown.is_error and collection in shown.structured["message"], "a collection found is shown on a map")


def wait_until_ready(base, seconds=90):
    """The first start builds the embedded catalogue; until then the server says 503."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"{base}/health/readiness"):
                return
        except urllib.error.HTTPError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


async def run(connect):
    base = sys.argv[1].rstrip("/")
    wait_until_ready(base)
    with urllib.request.urlopen(f"{base}/") as response:
        urls = {name: entry["url"] for name, entry in json.load(response)["connections"].items()}
    await hello(connect, urls["hello"])
    await credential(connect, urls["credential-demo"])
    await stac(connect, urls["stac-explorer"])
    if "met" in urls:
        await research(connect, urls["met"])
