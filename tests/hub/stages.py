"""What the stages of a board make, run one by one in this process: where no model may stand on it; and what
goes out of it, as a folder.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import yaml

from tests.hub.drafts import DAY, laid
from truerate.config.layout import Layout
from truerate.config.places import claim_output
from truerate.config.stage_settings import Stage
from truerate.core.schemas import Score, frame, load, save
from truerate.hub import push
from truerate.hub.kept import Kept
from truerate.hub.release import Stamp, Target
from truerate.pipeline import dataset, detect, evaluate, guard, sources
from truerate.pipeline.publishing.release import board_draft

ROOT = Path(__file__).parents[2]
CARD = {
    "name": "Little", "citation": "A. Nobody. Little. 2026.", "licence": "CC0-1.0", "redistribution": "yes",
    "url": "https://example.org/little", "lang": "en",
}  # fmt: skip
LOCK = "schema: '2.0'\nstages:\n  dataset@{board}: {{cmd: x}}\n"


def declare(track: str, sources: Mapping[str, dict], **changes) -> Layout:
    """A params.yaml of a few resamples that declares these sources, and a board of the track on each; what
    each stage reads of it is written.
    """
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    values["statistics"]["n_bootstrap"] = 100
    settings = changes.pop("tracks", {})
    values["tracks"] = {name: entry | settings.get(name, {}) for name, entry in values["tracks"].items()}
    values |= changes | {"sources": dict(sources)}
    values["boards"] = {name: {"track": track, "source": name} for name in sources}
    Path("params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), "utf-8")
    guard.check_params()
    return Layout.load()


def build_board(config: Layout, board: str) -> None:
    """The source, data set, labels, judgements and scores of a board."""
    sources.import_source(config, board)
    dataset.export(config, board, config.dataset(board, "card.json"), [])
    score_board(config, board)


def score_board(config: Layout, board: str) -> None:
    """The labels, judgements and scores of a board whose data set is there; nothing is planted in it."""
    evaluate.label(config, board)
    detect.train(config, board)
    detect.judge(config, board)
    evaluate.audit(config, board)
    claim_output(config, Stage("truth", board))
    save(Score, frame(Score), config.truth(board))
    evaluate.score(config, board)


def put_on_hub(config: Layout, board: str, repo: str, *, tag: str = "v1.0", more=None) -> str:
    """The commit that holds a board, put there by the real client, with the files that `more` makes of its draft."""
    draft = board_draft(config, board, repo=repo, folder=Path("release"))
    return push.publish(
        replace(draft, fixed={**draft.fixed, **more(draft)}) if more else draft,
        Target(repo, "dataset", tag=tag),
        dry_run=False,
        check=lambda files: None,
        say=lambda line: None,
        today=DAY,
    )


def put_into(folder: Path, config: Layout, board: str) -> None:
    """Write what goes out of a board into a folder."""
    files = board_draft(config, board, repo="org/board", folder=folder.with_name("release")).files(
        stamp=Stamp(DAY), changelog="", kept=Kept()
    )
    laid(files, folder)


def scores_of(config: Layout, board: str, *, but: tuple[str, ...] = ()) -> dict[tuple, tuple]:
    """The value and n of every score by its metric, subject and slice, rounded as they are saved; without
    subjects of `but`, which learn in an order that ids decide.
    """
    scores = load(Score, config.scores(board, "scores")).filter(~pl.col("subject").is_in(but))
    return {
        (row["metric"], row["subject"], *((entry["key"], entry["value"]) for entry in row["slice"])): (
            row["value"],
            row["n"],
        )
        for row in scores.to_dicts()
    }
