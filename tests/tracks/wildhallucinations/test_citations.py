"""Citations of replies that came with results of a search: marks, what the verifier is shown, and recall,
precision and F1 against fractions derived by hand.
"""

import json
import re
from dataclasses import replace

import polars as pl
import pytest

from truerate.core.schemas import Document, Generation, Item, Judgement, Score, frame, pair, validate
from truerate.llm.request import Reply
from truerate.tracks.wildhallucinations.crosschecks import steps as crosschecks
from truerate.tracks.wildhallucinations.crosschecks.citing import CITATION, SENTENCE, precise
from truerate.tracks.wildhallucinations.crosschecks.marks import address, cited, unmarked
from truerate.tracks.wildhallucinations.facts import facts_of
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import At, Params, Settings, by_key, generation, item, judgement, reply, tables
from .tiny_world import BOARD, Tables, layout

URL = "https://www.example.org/a"
MARKS = [
    ("It is old [1].", (1,), (), "It is old."),
    ("It is old.[2][3]", (2, 3), (), "It is old."),
    ("It is old [1, 3], and tall [3].", (1, 3), (), "It is old, and tall."),
    ("It is old [1–3].", (1, 2, 3), (), "It is old."),
    ("It is old【2】 and tall [^1].", (2, 1), (), "It is old and tall."),
    ("It is old (source: 2).", (2,), (), "It is old."),
    ("It is old [Sources 1 and 3].", (1, 3), (), "It is old."),
    ("It is old [doc1][doc2].", (1, 2), (), "It is old."),
    ("It is old ([example.org](https://example.org/a/)).", (1,), (), "It is old."),
    ("It is [old](http://example.org/a#part) enough.", (1,), (), "It is old enough."),
    ("It is old [7].", (), ("7",), "It is old."),
    ("It is old [3-1][0].", (), ("3–1", "0"), "It is old."),
    ("It is old (https://other.org/x).", (), ("other.org/x",), "It is old."),
    ("It was built in [1999] (2001), see (2).", (), (), "It was built in [1999] (2001), see (2)."),
    ("[2] It is an entry of a list.", (), (), "It is an entry of a list."),
    ("Nothing is cited.", (), (), "Nothing is cited."),
]


@pytest.mark.parametrize(("sentence", "numbers", "dangling", "bare"), MARKS)
def test_marks_name_results_by_number_and_address_and_what_was_never_told_dangles(
    sentence, numbers, dangling, bare
):
    assert cited(sentence, 3, {address(URL): 1}) == (numbers, dangling)
    assert unmarked(sentence).removeprefix("[2] ") == bare


# Whether results support the sentence: both, a alone, b alone; then whether a is precise (ALCE, section 3).
PRECISE = [
    ((True, True, True), True),
    ((True, True, False), True),
    ((True, False, True), False),  # b alone supports it: a adds nothing
    ((True, False, False), True),  # neither does without the other
    ((False, True, True), False),  # together they do not support it
    ((None, True, True), None),
    ((True, None, True), None),
]


@pytest.mark.parametrize(("verdicts", "expected"), PRECISE)
def test_a_citation_is_precise_where_it_supports_alone_or_the_others_do_not_without_it(verdicts, expected):
    assert precise((1, 2), 1, dict(zip([(1, 2), (1,), (2,)], verdicts, strict=True))) is expected


# ---- the step ----------------------------------------------------------------------------------------------

# The verifier supports a claim where every capital word of it stands in the passages that it is shown.
RESULTS = [
    {"url": "https://x.org/one", "title": "One", "text": "ALPHA is told here."},
    {"url": "https://x.org/two", "title": "Two", "text": "BETA is told here, and ALPHA."},
    {"url": "https://x.org/three", "title": "Three", "text": ""},
    {"url": "https://x.org/page", "title": "Page", "text": "Nothing of it."},
]
TEXT = (
    "It has ALPHA [1]. "  # supported: recall 1, [1] precise
    "It has ALPHA and BETA [1][2]. "  # by [2] alone: [1] is not precise, [2] is
    "It has GAMMA [2][4]. "  # by the page at the fourth address alone: [2] is not precise, [4] is
    "It has DELTA [1][9]. "  # not supported: [1] is not precise, [9] dangles
    "It has BETA. "  # no citation
    "It has BETA [3]. "  # of the third result no text is known
    "Is that all?"  # states nothing: no fact is taken from it
)
N_FACTS = 6


class Scripted:
    """Answers what the verifier is asked by the capital words, and keeps what it was asked."""

    def __init__(self, answer: str = ""):
        self.asked, self.answer = list[tuple[list[str], str]](), answer

    def __call__(self, requests, config, *, label):
        return [self._reply(request) for request in requests]

    def _reply(self, request) -> Reply:
        if self.answer:
            return Reply("key", "ok", self.answer, "stop", None, 1, 1, 0.0, False)
        parts = re.findall(r"<data-\w+>\n(.*?)\n</data-", request.messages[-1]["content"], re.S)
        passages, claims = parts[1], parts[2].splitlines()
        self.asked.append((claims, passages))
        lines = [
            f"{claim.split()[0]} "
            + (
                "supported"
                if all(word in passages for word in re.findall(r"[A-Z]{3,}", claim))
                else "not supported"
            )
            for claim in claims
        ]
        return Reply(f"key {len(self.asked)}", "ok", "\n".join(lines), "stop", None, 1, 1, 0.0, False)


def cited_by(text: str, results: list | None, n_facts: int = N_FACTS, answer: str = ""):
    config = layout(subjects=("aster",))
    pages = [("page", "https://www.x.org/page/", "It has much, and GAMMA too.")]
    documents = [
        {"document_id": name, "lang": "en", "title": "", "text": words, "url": url, "source": "web"}
        | {"licence": "not stated", "dated": None, "is_wikipedia": False}
        for name, url, words in pages
    ]
    told = {} if results is None else {"retrieved": json.dumps(results)}
    replied = generation("g", "x", "aster", "generate", text, **told)
    lines = "\n".join(f"[{number}] It has fact number {number}." for number in range(1, n_facts + 1))
    written = generation("w", "x", "quill", "write_facts", lines, generation="g", n_sentences=n_facts)
    source = Tables(frame(Item, [item("x")]), frame(Document, documents))
    upstream = {"generate": frame(Generation, [replied]), "facts": frame(Generation, [written])}
    asking = Scripted(answer)
    rows, beside = crosschecks.cite(config, BOARD, "aster", source, 0, upstream, asking=asking)
    facts = facts_of(pl.concat([*upstream.values()]))
    return rows, beside["judgements"], asking, (upstream, facts)


def test_sentences_and_citations_are_judged_by_what_they_cite_alone():
    rows, judged, asking, (upstream, facts) = cited_by(TEXT, RESULTS)
    validate(Generation, rows, where="rows"), validate(Judgement, judged, where="judged")
    assert sorted(facts["sentence_index"].unique()) == [0, 1, 2, 3, 4, 5]
    stage = pair("attributes", "stage")
    verdicts = dict(judged.filter(stage == SENTENCE).select("target_id", "verdict").iter_rows())
    assert verdicts == {"g:0": False, "g:1": False, "g:2": False, "g:3": True, "g:4": True, "g:5": None}
    citations = judged.filter(stage == CITATION).with_columns(kind=pair("attributes", "kind"))
    by_target = {row["target_id"]: (row["verdict"], row["kind"]) for row in citations.iter_rows(named=True)}
    dangling = [target for target, (_, kind) in by_target.items() if kind == "dangling"]
    assert [target.startswith("g:3:") for target in dangling] == [True] and by_target.pop(dangling[0])[0]
    assert by_target == {
        "g:0:1": (False, "snippet"),
        "g:1:1": (True, "snippet"),
        "g:1:2": (False, "snippet"),
        "g:2:2": (True, "snippet"),
        "g:2:4": (False, "page"),
        "g:3:1": (True, "snippet"),
        "g:5:3": (None, "untold"),
    }
    # marks are not shown, results that a sentence does not cite are not either, and sentences share a call
    # where they cite the same
    assert not any("[9]" in line or "BETA [3]" in line for claims, _ in asking.asked for line in claims)
    together = next(claims for claims, _ in asking.asked if len(claims) > 1)
    assert sorted(" ".join(line.split()[1:]) for line in together) == ["It has ALPHA.", "It has DELTA."]
    assert len(asking.asked) == 3 + 3  # three sets of results; then 1, 2 (by two sentences) and 4 alone


def test_recall_precision_and_f1_are_means_over_replies():
    rows, judged, _, (upstream, _) = cited_by(TEXT, RESULTS)
    second = [  # of another reply: one of two sentences is supported, its citation is precise
        judgement("quill", "aster-y:0", False, stage=SENTENCE),
        judgement("quill", "aster-y:1", True, stage=SENTENCE, kind="uncited"),
        judgement("quill", "aster-y:0:1", False, stage=CITATION, kind="page"),
    ]
    replies = [
        [generation("g", "x", "aster", "generate", TEXT, abstained_measured="false", abstained_paper="false")]
    ]
    replies += [reply("aster", "y"), reply("birch", "x")]
    parts = tables([item("x"), item("y")], replies, [])
    parts["judgements"] = pl.concat([judged, frame(Judgement, second)])
    config = At(replace(Params(), settings=Settings(verifier="quill")))
    scores, _ = score(config, "board", **parts, inputs="digest")
    validate(Score, scores, where="scores")
    values = {key[:2]: (row["value"], row["n"]) for key, row in by_key(scores).items()}
    # of g three of five sentences with a verdict are supported; three of seven citations are precise, with the
    # dangling one, and without the one whose text is not known
    recall, precision = (3 / 5 + 1 / 2) / 2, (3 / 7 + 1) / 2
    assert values["citation_recall", "aster"] == (pytest.approx(recall), 2)
    assert values["citation_precision", "aster"] == (pytest.approx(precision), 2)
    assert values["citation_f1", "aster"][0] == pytest.approx(2 * recall * precision / (recall + precision))
    assert values["uncited_rate", "aster"] == (2 / 8, 8)
    assert values["dangling_citation_rate", "aster"] == (pytest.approx(1 / 9), 9)
    assert values["untold_citation_rate", "aster"] == (pytest.approx(1 / 9), 9)
    assert values["page_citation_rate", "aster"] == (pytest.approx(2 / 7), 7)
    assert ("citation_recall", "birch") not in values  # it came with no result


def test_replies_without_results_and_without_facts_ask_nothing():
    for text, results, n_facts in ((TEXT, None, N_FACTS), (TEXT, RESULTS, 0)):
        rows, judged, asking, _ = cited_by(text, results, n_facts)
        assert rows.is_empty() and judged.is_empty() and asking.asked == []


def test_unread_verdicts_leave_a_sentence_and_its_citations_without_one():
    _, judged, _, _ = cited_by(TEXT, RESULTS, answer="Perhaps.")
    is_cited = pl.col("target_id").str.contains(r"^g:[0123](:\d)?$")
    assert set(judged.filter(is_cited)["reason"]) == {"unread"}
    assert judged.filter(pl.col("target_id") == "g:4")["verdict"].to_list() == [True]  # it cites nothing
