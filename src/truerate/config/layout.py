"""Every path of the house, and the keys of the scratch tree. No other module writes a path."""

import os
from dataclasses import dataclass, replace
from functools import cache, cached_property
from glob import glob
from math import ceil
from pathlib import Path

from truerate.config import Params, load_params
from truerate.config.stage_settings import Stage, stamp_of, weights_of
from truerate.core.errors import SettingsError
from truerate.core.keys import digest

ROOT = "src/truerate"
# What a track may import besides itself, so what decides its scratch rows; dvc.yaml names the same for
# `dataset`.
SHARED = tuple(
    f"{ROOT}/{part}" for part in ("core", "metrics", "annotation", "llm", "web", "tracks/asking.py")
)
READERS = (f"{ROOT}/sources", "rules/sources.smk")
WORK = ".truerate-real"  # stands in a work folder that `truerate real` made
SHARD, MOST_SHARDS = 5000, 1000  # items to one scratch job of a model, and jobs at most
ORIGIN = "build/source.json"  # in a published data set: its card for whoever reads it as a source


@cache
def _digest_of(paths: tuple[str, ...]) -> str:
    """The digest of code and source files, read once per process."""
    return digest(*paths)


@dataclass(frozen=True)
class Layout:
    """Where things are, given checked params. `track`: that of the board at work (`on`), where one is."""

    p: Params
    track: str | None = None

    @classmethod
    def load(cls, path: str = "params.yaml") -> "Layout":
        """The layout of a params file; raises TruerateError where it does not hold."""
        return cls(load_params(path))

    def on(self, board: str) -> "Layout":
        """The same at work on a board: code and commands with `{track}`, and `p.n_shards`, are its."""
        p = self.p if self.p.n_shards else self.p.model_copy(update={"n_shards": self.shards_of(board)})
        return replace(self, p=p, track=p.board(board).track)

    def shards_of(self, board: str) -> int:
        """The number of scratch jobs per model on a board: `n_shards`, or one per SHARD of its sizes
        (`SizesOfTrack.n_items`) times the languages of its track; 1 to MOST_SHARDS.
        """
        if self.p.n_shards is not None:
            return self.p.n_shards
        n_items: int = self.p.size_of(board).n_items
        n_langs = len(getattr(self.p.track(board), "languages", ())) or 1
        return max(1, min(ceil(n_items * n_langs / SHARD), MOST_SHARDS))

    def on_each_track(self) -> "list[Layout]":
        """The same at work on every track that a board runs."""
        tracks = sorted({board.track for board in self.p.boards.values()})
        return [replace(self, track=track) for track in tracks] or [self]

    def settings(self, stage: Stage) -> str:
        """Return what a stage reads of params.yaml, as the first stage wrote it for DVC to watch."""
        return f"{self.p.paths.build}/settings/{'/'.join(filter(None, stage))}.json"

    # ---- tables under data/ -------------------------------------------------------------------------------
    def source(self, name: str, table: str = "") -> str:
        """Folder of an imported source, or a table of it (`documents`, `items`, `samples`, `rejects`, …)."""
        return _under(f"{self.p.paths.sources}/{name}", table)

    def imported(self, name: str) -> str:
        """Return what a source was when its tables were made."""
        return f"{self.p.paths.build}/imported/{name}.json"

    def chosen(self, name: str) -> str:
        """Folder of links to those files of a Hub data set that a source's `config` and `split` name."""
        return f"{self.p.paths.build}/hub/{name}"

    def dataset(self, board: str, table: str = "") -> str:
        """Folder of a board's data set, or a table of it (also `tasks.jsonl`, `card.json`)."""
        return _under(f"{self.p.paths.datasets}/{board}", table)

    def annotations(self, board: str) -> str:
        """The labels that people returned for a board, as JSONL."""
        return f"{self.p.paths.annotations}/{board}/labels.jsonl"

    def labels(self, board: str, table: str = "") -> str:
        """Folder of a board's labelled samples (`samples`, `judgements`, `rejects`, `scores`)."""
        return _under(f"{self.p.paths.labels}/{board}", table)

    def trained(self, board: str) -> str:
        """Folder of a board's fitted families of detectors."""
        return f"{self.p.paths.detectors}/{board}"

    def judged(self, board: str) -> str:
        """Folder of what the families of detectors say of a board's texts."""
        return f"{self.p.paths.judgements}/{board}"

    def detector(self, detector: str, board: str) -> str:
        """Folder of a fitted detector family on a board."""
        return f"{self.trained(board)}/{detector}"

    @property
    def training(self) -> str:
        """Scratch folder of training runs, keyed by what decides them, so that killed ones are resumed."""
        return f"{self.p.paths.build}/training"

    def corpus(self, key: str) -> str:
        """Folder of documents that were indexed for search, by what decides the index."""
        return f"{self.p.paths.build}/corpora/{key}"

    def judgements(self, detector: str, board: str) -> str:
        """Judgements of a detector family on a board."""
        return f"{self.judged(board)}/{detector}.parquet"

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
        return (f"{ROOT}/tracks/{track}", "rules/track.smk", f"{ROOT}/pipeline/graph.py", *SHARED)

    @cached_property
    def prompts(self) -> tuple[str, ...]:
        """The user's own prompt folder, if there is one: it decides rows as code does."""
        return (self.p.llm.prompts_dir,) if self.p.llm.prompts_dir else ()

    def identity(self, alias: str) -> str:
        """Identity of a model alias: `identity` or name, with the digest of a launched endpoint's code."""
        model = self.p.model(alias)
        endpoint = self.p.endpoints[model.endpoint]
        name = model.identity or model.model
        return f"{name}@{self.endpoint_identity(model.endpoint)}" if endpoint.code else name

    def endpoint_identity(self, name: str) -> str:
        """Digest of an endpoint's code and launch command: `{identity}`, which its health check returns."""
        endpoint = self.p.endpoints[name]
        values = {"launch": endpoint.launch, "seed": self.p.seed, "languages": self.p.languages}
        return digest(**values, code=self.code_digest(endpoint.code)) if endpoint.code else digest(**values)

    def code_digest(self, named: tuple[str, ...]) -> str:
        """Digest of the code that a setting names, read once; raises as `code_at`, or if absent."""
        return _digest_of(self.code_at(named))

    def code_at(self, named: tuple[str, ...]) -> tuple[str, ...]:
        """The files and folders that a setting names as code: a path, or a pattern with `*` and `{track}` (of
        the board at work). A track's absent files are left out; a pattern that fits nothing for any track
        stands for itself. Raises TruerateError for `{track}` without a board.
        """
        paths: list[str] = []
        for pattern in named:
            anywhere = (
                sorted(glob(pattern.replace("{track}", "*")))
                if "*" in pattern or "{track}" in pattern
                else []
            )
            is_by_track = bool(anywhere) and "{track}" in pattern
            paths += (
                sorted(glob(pattern.replace("{track}", self.track_at_work)))
                if is_by_track
                else anywhere or [pattern]
            )
        return tuple(paths)

    @property
    def track_at_work(self) -> str:
        """The track of the board at work, or the only track. Raises SettingsError if it could be several."""
        tracks = {self.track} if self.track else {board.track for board in self.p.boards.values()}
        if len(tracks) != 1:
            raise SettingsError(
                "params.yaml: code or a command names {track}, and no board is at work that has one"
            )
        return tracks.pop()

    def key(self, board: str, alias: str, *upstream: str) -> str:
        """Twelve hex digits that decide the scratch rows of one model on one board.

        Over the source's bytes, the track's code and settings (without `later` ones), rules for unread and
        cut replies, the model's entry, identity and address, and those of the `upstream` models. Models that
        enter or leave a list move no other model's rows; a name that is no model adds nothing.
        """
        track, track_settings = self.p.board(board).track, self.p.track(board)
        settings = track_settings.model_dump(mode="json", exclude=set(track_settings.later))
        weights = [stamp_of(path) for path in weights_of(self.p, board)]
        return digest(
            **({"weights": weights} if weights else {}),
            files=_digest_of(
                (
                    *map(self.source, (self.p.board(board).source, *track_settings.sources())),
                    *self.code(track),
                    *self.prompts,
                    *track_settings.files(),
                )
            ),
            settings=settings,
            models=[self.on(board)._asked(name) for name in (alias, *upstream) if self.p.is_model(name)],
            endpoints=[self.p.endpoints[name].address for name in track_settings.endpoints()],
            shared=[
                self.p.seed,
                self.shards_of(board),
                self.p.size_of(board).model_dump(),
                self.p.languages,
            ],
            replies=[self.p.llm.reask, self.p.llm.cut],
        )

    def _asked(self, alias: str) -> list[object]:
        """Return what of a model decides the rows of its replies."""
        model = self.p.model(alias)
        return [model.content(), self.identity(alias), self.p.endpoints[model.endpoint].address]

    def scratch_pattern(self, step: str) -> str:
        """The pattern of one step's scratch files, with Snakemake's wildcards."""
        return f"{self.p.paths.build}/{{board}}/{{model}}@{{key}}/{step}-{{shard}}.parquet"

    def scratch(self, board: str, step: str, alias: str, *upstream: str) -> list[str]:
        """The scratch files of one model's step, one per shard."""
        folder = f"{self.p.paths.build}/{board}/{alias}@{self.key(board, alias, *upstream)}"
        return [f"{folder}/{step}-{shard}.parquet" for shard in range(self.shards_of(board))]

    @property
    def store(self) -> Path:
        """The response store: `TRUERATE_STORE`, else the user's cache folder."""
        return store_path()


def store_path() -> Path:
    """The response store: `TRUERATE_STORE`, else the user's cache folder."""
    if path := os.environ.get("TRUERATE_STORE"):
        return Path(path).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("truerate") / "responses.sqlite"


def beside(replies: str, table: str) -> Path:
    """Return where a further table lies that belongs to a scratch file of replies."""
    return Path(replies).with_name(f"{table}-{Path(replies).name}")


def _under(folder: str, table: str) -> str:
    if not table:
        return folder
    return f"{folder}/{table}" if "." in table else f"{folder}/{table}.parquet"
