"""Replies that no server should give: each is read, or a dead letter; none ends a run in a traceback or
undoes another.
"""

import sqlite3

import pytest

from llm.asked import TARGET, asking
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask, estimate
from truerate.llm.stats import dead_letters, stats
from truerate.llm.store.jobs import Job, Settled
from truerate.llm.store.leases import Holder, settle
from truerate.llm.store.responses import DeadLetter, Store, StoredReply


def test_parts_of_a_message_are_its_text(at):
    (reply,) = ask([asking("[[parts]]")], at(), label="x")
    assert (reply.status, reply.text) == ("ok", "x y")
    assert ask([asking("[[parts-refused]]")], at(), label="x")[0].reason == "refusal"


ODD = [
    "surrogate-tools",
    "surrogate-model",
    "surrogate-reasoning",
    "infinite-logprobs",
    "deep-logprobs",
]


@pytest.mark.parametrize("kind", ODD)
def test_odd_characters_and_numbers_beside_the_text_are_read(at, kind):
    layout = at()
    (reply,) = ask([asking(f"[[{kind}]]")], layout, label="x")
    assert (reply.status, reply.text) == ("ok", "fine")
    assert ask([asking(f"[[{kind}]]")], layout, label="y")[0].is_stored


@pytest.mark.parametrize("count", [-1, 10**8, 10**9, 2**64, 10**17, 2**62, 1e300, "many", True])
def test_absurd_usage_is_no_usage(at, stub, count):
    stub.stub.usage = {"prompt_tokens": count, "completion_tokens": 5}
    layout = at()
    (reply,) = ask([asking("x")], layout, label="x")
    assert (reply.status, reply.n_tokens_in, reply.cost_usd) == ("ok", None, 5 * 2 / 1e6)
    with Store(layout.store) as store:
        assert stats(store)["n_tokens_in"].to_list() == [1 + 32]  # the bound


def test_a_small_packed_reply_that_grows_without_end_is_a_dead_letter(at, stub):
    layout = at(llm={"timeout_s": 60})
    replies = ask([asking("fine"), asking("[[bomb 40]]")], layout, label="x")
    assert [(reply.status, reply.reason) for reply in replies] == [("ok", None), ("dead", "too_large")]
    assert stub.n_calls == 2


def test_a_packed_reply_is_read(at):
    assert ask([asking("[[gzip]]")], at(), label="x")[0].text == "packed"


def test_a_settlement_that_cannot_be_written_undoes_none_beside_it(tmp_path):
    requests = [asking(name) for name in ("first", "bad", "last")]
    jobs = [Job(TARGET.key(request), TARGET, request) for request in requests]
    finishes = ["stop", "\ud800", "stop"]
    with Store(tmp_path / "r.sqlite") as store:
        answers = [StoredReply("text", finish, 1, 2) for finish in finishes]
        settled = [
            Settled(job, answer, charges=[job.charge("reply", 1, 2)])
            for job, answer in zip(jobs, answers, strict=True)
        ]
        store.write(lambda link: settle(link, Holder.new(store, "e", 8), settled))
        found = store.find([job.key for job in jobs])
        assert [type(found[job.key]) for job in jobs] == [StoredReply, DeadLetter, StoredReply]
        assert found[jobs[1].key].reason == settled[1].answer.reason == "unstorable"
        assert dict(store.query("SELECT kind, calls FROM ledger")) == {"reply": 2, "lost": 1}


def test_what_ails_the_file_itself_is_no_fault_of_a_reply(tmp_path):
    settled = [Settled(Job(TARGET.key(asking("x")), TARGET, asking("x")), StoredReply("t", None, 1, 1))]
    with Store(tmp_path / "r.sqlite") as store, pytest.raises(sqlite3.OperationalError):
        store.submit(
            lambda link: (link.execute("DROP TABLE dead"), settle(link, Holder.new(store, "e", 8), settled))
        ).result()


def test_a_store_with_sums_beyond_64_bits_and_letters_that_cannot_be_read_is_shown(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        days = [("a", 2**62), ("b", 2**62)]
        store.write(
            lambda link: link.executemany(
                "INSERT INTO ledger VALUES (?, 'reply', 'm', 1, 1, ?, 5, 0.5)", days
            )
        )
        store.write(
            lambda link: link.execute("INSERT INTO dead VALUES (x'00', 'timeout', 'd', 1, 'm', 0, x'0102')")
        )
        (row,) = stats(store).to_dicts()
        assert (row["n_calls"], row["n_tokens_in"] >= 2**62, row["n_dead"]) == (2, True, 1)
        assert dead_letters(store)["prompt"].to_list() == [""]


def test_the_model_that_says_it_answered_is_kept_and_told_where_it_is_another(at, stub, capsys):
    stub.stub.more = {"model": "stub-model-2026-01-01", "system_fingerprint": "fp_1"}
    layout = at()
    ask([asking("a"), asking("b")], layout, label="x")
    assert (
        "model 'm': asked as 'stub-model', endpoint 'stub' answered 2 times as 'stub-model-2026-01-01'"
        in capsys.readouterr().err
    )
    with Store(layout.store) as store:
        ((_, reply), _) = store.requests([key for (key,) in store.query("SELECT key FROM response")]).values()
    assert (reply["model"], reply["system_fingerprint"]) == ("stub-model-2026-01-01", "fp_1")
    stub.stub.more = {"model": "stub-model"}
    ask([asking("c")], layout, label="x")
    assert "answered" not in capsys.readouterr().err.replace("1 answered", "")


SPOILED = {
    "no identity": "UPDATE response SET identity = NULL",
    "an identity of bytes": "UPDATE response SET identity = x'ff00'",
    "a detail of bytes": "UPDATE dead SET detail = x'ff', attempts = 'many'",
    "a key of text": "UPDATE dead SET key = 'text'",
    "no request": "UPDATE dead SET request = NULL",
    "a request that is no zip": "UPDATE dead SET request = x'0102'",
    "counts of nothing": "UPDATE ledger SET calls = NULL",
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_store_is_shown_all_the_same(at, name):
    layout = at()
    ask([asking("fine"), asking("[[refusal]]")], layout, label="x")
    with Store(layout.store) as store:
        store.write(lambda link: link.execute(SPOILED[name]))
        assert stats(store)["n_replies"].sum() == dead_letters(store).height == 1
    assert ask([asking("fine"), asking("[[refusal]]")], layout, label="y")[0].is_stored
    estimate([asking("new")], layout)


def test_a_reply_that_cannot_be_read_is_one_line(at):
    layout = at()
    ask([asking("fine")], layout, label="x")
    with Store(layout.store) as store:
        store.write(lambda link: link.execute("UPDATE response SET text = x'0102'"))
    with pytest.raises(
        TruerateError, match="response store .*: a row of it is malformed; the file is damaged"
    ):
        ask([asking("fine")], layout, label="y")
