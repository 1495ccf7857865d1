"""The stages `train` and `judge`: the detectors of a board's families are fitted, and asked about its texts.

A family that judged the same texts before, in the same state and by the same code, is not asked again: its
judgements lie in a scratch folder, by a digest of all of that. So an edit of one family costs no other its
time.
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
from truerate.core.process.parents import is_first_process
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
from truerate.pipeline.trained_elsewhere import (
    LEFT_OUT,
    TRAINED_ELSEWHERE,
    learners,
    refuse_untrained,
    stamps,
)

FAMILIES = "families.json"  # in what both stages write: which families the board has, with their members
GROUP = "group"  # how training texts are separated, unless by text
# the attributes that hold the side of a text which detectors take on another one than its `split`
SIDES = {GROUP: "detector_split", "sample": "split_by_sample"}
CORE = "keys text pretrained sentence_spans spans/tags spans/quotes spans/whole_words"
CODE = (*(f"{ROOT}/core/{part}.py" for part in CORE.split()), f"{ROOT}/metrics", f"{ROOT}/detectors")
GROUPS: dict[str, Any] = {
    "key": "judgement_id",
    "n": LARGEST_GROUP,
    "group": LARGEST_GROUP,
    "keeps_first": False,
}


# ---- train -------------------------------------------------------------------------------------------------
def train(config: Layout, board: str) -> None:
    """Fit each family of detectors of a board: text members once per fold, others on training texts."""
    families = config.p.fitted(board)
    with unchanged(config, Stage("train", board)):
        claim(config, "detectors")
        write_families(config, board, config.trained(board), families)
        samples = load(Sample, config.labels(board, "samples"))
        fittings = {
            name: fitting(
                config, board, name, samples, cells.devices(config, name, _members(config, board, name))
            )
            for name in families
            if config.p.detectors[name].kind != "texts"
        }
        if cells.is_away():
            cells.fit_away(config, board, fittings)
        for name in families:
            _fit(config, board, name, samples, fittings.get(name))
    for learner in learners(config.p, board) if is_first_process() else []:  # which DVC is to judge anew
        stage = Stage("judge", learner)
        if Path(config.settings(stage)).is_file():
            write_json(config.settings(stage), watched_by(config, stage))


def train_cell(config: Layout, board: str, name: str) -> None:
    """Fit one cell of a board's detectors as a job of Snakemake, by the plan of the stage `train`."""
    refuse_edited(config, Stage("train", board))
    samples = load(Sample, config.labels(board, "samples"))
    cells.fit_cell(
        config, board, name, lambda family, devices: fitting(config, board, family, samples, devices)
    )


def _members(config: Layout, board: str, name: str) -> tuple[str, ...]:
    return config.p.members(name, board)


def fitting(
    config: Layout, board: str, name: str, samples: pl.DataFrame, devices: cells.Devices
) -> cells.Fitting:
    """Cells of a family of token detectors or judges as jobs on `devices`, and the function that fits one."""
    family, members = config.p.detectors[name], _members(config, board, name)
    size, scratch = config.p.size_of(board), Path(config.training)
    if family.kind == "judges":
        from truerate.detectors.judges import family as judging

        backbones = size.paced(config.p.backbones)
        jobs: list[Any] = []
        for split, judges in by_split(family.judges, members).items():
            texts = conversations(config, board, training_texts(config, board, samples, split))
            where: dict[str, Any] = {"seeds": size.seeds, "scratch": scratch, "devices": devices}
            jobs += judging.jobs_of(judges, labelled(texts, samples), backbones, **where)
        return cells.Fitting(jobs, judging.fit, devices)
    from truerate.detectors.tokens import family as marking
    from truerate.detectors.tokens.predict import fit

    texts = passages(config, board, training_texts(config, board, samples))
    jobs = marking.jobs_of(
        members, texts, config.p, size, scratch=scratch, parts=family.grid, devices=devices
    )
    return cells.Fitting(jobs, fit, devices)


def _fit(config: Layout, board: str, name: str, samples: pl.DataFrame, fitting: cells.Fitting | None) -> None:
    """Fit one family into its folder. Of several processes all fit networks, and the first writes."""
    family, folder = config.p.detectors[name], Path(config.detector(name, board))
    if is_first_process():
        folder.mkdir(parents=True)
    if fitting is not None:
        from truerate.detectors.training.jobs import fit_all

        fit_all(fitting.jobs, fitting.fit, folder)
    elif is_first_process():
        from truerate.detectors.family import fit_family

        references = contexts(config, board, samples, about=samples)
        how = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
        fit_family(_members(config, board, name), samples, references, config.p.seed, **how)


def training_texts(config: Layout, board: str, samples: pl.DataFrame, split: str = GROUP) -> pl.DataFrame:
    """Training texts of a board: those of the training groups, or training samples (`split_by_sample`)."""
    texts: pl.DataFrame = protocol_of(config, board).training(sided(samples, split))
    return texts


def sided(samples: pl.DataFrame, split: str = GROUP) -> pl.DataFrame:
    """Samples with the side on which detectors take each as `split`: that of its attribute, else its own."""
    return samples.with_columns(split=pl.coalesce(pair("attributes", SIDES[split]), "split"))


def by_split(judges: Mapping[str, Judging], members: Sequence[str]) -> dict[str, dict[str, Judging]]:
    """The judges of some members, by the split whose training side they learn from."""
    by_name: dict[str, dict[str, Judging]] = {}
    for member in members:
        by_name.setdefault(judges[member].split, {})[member] = judges[member]
    return by_name


# ---- judge -------------------------------------------------------------------------------------------------
def judge(config: Layout, board: str) -> None:
    """Judgements of each family of detectors on the texts of a board, in a state that has not seen them."""
    refuse_untrained(config, board)
    with unchanged(config, Stage("judge", board)):
        write_families(config, board, config.judged(board), config.p.families(board))
        if learned_from := stamps(config, board):
            write_json(f"{config.judged(board)}/{TRAINED_ELSEWHERE}", learned_from)
        samples = load(Sample, config.labels(board, "samples"))
        if left := left_out(config, board, samples):
            write_json(f"{config.judged(board)}/{LEFT_OUT}", left)
        for name in config.p.families(board):
            kept = kept_judgements(config, board, name)
            if not kept.is_file():
                _judge(config, board, name, samples, kept)
            save_in_parts(Judgement, [kept], config.judgements(name, board), **GROUPS)


def kept_judgements(config: Layout, board: str, name: str) -> Path:
    """Return where the judgements of a family on a board's texts are kept, by all that decides them."""
    texts, code = _texts_and_code(config, board)
    family, weights = config.p.detectors[name], identities(config, name, board)
    state = config.detector(*config.p.teacher(name, board))  # holds no file where there was no labelled text
    states = [state] if family.train and any(Path(state).rglob("*.*")) else []
    more = ({"weights": weights} if weights else {}) | referring(config, board)
    more |= {"without": "texts learned from"} if _is_from(config, name, board) else {}
    key = digest(*texts, *states, *code, family=family.model_dump(mode="json"), **more)
    return _scratch(config, board) / f"{name}@{key}.parquet"


def _texts_and_code(config: Layout, board: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Folders of a board's texts, and the code that reads them."""
    texts = (config.source(config.p.board(board).source), config.dataset(board), config.labels(board))
    return texts, (*CODE, f"{ROOT}/tracks/{config.p.board(board).track}")


def _scratch(config: Layout, board: str) -> Path:
    return Path(config.p.paths.build) / "judged" / board


def _judge(config: Layout, board: str, name: str, samples: pl.DataFrame, path: Path) -> None:
    """Write the judgements of one family, in the state in which its teacher was left, by judgement_id."""
    teacher, trained_on = config.p.teacher(name, board)
    how, members = config.p.detectors[teacher], _members(config, board, name)
    folder = Path(config.detector(teacher, trained_on))
    if how.kind == "tokens":
        from truerate.detectors.tokens.family import judge_tokens

        folders, code = _texts_and_code(config, board)
        labels = samples.select("item_id", "text").unique(maintain_order=True).with_columns(is_labelled=True)
        texts = unlearned(config, board, samples, targets(config, board, samples), GROUP, trained_on)
        texts = texts.join(labels, on=["item_id", "text"], how="left", maintain_order="left")
        texts = texts.with_columns(pl.col("is_labelled").fill_null(False))  # labels of their item and wording
        shown = {"taught_on": trained_on} if trained_on != board else {}
        files = judge_tokens(
            members,
            passages(config, board, texts),
            config.p,
            config.p.size_of(board) if trained_on == board else None,
            folder=folder,
            kept=_scratch(config, board) / "cells",
            parts=how.grid,
            texts=digest(
                *folders, *code, **referring(config, board), **shown
            ),  # of what is stored cell by cell
            of_rates=config.p.rate_of(board) if how.unlabelled == "rates" else None,
        )
        save_in_parts(Judgement, files, path, **GROUPS)
        return
    if how.kind == "texts":
        from truerate.detectors.family import judge_family

        references = contexts(config, board, samples, about=samples)
        state = {"folder": folder, "n_folds": how.folds, "entailment": how.entailment}
        judgements = judge_family(members, samples, references, **state)
    elif how.kind == "published":
        from truerate.detectors.published.family import judge_published

        published = {member: how.published[member] for member in members}
        texts = evidenced(config, board, targets(config, board, samples), samples)
        judgements = judge_published(published, texts, partial(endpoint, config))
    else:
        from truerate.detectors.judges.family import judge_texts

        parts, texts = [], targets(config, board, samples)
        for split, judges in by_split(how.judges, members).items():
            left = unlearned(config, board, samples, texts, split, trained_on)
            parts.append(
                judge_texts(judges, conversations(config, board, left), config.p.backbones, folder=folder)
            )
        judgements = pl.concat(parts)
    write(Judgement, judgements.sort("judgement_id"), path)


# ---- texts -------------------------------------------------------------------------------------------------
def targets(config: Layout, board: str, samples: pl.DataFrame) -> pl.DataFrame:
    """The texts that token detectors and judges are asked of: the track's, else the board's samples."""
    named = protocol_of(config, board).targets
    if named is None:
        columns = ("item_id", "group_id", "lang", "task", "text", "spans")
        return samples.select(pl.col("sample_id").alias("target_id"), *columns)
    return named(sided(samples), load(Generation, config.dataset(board, "generations")))


def unlearned(
    config: Layout,
    board: str,
    samples: pl.DataFrame,
    texts: pl.DataFrame,
    split: str,
    trained_on: str | None = None,
) -> pl.DataFrame:
    """The texts that a judge of this split did not learn from. One that learned on another board (`trained_on`)
    is not asked of a text that it was shown there, whatever the text is called here: equal words are one text.
    """
    if trained_on not in (None, board):
        there = load(Sample, config.labels(trained_on, "samples"))
        shown_there = training_texts(config, trained_on, there, split)["text"]
        return texts.filter(~pl.col("text").is_in(shown_there.unique(maintain_order=True).implode()))
    if split == GROUP:
        return texts
    training = training_texts(config, board, samples, split)
    return texts.join(training, on="target_id", how="anti", maintain_order="left")


def _is_from(config: Layout, name: str, board: str) -> bool:
    """Whether a family judges a board by networks that were trained on another one."""
    teacher, trained_on = config.p.teacher(name, board)
    return trained_on != board and config.p.detectors[teacher].kind in ("tokens", "judges")


def left_out(config: Layout, board: str, samples: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Return of each member that learned on another board and was shown texts of this one there: that board
    (`learned_on`), how many texts it is not asked of (`n`), and of how many (`of`).
    """
    counts: dict[str, dict[str, Any]] = {}
    for name in (family for family in config.p.families(board) if _is_from(config, family, board)):
        teacher, on = config.p.teacher(name, board)
        texts, judges = targets(config, board, samples), config.p.detectors[teacher].judges
        for member in _members(config, board, name):
            split = judges[member].split if member in judges else GROUP
            n = texts.height - unlearned(config, board, samples, texts, split, on).height
            counts |= {member: {"learned_on": on, "n": n, "of": texts.height}} if n else {}
    return counts


def write_families(config: Layout, board: str, folder: str, names: Sequence[str]) -> None:
    """Write which families of detectors a board has, with their members, into a folder: it may have none."""
    if is_first_process():
        write_json(f"{folder}/{FAMILIES}", {name: list(_members(config, board, name)) for name in names})


def passages(config: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts (with `target_id`, `item_id`, `text`, `spans` …) with the `reference` of their items."""
    references = given(config, board).select("item_id", reference="knowledge")
    joined = texts.join(references, on="item_id", how="left", maintain_order="left")
    return shortened(config, board, joined.with_columns(pl.col("reference").fill_null("")), "reference")


def conversations(config: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts with the `knowledge`, `question` and `history` of their items, null where these have none."""
    joined = texts.join(given(config, board), on="item_id", how="left", maintain_order="left")
    return shortened(config, board, joined, "knowledge")


def evidenced(config: Layout, board: str, texts: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Texts with `knowledge`, `question`, `history` of their own evidence, else of their items, else null."""
    references = given(config, board, samples)
    has_own = pl.col("target_id").is_in(references["item_id"].implode())
    named = texts.with_columns(_of=pl.when(has_own).then("target_id").otherwise("item_id"))
    joined = named.join(references.rename({"item_id": "_of"}), on="_of", how="left", maintain_order="left")
    return shortened(config, board, joined.drop("_of"), "knowledge")


def labelled(texts: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Texts with the label and rationale of the sample of their name; null where there is none."""
    labels = samples.select("is_hallucinated", "rationale", target_id="sample_id")
    bare = texts.drop("is_hallucinated", "rationale", strict=False)
    return bare.join(labels, on="target_id", how="left", maintain_order="left")
