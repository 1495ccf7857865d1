"""An in-toto Statement of a release: its files by SHA-256, and by SLSA Provenance what made them, as dvc.lock has it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import yaml

STATEMENT_TYPE, PREDICATE_TYPE = "https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"
BUILD_TYPE = "https://dvc.org/doc/command-reference/repro"  # how the commands are run
BUILDER = "pkg:pypi/truerate"  # who ran them: a package URL
FOLDER = ".dir"  # how DVC marks the digest of a folder: the MD5 of its list of files


class Stage(NamedTuple):
    """A stage of dvc.lock: its address, its command, and what it reads and writes (path → digest)."""

    address: str
    command: str
    deps: Mapping[str, str]
    outs: Mapping[str, str]


class Recipe(NamedTuple):
    """What made a release: its stages in dvc.lock (`lock`, YAML), the name and SHA-256 of its settings, and
    the files of its source (`file`, `sha256`).
    """

    lock: str
    settings: tuple[str, str]
    sources: Sequence[Mapping[str, object]] = ()


def stages_of(lock: str) -> list[Stage]:
    """Return the stages of a dvc.lock in its order; none of an empty one."""
    stages = (yaml.safe_load(lock) or {}).get("stages") or {}
    return [
        Stage(address, entry.get("cmd", ""), _digests(entry.get("deps")), _digests(entry.get("outs")))
        for address, entry in stages.items()
    ]


def _digests(files: Sequence[Mapping] | None) -> dict[str, str]:
    return {file["path"]: file["md5"] for file in files or () if "md5" in file}


def statement_of(digests: Mapping[str, str], recipe: Recipe, *, name: str, kind: str, maker: str) -> bytes:
    """Return the statement as JSON, equal bytes for equal values; without date, host and absolute path.

    Subjects are the files of a release (`digests`: path → SHA-256). External parameters are `name` and `kind`
    of the release and the command of each stage. Resolved dependencies are its settings, the files of its
    source and what the stages read that none of them wrote; byproducts what they wrote. DVC names files by
    MD5 (`md5`) and folders by the MD5 of their list of files (`dvcDirMd5`). `maker`: the version of truerate.
    """
    stages = stages_of(recipe.lock)
    outs = {path: digest for stage in stages for path, digest in stage.outs.items()}
    deps = {path: digest for stage in stages for path, digest in stage.deps.items() if path not in outs}
    settings, digest = recipe.settings
    sources = {str(file["file"]): str(file["sha256"]) for file in recipe.sources if file.get("sha256")}
    commands = {stage.address: stage.command for stage in stages}
    definition = {
        "buildType": BUILD_TYPE,
        "externalParameters": {"name": name, "kind": kind, "settings": settings, "commands": commands},
        "resolvedDependencies": [
            *_resources({settings: digest}),
            *_resources(sources),
            *(_of_dvc(path, digest) for path, digest in sorted(deps.items())),
        ],
    }
    builder = {"id": BUILDER} | ({"version": {"truerate": maker.removeprefix("truerate ")}} if maker else {})
    details = {"builder": builder, "byproducts": [_of_dvc(*out) for out in sorted(outs.items())]}
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [*_resources(digests)],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"buildDefinition": definition, "runDetails": details},
    }
    return json.dumps(statement, ensure_ascii=False, separators=(",", ":")).encode()


def _resources(digests: Mapping[str, str]) -> Iterator[dict]:
    return ({"name": name, "digest": {"sha256": digest}} for name, digest in sorted(digests.items()))


def _of_dvc(path: str, digest: str) -> dict:
    algorithm = "dvcDirMd5" if digest.endswith(FOLDER) else "md5"
    return {"name": path, "digest": {algorithm: digest.removesuffix(FOLDER)}}
