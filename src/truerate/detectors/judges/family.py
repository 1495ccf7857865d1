"""A family of judges: fitted on a board's training texts once per seed, then asked of all other texts."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config import Backbone, Judging
from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import SPANS, Judgement, frame, pairs
from truerate.detectors.interface import judged_columns, judgements
from truerate.detectors.judges.judged import (
    LABELS,
    SCOPE,
    UNFITTED,
    Judged,
    load_decision,
    training_passages,
    with_references,
)
from truerate.detectors.tokens.cells import Cell, Job, Reader, version_of
from truerate.detectors.training.jobs import each, made_once

MANY = 300  # texts from which judges read in processes of their own
Judges = Mapping[str, Judging]
Backbones = Mapping[str, Backbone]


def jobs_of(
    judges: Judges,
    passages: pl.DataFrame,
    backbones: Backbones,
    *,
    seeds: Sequence[int],
    scratch: Path,
    devices: Mapping[str, str] | None = None,
) -> list[Job]:
    """Each judge once per seed as a job, in the scratch folder that its content names. `devices`: what judges
    are trained on that are trained elsewhere. Raises TruerateError for a backbone that there is none of.
    """
    training = training_passages(with_references(passages))
    jobs = []
    for name, how in judges.items():
        backbone = backbone_of(name, how, backbones)
        for seed in seeds:
            job = Job(Cell(name, SCOPE, LABELS, seed, None), training, backbone, Path(scratch), how)
            jobs.append(job.named((devices or {}).get(name)))
    return jobs


def backbone_of(name: str, how: Judging, backbones: Backbones) -> Backbone | None:
    """The backbone of a judge, None of a form without. Raises TruerateError for an unknown name."""
    if how.backbone is None:
        return None
    if how.backbone not in backbones:
        raise TruerateError(
            f"judge {name!r}: no backbone {how.backbone!r} in params.yaml; there: {listed(backbones)}"
        )
    return backbones[how.backbone]


def check_judge(name: str, how: Judging, backbones: Backbones) -> None:
    """Raise TruerateError for a judge whose form is not there or whose backbone does not suit it."""
    if (backbone := backbone_of(name, how, backbones)) is None:
        return
    if how.form == "causal" and (backbone.mask != "causal" or backbone.features or backbone.word_dropout):
        raise TruerateError(
            f"judge {name!r}: form causal reads from left to right and words alone; give backbone "
            f"{how.backbone!r} mask: causal, features: [] and no word_dropout"
        )
    if how.form == "causal" and backbone.weights == "tiny":
        raise TruerateError(
            f"judge {name!r}: form causal writes its reasons, which cannot be learned from nothing; "
            f"name weights in backbone {how.backbone!r}, or form tiny"
        )


def fit(job: Job) -> None:
    """Fit a judge unless its state is there."""
    made_once(job.scratch, functools.partial(_form(job.how.form).fit, job))


def _form(name: str) -> Any:
    """The module of a form. Torch stands behind two of them, which settings are checked without."""
    if name == "trees":
        from truerate.detectors.judges import trees

        return trees
    if name == "tiny":
        from truerate.detectors.judges import tiny

        return tiny
    from truerate.detectors.judges import causal

    return causal


def judge_texts(
    judges: Judges, passages: pl.DataFrame, backbones: Backbones, *, folder: Path
) -> pl.DataFrame:
    """Return what every fitted judge says of every passage (`target_id`, `text`, `knowledge`, `question`,
    `history` and those of a token detector); `unparsed`, `not-fitted` where a judge had nothing to learn
    from.
    """
    asked = with_references(passages)
    readers = [reader for name, how in judges.items() for reader in fitted(name, how, backbones, folder)]
    is_worth_it = asked.height >= MANY
    judged = each(
        functools.partial(judge_cell, passages=asked),
        readers,
        lambda reader: reader.backbone if is_worth_it else None,
    )
    return pl.concat([frame(Judgement), *judged])


def fitted(name: str, how: Judging, backbones: Backbones, folder: Path) -> Iterator[Reader]:
    """The judges of a member in a family's folder, one per seed. Raises TruerateError for none."""
    places = sorted(path for path in (Path(folder) / name).glob("*") if path.is_dir())
    if not places:
        raise TruerateError(f"reading judge {name!r}: nothing at {str(folder)!r}; run `dvc repro train`")
    for path in places:
        yield Reader(Cell.of(name, path.name), path, backbone_of(name, how, backbones), how)


def judge_cell(reader: Reader, passages: pl.DataFrame) -> pl.DataFrame:
    """The Judgements of one judge."""
    targets, attributes = passages["target_id"].to_list(), {**reader.cell.attributes, "form": reader.how.form}
    judged = [UNFITTED] * len(targets)
    if reader.is_fitted:
        judged = _judged(reader, passages)
        composed = "yes" if reader.how.is_composed else "no"
        attributes |= {"threshold": load_decision(reader.folder).threshold, "composed": composed}
    member, version = reader.cell.member, version_of(reader.folder)
    return judgements(member, version, targets, **judged_columns(judged), slice_pairs=pairs(**attributes))


def _judged(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    judged: list[Judged] = _form(reader.how.form).judge(reader, passages)
    return judged


def judge_one(reader: Reader, text: str, *, knowledge: str, history: str, question: str) -> Judged | None:
    """Return what a judge says of one response; None where it has learned nothing."""
    if not reader.is_fitted:
        return None
    names = {name: "" for name in ("target_id", "item_id", "group_id", "lang", "task")}
    row = names | {"text": text, "knowledge": knowledge, "history": history, "question": question}
    passage = pl.DataFrame([row | {"spans": []}], schema_overrides={"spans": SPANS})
    return _judged(reader, with_references(passage))[0]
