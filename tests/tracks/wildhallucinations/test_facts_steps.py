"""The facts of a subject's replies, from reply to verdict, with the closed world's models called as
functions.
"""

from dataclasses import replace

import polars as pl
import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import (
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    frame,
    pair,
    save,
    scan,
    validate,
)
from truerate.llm.generation import facts as attributes
from truerate.llm.generation import standing
from truerate.tracks.wildhallucinations import steps, verifying
from truerate.tracks.wildhallucinations.facts import facts_of
from truerate.tracks.wildhallucinations.replies import verdicts_by, verdicts_of
from truerate.tracks.wildhallucinations.verifying import Call
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.models.behaviour_profile import PROFILES
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.verifying import holds_by, votes
from truerate_world.wildhallucinations.models.writing import INJECTION

from .tiny_world import BOARD, ROOT, Asking, board, layout

WORLD = build(7)
TABLES, UPSTREAM = board(range(0, 492, 12))


def whole(at, model="birch", changed=None, upstream=UPSTREAM, given=TABLES):
    """Replies, all rows, facts and judgements of one subject."""
    asking = Asking(at, changed)
    replies = steps.generate(at, BOARD, model, given, 0, upstream, asking=Asking(at))
    rows, beside = steps.facts(at, BOARD, model, given, 0, upstream | {"generate": replies}, asking=asking)
    results = facts_of(pl.concat([replies, rows]))
    return replies, rows, verifying.with_evidence(results, beside["judgements"]), beside["judgements"], asking


@pytest.fixture(scope="module")
def checked_facts():
    return whole(layout(verification={"n_checked": 200}))


def test_tables_hold_their_schemas_and_every_fact_has_a_verdict_or_a_reason(checked_facts):
    _, rows, facts, judged, asking = checked_facts
    (
        validate(Generation, rows, where="rows"),
        validate(Fact, facts, where="facts"),
        validate(Judgement, judged, where="judged"),
    )
    batch = judged.filter(pair("attributes", "stage").is_null())
    assert sorted(batch["target_id"]) == sorted(facts["fact_id"])
    assert judged.filter(pl.col("verdict").is_null())["reason"].null_count() == 0
    assert set(asking.tasks) == {"write_facts", "verify_facts"}  # every prompt is understood


def test_abstentions_are_not_cut_into_facts(checked_facts):
    replies, rows, *_ = checked_facts
    written = set(rows.filter(purpose="write_facts").select(pair("attributes", "generation"))["generation"])
    assert written == set(replies.filter(status="ok")["generation_id"])
    assert replies.filter(status="abstained").height > 0


def test_batches_agree_with_single_calls_up_to_the_planted_slips(checked_facts):
    _, _, facts, judged, _ = checked_facts
    both = (
        verdicts_by(judged, "quill")
        .join(verdicts_by(judged, "quill", is_single=True), on="fact_id", suffix="_alone")
        .drop_nulls()
    )
    n, differ = both.height, both.filter(pl.col("verdict") != pl.col("verdict_alone")).height
    assert n > 50 and differ / n < PROFILES["sim-quill"].slips + 3 * (0.02 / n) ** 0.5 + 0.01


def test_verdicts_do_not_depend_on_the_order_of_replies(checked_facts):
    config = layout(verification={"n_checked": 200})
    mixed = {"generate": checked_facts[0].sample(fraction=1.0, shuffle=True, seed=4)}
    rows, beside = steps.facts(config, BOARD, "birch", TABLES, 0, UPSTREAM | mixed, asking=Asking(config))
    assert rows.equals(checked_facts[1]) and beside["judgements"].equals(checked_facts[3])


def test_unparsed_verdicts_are_counted_and_never_a_label():
    def silent(request, text):
        return "Perhaps." if request.messages[-1]["content"].endswith("#Verdicts#:") else text

    _, rows, facts, judged, _ = whole(layout(), changed=silent)
    assert set(judged["status"]) == {"unparsed"} and judged["verdict"].null_count() == judged.height > 0
    assert set(rows.filter(purpose="verify_facts")["status"]) == {"unparsed"}
    assert verdicts_of(facts, judged, "quill")["is_supported"].null_count() == facts.height


def facts_where_the_last_sentence_is_lost(second):
    """Facts and written rows where of every first reply the last sentence's lines are lost; of the second,
    which a reminder asked for, `second` makes what comes.
    """

    def cut(request, text):
        if not request.messages[-1]["content"].endswith("#Facts#:"):
            return text
        if "could not be read" in request.messages[-1]["content"]:
            return second(text)
        lines = text.splitlines()
        last = lines[-1].partition("]")[0]
        return "\n".join(line for line in lines if not line.startswith(last)) or text

    replies, rows, facts, _, _ = whole(layout(), changed=cut)
    return replies, rows.filter(purpose="write_facts"), facts


def test_facts_of_which_a_sentence_is_lost_are_asked_for_once_more_and_the_fuller_reply_stands():
    replies, written, facts = facts_where_the_last_sentence_is_lost(lambda text: text)
    passed = written.filter(pair("attributes", "reasked").is_not_null())
    n_replies = replies.filter(status="ok").height
    assert standing(written).height == n_replies and written.height == n_replies + passed.height
    assert passed.height > n_replies / 2
    attempts = standing(written).select(pair("attributes", "attempt"))["attempt"]
    assert attempts.drop_nulls().len() > 0.8 * passed.height  # the second is whole, and stands
    _, repeated, fewer = facts_where_the_last_sentence_is_lost(lambda text: text.splitlines()[0])
    attempts = standing(repeated).select(pair("attributes", "attempt"))["attempt"]
    assert repeated.height == written.height  # as many were asked
    # most firsts stand
    assert attempts.drop_nulls().len() < 0.5 * passed.height
    assert fewer.height < facts.height


CHATTER = {
    "words around": "Sure! Here are the atomic facts that you asked for:\n\n{t}\n\nLet me know if you need more.",
    "a fence": "```\n{t}\n```",
    "a heading": "### Facts\n\n{t}",
    "remarks": "I read every sentence with care.\n{t}\n\nNote: opinions were left out.\nI hope that this helps!",
}


def test_chatty_fact_writers_change_no_fact_and_no_verdict():
    given, upstream = board(range(3, 492, 60))

    def spoken(form: str):
        written = []

        def changed(request, text):
            if "#Facts#" not in request.messages[-1]["content"]:
                return text
            written.append(form.format(t=text))
            return written[-1]

        _, _, facts, judged, asking = whole(layout(), changed=changed, upstream=upstream, given=given)
        assert len(written) == asking.tasks.count("write_facts") >= 5
        return facts, judged, len(written)

    facts, judged, n_asked = spoken("{t}")
    assert facts.height > 30
    for name, form in CHATTER.items():
        same, judged_same, n_same = spoken(form)
        assert same.equals(facts) and judged_same.equals(judged) and n_same == n_asked, name


def test_an_injected_page_never_turns_a_verdict(checked_facts):
    """Orders to the checker in every page (each one passage, or its borders would move too): no verdict
    changes.
    """
    texts = [
        f"{INJECTION[index % 3]}\n{text}\n{INJECTION[(index + 1) % 3]}"
        for index, text in enumerate(UPSTREAM["documents"]["text"])
    ]
    poisoned = UPSTREAM | {"documents": UPSTREAM["documents"].with_columns(text=pl.Series(texts))}
    how = {"passage_words": 100_000, "n_passages": 30, "window": 400, "n_checked": 0}
    plain, injected = (
        whole(layout(verification=how), upstream=upstream) for upstream in (UPSTREAM, poisoned)
    )
    assert plain[2]["fact_id"].equals(injected[2]["fact_id"])
    assert (
        verdicts_by(plain[3], "quill")
        .sort("fact_id")
        .equals(verdicts_by(injected[3], "quill").sort("fact_id"))
    )


def test_in_the_full_profile_each_fact_is_shown_all_of_its_own_passages_under_the_titles_of_their_pages(
    checked_facts,
):
    """Five passages of 190 words a fact, whatever its call holds, and verdicts as without titles."""
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    full, demo = (values["sizes"][name]["wildhallucinations"] for name in ("full", "demo"))
    assert full["evidence"] == {"passage_words": 190, "n_passages": 5, "window": 50, "has_titles": True}
    config = layout(verification={"n_checked": 0})
    values = config.p.model_dump()
    values["sizes"]["demo"]["wildhallucinations"] |= {"evidence": full["evidence"]}
    sized = Layout(Params.model_validate(values)).on(BOARD)
    assert (
        demo["evidence"] == dict.fromkeys(full["evidence"]) and steps.verification(config, BOARD).window == 20
    )

    small = {key: value for key, value in full["evidence"].items() if key != "passage_words"} | {
        "passage_words": 12
    }
    values["sizes"]["demo"]["wildhallucinations"] |= {"evidence": small}
    cut = Layout(Params.model_validate(values)).on(BOARD)
    entities = steps.EntityWork(config, BOARD, TABLES, UPSTREAM).entities
    titles = dict(UPSTREAM["documents"].select("document_id", "title").iter_rows())
    for there in (sized, cut):
        how = steps.verification(there, BOARD)
        claims = steps.claims_of(checked_facts[2], entities, how)
        calls = verifying.calls(claims, n=how.facts_per_call, window=how.window)
        assert all(call.evidence(claim) == list(claim.passages) for call in calls for claim in call.claims)
        for call in calls:
            for entry, named in zip(call.passages, call.named_passages(), strict=True):
                assert f": “{titles[entry.document_id]}” {entry.text.split()[0]}" in named
    assert max(len(claim.passages) for claim in claims) == 5
    assert max(len(call.passages) for call in calls) > 20
    plain = layout(verification={**full["evidence"], "has_titles": False, "n_checked": 0})
    titled, bare = (verdicts_by(whole(there)[3], "quill") for there in (sized, plain))
    both = titled.join(bare, on="fact_id", suffix="_bare").drop_nulls()
    differ = both.filter(pl.col("verdict") != pl.col("verdict_bare")).height
    # other words of the model's lines, not other verdicts
    assert both.height > 100
    assert differ <= 0.03 * both.height


def test_the_verifiers_planted_error_is_recovered_from_what_the_passages_say(checked_facts):
    """TPR and FPR against what its own passages support, not against the world: the planted rates, slips
    included.
    """
    config = layout(verification={"n_checked": 0})
    entities = steps.EntityWork(config, BOARD, TABLES, UPSTREAM).entities
    profile, hits = PROFILES["sim-quill"], {True: [], False: []}
    for model in ("birch", "cedar", "elm"):
        _, _, facts, judged, _ = whole(config, model)
        verdict = dict(verdicts_by(judged, "quill").iter_rows())
        claims = {
            entry.fact_id: entry
            for entry in steps.claims_of(facts, entities, steps.verification(config, BOARD))
        }
        for call in verifying.calls(list(claims.values()), n=10, window=20):
            for claim in call.claims:
                if verdict[claim.fact_id] is not None:
                    hits[_is_supported(call)(claim)].append(verdict[claim.fact_id])
    for supported, p in ((False, profile.tpr), (True, profile.fpr)):
        expected = p * (1 - profile.slips) + (1 - p) * profile.slips
        n = len(hits[supported])
        assert n > 60
        assert abs(sum(hits[supported]) / n - expected) < 4 * (expected * (1 - expected) / n) ** 0.5


def _is_supported(call: Call):
    about = [
        (entry.text, planted_as(WORLD, name.partition(": ")[0]).entity)
        for entry, name in zip(call.passages, call.named_passages(), strict=True)
    ]
    vote = votes(WORLD, about)
    return lambda claim: holds_by(WORLD, claim.text, vote)


def test_nothing_is_asked_without_a_verifier():
    config = layout(verifier=None)
    rows, beside = steps.facts(config, BOARD, "birch", TABLES, 0, UPSTREAM, asking=Asking(config))
    assert rows.is_empty() and beside["judgements"].is_empty()


def test_pages_that_entities_bring_are_read_from_where_they_lie_and_those_of_other_shards_are_not(tmp_path):
    """As those of a search, from a query of the source's table, with the same requests and verdicts."""
    config, n = layout(verification={"n_checked": 0}), 4
    pages = UPSTREAM["documents"]
    path = tmp_path / "documents.parquet"
    save(Document, pages, path)
    ids = {row["item_id"]: attributes(row)["documents"].split() for row in UPSTREAM["evidence"].to_dicts()}
    profile = [row | {"document_ids": ids[row["item_id"]]} for row in TABLES.items.to_dicts()]
    brought = replace(TABLES, items=frame(Item, profile), documents=scan(Document, [path]))
    searched, results = whole(config), whole(config, upstream={}, given=brought)
    assert [entry.messages for entry in results[-1].requests] == [
        entry.messages for entry in searched[-1].requests
    ]
    assert all(entry.equals(other) for entry, other in zip(results[:4], searched[:4], strict=True))
    shards = Layout(config.p.model_copy(update={"n_shards": n})).on(BOARD)
    parts = [steps.EntityWork(shards, BOARD, brought, {}, shard=shard).entities for shard in range(n)]
    assert all(parts) and sum(map(len, parts)) == len(profile)
    assert all(len(part[name].pages) == len(ids[name]) for part in parts for name in part)
