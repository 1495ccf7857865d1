"""What token detectors are given as reference: the lead of an article, the whole of it, or the passages of it
that share most words with the reply, on the closed world, where the truth of every token is known.

    python benchmarks/references.py [--built .] [--sentences 6] [--write benchmarks/RESULTS.md]

`--built` is a project whose mFAVA board on the closed world was built: its training passages, the replies in
the wild and the pages are read, nothing is asked. `token-lr` and `token-tree` learn as on the board, from
passages and their references (with `retrieved`, from the passages of these), and choose their threshold on
what is held back. A reply is judged against the lead of its article, its whole text, or the `--sentences`
sentences that rank best by BM25 for any sentence of the reply, in the order of the text. AUROC, average
precision, F1, TPR and FPR are of all tokens of all replies against what the world planted; FPR, too, by the
place of the sentence in its reply and as lowest and highest over models. One thread, process CPU time.
`--write` puts the table between the markers `<!-- bench:references -->` and `<!-- /bench:references -->`.
"""

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Document, Generation, Sample, load
from truerate.detectors.evidence import retrieved
from truerate.detectors.tokens.cells import halves
from truerate.detectors.tokens.rules import BY_NAME
from truerate.detectors.tokens.span_probabilities import BINARY, written
from truerate.detectors.tokens.validate import of_readings
from truerate.detectors.tokens.word_features import Passage, passages_of
from truerate.metrics.thresholds import auroc, average_precision
from truerate.pipeline.detect import passages as with_references
from truerate.pipeline.tracks import protocol_of
from truerate.results.markers import write_between
from truerate.sources.raw.wikipedia import whole_texts
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.reader import reader

BOARD = "mfava-closed-world"
RULES = ("token-lr", "token-tree")
REFERENCES = ("lead", "article", "retrieved")
PLACES = (1, 2, 3, 4, 5)  # of a sentence in its reply; the last and all behind it together


class Board(NamedTuple):
    """Passages to learn from, replies to judge (`reference`: the lead, `article`: the whole text) with planted
    spans, and whose each reply is.
    """

    taught: pl.DataFrame
    replies: pl.DataFrame


class Line(NamedTuple):
    """A line of the table."""

    reference: str
    detector: str
    characters: float
    threshold: float
    numbers: tuple[float, ...]
    by_place: tuple[float, ...]
    by_model: tuple[float, float]
    cpu_s: float


def board_of(built: Path) -> Board:
    """The board of a built project."""
    at = Layout.load(str(built / "params.yaml"))
    samples = load(Sample, at.labels(BOARD, "samples"))
    generations = load(Generation, at.dataset(BOARD, "generations"))
    protocol = protocol_of(at, BOARD)
    taught = with_references(at, BOARD, protocol.training(samples))
    said = with_references(at, BOARD, protocol.targets(samples, generations))
    models = generations.select("model", target_id="generation_id")
    # what nobody wrote in the wild has no model; replies to one reference stand together
    replies = said.join(models, on="target_id").sort("reference", "target_id")
    truth = reader(build(at.p.seed)).truth
    spans = [
        [
            {"start": one["start"], "end": one["end"], "type": one["type"], "p": None}
            for one in truth(text, lang)
        ]
        for text, lang in replies.select("text", "lang").iter_rows()
    ]
    source = at.p.source(at.p.board(BOARD).source)
    by_id = whole_texts(Path(source.path), at.p.board(BOARD).source)
    documents = load(Document, at.source(at.p.board(BOARD).source, "documents"))
    leads = documents.select("document_id", "text").iter_rows()
    whole = {lead: by_id[document] for document, lead in leads if document in by_id}
    articles = [whole.get(lead, lead) for lead in replies["reference"]]
    planted = pl.Series("spans", spans, dtype=replies.schema["spans"])
    return Board(taught, replies.with_columns(planted, pl.Series("article", articles)))


def referred(table: pl.DataFrame, kind: str, n: int) -> pl.DataFrame:
    """Passages with the reference of a kind; those without a whole text keep theirs."""
    column = "article" if kind != "lead" and "article" in table.columns else "reference"
    if kind != "retrieved":
        return table.with_columns(reference=column)
    pairs = table.select("text", column).iter_rows()
    return table.with_columns(reference=pl.Series([retrieved(text, whole, n) for text, whole in pairs]))


def measured(board: Board, name: str, kind: str, n: int) -> Line:
    """What a rule reaches with references of a kind."""
    began, rule = time.process_time(), BY_NAME[name]
    taught, held_out = (passages_of(referred(half, kind, n), BINARY) for half in halves(board.taught))
    state = rule.learn(taught, 1)
    threshold = of_readings(
        zip((one.labels for one in held_out), rule.read(state, held_out), strict=True)
    ).threshold
    judged = referred(board.replies, kind, n)
    asked = passages_of(judged, BINARY)
    p = np.concatenate([reading.p for reading in rule.read(state, asked)])
    characters = float(judged["reference"].str.len_chars().mean())
    return line(
        kind, name, characters, threshold, p, asked, board.replies["model"], time.process_time() - began
    )


def line(
    kind: str,
    name: str,
    characters: float,
    threshold: float,
    p: np.ndarray,
    asked: Sequence[Passage],
    models: pl.Series,
    cpu_s: float,
) -> Line:
    """The numbers of one line from the p of all tokens."""
    is_gold = np.concatenate([one.labels for one in asked]) > 0
    place = np.minimum(np.concatenate([one.sentences for one in asked]) + 1, PLACES[-1])
    model = np.repeat(models.to_numpy(), [len(one.offsets) for one in asked])
    is_marked = written(p) > threshold
    both = (is_gold & is_marked).sum()
    f1, tpr = 2 * both / (is_gold.sum() + is_marked.sum()), both / is_gold.sum()

    def fpr(inside: np.ndarray) -> float:
        return float(is_marked[inside & ~is_gold].mean())

    by_model = sorted(fpr(model == one) for one in set(model))
    numbers = (auroc(p, is_gold), average_precision(p, is_gold), f1, tpr, fpr(np.ones(len(p), dtype=bool)))
    by_place = tuple(fpr(place == one) for one in PLACES)
    return Line(kind, name, characters, threshold, numbers, by_place, (by_model[0], by_model[-1]), cpu_s)


def table_of(lines: Sequence[Line], board: Board, n: int) -> str:
    """The table as Markdown, with what it was measured on."""
    head = ["reference", "detector", "characters", "threshold", "AUROC", "AP", "F1", "TPR", "FPR"]
    head += [f"FPR, sentence {place}{'+' if place == PLACES[-1] else ''}" for place in PLACES]
    head += ["FPR by model", "CPU s"]
    rows = [
        [
            one.reference,
            one.detector,
            f"{one.characters:,.0f}",
            f"{one.threshold:.3f}",
            *(f"{value:.3f}" for value in (*one.numbers, *one.by_place)),
            f"{one.by_model[0]:.3f}–{one.by_model[1]:.3f}",
            f"{one.cpu_s:.1f}",
        ]
        for one in lines
    ]
    said = (
        f"{board.replies.height:,} replies of {board.replies['model'].n_unique()} models in "
        f"{board.replies['lang'].n_unique()} languages, {board.taught.height:,} training passages; retrieved: {n} sentences."
    )
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join([said, "", *(f"| {' | '.join(row)} |" for row in cells)])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--built", default=".", help="a project whose mFAVA board on the closed world was built"
    )
    options.add_argument(
        "--sentences", type=int, default=6, help="of an article that are retrieved for a reply"
    )
    options.add_argument("--write", help="a file with the markers bench:references")
    given = options.parse_args()
    write = None if given.write is None else Path(given.write).absolute()
    os.chdir(given.built)
    board = board_of(Path("."))
    print(f"{board.replies.height} replies", flush=True)
    lines = []
    for kind in REFERENCES:
        for name in RULES:
            lines.append(measured(board, name, kind, given.sentences))
            print(*lines[-1], flush=True)
    table = table_of(lines, board, given.sentences)
    print(table)
    if write:
        write_between(write, "bench:references", table)


if __name__ == "__main__":
    main()
