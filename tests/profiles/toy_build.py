"""A profile at toy size: laid over params.yaml, cut, its endpoints one stub on loopback, and built in this process."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from stub import Stub, serving

from tests.hub.stages import score_board
from tests.profiles.answering import Answering
from truerate.config.layout import Layout
from truerate.config.profile import with_profile
from truerate.core.schemas import Row, load, read_json
from truerate.pipeline import dataset, graph, guard, pages, sources

ROOT = Path(__file__).parents[2]
People = Callable[[Mapping[str, Any], str], list[dict]]


@dataclass(frozen=True)
class Toy:
    """A built profile: its settings, and where it lies."""

    config: Layout

    @property
    def rows(self) -> list[dict]:
        """The leaderboard's rows, the slice as a mapping."""
        rows = load(Row, self.config.leaderboard("rows")).to_dicts()
        return [row | {"slice": {pair["key"]: pair["value"] for pair in row["slice"]}} for row in rows]

    @property
    def topics(self) -> list[dict]:
        """The topics of all boards."""
        return [
            topic
            for board in self.config.p.boards
            for topic in read_json(self.config.scores(board, "topics.json"))
        ]


def build(
    profile: str,
    folder: Path,
    *,
    cut: Callable[[dict], None],
    people: Mapping[str, People],
    models: Stub | None = None,
) -> Toy:
    """Build a profile in an empty folder, which is the working directory and holds its inputs.

    `cut` makes its settings small; `people` label the tasks of a track; `models` answer in place of `Answering`.
    """
    for name in ("src", "rules", "site"):
        (folder / name).symlink_to(ROOT / name)
    params = yaml.safe_load(with_profile(ROOT / "params.yaml", ROOT / f"profiles/paper-{profile}.yaml"))
    cut(params)
    params["statistics"]["n_bootstrap"] = 100
    params["n_shards"] = 1
    with serving(models or Answering()) as url:
        for endpoint in params["endpoints"].values():
            endpoint |= {"base_url": url, "api_key_env": None}
        Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        guard.check_params()
        config = Layout.load()
        for name in config.p.used_sources():
            sources.import_source(config, name)
        for board in config.p.boards:
            _build_board(config, board, people.get(config.p.board(board).track))
    pages.leaderboard(config)
    return Toy(config)


def _build_board(config: Layout, board: str, people: People | None) -> None:
    there = config.on(board)
    for step in graph.steps_of(there, board):
        for model in graph.jobs(there, board, step):
            for shard, path in enumerate(graph.files(there, board, step.name, model)):
                inputs = graph.before(there, board, step.name, model, shard)
                dataset.step(config, step.name, board, model, shard, path, inputs)
    dataset.export(config, board, config.dataset(board, "card.json"), graph.for_export(there, board))
    if people:
        _label(config, board, people)
    score_board(config, board)


def _label(config: Layout, board: str, people: People) -> None:
    """Write the labels that people return for a board's tasks."""
    with open(config.dataset(board, "tasks.jsonl"), encoding="utf-8") as lines:
        tasks = [json.loads(line) for line in lines]
    labels = [label for task in tasks for name in _names(task) for label in people(task, name)]
    path = Path(config.p.paths.inputs, "labels", f"{board}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    if labels:  # where nobody is asked, nobody returns a file
        path.write_text("".join(f"{json.dumps(label)}\n" for label in labels), "utf-8")
    guard.check_params()


def _names(task: Mapping[str, Any]) -> list[str]:
    """The people who label a task: those that it names, else three."""
    return list(task.get("annotators") or task.get("labellers") or ("ada", "ben", "cleo"))
