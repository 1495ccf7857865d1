"""Free prompts checked claim by claim: models, search and pages over HTTP on loopback, with planted truth."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import yaml

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.schemas import (
    Document,
    Generation,
    Item,
    Judgement,
    Reject,
    Sample,
    frame,
    pairs,
    validate,
)
from truerate.llm.dry_run import DryRun, assumed_reply
from truerate.llm.replies.lists.revisions import read_revisions
from truerate.sources.collection import SourceTables
from truerate.tracks.asking import Prompter
from truerate.tracks.wildhallucinations import dataset, evidence, steps
from truerate.tracks.wildhallucinations import facts as writing
from truerate.tracks.wildhallucinations.crosschecks import steps as crosschecks
from truerate.tracks.wildhallucinations.protocol import assumed, assumed_evidence, faults, services
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import by_key, generation

BOARD = "wildhallucinations-closed-world"
BASE = yaml.safe_load((Path(__file__).parents[3] / "params.yaml").read_text("utf-8"))
HOLM, TARN = "Who was Ida Holm, and was her work good?", "Describe Lake Tarn."
REPLIES = {
    HOLM: "Ida Holm was born in Varn in 1902. She wrote two books. All of them are lovely.",
    TARN: "Lake Tarn is very deep. Lake Tarn freezes in winter.",
}
FACTS = {
    text: "\n".join(f"[{n}] {part.strip(' .')}." for n, part in enumerate(text.split(". "), 1))
    for text in REPLIES.values()
}
REVISED = {
    HOLM: "[1] Ida Holm was born in Varn in 1902.\n[2] Ida Holm wrote two books.\n[3] not checkable",
    TARN: "[1] Lake Tarn is very deep.\n[2] Lake Tarn freezes in winter.",
}
# what a query finds: of the claim as it was written a page about somebody else, which would support it
FOUND = {
    "Ida Holm was born in Varn in 1902.": "born",
    "Ida Holm wrote two books.": "books",
    "She wrote two books.": "other",
    "Lake Tarn freezes in winter.": "gone",
}
PAGES = {
    "born": "Ida Holm was born in Varn in 1902. She went to school there for nine years.",
    "books": "Ida Holm wrote three books about the sea. None of them was ever translated.",
    "other": "Of Mona Dahl little is known. She wrote two books. Both of them are lost now.",
}


class Handler(BaseHTTPRequestHandler):
    """One server for the model, its search and the pages that this finds."""

    def do_GET(self):
        """A search, a page, or nothing."""
        url, web = urlparse(self.path), self.server
        if url.path == "/search":
            query = parse_qs(url.query)["q"][0]
            web.queries.append(query)
            name = FOUND.get(query)
            link = f"http://127.0.0.1:{web.server_port}/{name}"
            self.send(
                json.dumps({"items": [{"link": link, "title": name}] if name else []}), "application/json"
            )
        elif url.path[1:] in PAGES:
            self.send(f"<html><body><main><p>{PAGES[url.path[1:]]}</p></main></body></html>", "text/html")
        else:
            self.send_error(404)

    def do_POST(self):
        """A reply of the model, by the last heading of what it is asked."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = body["messages"][-1]["content"]
        prompt = next((prompt for prompt in REPLIES if prompt in text), HOLM)
        if text.endswith("#Facts#:"):
            reply = FACTS[REPLIES[prompt]]
        elif text.endswith("Claims#:"):
            reply = REVISED[prompt]
        elif text.endswith("#Verdicts#:"):
            claims = text.partition("#Claims#")[2]
            passages = text.partition("#Claims#")[0]
            lines = [line for line in claims.splitlines() if line.startswith("[")]
            words = [("" if line.partition("] ")[2] in passages else "not ") + "supported" for line in lines]
            reply = "\n".join(f"[{n}] {word}" for n, word in enumerate(words, 1))
        else:
            reply = REPLIES[text]
        message = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
        self.send(
            json.dumps({"id": "x", "object": "chat.completion", "choices": [message]}), "application/json"
        )

    def send(self, text: str, kind: str) -> None:
        """Send a whole answer."""
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def web(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.queries = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def layout(port: int, **settings) -> Layout:
    values = yaml.safe_load(yaml.safe_dump(BASE))
    values["endpoints"]["loopback"] = {"base_url": f"http://127.0.0.1:{port}/v1", "is_simulated": True}
    values["models"] |= {name: {"endpoint": "loopback", "model": name} for name in "mn"}
    track = values["tracks"]["wildhallucinations"]
    track.update(fact_writer="m", verifier="m", subjects=["m"], claims="revised", evidence="claim")
    track.update(settings)
    track["verification"].update(n_checked=0, facts_per_call=1, verdicts="three")
    track["search"].update(endpoint="loopback", url="/search", **settings.get("search", {}))
    track["fetch"].update(
        proxy=None, allowed_private=["127.0.0.1"], user_agent="t (t@example.org)", per_host_s=0
    )
    return Layout(Params.model_validate(values | {"n_shards": 1})).on(BOARD)


def tables() -> SourceTables:
    rows = [
        {"item_id": name, "group_id": name, "source": "s", "task": "entity", "lang": "en", "document_ids": [],
         "history": "", "question": prompt, "right_answer": None, "attributes": pairs(name=prompt, is_prompt="true")}
        for name, prompt in (("holm", HOLM), ("tarn", TARN))
    ]  # fmt: skip
    empty = (frame(table) for table in (Sample, Judgement, Reject))
    return SourceTables(frame(Document), frame(Item, rows), *empty, {})


def built(config: Layout):
    """The rows of the steps, the tables of the data set, and the scores by metric, subject and slice."""
    given = tables()
    _, none = evidence.evidence(config, BOARD, "web", given, 0, {})
    replied = steps.generate(config, BOARD, "m", given, 0, {})
    rows, beside = steps.facts(config, BOARD, "m", given, 0, {"generate": replied})
    assert none["documents"].is_empty()  # no prompt is searched for
    for model, data in ((Generation, rows), (Judgement, beside["judgements"]), (Reject, beside["rejects"])):
        validate(model, data, where="here")
    made, tasks = dataset.exported(config, BOARD, given, {"generate": replied, "facts": rows}, beside)
    names = ("items", "samples", "judgements", "generations", "facts", "rejects")
    parts = {name: made[name] for name in names}
    scores, _ = score(config, BOARD, **parts, documents=beside["documents"], inputs="digest")
    return made, beside, tasks, by_key(scores)


def test_planted_claims_are_recovered_through_a_search_for_each(web):
    made, beside, tasks, scores = built(layout(web.server_port))
    texts = dict(made["facts"].select("text", "fact_id").iter_rows())
    # three facts as they were written, one self-contained; what nobody can check stays
    assert set(texts) == {
        *list(FOUND)[:2],
        "Lake Tarn freezes in winter.",
        "Lake Tarn is very deep.",
        "All of them are lovely.",
    }
    assert sorted(web.queries) == sorted(set(texts) - {"All of them are lovely."})
    judged = {row["target_id"]: row for row in made["judgements"].to_dicts()}
    said = {text: judged[name] for text, name in texts.items()}
    assert {text: (row["verdict"], row["status"], row["reason"]) for text, row in said.items()} == {
        "Ida Holm was born in Varn in 1902.": (False, "ok", None),
        "Ida Holm wrote two books.": (True, "ok", None),
        "All of them are lovely.": (None, "abstained", "not-checkable"),
        "Lake Tarn is very deep.": (True, "ok", None),  # nothing is found that speaks of it
        "Lake Tarn freezes in winter.": (None, "unparsed", "no-page"),  # what is found cannot be read
    }
    assert sorted(beside["documents"]["title"]) == ["books", "born"]
    assert beside["rejects"]["target_id"].to_list() == [texts["Lake Tarn freezes in winter."]]
    assert made["rejects"].filter(where="evidence").height == 1
    value = lambda *key: scores[key]["value"]  # noqa: E731
    # Holm 1 of 2, Tarn 0 of the 1 with a verdict; K is 1, the median of 1 and 0 rounded up: F1 2·(1/2)·1/(3/2), 0
    assert value("wildfactscore", "m", "raw", "all") == pytest.approx((1 / 2 + 0) / 2)
    assert value("f1_at_k", "m", "1") == pytest.approx((2 / 3 + 0) / 2)
    assert (value("revised_rate", "m"), value("checkable_rate", "m")) == (1 / 5, 4 / 5)
    assert (value("unread_claim_rate", "m"), value("no_page_claim_rate", "m")) == (0, 2 / 4)
    assert value("n_facts", "m") == 4 and value("unparsed_fact_rate", "m", "all") == 1 / 4
    assert (
        value("n_entities", "entities", "other") == 2
        if ("n_entities", "entities", "other") in scores
        else True
    )
    assert not any(task["text"] == "All of them are lovely." for task in tasks)


def test_claims_as_they_were_written_find_what_they_say_and_a_second_build_asks_nothing(web):
    config = layout(web.server_port, claims="written")
    _, _, _, scores = built(config)
    # two of three: somebody else wrote two books; the third, found nowhere, is not supported
    assert scores["wildfactscore", "m", "raw", "all"]["value"] == pytest.approx((2 / 3 + 0) / 2)
    n = len(web.queries)
    assert n == 5 and ("revised_rate", "m") not in scores
    assert built(config)[3] == scores and len(web.queries) == n


def test_a_further_verifier_judges_the_same_claims_by_the_same_pages_and_searches_for_nothing(web):
    config, given = layout(web.server_port, verifiers=["n"]), tables()
    replied = steps.generate(config, BOARD, "m", given, 0, {})
    rows, beside = steps.facts(config, BOARD, "m", given, 0, {"generate": replied})
    n, upstream = len(web.queries), {"generate": replied, "facts": rows, "documents": beside["documents"]}
    _, further = crosschecks.reverify(config, BOARD, "n", given, 0, upstream)
    columns = ("target_id", "verdict", "status", "reason")
    first, second = (of["judgements"].select(columns).sort("target_id") for of in (beside, further))
    assert first.equals(second) and first.height == 5 and len(web.queries) == n


def test_claims_of_a_long_reply_are_revised_part_by_part():
    config = layout(9, facts_by="paragraph")
    words = " ".join(["word"] * 45)
    text = f"Ida Holm wrote {words}.\n\nShe sang {words}.\n\nIt is good {words}."
    reply = generation("r", "holm", "m", "generate", text)
    replied = frame(Generation, [reply])
    prompter = Prompter.of(config, BOARD)
    asked = writing.write_requests([reply], {"holm": HOLM}, prompter)
    written = [
        generation(f"w{n}", "holm", "m", "write_facts", f"[1] She did {n}.")
        | {"attributes": pairs(**question.attributes)}
        for n, question in enumerate(asked)
    ]
    asked, claims = writing.revise_requests(replied, frame(Generation, written), {"holm": HOLM}, prompter)
    replies = ["[1] Holm did 0.", "no", "[1] not checkable"]
    read = [
        writing.read_revised(question, text, claims) for question, text in zip(asked, replies, strict=True)
    ]
    assert [(one.status, one.attributes["n_changed"], one.attributes["n_checkable"]) for one in read] == [
        ("ok", "1", "1"), ("unparsed", "0", "0"), ("ok", "0", "0"),
    ]  # fmt: skip
    revised = [
        generation(f"v{n}", "holm", "m", "revise_facts", one.text, one.status, one.reason)
        | {"attributes": pairs(**question.attributes)}
        for n, (question, one) in enumerate(zip(asked, read, strict=True))
    ]
    rows = frame(Generation, [reply, *written, *revised])
    made = writing.facts_of(rows)
    assert made["text"].to_list() == ["Holm did 0.", "She did 1.", "She did 2."]
    assert writing.uncheckable(rows) == {made["fact_id"][2]}


def test_a_plan_counts_the_calls_and_a_query_per_assumed_fact(web):
    config, given = layout(web.server_port), tables()
    asking = lambda step: DryRun(  # noqa: E731
        lambda key, request: assumed_reply(key, assumed(step, key, request, config.p.track(BOARD)))
    )
    replied = steps.generate(config, BOARD, "m", given, 0, {}, asking=asking("generate"))
    rows, _ = steps.facts(config, BOARD, "m", given, 0, {"generate": replied}, asking=asking("facts"))
    counts = dict(rows.group_by("purpose").len().iter_rows())
    assert counts == {"write_facts": 2, "revise_facts": 2, "search_claim": 60, "verify_facts": 60}
    line, _ = services(config, BOARD, {("evidence", "web"): assumed_evidence(config, BOARD, given, {})})
    assert (line["step"], line["n_calls"]) == ("search", 60) and not web.queries


def test_a_board_without_a_search_for_claims_is_told_so_in_one_line():
    config = layout(9)
    search = config.p.track(BOARD).search.model_copy(update={"url": None})
    tracks = config.p.tracks | {
        "wildhallucinations": config.p.track(BOARD).model_copy(update={"search": search})
    }
    at = Layout(config.p.model_copy(update={"tracks": tracks})).on(BOARD)
    assert [line for line in faults(at, BOARD) if "'claim'" in line] == [
        "tracks.wildhallucinations.evidence is 'claim', and there is no search for claims; name one in search.service or search.url"
    ]


@pytest.mark.parametrize(
    "reply, claims",
    [
        ("[1] A is B.\n[2] not checkable", ("A is B.", "")),
        ("Sure:\n[1] “A is B.”\n[2] Not checkable (opinion).", ("A is B.", "")),
        ("[1] Not checkable claims are rare.\n[2] A.\n[2] B.", ("Not checkable claims are rare.", None)),
        ("[2] A is B.", (None, "A is B.")),
        ("I cannot do that.", None),
    ],
)
def test_revised_claims_are_read_by_their_numbers(reply, claims):
    assert read_revisions(reply, 2).value == claims
