"""Every path of the house, and the keys of the scratch tree. No other module writes a path."""

import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from truerate.config import Params, load_params
from truerate.config.stage_settings import Stage
from truerate.core.keys import digest

ROOT = "src/truerate"
# What a track may import besides itself, so what decides its scratch rows; dvc.yaml names the same for
# `dataset`.
SHARED = tuple(
    f"{ROOT}/{part}"
    for part in (
        "core/keys.py",
        "core/languages.py",
        "core/schemas",
        "core/text.py",
        "core/tags.py",
        "llm",
        "web",
        "metrics",
    )
)
READERS = (f"{ROOT}/sources", "rules/sources.smk")
WORK = ".truerate-real"  # stands in a work folder that `truerate real` made
ORIGIN = "build/source.json"  # in a published data set: its card for whoever reads it as a source


@cache
def _digest_of(paths: tuple[str, ...]) -> str:
    """The digest of code and source files, read once per process."""
    return digest(*paths)


@dataclass(frozen=True)
class Layout:
    """Where things are, given checked params."""

    p: Params

    @classmethod
    def load(cls, path: str = "params.yaml") -> "Layout":
        """The layout of a params file; raises TruerateError where it does not hold."""
        return cls(load_params(path))

    def settings(self, stage: Stage) -> str:
        """What a stage reads of params.yaml, as the first stage wrote it for DVC to watch."""
        return f"{self.p.paths.build}/settings/{'/'.join(filter(None, stage))}.json"

    # ---- tables under data/ -------------------------------------------------------------------------------
    def source(self, name: str, table: str = "") -> str:
        """Folder of an imported source, or one of its tables (`documents`, `items`, `samples`, `rejects`,
        `annotations`, `card.json`).
        """
        return _under(f"{self.p.paths.sources}/{name}", table)

    def chosen(self, name: str) -> str:
        """Folder of links to those files of a Hub data set that a source's `config` and `split` name."""
        return f"{self.p.paths.build}/hub/{name}"

    def dataset(self, board: str, table: str = "") -> str:
        """Folder of a board's data set, or one of its tables (those of flow.DATASET, and `tasks.jsonl`,
        `card.json`).
        """
        return _under(f"{self.p.paths.datasets}/{board}", table)

    def annotations(self, board: str) -> str:
        """The labels that people returned for a board, as JSONL."""
        return f"{self.p.paths.annotations}/{board}/labels.jsonl"

    def labels(self, board: str, table: str = "") -> str:
        """Folder of a board's labelled samples (`samples`, `judgements`, `rejects`, `scores`)."""
        return _under(f"{self.p.paths.labels}/{board}", table)

    def detector(self, detector: str, board: str) -> str:
        """Folder of a fitted detector family on a board."""
        return f"{self.p.paths.detectors}/{board}/{detector}"

    @property
    def training(self) -> str:
        """Scratch folder of training runs, keyed by what decides them: a killed run goes on from there, an
        equal one is not run again.
        """
        return f"{self.p.paths.build}/training"

    def judgements(self, detector: str, board: str) -> str:
        """Judgements of a detector family on a board."""
        return f"{self.p.paths.judgements}/{board}/{detector}.parquet"

    def audit(self, board: str) -> str:
        """Scores of the shortcut audit of a board."""
        return f"{self.p.paths.audits}/{board}.parquet"

    def truth(self, board: str) -> str:
        """Planted values of a board, in the form of scores; empty where nothing was planted."""
        return f"{self.p.paths.truth}/{board}.parquet"

    def scores(self, board: str, table: str = "") -> str:
        """Folder of a board's scores (`scores`, `outcomes`, `topics.json`)."""
        return _under(f"{self.p.paths.scores}/{board}", table)

    def leaderboard(self, table: str = "") -> str:
        """Folder of the leaderboard's rows."""
        return _under(self.p.paths.leaderboard, table)

    def published(self) -> list[str]:
        """The numbers that the papers of the declared boards printed, as CSV files with their source."""
        tracks = sorted({board.track for board in self.p.boards.values()})
        return [path for track in tracks if Path(path := f"{ROOT}/tracks/{track}/published.csv").is_file()]

    # ---- the scratch tree ---------------------------------------------------------------------------------
    def code(self, track: str) -> tuple[str, ...]:
        """The code that decides a track's scratch rows."""
        return (f"{ROOT}/tracks/{track}", f"rules/{track}.smk", *SHARED)

    @cached_property
    def prompts(self) -> tuple[str, ...]:
        """The user's own prompt folder, if there is one: it decides rows as code does."""
        return (self.p.llm.prompts_dir,) if self.p.llm.prompts_dir else ()

    def identity(self, alias: str) -> str:
        """What answers under a model alias: its `identity`, else its name; with the digest of the code behind
        a launched endpoint.
        """
        model = self.p.model(alias)
        endpoint = self.p.endpoints[model.endpoint]
        name = model.identity or model.model
        return f"{name}@{self.endpoint_identity(model.endpoint)}" if endpoint.code else name

    def endpoint_identity(self, name: str) -> str:
        """Digest of the code and launch command of an endpoint, handed to it as {identity} and asked back by
        its health check.
        """
        endpoint = self.p.endpoints[name]
        values = {"launch": endpoint.launch, "seed": self.p.seed, "languages": self.p.languages}
        return digest(**values, code=_digest_of(endpoint.code)) if endpoint.code else digest(**values)

    def key(self, board: str, alias: str, *upstream: str) -> str:
        """Twelve hex digits that decide the scratch rows of one model on one board.

        Over the source's bytes, the track's code, its settings without the lists of models, the model's own
        entry, identity and address (its dead letters are asked again at another), and those of the `upstream`
        models whose rows it reads. A model that enters or leaves a list moves no other model's rows; a name
        that is no model (weights that the settings name) adds nothing.
        """
        track, own = self.p.board(board).track, self.p.track(board)
        settings = own.model_dump(mode="json", exclude=set(own.later))
        return digest(
            files=_digest_of(
                (self.source(self.p.board(board).source), *self.code(track), *self.prompts, *own.files())
            ),
            settings=settings,
            models=[self._asked(name) for name in (alias, *upstream) if name in self.p.models],
            shared=[self.p.seed, self.p.n_shards, self.p.size_of(board).model_dump(), self.p.languages],
        )

    def _asked(self, alias: str) -> list[object]:
        """What of a model decides the rows of its replies."""
        model = self.p.model(alias)
        return [model.content(), self.identity(alias), self.p.endpoints[model.endpoint].address]

    def scratch_pattern(self, step: str) -> str:
        """The pattern of one step's scratch files, with Snakemake's wildcards."""
        return f"{self.p.paths.build}/{{board}}/{{model}}@{{key}}/{step}-{{shard}}.parquet"

    def scratch(self, board: str, step: str, alias: str, *upstream: str) -> list[str]:
        """The scratch files of one model's step, one per shard."""
        folder = f"{self.p.paths.build}/{board}/{alias}@{self.key(board, alias, *upstream)}"
        return [f"{folder}/{step}-{shard}.parquet" for shard in range(self.p.n_shards)]

    @property
    def store(self) -> Path:
        """The response store: `TRUERATE_STORE`, else the user's cache folder."""
        if place := os.environ.get("TRUERATE_STORE"):
            return Path(place).expanduser().absolute()
        from platformdirs import user_cache_path

        return user_cache_path("truerate") / "responses.sqlite"


def beside(replies: str, table: str) -> Path:
    """Where a further table lies that belongs to a scratch file of replies."""
    return Path(replies).with_name(f"{table}-{Path(replies).name}")


def _under(folder: str, table: str) -> str:
    if not table:
        return folder
    return f"{folder}/{table}" if "." in table else f"{folder}/{table}.parquet"
