"""What is published, as plain values: facts, drafts, targets, files of a repository and their checksums."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import polars as pl

from truerate.core.card import Card
from truerate.core.metric import Metric
from truerate.hub.kept import Kept, digest_of, with_kept
from truerate.hub.licences import Licence

Files = Mapping[str, bytes | Path]  # the files of a repository by their path in it: content, or where it lies
Kind = Literal["dataset", "model", "space"]

MARK = "truerate.json"  # says of a repository that we made it, of what, and which folders are ours
README, CHANGELOG, CHECKSUMS, CROISSANT = "README.md", "CHANGELOG.md", "SHA256SUMS", "croissant.json"
CANARY = "CANARY.txt"  # in the root of a data set, where no config looks for rows
SETTINGS, LOCK = "build/params.yaml", "build/dvc.lock"  # what made a board or detector: its parts of both
STATEMENT = "provenance.intoto.jsonl"  # says of every other file its SHA-256, and of what it was made


@dataclass(frozen=True)
class BoardFacts:
    """What the card of a data set says, gathered from the built tables.

    `source` and `track`: the cards of both; `metrics`: the records of its tables' numbers; `models`: who
    wrote or built what (role or model → name); `scores`: the board's Score rows; `audit`: those of its
    shortcut audit; `findings`: the audit's lines above its threshold; `recipe`: the files that made it (path
    → text: its parts of params.yaml and dvc.lock); `rows`: its rows of the leaderboard;
    `is_judged_by_people`: whether people's labels are its verdicts; `canary`: its line, empty for none;
    `withheld`: the tasks that go out without
    texts while others go whole (`task`, `name`, `licence`, `url`, `redistribution`); `origins`: the cards of
    the source's parts where these differ in rights; `rai`: texts by field of Croissant's RAI vocabulary.
    """

    board: str
    title: str
    track: Card
    source: Mapping[str, object]
    languages: tuple[str, ...]
    models: Mapping[str, str]
    scores: pl.DataFrame
    audit: pl.DataFrame
    findings: tuple[str, ...]
    recipe: Mapping[str, str]
    is_simulated: bool
    metrics: Mapping[str, Metric]
    counts: pl.DataFrame = field(default_factory=pl.DataFrame)
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    is_judged_by_people: bool = False
    canary: str = ""
    withheld: Sequence[Mapping[str, object]] = ()
    origins: Sequence[Mapping[str, object]] = ()
    rai: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class DetectorFacts:
    """What the card of a detector says. `folder` holds the fitted network (config.json, network.json,
    tokenizer files, model.safetensors), `training` what its training found (facts.json), `scores` the Score
    rows that name it, `source` the card of the source it learned from.
    """

    detector: str
    board: str
    title: str
    folder: Path
    training: Mapping[str, object]
    settings: Mapping[str, object]
    source: Mapping[str, object]
    licence: Licence
    languages: tuple[str, ...]
    scores: pl.DataFrame
    recipe: Mapping[str, str]
    is_simulated: bool


@dataclass(frozen=True)
class Target:
    """Where to publish: `repo` is org/name, `tag` the version or None; created private unless `is_public`."""

    repo: str
    kind: Kind
    is_public: bool = False
    tag: str | None = None


class Stamp(NamedTuple):
    """When the content of a release last changed (ISO 8601 day), and what made it: version and commit."""

    dated: str
    maker: str = ""


@dataclass(frozen=True)
class Draft:
    """A release that is complete but for its date and history, which depend on the repository.

    `name`: the board, the detector, or `site`; `summary`: one line for the commit and the change log; `fixed`:
    the files that depend on no date, the card among them without people's part; `prefixes`: folders of the
    repository that are ours alone: what lies there and is no file of ours is deleted; `dated`: what depends on
    the date (ISO 8601); `notes`: lines that say how each part goes out; `attest`: the statement of its files,
    from their SHA-256 by path and the maker, if the release holds one.
    """

    kind: Kind
    name: str
    summary: str
    fixed: Files
    prefixes: tuple[str, ...]
    dated: Callable[[str], Files] = field(default=lambda day: {})
    notes: tuple[str, ...] = ()
    attest: Callable[[Mapping[str, str], str], bytes] | None = None

    def files(self, *, stamp: Stamp, changelog: str, kept: Kept) -> Files:
        """All files of the repository, sorted by path: with the card's part of people, the mark, the checksums
        over all these, the change log, and the statement of all the others.
        """
        card = self.fixed[README]
        assert isinstance(card, bytes)
        signed = card.decode("utf-8")
        signed = f"{signed.rstrip()}\n\nMade by {stamp.maker}.\n" if stamp.maker else signed
        whole = {**self.fixed, **self.dated(stamp.dated), README: with_kept(signed, kept).encode()}
        whole[MARK] = mark(self.kind, self.name, prefixes=self.prefixes, stamp=stamp, files=whole).encode()
        digests = {path: sha256(content) for path, content in whole.items()}
        last: dict[str, bytes | Path] = {
            CHECKSUMS: checksums(digests).encode(),
            CHANGELOG: changelog.encode(),
        }
        if self.attest:
            digests |= {path: sha256(content) for path, content in last.items()}
            last[STATEMENT] = self.attest(digests, stamp.maker)
        return dict(sorted((whole | last).items()))


# ---- checksums and the mark of a repository ----------------------------------------------------------------
def checksums(digests: Mapping[str, str]) -> str:
    """SHA256SUMS of files (path → SHA-256), as `sha256sum -c` reads it, sorted by path; empty of none."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def sha256(content: bytes | Path) -> str:
    """The SHA-256 of a file, given as its bytes or by where it lies, in hex."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_of(content: bytes | Path) -> int:
    """Bytes of a local file, given as its bytes or as the path where it lies."""
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def mark(kind: Kind, name: str, *, prefixes: Sequence[str], stamp: Stamp, files: Files) -> str:
    """Return truerate.json: of which board or detector we made a repository, when its content last changed
    and by which version, which folders are ours, and the digest of what is ours in its card.
    """
    card = files[README]
    assert isinstance(card, bytes)
    facts = {
        "kind": kind,
        "name": name,
        "prefixes": list(prefixes),
        "dated": stamp.dated,
        "maker": stamp.maker,
    }
    facts |= {"card": digest_of(card.decode("utf-8")), "tool": "truerate"}
    return json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
