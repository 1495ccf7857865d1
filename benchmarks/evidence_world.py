"""What verdicts hang on where a reply has 28 facts: passages of a fact, their length, and facts per call, on the
closed world, whose truth is planted.

    python benchmarks/evidence_world.py [--entities 20] [--write benchmarks/RESULTS.md]

Replies of 28 facts (`long-replies` of the closed world's breaks) of all simulated subjects are cut into their facts,
the entity's pages into passages, and each call is laid out as the track does. A verifier that reads without a slip
judges each fact by what its call shows: what it then says wrong is what the evidence cost. `missed`: true facts that a
page states and the call does not support; `believed`: false facts that it supports; `score`: the share of facts
supported, beside the share that is true and on the pages (`planted`). `words`: that a call shows. `--write` puts the
table between the markers `<!-- bench:evidence-world -->` and `<!-- /bench:evidence-world -->` of a file.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.recover.broken_models import long_paragraphs, saying  # noqa: E402
from truerate.core.text import sentences, words
from truerate.results.markers import write_between
from truerate.tracks.wildhallucinations.passages import ranked
from truerate.tracks.wildhallucinations.verifying import Claim, calls
from truerate_world.encyclopedia import World, build
from truerate_world.parser import FACT
from truerate_world.wildhallucinations.models.pages import GOOD, RELEVANT, web
from truerate_world.wildhallucinations.models.reading import Stated, is_supported, stated_by, votes
from truerate_world.wildhallucinations.models.verifying import plain
from truerate_world.writer import language_tools

SEED, WRITER = 1, "sim-quill"
SUBJECTS = ("sim-aster", "sim-birch", "sim-cedar", "sim-dogwood", "sim-elm")
WORDS, PASSAGES, FACTS = (20, 60, 190), (1, 4, 5, 10), (1, 10, 28)
WINDOWS = (20, None)  # passages of a call; None: all that its facts have
NAMED = {(60, 4, 10, 20): "the demo", (190, 5, 10, None): "`full`"}


class Asked(NamedTuple):
    """An entity's pages by id, and the facts of one reply about it with whether each is so and stands on a page."""

    entity: int
    name: str
    pages: list[tuple[str, str]]
    facts: list[tuple[Stated, str, bool]]


class Found(NamedTuple):
    """How many facts are true, false, true and missed, false and believed, supported, and words of all calls."""

    true: int
    false: int
    missed: int
    believed: int
    supported: int
    words: int
    calls: int


def asked(world: World, n_entities: int) -> Iterator[Asked]:
    """Long replies about entities with pages, each fact once a reply."""
    said_by, lexicon = saying(["long-replies"]), language_tools(world).lexicon
    for entity in sorted(web(world).results)[:n_entities]:
        found = [page for page in web(world).results[entity] if page.kind in (*GOOD, *RELEVANT)]
        pages = [
            (f"{entity}-{place}", "\n".join(long_paragraphs(world, page))) for place, page in enumerate(found)
        ]
        shown = votes(world, [(text, entity) for _, text in pages])
        for model in SUBJECTS:
            said = said_by(world, model, entity, 0, name=lexicon.name(entity))
            if said.is_abstention or not pages:
                continue
            told = {
                one: None
                for part in stated_by(world, sentences(said.text), entity)
                for one in part
                if one.kind == FACT
            }
            facts = [
                (one, plain(world, WRITER, one), one.is_true(world) and is_supported(one, shown))
                for one in told
            ]
            yield Asked(entity, lexicon.name(entity), pages, facts)


def judged(world: World, given: list[Asked], n_words: int, k: int, n_facts: int, window: int | None) -> Found:
    """What a verifier that reads without a slip says at one setting."""
    counted = [0] * 7
    for place, one in enumerate(given):
        best = ranked(one.pages, [text for _, text, _ in one.facts], k, n_words=n_words)
        claims = [
            Claim(f"{place}-{n}", str(place), str(one.entity), "m", text, one.name, tuple(found))
            for n, ((_, text, _), found) in enumerate(zip(one.facts, best, strict=True))
        ]
        of = {claim.fact_id: fact for claim, fact in zip(claims, one.facts, strict=True)}
        for call in calls(claims, n=n_facts, window=window or n_facts * k):
            shown = votes(world, [(passage.text, one.entity) for passage in call.passages])
            counted[5] += sum(len(words(passage.text)) for passage in call.passages)
            counted[6] += 1
            for claim in call.claims:
                stated, _, is_so = of[claim.fact_id]
                holds = is_supported(stated, shown)
                counted[0 if is_so else 1] += 1
                counted[2] += is_so and not holds
                counted[3] += holds and not is_so
                counted[4] += holds
    return Found(*counted)


def table(world: World, given: list[Asked]) -> str:
    """All settings as Markdown."""
    n = sum(len(one.facts) for one in given)
    n_true = sum(is_so for one in given for *_, is_so in one.facts)
    size = sum(len(words(text)) for one in given for _, text in one.pages) / len(given)
    lines = [
        f"{len(given)} replies of {n / len(given):.1f} facts, pages of {size:,.0f} words an entity; planted: {n_true / n:.3f}.",
        "",
        "| words of a passage | passages a fact | facts a call | passages a call | missed | believed | score | words |  |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for n_words, k, n_facts, window in product(WORDS, PASSAGES, FACTS, WINDOWS):
        if window is not None and window >= n_facts * k:
            continue  # as all
        found = judged(world, given, n_words, k, n_facts, window)
        shares = (found.missed / found.true, found.believed / found.false, found.supported / n)
        told = (
            n_words,
            k,
            n_facts,
            window or "all",
            *(f"{one:.3f}" for one in shares),
            f"{found.words / found.calls:,.0f}",
        )
        named = NAMED.get((n_words, k, n_facts, window), "")
        lines.append(f"| {' | '.join(map(str, (*told, named)))} |")
    return "\n".join(lines)


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=20, help="with pages, in the order of the world")
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    world = build(SEED)
    text = table(world, list(asked(world, options.entities)))
    print(text)
    if options.write:
        write_between(options.write, "bench:evidence-world", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
