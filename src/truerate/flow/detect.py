"""The stages `train` and `judge`: the detectors of a board's families are fitted, and asked about its texts.

A family that judged the same texts before, in the same state and by the same code, is not asked again: what it
said lies in a scratch folder, by a digest of all of that. So an edit of one family costs no other its time.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from truerate.config.layout import ROOT, Layout
from truerate.config.places import claim
from truerate.config.stage_settings import Stage
from truerate.core.keys import digest
from truerate.core.parents import is_first_process
from truerate.core.schemas import Generation, Judgement, Sample, load, read, save, write
from truerate.flow.evaluate import contexts
from truerate.flow.guard import unchanged, watched_by, write_json
from truerate.flow.learned import LEARNED, learners, refuse_untaught, stamps
from truerate.flow.tracks import protocol_of

FAMILIES = "families.json"  # in what both stages write: which families the board has, with their members
CODE = tuple(
    f"{ROOT}/{part}"
    for part in (
        *("core/keys.py", "core/text.py", "core/tags.py", "core/pretrained.py", "core/quotes.py"),
        *("core/whole_words.py", "metrics", "detectors"),
    )
)


def train(at: Layout, board: str) -> None:
    """Fit each family of detectors of a board: whole-text members once per fold, token detectors and judges on
    the training texts.
    """
    with unchanged(at, Stage("train", board)) as own:
        claim(at, "detectors")
        write_families(own, board, own.trained(board), own.p.fitted(board))
        samples = load(Sample, own.labels(board, "samples"))
        for name in own.p.fitted(board):
            _fit(own, board, name, samples)
    _tell_learners(at, board)


def _tell_learners(at: Layout, board: str) -> None:
    """Write anew what DVC watches of the judging of other boards by what is learned on this one."""
    for learner in learners(at.p, board) if is_first_process() else []:
        stage = Stage("judge", learner)
        if Path(at.settings(stage)).is_file():
            write_json(at.settings(stage), watched_by(at, stage))


def _fit(at: Layout, board: str, name: str, samples: pl.DataFrame) -> None:
    """Fit one family into its folder. Of processes that work together all fit networks, and the first writes."""
    family, folder = at.p.detectors[name], Path(at.detector(name, board))
    members = family.members_on(at.p.board(board).track)
    if is_first_process():
        folder.mkdir(parents=True)
    elif family.kind == "texts":
        return
    if family.kind == "texts":
        from truerate.detectors import fit_family

        own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
        fit_family(members, samples, contexts(at, board, samples), at.p.seed, **own)
        return
    taught, size = protocol_of(at, board).training(samples), at.p.size_of(board)
    if family.kind == "judges":
        from truerate.detectors.judges.family import fit_judges

        judges = {name: family.judges[name] for name in members}
        lessons = labelled(conversations(at, board, taught), samples)
        where = {"folder": folder, "scratch": Path(at.training)}
        fit_judges(judges, lessons, at.p.backbones, seeds=size.seeds, **where)
    else:
        from truerate.detectors.tokens.family import fit_tokens

        fit_tokens(members, passages(at, board, taught), at.p, size, folder=folder, scratch=Path(at.training))


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
                write(Judgement, _judgements(own, board, name, samples), kept)
            save(Judgement, read(Judgement, kept), own.judgements(name, board))


def kept_judgements(at: Layout, board: str, name: str) -> Path:
    """Where what a family says of a board's texts is kept, by all that decides it."""
    texts = (at.source(at.p.board(board).source), at.dataset(board), at.labels(board))
    code = (*CODE, f"{ROOT}/tracks/{at.p.board(board).track}")
    family = at.p.detectors[name].model_dump(mode="json")
    key = digest(*texts, at.detector(*at.p.teacher(name, board)), *code, family=family)
    return Path(at.p.paths.build) / "judged" / board / f"{name}@{key}.parquet"


def _judgements(at: Layout, board: str, name: str, samples: pl.DataFrame) -> pl.DataFrame:
    """What one family says, by judgement_id, in the state in which it was left by the family that taught it."""
    teacher, taught_on = at.p.teacher(name, board)
    members, folder = (
        at.p.detectors[name].members_on(at.p.board(board).track),
        Path(at.detector(teacher, taught_on)),
    )
    how = at.p.detectors[teacher]
    if how.kind == "texts":
        from truerate.detectors import judge_family

        own = {"folder": folder, "n_folds": how.folds, "entailment": how.entailment}
        judged = judge_family(members, samples, contexts(at, board, samples), **own)
        return judged.sort("judgement_id")
    texts = _targets(at, board, samples)
    if how.kind == "judges":
        from truerate.detectors.judges.family import judge_texts

        judges = {member: how.judges[member] for member in members}
        judged = judge_texts(judges, conversations(at, board, texts), at.p.backbones, folder=folder)
    else:
        from truerate.detectors.tokens.family import judge_tokens

        size = at.p.size_of(board) if taught_on == board else None
        judged = judge_tokens(members, passages(at, board, texts), at.p, size, folder=folder)
    return judged.sort("judgement_id")


def _targets(at: Layout, board: str, samples: pl.DataFrame) -> pl.DataFrame:
    """The texts of a board that token detectors and judges are asked of: those that its track names, else its
    samples.
    """
    targets = protocol_of(at, board).targets
    if targets is None:
        columns = ("item_id", "group_id", "lang", "task", "text", "spans")
        return samples.select(pl.col("sample_id").alias("target_id"), *columns)
    return targets(samples, load(Generation, at.dataset(board, "generations")))


def write_families(at: Layout, board: str, folder: str, names: Sequence[str]) -> None:
    """Say in a folder which families of detectors a board has there, with their members: it may have none."""
    if not is_first_process():
        return
    track = at.p.board(board).track
    said = {name: list(at.p.detectors[name].members_on(track)) for name in names}
    write_json(f"{folder}/{FAMILIES}", said)


def passages(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts (`target_id`, `item_id`, `group_id`, `lang`, `task`, `text`, `spans`) with the `reference` of
    their items.
    """
    known = contexts(at, board).select("item_id", reference="knowledge")
    return texts.join(known, on="item_id", how="left", maintain_order="left").with_columns(
        pl.col("reference").fill_null("")
    )


def conversations(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts with the `knowledge`, `question` and `history` of their items, null where these have none."""
    return texts.join(contexts(at, board), on="item_id", how="left", maintain_order="left")


def labelled(texts: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Texts with whether they are hallucinated and why, as the sample of their name says; null where there is
    none.
    """
    said = samples.select("is_hallucinated", "rationale", target_id="sample_id")
    bare = texts.drop("is_hallucinated", "rationale", strict=False)
    return bare.join(said, on="target_id", how="left", maintain_order="left")
