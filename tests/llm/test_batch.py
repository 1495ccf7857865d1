"""Batches: the same rows as online at half the price, whatever the server does."""

import pytest

from llm.asked import asking
from llm.batch_server import BatchStub
from llm.conftest import Running
from stub import serving
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask, estimate
from truerate.llm.store.responses import Store

N = 12


@pytest.fixture
def stub():
    """A server with a batch API, in place of the one without."""
    server = BatchStub()
    with serving(server) as url:
        yield Running(server, url)


def batched(at, *, llm: dict | None = None, model: dict | None = None, **settings):
    """A layout whose endpoint is asked in batches without a pause between two looks."""
    return at(endpoint={"batch": {"poll_s": 0, **settings}}, llm=llm, model=model)


def asked(layout, n: int = N) -> list:
    return ask([asking(f"n {number}") for number in range(n)], layout, label="x")


def rows(layout, table: str = "response", columns: str = "key, text, finish, n_in, n_out, identity, request, extra"):
    with Store(layout.store) as store:
        return store.query(f"SELECT {columns} FROM {table} ORDER BY 1")


def left(layout) -> list:
    """What no run may leave behind."""
    return [rows(layout, table, "*") for table in ("lease", "holder", "batch")]


def usd(layout) -> float:
    return sum(row[0] for row in rows(layout, "ledger", "usd"))


def test_replies_are_those_of_online_at_half_the_price(at, stub, tmp_path, monkeypatch):
    prompts = [asking("a"), asking("b", index=1), asking("[[length]]"), asking("[[refusal]]"), asking("[[400]]")]
    online = at()
    first = ask(prompts, online, label="x")
    stored = rows(online), rows(online, "dead", "key, reason, detail, attempts, identity, request")
    paid = usd(online)
    assert stub.stub.online == 5 and not stub.stub.batches
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "batched.sqlite"))
    layout = batched(at)
    assert estimate(prompts, layout).usd_high == estimate(prompts, at()).usd_high / 2
    layout = batched(at)
    assert ask(prompts, layout, label="x") == first
    assert (rows(layout), rows(layout, "dead", "key, reason, detail, attempts, identity, request")) == stored
    assert usd(layout) == paid / 2 and len(stub.stub.batches) == 1 and stub.stub.online == 5
    assert left(layout) == [[], [], []]
    again = ask(prompts, layout, label="x")
    assert all(reply.is_stored for reply in again) and len(stub.stub.batches) == 1


def test_files_are_parted_by_number_size_and_model(at, stub):
    stub.stub.most = 5
    assert len(asked(batched(at, max_requests=5))) == N
    assert sorted(map(stub.stub.n_requests, stub.stub.batches.values())) == [2, 5, 5]
    stub.stub.batches.clear()
    layout = batched(at, max_mb=0.001)  # a line has some 200 bytes, and one is larger than a file may be
    replies = ask([asking(f"m {number}") for number in range(8)] + [asking("m " * 600)], layout, label="x")
    assert [reply.status for reply in replies] == ["ok"] * 9 and stub.stub.online == 1
    assert len(stub.stub.batches) == 2 and left(layout) == [[], [], []]


@pytest.mark.parametrize("end", ["expired", "cancelled"])
@pytest.mark.parametrize("names_the_rest", [True, False])
def test_what_an_ended_batch_answered_is_read_and_only_the_rest_is_asked_again(at, stub, end, names_the_rest):
    server = stub.stub
    server.end, server.n_before_end, server.names_the_rest = end, 5, names_the_rest
    layout = batched(at, rounds=9)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert [server.n_requests(batch) for batch in server.batches.values()] == [12, 7, 2]
    assert max(server.calls.values()) == 1 and server.online == 0 and left(layout) == [[], [], []]
    assert usd(layout) == pytest.approx(N * 20e-6 / 2)


def test_after_so_many_rounds_the_rest_is_asked_online_at_the_full_price(at, stub):
    stub.stub.n_before_end = 5
    layout = batched(at, rounds=2)
    asked(layout)
    assert len(stub.stub.batches) == 2 and stub.stub.online == 2
    assert usd(layout) == pytest.approx(10 * 10e-6 + 2 * 20e-6)


def test_lines_that_failed_for_the_moment_are_asked_again(at, stub):
    prompts = [asking("a"), asking("[[500 x1]]"), asking("[[429 x1]]"), asking("[[empty x1]]"), asking("[[500]]")]
    layout = batched(at)
    replies = ask(prompts, layout, label="x")
    assert [reply.status for reply in replies] == ["ok"] * 4 + ["dead"] and replies[4].reason == "server_error"
    assert [stub.stub.n_requests(batch) for batch in stub.stub.batches.values()] == [5, 4]
    assert left(layout) == [[], [], []]


def test_repeated_and_foreign_lines_count_once_and_not_at_all(at, stub, capfd):
    stub.stub.doubles = True
    stub.stub.more_lines = [b'{"custom_id": "abc"}', b'{"custom_id": "' + b"ab" * 32 + b'", "response": {}}', b"no JSON", b"[1]"]
    layout = batched(at)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert rows(layout, "ledger", "kind, calls") == [("reply", N)] and left(layout) == [[], [], []]
    assert f"{N} lines twice, 4 lines of other requests" in capfd.readouterr().err


LOST = {
    "an upload that brings an error": lambda method, path, n: (500, {}, b"x") if path == "/files" and n < 3 else None,
    "an answer to an upload that is lost": lambda method, path, n: "drop" if path == "/files" and n < 3 else None,
    "a batch that was made although it says no": lambda method, path, n: "after" if (method, path) == ("POST", "/batches") and n == 1 else None,
    "a list that cannot be read": lambda method, path, n: {("POST", 1): "after", ("GET", 1): (503, {}, b"")}.get((method, n)) if path == "/batches" else None,
    "looks that fail": lambda method, path, n: (502, {}, b"<html>") if path == "/batches/batch" and n in (2, 3, 5, 6, 7) else None,
    "looks without a reply": lambda method, path, n: "drop" if path == "/batches/batch" and n % 2 else None,
    "looks that bring no JSON": lambda method, path, n: (200, {}, b"<html>") if path == "/batches/batch" and n < 4 else None,
    "looks that bring another thing": lambda method, path, n: (200, {}, b'{"object": "list"}') if path == "/batches/batch" and n < 4 else None,
    "a batch that is not there yet": lambda method, path, n: (404, {}, b"{}") if path == "/batches/batch" and n < 5 else None,
    "results that cannot be had at first": lambda method, path, n: (500, {}, b"x") if path == "/files/file/content" and n < 4 else None,
}  # fmt: skip


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_lost_calls_of_the_batch_api_lose_nothing(at, stub, fault):
    stub.stub.trouble = fault
    layout = batched(at, llm={"max_attempts": 5})
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert len(stub.stub.batches) == 1 and stub.n_calls == N and stub.stub.online == 0
    assert left(layout) == [[], [], []]


def test_results_that_break_off_are_read_from_there(at, stub):
    stub.stub.drops_midway = True
    layout = batched(at)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert stub.n_calls == N and rows(layout, "ledger", "kind, calls") == [("reply", N)]


@pytest.mark.parametrize("ends", [True, False], ids=["cancelled", "never"])
def test_a_batch_past_its_deadline_is_cancelled_and_its_rest_asked_online(at, stub, ends, capfd):
    server = stub.stub
    server.never_ends, server.ends_when_cancelled, server.n_before_end = True, ends, 4
    layout = batched(at, deadline_h=0)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    assert server.requests["POST", "/batches/batch/cancel"] == 1
    assert server.online == (8 if ends else 12) and left(layout) == [[], [], []]
    kinds = dict(rows(layout, "ledger", "kind, calls"))
    assert kinds == ({"reply": 12} if ends else {"reply": 12, "lost": 12})  # what never ended counts as paid
    assert "it is cancelled" in capfd.readouterr().err


def test_a_server_with_little_room_gets_one_batch_after_another(at, stub):
    stub.stub.room = 4
    layout = batched(at)
    assert {reply.status for reply in asked(layout)} == {"ok"}
    sizes = [stub.stub.n_requests(batch) for batch in stub.stub.batches.values()]
    assert sizes == [12, 6, 3, 3, 3, 3] and stub.n_calls == N and left(layout) == [[], [], []]


REFUSED = {
    "no such thing": (lambda m, path, n: (404, {}, b'{"error": "not found"}') if path == "/files" else None, "took no batch"),
    "a wrong key": (lambda m, path, n: (401, {}, b'{"error": "bad key"}') if path == "/batches" else None, "took no batch"),
    "a key that is taken away": (lambda m, path, n: (401, {}, b"{}") if path == "/batches/batch" else None, "unauthorised"),
    "never well": (lambda m, path, n: (500, {}, b"oh") if path == "/files" else None, "500: oh"),
    "a pause of days": (lambda m, path, n: (429, {"retry-after": "90000"}, b"") if path == "/files" else None, "429"),
}


@pytest.mark.parametrize(("fault", "words"), REFUSED.values(), ids=REFUSED)
def test_a_server_that_takes_no_batch_ends_the_run_in_one_line(at, stub, fault, words):
    stub.stub.trouble = fault
    layout = batched(at)
    with pytest.raises(TruerateError, match=words):
        asked(layout)
    stub.stub.trouble = lambda *_: None
    assert {reply.status for reply in asked(layout)} == {"ok"} and stub.n_calls == N
    assert left(layout) == [[], [], []]


def test_a_refused_file_is_told_with_the_servers_words(at, stub):
    stub.stub.created = lambda asked: {"id": "batch-0", "status": "failed", "errors": {"data": [{"message": "model not supported"}]}}
    stub.stub.looked_at = lambda id: _async(stub.stub.created({}))
    with pytest.raises(TruerateError, match="refused a batch of 12 requests: .*model not supported.*batch: false"):
        asked(batched(at))


async def _async(value):
    return value


def test_all_lines_refused_is_a_fault_of_the_settings(at, stub):
    stub.stub.refused = ("max_tokens",)
    layout = batched(at)
    with pytest.raises(TruerateError, match="max_tokens_field: max_completion_tokens"):
        ask([asking(f"n {number}") for number in range(30)], layout, label="x")
    assert rows(layout, "dead", "*") == [] and left(layout) == [[], [], []]


def test_a_budget_counts_batches_at_their_price(at, stub):
    # a call is bound by half of 38 + 100 millionths, 12 by 828; they cost 120
    layout = batched(at, llm={"budget_usd": 0.000828})
    assert len(asked(layout)) == N
    with pytest.raises(TruerateError, match="budget: llm.budget_usd"):
        ask([asking(f"more {number:05}") for number in range(80)], layout, label="x")
    assert usd(layout) <= 0.000828 and left(layout) == [[], [], []]


def test_what_a_budget_has_no_room_for_at_once_goes_into_later_batches(at, stub):
    layout = batched(at, llm={"budget_usd": 0.0005})
    assert len(asked(layout)) == N
    assert len(stub.stub.batches) > 1 and usd(layout) == pytest.approx(N * 10e-6)
