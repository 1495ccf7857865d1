"""Ranking web evidence for facts: the track's BM25 beside rank_bm25, on the same tokens in the same run.

    python benchmarks/bm25.py [--entities 200] [--write benchmarks/RESULTS.md]

Every entity has `--tokens` tokens of pages (70,000, as in WildHallucinations), cut into passages once; each
of `--generations` replies about it has 28 facts, and each fact asks for its 4 best passages. Words are drawn
by Zipf's law. One thread, process CPU time. rank_bm25 (BM25Okapi, its index kept per entity, as FActScore
keeps it) runs on the first `--peers` entities, in turn with ours. Entities are made, ranked and let go one
after another; peak memory is of the whole process. `--write` puts the table between the markers `<!--
bench:bm25 -->` and `<!-- /bench:bm25 -->` of a file. Exit code 1 where the ratio is below 10.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import psutil

from truerate.metrics.bm25 import Index
from truerate.results.markers import write_between
from truerate.tracks.wildhallucinations.passages import passages, tokens

N_FACTS, N_PASSAGES, PASSAGE_WORDS, N_PAGES = 28, 4, 60, 10
N_VOCABULARY, SENTENCE, FACT = 30_000, 18, 12  # words known, of a sentence, of a fact
TARGET = 10.0


@dataclass
class Spent:
    """CPU seconds by what they went into, and what was done in them."""

    seconds: dict[str, float] = field(default_factory=dict)
    n_tokens: int = 0
    n_facts: int = 0
    memory: list[float] = field(default_factory=list)

    def timed(self, name: str, run: Callable[[], object]) -> object:
        """Run and book the time."""
        since = time.process_time()
        found = run()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - since
        return found


def texts(n_tokens: int, rng: np.random.Generator) -> list[str]:
    """The pages of one entity."""
    words = drawn(n_tokens, rng)
    ends = range(0, n_tokens, SENTENCE)
    sentences = [" ".join(words[end : end + SENTENCE]).capitalize() + "." for end in ends]
    size = -(-len(sentences) // N_PAGES)
    return ["\n".join(sentences[start : start + size]) for start in range(0, len(sentences), size)]


def drawn(n: int, rng: np.random.Generator) -> list[str]:
    """Words by Zipf's law."""
    ranks = np.minimum(rng.zipf(1.15, n), N_VOCABULARY)
    return [f"word{rank}" for rank in ranks.tolist()]


def facts(rng: np.random.Generator) -> list[list[str]]:
    """The tokens of one reply's facts."""
    words = drawn(N_FACTS * FACT, rng)
    return [words[start : start + FACT] for start in range(0, len(words), FACT)]


def cut(pages: list[str]) -> list[list[str]]:
    """Pages as tokenised passages."""
    return [
        tokens(one.text)
        for place, page in enumerate(pages)
        for one in passages(str(place), page, PASSAGE_WORDS)
    ]


def stream(given: argparse.Namespace, ours: Spent, peer: Spent) -> Iterator[int]:
    """Rank entity after entity; gives how many are done."""
    peers = given.peers if find_spec("rank_bm25") else 0
    for place in range(given.entities):
        rng = np.random.default_rng([given.seed, place])
        pages = texts(given.tokens, rng)
        asked = [facts(rng) for _ in range(given.generations)]
        tokenised = ours.timed("cutting and tokens", lambda pages=pages: cut(pages))
        rank_ours(tokenised, asked, ours)
        if place < peers:
            rank_peer(tokenised, asked, peer)
        ours.memory.append(psutil.Process().memory_info().rss / 2**20)
        yield place + 1


def rank_ours(tokenised: list[list[str]], asked: list[list[list[str]]], spent: Spent) -> None:
    """The track's ranking of all replies."""
    index = spent.timed("index", lambda: Index.of(tokenised))
    spent.timed("ranking", lambda: [index.best(one, N_PASSAGES) for one in asked])
    spent.n_tokens += sum(map(len, tokenised))
    spent.n_facts += N_FACTS * len(asked)


def rank_peer(tokenised: list[list[str]], asked: list[list[list[str]]], spent: Spent) -> None:
    """rank_bm25's."""
    from rank_bm25 import BM25Okapi

    index = spent.timed("index", lambda: BM25Okapi(tokenised))
    spent.timed("ranking", lambda: [[best(index.get_scores(fact)) for fact in one] for one in asked])


def best(scores: np.ndarray) -> np.ndarray:
    """The places of the best passages, as FActScore takes them."""
    return np.argsort(-scores)[:N_PASSAGES]


def table(given: argparse.Namespace, ours: Spent, peer: Spent) -> tuple[str, float | None]:
    """What was measured as Markdown, and the ratio; None without rank_bm25."""
    n, whole = given.entities, sum(ours.seconds.values())
    n_peers = min(given.peers, n)
    done = (
        f"{n} entities of {ours.n_tokens // n:,} tokens, {given.generations} replies of {N_FACTS} facts each"
    )
    head = f"{done}; CPU ms per entity, one thread."
    rows = ["| | index | all facts | both |", "| --- | ---: | ---: | ---: |", row("truerate", ours, n)]
    ratio = None
    if peer.seconds:
        both = [
            (one.seconds["index"] + one.seconds["ranking"]) / size
            for one, size in ((peer, n_peers), (ours, n))
        ]
        ratio = both[0] / both[1]
        rows += [
            row("rank_bm25 0.2.2", peer, n_peers),
            f"| ratio | {of(peer, ours, 'index', given)} | {of(peer, ours, 'ranking', given)} | {ratio:.1f}x |",
        ]
    else:
        rows.append("| rank_bm25 is not installed: `pip install rank-bm25==0.2.2` | – | – | – |")
    alone = (
        f"For one reply alone, index included: {one_reply(peer, ours, given):.1f}x. " if peer.seconds else ""
    )
    early = ours.memory[min(4, n - 1)]
    tail = (
        f"{alone}Whole path with cutting and tokenising: {ours.n_tokens / whole:,.0f} tokens/s, {ours.n_facts / whole:,.0f} facts/s. "
        f"Peak memory {max(ours.memory):,.0f} MiB, after {min(5, n)} entities {early:,.0f} MiB."
    )
    return "\n".join([head, "", *rows, "", tail]), ratio


def row(name: str, spent: Spent, n: int) -> str:
    """Milliseconds per entity."""
    index, ranking = (1000 * spent.seconds[part] / n for part in ("index", "ranking"))
    return f"| {name} | {index:,.1f} | {ranking:,.1f} | {index + ranking:,.1f} |"


def of(peer: Spent, ours: Spent, part: str, given: argparse.Namespace) -> str:
    """How many times the peer's time ours is, of one part."""
    n_peers = min(given.peers, given.entities)
    return f"{peer.seconds[part] / n_peers / (ours.seconds[part] / given.entities):.1f}x"


def one_reply(peer: Spent, ours: Spent, given: argparse.Namespace) -> float:
    """The ratio where an index serves a single reply."""
    times = []
    for spent, n in ((peer, min(given.peers, given.entities)), (ours, given.entities)):
        times.append((spent.seconds["index"] + spent.seconds["ranking"] / given.generations) / n)
    return times[0] / times[1]


def main() -> int:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=70_000, help="of an entity's pages")
    parser.add_argument(
        "--generations", type=int, default=15, help="replies per entity; the paper has 15 models"
    )
    parser.add_argument("--peers", type=int, default=5, help="entities that rank_bm25 ranks too")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="file with the markers")
    given = parser.parse_args()
    ours, peer = Spent(), Spent()
    for done in stream(given, ours, peer):
        if sys.stderr.isatty():
            print(f"\r{done}/{given.entities}", end="", file=sys.stderr)
    text, ratio = table(given, ours, peer)
    print(text)
    if given.write:
        write_between(given.write, "bench:bm25", text)
    return int(ratio is not None and ratio < TARGET)


if __name__ == "__main__":
    sys.exit(main())
