"""Pages that are asked for again: what the store says of them, which boards hold them, and what the commands
print.
"""

import json
from pathlib import Path

import pytest
from committed import with_sources

from truerate import cli
from truerate.config.layout import Layout, beside
from truerate.core.errors import TruerateError
from truerate.core.schemas import Document, Generation, Reject, frame, generation_row, pairs, write_parquet
from truerate.pipeline import graph
from truerate.pipeline.repair.invalidate import ask_pages_again, ask_query_again
from truerate.web.outcomes import Outcome, Page
from truerate.web.stats import forget, forget_queries, pages_of, queries_of, reason, stats, transient
from truerate.web.store import PageStore

BOARD, OTHER = "wildhallucinations-closed-world", "mfava-closed-world"
GOOD = Page("http://good/", Outcome.OK, "", "http://good/last", 200, "text/html", "utf-8", b"<p>Varn</p>")
GONE = Page("http://gone/", Outcome.STATUS, "404", "http://gone/", 404)
BUSY = Page("http://busy/", Outcome.STATUS, "503", "http://busy/", 503)
LATE = Page("http://late/", Outcome.TIMEOUT, "not within 5 s", "http://late/")
SLOW = Page("http://slow/", Outcome.OK, "", "http://slow/", 200, "text/html", "utf-8", b"<ul><li>")
RULES = Page("http://lost/", Outcome.ROBOTS, "robots.txt: 500", "http://lost/", 500)
SHUT = Page("http://shut/", Outcome.ROBOTS, "disallowed", "http://shut/")
OFF = Page("http://off/", Outcome.ERROR, "the host is not known", "http://off/")
NONE = Page("ftp://none/", Outcome.ERROR, "neither http nor https", "ftp://none/")


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    """The committed settings with sources, and a store with pages of every kind."""
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    layout = with_sources(tmp_path, monkeypatch)
    with PageStore.of(layout) as store:
        for page in (GOOD, GONE, BUSY, LATE, SLOW, RULES, SHUT, OFF, NONE):
            store.keep("", page, "limits")
        store.keep("a world", GOOD, "limits")
        store.keep("a world", BUSY, "limits")
        store.keep_slow("", SLOW.url, "limits of reading", "not read within 5 s")
    return layout


def reject(page: Page) -> dict:
    known = {"where": "evidence", "row": None, "target_id": "i", "text": ""}
    return known | {"reason": page.outcome.value, "detail": f"{page.url}: {page.detail}"}


def evidence(config: Layout, *rejects: Page, documents=()) -> Path:
    """The files of the step that fetches, and of one that reads them, as a build leaves them."""
    (path,) = map(Path, graph.files(config, BOARD, "evidence"))
    write_parquet(frame(Generation), path)
    write_parquet(frame(Reject, [reject(page) for page in rejects]), beside(str(path), "rejects"))
    write_parquet(frame(Document, [document(url) for url in documents]), beside(str(path), "documents"))
    after = Path(graph.files(config, BOARD, "generate", "aster")[0])
    write_parquet(frame(Generation), after)
    return path


def document(url: str) -> dict:
    known = {
        "document_id": "d",
        "lang": "en",
        "title": "",
        "text": "Varn",
        "source": "web",
        "licence": "not stated",
        "dated": None,
    }
    return known | {"url": url, "is_wikipedia": False}


def test_pages_are_counted_by_what_became_of_them_and_those_that_may_pass_stand_apart(at):
    with PageStore.of(at) as store:
        counted = stats(store)
    assert counted.rows() == [
        ("ok", 200, False, 2),
        ("error", None, False, 1),
        ("robots", None, False, 1),
        ("status", 404, False, 1),
        ("too-slow", 200, False, 1),
        ("status", 503, True, 2),
        ("error", None, True, 1),
        ("robots", 500, True, 1),
        ("timeout", None, True, 1),
    ]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("all", {BUSY, LATE, RULES, OFF}), ("timeout", {LATE}), ("status", {BUSY}), ("503", {BUSY}), ("502", set()), ("robots", {RULES}),
        ("error", {OFF}),
    ],
)  # fmt: skip
def test_those_that_may_pass_are_found_by_reason(wanted, found, at):
    with PageStore.of(at) as store:
        assert {page.url for _, page in transient(store, wanted)} == {page.url for page in found}


@pytest.mark.parametrize("wanted", ["ok", "too-slow", "not-html", "", "5xx", "timeouts"])
def test_a_reason_that_does_not_pass_is_refused(wanted, at):
    with (
        PageStore.of(at) as store,
        pytest.raises(TruerateError, match="allowed: all, error, robots, status, timeout, or a status such"),
    ):
        transient(store, wanted)


def test_only_the_pages_that_were_named_are_forgotten(at):
    with PageStore.of(at) as store:
        assert (
            forget(store, transient(store, "status")) == 2 and forget(store, pages_of(store, GOOD.url)) == 2
        )
        assert sorted(reason(page) for _, page in store.pages()) == sorted(
            ["status", "too-slow", "timeout", "robots", "robots", "error", "error"]
        )
        with pytest.raises(TruerateError, match="does not hold it; `truerate web stats ok` lists"):
            pages_of(store, "ftp://elsewhere")
        with pytest.raises(TruerateError, match="does not hold it; it holds '"):
            pages_of(store, next(page.url for _, page in store.pages()) + "/")


def test_a_board_holds_a_page_as_reject_or_document_in_its_data_set_or_scratch_files(at):
    assert ask_pages_again(at, [BUSY]) == []
    write_parquet(frame(Reject, [reject(BUSY)]), Path(at.dataset(OTHER, "rejects")))
    path = evidence(at, LATE, documents=[GOOD.final_url])
    assert ask_pages_again(at, []) == ask_pages_again(at, [OFF]) == [] and path.is_file()
    assert ask_pages_again(at, [BUSY]) == [OTHER] and path.is_file()
    assert ask_pages_again(at, [GOOD]) == [BOARD]
    assert not list(
        Path(at.p.paths.build).rglob("*.parquet")
    )  # the step's files, what lies beside, and what was made from them
    evidence(at, LATE)
    assert ask_pages_again(at, [BUSY, LATE]) == [OTHER, BOARD]


def test_the_commands_say_what_they_did(at, capsys):
    evidence(at, BUSY)
    assert (
        cli.main(["web", "stats"]) == 0
        and "may_pass" in (said := capsys.readouterr().out)
        and "too-slow" in said
    )
    assert cli.main(["web", "stats", "--json"]) == 0
    assert {"reason": "status", "status": 503, "may_pass": True, "n_pages": 2} in json.loads(
        capsys.readouterr().out
    )
    assert cli.main(["web", "stats", "503", "--json"]) == 0
    assert {(one["reason"], one["status"]) for one in json.loads(capsys.readouterr().out)} == {
        ("status", 503)
    }
    assert cli.main(["web", "stats", "404"]) == 0 and capsys.readouterr().out.split()[:2] == [
        "reason",
        "status",
    ]
    assert (
        cli.main(["web", "stats", "nonsense"]) == 2 and "allowed: duplicate, empty" in capsys.readouterr().err
    )
    assert cli.main(["web", "retry", "503"]) == 0
    assert (
        capsys.readouterr().out
        == f"2 pages forgotten; the next `dvc repro` asks for them again, on {BOARD}\n"
    )
    assert cli.main(["web", "retry", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"n_forgotten": 3, "boards": []}
    assert cli.main(["web", "retry"]) == 0 and capsys.readouterr().out == "no pages to forget\n"
    assert cli.main(["web", "forget", GONE.url]) == 0
    assert (
        capsys.readouterr().out
        == "1 page forgotten; the next `dvc repro` asks for those that it still needs\n"
    )
    assert cli.main(["web", "retry", "never"]) == cli.main(["web", "forget", "http://nowhere/"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


# ---- queries -----------------------------------------------------------------------------------------------
def searched(query: str) -> dict:
    """The row of a search."""
    known = {"generation_id": f"s {query}", "item_id": "i", "purpose": "search", "model": "web", "text": ""}
    return generation_row(**known, attributes=pairs(name=query, documents="d", n_results=1))


def test_a_query_is_forgotten_under_every_service_and_number_of_results(at):
    with PageStore.of(at) as store:
        for scope, query, n in (
            ("", "Varn", 10),
            ("", "Varn", 3),
            ("a world", "Varn", 10),
            ("", "Varn Abbey", 10),
        ):
            store.keep_results(scope, query, n, [{"link": GOOD.url}])
        assert forget_queries(store, queries_of(store, "Varn")) == 2
        assert store.queries() == [("", "Varn Abbey")] and store.results("", "Varn", 3) is None
        assert store.page("", GOOD.url, "limits").outcome is Outcome.OK  # the page that it led to stays
        with pytest.raises(
            TruerateError, match="query 'Varn Abby': .* does not hold it; it holds 'Varn Abbey'$"
        ):
            queries_of(store, "Varn Abby")
        with pytest.raises(TruerateError, match="does not hold it; it holds 1 others$"):
            queries_of(store, "Korl")


def test_boards_that_searched_for_a_query_are_made_again_and_no_others(at):
    path = evidence(at, documents=[GOOD.final_url])
    write_parquet(frame(Generation, [searched("Varn")]), path)
    assert ask_query_again(at, "Varn Abbey") == [] and path.is_file()
    write_parquet(frame(Generation, [searched("Varn Abbey")]), Path(at.dataset(OTHER, "generations")))
    assert ask_query_again(at, "Varn Abbey") == [OTHER] and path.is_file()
    assert ask_query_again(at, "Varn") == [BOARD]
    assert not list(Path(at.p.paths.build).rglob("*.parquet"))  # and what was made from it


def test_the_command_forgets_an_address_or_a_query(at, capsys):
    assert cli.main(["web", "forget", "--query", "Varn"]) == 2
    assert capsys.readouterr().err.endswith("does not hold it; it holds no query\n")
    with PageStore.of(at) as store:
        store.keep_results("", "Varn", 10, [])
        store.keep_results("a world", "Varn", 10, [])
        store.keep_results("", "Korl", 10, [])
    write_parquet(frame(Generation, [searched("Korl")]), evidence(at))
    assert cli.main(["web", "forget", "--query", "Korl"]) == 0
    assert (
        capsys.readouterr().out
        == f"1 query forgotten; the next `dvc repro` asks for them again, on {BOARD}\n"
    )
    assert cli.main(["web", "forget", "--query", "Varn", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"n_forgotten": 2, "boards": []}
    assert cli.main(["web", "forget"]) == cli.main(["web", "forget", GONE.url, "--query", "Varn"]) == 2
    assert "name an address or --query TEXT, not neither" in (said := capsys.readouterr().err)
    assert "not both" in said and len(said.splitlines()) == 2
