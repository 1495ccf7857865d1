"""What token rules are given as reference on Mu-SHROOM's pages: the lead, the whole page, or the sentences of it that
share most words with the answer.

    python benchmarks/references_mushroom.py --built DIR [--sentences 6] [--write benchmarks/RESULTS.md]

`--built` is the work folder of a `truerate real` whose data hold Mu-SHROOM's validation set with pages, and mFAVA's
files to learn from. `token-lr` and `token-tree` learn from mFAVA's silver passages beside the references that these
have (with `retrieved`, beside such sentences of them), and choose their threshold on what is held back; no answer of
Mu-SHROOM is learned from. A page has no mark where its lead ends: the lead is its first lines of a sentence or more
(80 characters), up to 600 characters. An answer without a page is read beside nothing, whatever the column says.
IoU and rank correlation are the task's, means over languages; with page: over the languages whose answers have one,
and these answers alone. One thread, process CPU seconds. `--write` puts the table between the markers
`<!-- bench:references-mushroom -->` and `<!-- /bench:references-mushroom -->`.
"""

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import polars as pl
from references import REFERENCES, RULES, referred

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, Sample, load
from truerate.detectors.tokens.cells import halves
from truerate.detectors.tokens.rules import BY_NAME
from truerate.detectors.tokens.span_probabilities import BINARY, labels_of, soft_spans
from truerate.detectors.tokens.validate import of_readings
from truerate.detectors.tokens.word_features import passages_of
from truerate.metrics.spans import answer_correlation, answer_iou
from truerate.pipeline.detect import passages as with_references
from truerate.pipeline.tracks import protocol_of
from truerate.results.markers import write_between

BOARD = "mushroom"
LINE, LEAD = 80, 600  # characters: of a line that is a sentence; of a lead
SCORES = ("iou", "correlation")


def lead_of(page: str) -> str:
    """The first lines of a page that are sentences, up to LEAD characters; the page where it has none."""
    lines = "\n".join(line for line in page.splitlines() if len(line) >= LINE)
    return (lines or page)[:LEAD]


def board_of(built: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Passages to learn from, and labelled answers with the `article` (whole page) and its lead as `reference`."""
    at = Layout.load(str(built / "params.yaml"))
    samples = load(Sample, at.labels(BOARD, "samples"))
    protocol = protocol_of(at, BOARD)
    taught = with_references(at, BOARD, protocol.training(samples))
    asked = protocol.targets(samples, load(Generation, at.dataset(BOARD, "generations")))
    gold = samples.filter(task="wild").select(target_id="sample_id", gold="spans")
    answers = with_references(at, BOARD, asked).join(gold, on="target_id").sort("reference", "target_id")
    leads = pl.Series([lead_of(page) for page in answers["reference"]], dtype=pl.String)
    return taught, answers.with_columns(article="reference").with_columns(reference=leads)


def measured(taught: pl.DataFrame, answers: pl.DataFrame, name: str, kind: str, n: int) -> list[str]:
    """A line of the table: what a rule reaches with references of a kind."""
    began, rule, labels = time.process_time(), BY_NAME[name], labels_of("binary")
    half, held_out = (passages_of(referred(part, kind, n), BINARY) for part in halves(taught))
    state = rule.learn(half, 1)
    threshold = of_readings(
        zip((one.labels for one in held_out), rule.read(state, held_out), strict=True)
    ).threshold
    judged = referred(answers, kind, n)
    scores = []
    readings = rule.read(state, passages_of(judged, BINARY))
    for (text, gold), reading in zip(judged.select("text", "gold").iter_rows(), readings, strict=True):
        said = [(one["start"], one["end"], one["p"]) for one in soft_spans(text, reading, labels)]
        known = [(one["start"], one["end"], one["p"]) for one in gold]
        scores.append((answer_iou(known, said, threshold), answer_correlation(len(text), known, said)))
    each = judged.select("lang", has_page=pl.col("article") != "").hstack(
        pl.DataFrame(scores, schema=SCORES, orient="row")
    )
    found = [
        part.group_by("lang").agg(pl.col(SCORES).mean()).select(pl.col(SCORES).mean()).row(0)
        for part in (each, each.filter("has_page"))
    ]
    told = judged.filter(pl.col("article") != "")["reference"].str.len_chars().mean()
    numbers = [f"{value:.3f}" for values in found for value in values]
    return [
        kind,
        name,
        f"{told:,.0f}",
        f"{threshold:.3f}",
        *numbers,
        f"{time.process_time() - began:.1f}",
    ]


def main() -> None:
    """Measure, print, and write where asked."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--built", type=Path, required=True, help="work folder of a `truerate real`")
    options.add_argument(
        "--sentences", type=int, default=6, help="of a page that are retrieved for an answer"
    )
    options.add_argument("--write", type=Path, help="a file with the markers")
    given = options.parse_args()
    write = given.write and given.write.absolute()
    os.chdir(given.built)
    taught, answers = board_of(Path("."))
    head = ["reference", "rule", "characters", "threshold"]
    head += [f"{score}{of}" for of in ("", ", with page") for score in ("IoU", "correlation")] + ["CPU s"]
    lines = [head, ["---"] * len(head)]
    for kind in REFERENCES:
        for name in RULES:
            lines.append(measured(taught, answers, name, kind, given.sentences))
            print(*lines[-1], flush=True)
    n_paged = answers.filter(pl.col("article") != "").height
    said = (
        f"{answers.height} answers in {answers['lang'].n_unique()} languages, {n_paged} with a page; {taught.height:,} passages "
        f"to learn from; retrieved: {given.sentences} sentences."
    )
    table = "\n".join([said, "", *(f"| {' | '.join(line)} |" for line in lines)])
    print(table)
    if write:
        write_between(write, "bench:references-mushroom", table)


if __name__ == "__main__":
    main()
