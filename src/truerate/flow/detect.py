"""The stages `train` and `judge`: the detectors of a board's families are fitted, and asked about its texts.

A family that judged the same texts before, in the same state and by the same code, is not asked again: what it
said lies in a scratch folder, by a digest of all of that. So an edit of one family costs no other its time.
"""

from pathlib import Path

import polars as pl

from truerate.config.detectors import Detector
from truerate.config.layout import ROOT, Layout
from truerate.config.places import claim
from truerate.config.stage_settings import Stage
from truerate.core.keys import digest
from truerate.core.parents import is_first_process
from truerate.core.schemas import Generation, Judgement, Sample, load, read, save, write
from truerate.flow.evaluate import contexts
from truerate.flow.guard import unchanged, write_json
from truerate.flow.tracks import protocol_of

FAMILIES = "families.json"  # in what both stages write: which families the board has, with their members
CODE = tuple(
    f"{ROOT}/{part}"
    for part in ("core/keys.py", "core/text.py", "core/tags.py", "core/pretrained.py", "metrics", "detectors")
)


def train(at: Layout, board: str) -> None:
    """Fit each family of detectors of a board: whole-text members once per fold, token members on the
    training texts.
    """
    with unchanged(at, Stage("train", board)) as own:
        claim(at, "detectors")
        write_families(own, board, own.trained(board))
        samples = load(Sample, own.labels(board, "samples"))
        for name in own.p.families(board):
            _fit(own, board, name, samples)


def _fit(at: Layout, board: str, name: str, samples: pl.DataFrame) -> None:
    """Fit one family into its folder. Of processes that work together all fit networks, and the first writes."""
    family, folder = at.p.detectors[name], Path(at.detector(name, board))
    members = family.members_on(at.p.board(board).track)
    if is_first_process():
        folder.mkdir(parents=True)
    elif family.folds:
        return
    if family.folds:
        from truerate.detectors import fit_family

        own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
        fit_family(members, samples, contexts(at, board, samples), at.p.seed, **own)
    else:
        from truerate.detectors.tokens.family import fit_tokens

        taught = passages(at, board, protocol_of(at, board).training(samples))
        fit_tokens(members, taught, at.p, at.p.size_of(board), folder=folder, scratch=Path(at.training))


def judge(at: Layout, board: str) -> None:
    """What each family of detectors says of each text of a board: asked in a state that has not seen it."""
    with unchanged(at, Stage("judge", board)) as own:
        write_families(own, board, own.judged(board))
        samples = load(Sample, own.labels(board, "samples"))
        for name in own.p.families(board):
            kept = kept_judgements(own, board, name)
            if not kept.is_file():
                write(Judgement, _judgements(own, board, own.p.detectors[name], name, samples), kept)
            save(Judgement, read(Judgement, kept), own.judgements(name, board))


def kept_judgements(at: Layout, board: str, name: str) -> Path:
    """Where what a family says of a board's texts is kept, by all that decides it."""
    texts = (at.source(at.p.board(board).source), at.dataset(board), at.labels(board))
    code = (*CODE, f"{ROOT}/tracks/{at.p.board(board).track}")
    key = digest(*texts, at.detector(name, board), *code, family=at.p.detectors[name].model_dump(mode="json"))
    return Path(at.p.paths.build) / "judged" / board / f"{name}@{key}.parquet"


def _judgements(at: Layout, board: str, family: Detector, name: str, samples: pl.DataFrame) -> pl.DataFrame:
    """What one family says, by judgement_id."""
    members, folder = family.members_on(at.p.board(board).track), Path(at.detector(name, board))
    if family.folds:
        from truerate.detectors import judge_family

        own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
        judged = judge_family(members, samples, contexts(at, board, samples), **own)
    else:
        from truerate.detectors.tokens.family import judge_tokens

        generations = load(Generation, at.dataset(board, "generations"))
        asked = passages(at, board, protocol_of(at, board).targets(samples, generations))
        judged = judge_tokens(members, asked, at.p, at.p.size_of(board), folder=folder)
    return judged.sort("judgement_id")


def write_families(at: Layout, board: str, folder: str) -> None:
    """Say in a folder which families of detectors a board has, with their members: a board may have none."""
    if not is_first_process():
        return
    track = at.p.board(board).track
    said = {name: list(at.p.detectors[name].members_on(track)) for name in at.p.families(board)}
    write_json(f"{folder}/{FAMILIES}", said)


def passages(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts (`target_id`, `item_id`, `group_id`, `lang`, `task`, `text`, `spans`) with the `reference` of
    their items.
    """
    known = contexts(at, board).select("item_id", reference="knowledge")
    return texts.join(known, on="item_id", how="left", maintain_order="left").with_columns(
        pl.col("reference").fill_null("")
    )
