"""The stages `train` and `judge`: the detectors of a board's families are fitted, and asked about its texts.

A family that judged the same texts before, in the same state and by the same code, is not asked again: what it
said lies in a scratch folder, by a digest of all of that. So an edit of one family costs no other its time.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config import Judging
from truerate.config.layout import ROOT, Layout
from truerate.config.places import claim
from truerate.config.stage_settings import Stage
from truerate.core.keys import digest
from truerate.core.parents import is_first_process
from truerate.core.schemas import (
    LARGEST_GROUP,
    Generation,
    Judgement,
    Sample,
    load,
    pair,
    save_in_parts,
    write,
)
from truerate.pipeline import cells
from truerate.pipeline.evaluate import contexts
from truerate.pipeline.guard import refuse_edited, unchanged, watched_by, write_json
from truerate.pipeline.judges.asked_models import endpoint, identities
from truerate.pipeline.references import given, referring, shortened
from truerate.pipeline.tracks import protocol_of
from truerate.pipeline.trained_elsewhere import LEARNED, learners, refuse_untaught, stamps

FAMILIES = "families.json"  # in what both stages write: which families the board has, with their members
GROUP, BY_SAMPLE = (
    "group",
    "split_by_sample",
)  # how training texts are told; the attribute that tells otherwise
CODE = tuple(
    f"{ROOT}/{part}"
    for part in (
        *("core/keys.py", "core/text.py", "core/tags.py", "core/pretrained.py", "core/quotes.py"),
        *("core/sentence_spans.py", "core/whole_words.py", "metrics", "detectors"),
    )
)


def train(at: Layout, board: str) -> None:
    """Fit each family of detectors of a board: text members once per fold, others on training texts."""
    with unchanged(at, Stage("train", board)) as own:
        claim(at, "detectors")
        write_families(own, board, own.trained(board), own.p.fitted(board))
        samples = load(Sample, own.labels(board, "samples"))
        learning = {
            name: fitting(own, board, name, samples, _devices(own, board, name))
            for name in own.p.fitted(board)
            if own.p.detectors[name].kind != "texts"
        }
        if cells.is_away():
            cells.fit_away(own, board, learning)
        for name in own.p.fitted(board):
            _fit(own, board, name, samples, learning.get(name))
    _tell_learners(at, board)


def train_cell(at: Layout, board: str, name: str) -> None:
    """Fit one cell of a board's detectors as a job of Snakemake, by the plan of the stage `train`."""
    refuse_edited(at, Stage("train", board))
    samples = load(Sample, at.labels(board, "samples"))
    cells.fit_cell(at, board, name, lambda family, devices: fitting(at, board, family, samples, devices))


def fitting(
    at: Layout, board: str, name: str, samples: pl.DataFrame, devices: cells.Devices
) -> cells.Fitting:
    """The cells of a family of token detectors or judges as jobs on `devices`, and the function that fits one."""
    family = at.p.detectors[name]
    members = family.members_on(at.p.board(board).track)
    size, scratch = at.p.size_of(board), Path(at.training)
    backbones = size.paced(at.p.backbones)
    if family.kind == "judges":
        from truerate.detectors.judges import family as judging

        where: dict[str, Any] = {"seeds": size.seeds, "scratch": scratch, "devices": devices}
        found: list[Any] = []
        for split, judges in by_split(family.judges, members).items():
            lessons = labelled(conversations(at, board, taught(at, board, samples, split)), samples)
            found += judging.jobs_of(judges, lessons, backbones, **where)
        return cells.Fitting(found, judging.fit, devices)
    from truerate.detectors.tokens import family as marking
    from truerate.detectors.tokens.predict import fit

    texts = passages(at, board, taught(at, board, samples))
    jobs = marking.jobs_of(members, texts, at.p, size, scratch=scratch, parts=family.grid, devices=devices)
    return cells.Fitting(jobs, fit, devices)


def _devices(at: Layout, board: str, name: str) -> cells.Devices:
    return cells.devices(at, name, at.p.detectors[name].members_on(at.p.board(board).track))


def _tell_learners(at: Layout, board: str) -> None:
    """Write anew what DVC watches of the judging of other boards by what is learned on this one."""
    for learner in learners(at.p, board) if is_first_process() else []:
        stage = Stage("judge", learner)
        if Path(at.settings(stage)).is_file():
            write_json(at.settings(stage), watched_by(at, stage))


def _fit(at: Layout, board: str, name: str, samples: pl.DataFrame, learning: cells.Fitting | None) -> None:
    """Fit one family into its folder. Of processes that work together all fit networks, and the first writes."""
    family, folder = at.p.detectors[name], Path(at.detector(name, board))
    if is_first_process():
        folder.mkdir(parents=True)
    if learning is not None:
        from truerate.detectors.training.jobs import fit_all

        fit_all(learning.jobs, learning.fit, folder)
    elif is_first_process():
        from truerate.detectors import fit_family

        members = family.members_on(at.p.board(board).track)
        own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
        fit_family(members, samples, contexts(at, board, samples, about=samples), at.p.seed, **own)


def taught(at: Layout, board: str, samples: pl.DataFrame, split: str = GROUP) -> pl.DataFrame:
    """The training texts of a board: those of the training groups, or of the training samples (`split_by_sample`)."""
    sides = samples["split"] if split == GROUP else samples.select(pair("attributes", BY_SAMPLE)).to_series()
    learned: pl.DataFrame = protocol_of(at, board).training(samples.with_columns(split=sides.alias("split")))
    return learned


def by_split(judges: Mapping[str, Judging], members: Sequence[str]) -> dict[str, dict[str, Judging]]:
    """The judges of some members, by the split whose training side they learn from."""
    found: dict[str, dict[str, Judging]] = {}
    for member in members:
        found.setdefault(judges[member].split, {})[member] = judges[member]
    return found


def judge(at: Layout, board: str) -> None:
    """What each family of detectors says of each text of a board: asked in a state that has not seen it."""
    refuse_untaught(at, board)
    with unchanged(at, Stage("judge", board)) as own:
        write_families(own, board, own.judged(board), own.p.families(board))
        if learned := stamps(own, board):
            write_json(f"{own.judged(board)}/{LEARNED}", learned)
        samples = load(Sample, own.labels(board, "samples"))
        for name in own.p.families(board):
            kept = kept_judgements(own, board, name)
            if not kept.is_file():
                _judge(own, board, name, samples, kept)
            _save([kept], own.judgements(name, board))


def kept_judgements(at: Layout, board: str, name: str) -> Path:
    """Where what a family says of a board's texts is kept, by all that decides it."""
    texts, code = _asked_of(at, board)
    family = at.p.detectors[name].model_dump(mode="json")
    learned = [at.detector(*at.p.teacher(name, board))] if at.p.detectors[name].train else []
    weights = identities(at, name, board)
    more = ({"weights": weights} if weights else {}) | referring(at, board)
    key = digest(*texts, *learned, *code, family=family, **more)
    return _kept(at, board) / f"{name}@{key}.parquet"


def texts_key(at: Layout, board: str) -> str:
    """Digest of a board's texts, their references and how they are read, for what is stored cell by cell."""
    texts, code = _asked_of(at, board)
    return digest(*texts, *code, **referring(at, board))


def _asked_of(at: Layout, board: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Folders of a board's texts, and the code that reads them."""
    texts = (at.source(at.p.board(board).source), at.dataset(board), at.labels(board))
    return texts, (*CODE, f"{ROOT}/tracks/{at.p.board(board).track}")


def _kept(at: Layout, board: str) -> Path:
    return Path(at.p.paths.build) / "judged" / board


def _save(paths: Sequence[Path], path: str | Path) -> None:
    """Judgements of files as one table by judgement_id, of which no more is in memory than one group of rows."""
    save_in_parts(
        Judgement, paths, path, key="judgement_id", n=LARGEST_GROUP, group=LARGEST_GROUP, keeps_first=False
    )


def _judge(at: Layout, board: str, name: str, samples: pl.DataFrame, kept: Path) -> None:
    """Write what one family says, by judgement_id, in the state in which it was left by the family that taught it."""
    if at.p.detectors[at.p.teacher(name, board)[0]].kind == "tokens":
        _save(_marked(at, board, name, samples), kept)
    else:
        write(Judgement, _judgements(at, board, name, samples).sort("judgement_id"), kept)


def _marked(at: Layout, board: str, name: str, samples: pl.DataFrame) -> list[Path]:
    """The files of what a family of token detectors says, cell by cell."""
    from truerate.detectors.tokens.family import judge_tokens

    teacher, taught_on = at.p.teacher(name, board)
    how, members = at.p.detectors[teacher], at.p.detectors[name].members_on(at.p.board(board).track)
    return judge_tokens(
        members,
        passages(at, board, with_labelled(targets(at, board, samples), samples)),
        at.p,
        at.p.size_of(board) if taught_on == board else None,
        folder=Path(at.detector(teacher, taught_on)),
        kept=_kept(at, board) / "cells",
        parts=how.grid,
        texts=texts_key(at, board),
        of_rates=at.p.rate_of(board) if how.unlabelled == "rates" else None,
    )


def _judgements(at: Layout, board: str, name: str, samples: pl.DataFrame) -> pl.DataFrame:
    """What a family of detectors says that does not mark tokens."""
    teacher, taught_on = at.p.teacher(name, board)
    how, members = at.p.detectors[teacher], at.p.detectors[name].members_on(at.p.board(board).track)
    folder = Path(at.detector(teacher, taught_on))
    if how.kind == "texts":
        from truerate.detectors import judge_family

        own = {"folder": folder, "n_folds": how.folds, "entailment": how.entailment}
        return judge_family(members, samples, contexts(at, board, samples, about=samples), **own)
    texts = targets(at, board, samples)
    if how.kind == "published":
        from truerate.detectors.published.family import judge_published

        published = {member: how.published[member] for member in members}
        return judge_published(published, evidenced(at, board, texts, samples), partial(endpoint, at))
    from truerate.detectors.judges.family import judge_texts

    return pl.concat(
        judge_texts(judges, conversations(at, board, unlearned), at.p.backbones, folder=folder)
        for split, judges in by_split(how.judges, members).items()
        for unlearned in [_unlearned(at, board, samples, texts, split if taught_on == board else GROUP)]
    )


def _unlearned(
    at: Layout, board: str, samples: pl.DataFrame, texts: pl.DataFrame, split: str
) -> pl.DataFrame:
    """The texts that a judge of this split did not learn from."""
    if split == GROUP:
        return texts
    return texts.join(taught(at, board, samples, split), on="target_id", how="anti", maintain_order="left")


def targets(at: Layout, board: str, samples: pl.DataFrame) -> pl.DataFrame:
    """The texts that token detectors and judges are asked of: those that the track names, else the board's samples."""
    named = protocol_of(at, board).targets
    if named is None:
        columns = ("item_id", "group_id", "lang", "task", "text", "spans")
        return samples.select(pl.col("sample_id").alias("target_id"), *columns)
    return named(samples, load(Generation, at.dataset(board, "generations")))


def write_families(at: Layout, board: str, folder: str, names: Sequence[str]) -> None:
    """Say in a folder which families of detectors a board has there, with their members: it may have none."""
    if not is_first_process():
        return
    track = at.p.board(board).track
    said = {name: list(at.p.detectors[name].members_on(track)) for name in names}
    write_json(f"{folder}/{FAMILIES}", said)


def passages(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts (`target_id`, `item_id`, `group_id`, `lang`, `task`, `text`, `spans`) with the `reference` of their items."""
    known = given(at, board).select("item_id", reference="knowledge")
    referred = texts.join(known, on="item_id", how="left", maintain_order="left").with_columns(
        pl.col("reference").fill_null("")
    )
    return shortened(at, board, referred, "reference")


def with_labelled(texts: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Texts with whether there are labels of their item and wording (`is_labelled`), whatever they are called."""
    known = samples.select("item_id", "text").unique(maintain_order=True).with_columns(is_labelled=True)
    return texts.join(known, on=["item_id", "text"], how="left", maintain_order="left").with_columns(
        pl.col("is_labelled").fill_null(False)
    )


def conversations(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts with the `knowledge`, `question` and `history` of their items, null where these have none."""
    told = texts.join(given(at, board), on="item_id", how="left", maintain_order="left")
    return shortened(at, board, told, "knowledge")


def evidenced(at: Layout, board: str, texts: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Texts with the `knowledge`, `question` and `history` of their own evidence, else of their items, else null."""
    known = given(at, board, samples)
    own = pl.col("target_id").is_in(known["item_id"].implode())
    named = texts.with_columns(_known=pl.when(own).then("target_id").otherwise("item_id"))
    told = named.join(
        known.rename({"item_id": "_known"}), on="_known", how="left", maintain_order="left"
    ).drop("_known")
    return shortened(at, board, told, "knowledge")


def labelled(texts: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Texts with the label and rationale of the sample of their name; null where there is none."""
    said = samples.select("is_hallucinated", "rationale", target_id="sample_id")
    bare = texts.drop("is_hallucinated", "rationale", strict=False)
    return bare.join(said, on="target_id", how="left", maintain_order="left")
