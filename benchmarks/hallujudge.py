"""How well the small judge of dialogues finds hallucinations of entities that it never saw, beside baselines
that see less, and what its training costs.

    python benchmarks/hallujudge.py [--write benchmarks/RESULTS.md]

The texts are made here from the closed world: per turn five natural responses (a quarter of them
hallucinated, by near values), an induced one that contradicts the knowledge and one that no source settles,
the reference and a paraphrase of it. `--write` puts the table between the markers `<!-- bench:hallujudge -->`
and `<!-- /bench:hallujudge -->` of a file.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import torch

from truerate.config import Backbone, Judging
from truerate.config.layout import Layout
from truerate.core.keys import split_of
from truerate.core.schemas import SPANS
from truerate.detectors.judges.decision import balanced_accuracy
from truerate.detectors.judges.family import fit_judges, judge_texts
from truerate.real.markers import write_between
from truerate_world.distractors import near_values, wrong_value
from truerate_world.draws import draw, order, pick, shuffled
from truerate_world.encyclopedia import World, build
from truerate_world.halueval.models.claim_checker import Checker, checker
from truerate_world.writer import Fact

SEED, N_RESPONDERS = 42, 5
STYLE = (
    "As far as records show, ",
    "It is widely noted that ",
    "Interestingly, ",
)  # of the induced texts' writer
P_NATURAL = 0.25  # of natural responses that are hallucinated


def main() -> None:
    """Measure and print; with --write also into a file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", help="file whose marked block is replaced")
    options.add_argument("--dialogues", type=int, default=60)
    options.add_argument("--folds", type=int, default=5)
    given = options.parse_args()
    torch.set_num_threads(1)
    backbone = Layout.load().p.backbones["hallujudge-tiny"]
    rows = table(build(SEED, ("en",)), given.dialogues)
    is_taught = pl.Series([split_of(group, train=0.6) for group in rows["group_id"]]) == "train"
    taught, asked = rows.filter(is_taught).drop("kind"), rows.filter(~is_taught)
    ways = {
        "all it has": (backbone, taught, asked),
        "without the conversation": (backbone, *map(_alone, (taught, asked))),
        "the answer alone": (backbone.model_copy(update={"features": ()}), *map(_blind, (taught, asked))),
    }
    lines = [_line(name, *way, folds=given.folds) for name, way in ways.items()]
    head = "| what is seen | training, CPU-s | induced against matched | natural | F1 of characters | ECE |\n"
    note = (
        f"{taught.height} texts to learn from, {asked.height} of other entities to judge, {backbone.max_steps} steps, one "
        "thread. Balanced accuracy; F1 over the characters of hallucinated texts, those of missed ones counted as missed."
    )
    text = head + "| --- | ---: | ---: | ---: | ---: | ---: |\n" + "\n".join(lines) + f"\n\n{note}"
    print(text)
    if given.write:
        write_between(Path(given.write), "bench:hallujudge", text)


def _alone(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(history=pl.lit(""), question=pl.lit(""))


def _blind(rows: pl.DataFrame) -> pl.DataFrame:
    return _alone(rows).with_columns(knowledge=pl.lit(""))


def _line(name: str, backbone: Backbone, taught: pl.DataFrame, asked: pl.DataFrame, *, folds: int) -> str:
    """One line: what a judge that learned from some texts says of others."""
    judges, known = {"judge": Judging(form="tiny", backbone="one", folds=folds)}, {"one": backbone}
    with tempfile.TemporaryDirectory() as place:
        folders = {"folder": Path(place, "out"), "scratch": Path(place, "scratch")}
        began = time.process_time()
        fit_judges(judges, taught, known, seeds=[SEED], **folders)
        cost = time.process_time() - began
        said = judge_texts(judges, asked.drop("kind"), known, folder=folders["folder"])
    rows = asked.join(said.rename({"spans": "said"}), on="target_id")
    kind = pl.col("kind")
    induced = rows.filter(kind.is_in(["factuality", "faithfulness", "matched"]))
    accuracies = [_accuracy(part) for part in (induced, rows.filter(kind == "natural"))]
    shown = [f"{value:.3f}" for value in (*accuracies, _f1(rows), _ece(rows))]
    return f"| {name} | {cost:.1f} | {' | '.join(shown)} |"


def _accuracy(rows: pl.DataFrame) -> float:
    return balanced_accuracy(rows["verdict"].to_numpy(), rows["is_hallucinated"].to_numpy())


def _f1(rows: pl.DataFrame) -> float:
    both = labelled = marked = 0
    for spans, said in rows.filter("is_hallucinated").select("spans", "said").iter_rows():
        gold, found = ({i for one in part for i in range(one["start"], one["end"])} for part in (spans, said))
        both, labelled, marked = both + len(gold & found), labelled + len(gold), marked + len(found)
    return 2 * both / (labelled + marked)


def _ece(rows: pl.DataFrame, n_bins: int = 10) -> float:
    """The mean distance of p from the share of hallucinated texts, over bins of equal width."""
    p, label = rows["p"].to_numpy(), rows["is_hallucinated"].to_numpy()
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    parts = [bins == one for one in range(n_bins) if (bins == one).any()]
    return float(sum(abs(p[part].mean() - label[part].mean()) * part.mean() for part in parts))


class Turn(NamedTuple):
    """One answered turn: what is known, what came before, what was asked, and the facts behind it."""

    name: str
    dialogue: str
    subject: int
    knowledge: str
    history: str
    question: str
    told: tuple[Fact, ...]  # by the knowledge
    before: tuple[Fact, ...]  # by the history
    untold: tuple[Fact, ...]


def turns(world: World, n: int) -> list[Turn]:
    """The turns of `n` dialogues of two to six turns, each about another entity."""
    known = checker(world, "en")
    subjects = order(len(world.entities), world.seed, "benchmark")
    return [one for place in range(n) for one in _dialogue(known, subjects[place], place)]


def _dialogue(known: Checker, subject: int, place: int) -> list[Turn]:
    world, writer, key = known.world, known.writer, (SEED, "hallujudge", place)
    facts = shuffled([Fact(subject, *one) for one in world.entities[subject].facts.items()], *key)
    made, lines, before = [], [], []
    for turn in range(2 + int(draw(*key, "n") * 5)):
        at = (*key, turn)
        start = turn % max(1, len(facts) - 1)
        told = tuple(shuffled((facts + facts)[start : start + 3], *at, "told"))
        asked = told[0]
        knowledge = " ".join(writer.tell(told, *at, "knowledge"))
        question = writer.ask(asked.relation, subject, *at)
        untold = tuple(one for one in facts if one not in told and one not in before)
        made.append(Turn(f"{place}-{turn}", f"d{place}", subject, knowledge, "\n".join(lines), question,
                         told, tuple(before), untold))  # fmt: skip
        reply = " ".join(writer.tell(told[:2], *at, "reply"))
        lines += [f"User: {question}", f"Assistant: {reply}"]
        before += told[:2]
    return made


class Text(NamedTuple):
    """A response with what is wrong in it."""

    text: str
    spans: list[dict]
    kind: str


def texts(known: Checker, turn: Turn) -> list[Text]:
    """The nine texts of a turn."""
    natural = [_natural(known, turn, number) for number in range(N_RESPONDERS)]
    key = (SEED, turn.name)
    return [
        *natural,
        _contradicting(known, turn, *key, "factuality", style=pick(STYLE, *key, "style"), near=False),
        _unverifiable(known, turn, *key, "faithfulness", style=pick(STYLE, *key, "style 2")),
        _faithful(known, turn, *key, "reference"),
        _faithful(known, turn, *key, "matched", style=pick(STYLE, *key, "style 3")),
    ]


def _natural(known: Checker, turn: Turn, number: int) -> Text:
    key = (SEED, turn.name, "natural", number)
    if draw(*key) >= P_NATURAL:
        return _faithful(known, turn, *key, "natural")
    if draw(*key, "which") < 0.5:
        return _contradicting(known, turn, *key, "natural", style="", near=True)
    return _unverifiable(known, turn, *key, "natural", style="")


def _said(turn: Turn, *key: object) -> list[Fact]:
    """One or two facts that are known: of the knowledge, at times one of the history beside it."""
    own = list(turn.told[: 1 + (draw(*key, "two") < 0.5)])
    if turn.before and draw(*key, "back") < 0.25:
        own.append(pick(turn.before, *key, "back"))
    return own


def _written(known: Checker, sentences: Sequence[str], *key: object, style: str) -> tuple[list[str], str]:
    opening = known.writer.talk("opening", *key) if draw(*key, "opening") < 0.2 else ""
    parts = [*([opening] if opening else []), *sentences]
    return parts, style


def _faithful(known: Checker, turn: Turn, *key: object, style: str = "") -> Text:
    parts, style = _written(known, known.writer.tell(_said(turn, *key), *key, "said"), *key, style=style)
    return Text(style + " ".join(parts), [], str(key[-1]))


def _contradicting(known: Checker, turn: Turn, *key: object, style: str, near: bool) -> Text:
    world, said = known.world, _said(turn, *key)
    place = int(draw(*key, "place") * len(said))
    right = said[place]
    options = near_values(world, right.value, right.relation, *key) if near else []
    value = pick(options, *key, "near") if options else wrong_value(world, right.value, right.relation, *key)
    lines = [known.writer.one(one, *key, "said", n) for n, one in enumerate(said)]
    wrong = right._replace(value=value)
    lines[place] = known.writer.one(wrong, *key, "said", place)
    parts, style = _written(known, lines, *key, style=style)
    text = style + " ".join(parts)
    named = known.writer.value(wrong, *key, "said", place)
    start = text.find(named)
    start, end = (start, start + len(named)) if start >= 0 else _place(text, lines[place])
    return Text(text, [span(start, end)], str(key[-1]))


def _unverifiable(known: Checker, turn: Turn, *key: object, style: str) -> Text:
    said = _said(turn, *key)
    lines = [known.writer.one(one, *key, "said", n) for n, one in enumerate(said)]
    if turn.untold and draw(*key, "fact") < 0.7:
        more = known.writer.one(pick(turn.untold, *key, "untold"), *key, "more", after=turn.subject)
    else:
        kind = pick(sorted(known.lexicon.words.VAGUE), *key, "kind")
        more = known.writer.vague(kind, turn.subject, *key)
    lines.insert(1 + int(draw(*key, "at") * len(lines)), more)
    parts, style = _written(known, lines, *key, style=style)
    text = style + " ".join(parts)
    return Text(text, [span(*_place(text, more))], str(key[-1]))


def _place(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


def span(start: int, end: int) -> dict:
    """A labelled span."""
    return {"start": start, "end": end, "type": "unspecified", "p": None}


def table(world: World, n: int) -> pl.DataFrame:
    """The texts of `n` dialogues as judges get them, with `kind`."""
    known = checker(world, "en")
    rows = []
    for turn in turns(world, n):
        for number, text in enumerate(texts(known, turn)):
            rows.append({
                "target_id": f"{turn.name}-{number}", "item_id": turn.name, "group_id": turn.dialogue,
                "lang": "en", "task": "dialogue", "text": text.text, "spans": text.spans,
                "is_hallucinated": bool(text.spans), "knowledge": turn.knowledge, "history": turn.history,
                "question": turn.question, "kind": text.kind,
            })  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})


if __name__ == "__main__":
    main()
