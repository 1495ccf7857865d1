"""What a plan tells of facts, calls, passages and tokens, held against what the closed world's models then
do: replies of 28 facts, with all that the full profile shows of their evidence.
"""

import re
from collections import Counter

import pytest

from tests.recover.broken_models import answering, long_paragraphs
from truerate.llm.dry_run import DryRun
from truerate.pipeline import graph
from truerate.pipeline.planning.plan import assuming
from truerate.tracks.wildhallucinations import steps
from truerate.tracks.wildhallucinations.protocol import assumed_evidence
from truerate_world.encyclopedia import build

from . import tiny_world
from .tiny_world import BOARD, Asking, board, layout

WORLD = build(7)
SUBJECTS = ("aster-search",)
# As `full`; the closed world's pages are short, and passages of 20 words are there what 190 are to longer
# ones
FULL = {"passage_words": 20, "n_passages": 5, "window": 50, "has_titles": True, "n_checked": 20}


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        long = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 4096}
        yield layout(verification=FULL, answering=long, subjects=SUBJECTS)


@pytest.fixture(scope="module")
def web():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_world, "text_of", lambda world, page: "\n".join(long_paragraphs(world, page)))
        return board(range(0, 492, 25))


def asked(at, tables, upstream, asking_of) -> list:
    """All requests of the subjects' replies and of their facts."""
    requests_seen = []
    for subject in SUBJECTS:
        for_replies, for_facts = (asking_of(name) for name in ("generate", "facts"))
        replies = steps.generate(at, BOARD, subject, tables, 0, upstream, asking=for_replies)
        steps.facts(at, BOARD, subject, tables, 0, upstream | {"generate": replies}, asking=for_facts)
        requests_seen += [question for asking in (for_replies, for_facts) for question in asking.requests]
    return requests_seen


class Planning(DryRun):
    """As a plan asks."""

    @property
    def requests(self):
        return self.asked


def planning(at):
    return lambda name: Planning(assuming(at, BOARD, graph.step_of(at, BOARD, name)))


def counted(requests) -> Counter:
    requests_seen = Counter()
    for request in requests:
        texts = [message["content"] for message in request.messages]
        passages, is_verified, claims = texts[-1].partition("#Claims#")
        requests_seen["calls"] += 1
        requests_seen["tokens"] += sum(len(text.encode()) for text in texts) // 4
        if is_verified:
            requests_seen["claims"] += sum(line.startswith("[") for line in claims.splitlines())
            requests_seen["passages"] += len(re.findall(r"^\(\d+\) ", passages, re.MULTILINE))
    return requests_seen


@pytest.fixture(scope="module")
def data_of(at, web):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_world, "reply", answering(frozenset({"long-replies"})))
        return counted(asked(at, *web, lambda name: Asking(at)))


def test_what_a_plan_tells_once_pages_are_found_is_within_a_quarter_of_what_is_asked(at, web, data_of):
    planned = counted(asked(at, *web, planning(at)))
    ratio = {name: planned[name] / data_of[name] for name in data_of}
    assert ratio == {name: pytest.approx(1, abs=0.25) for name in data_of}, ratio


def test_before_pages_are_found_facts_and_passages_are_those_of_the_paper_and_of_real_claims():
    """29.6 facts a reply (Table 4); ten claims of Factcheck-GPT with five passages each are shown 28 of them
    (bench:evidence: 2,489 words in place of a single claim's 439).
    """
    config = layout(verification={"passage_words": 190, "n_passages": 5, "window": 50, "n_checked": 0})
    tables, _ = board(range(0, 492, 40))
    rows, beside = assumed_evidence(config, BOARD, tables, {})
    requests_seen = asked(config, tables, {"evidence": rows, **beside}, planning(config))
    verifying = [
        counted([question]) for question in requests_seen if "#Claims#" in question.messages[-1]["content"]
    ]
    whole = [question for question in verifying if question["claims"] == 10]
    n_replies = tables.items.height
    assert sum(question["claims"] for question in verifying) / n_replies == pytest.approx(29.6, rel=0.02)
    assert sum(question["passages"] for question in whole) / len(whole) == pytest.approx(
        5 * 2489 / 439, rel=0.25
    )
