"""Asking without asking."""

from truerate.llm.ask import ask
from truerate.llm.dry_run import DryRun, assumed_reply

from .asked import asking


def test_stored_replies_are_given_and_missing_ones_assumed(at, stub):
    here = at()
    first, second = asking("stored"), asking("missing")
    told = ask([first], here, label="test")[0]
    dry_run = DryRun(lambda key, request: assumed_reply(key, f"assumed {request.messages[0]['content']}"))
    found = dry_run([first, second], here, label="test")
    assert [reply.text for reply in found] == [told.text, "assumed missing"] and [
        reply.is_stored for reply in found
    ] == [True, False]
    assert dry_run.asked == [first, second] and stub.n_calls == 1 and found[0].key == told.key
