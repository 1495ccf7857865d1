"""The files of a release in a folder, held against its statement without any network."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SourceError
from truerate.core.invisible import visible
from truerate.hub.provenance.envelope import Envelope, envelope_of, public_key
from truerate.hub.provenance.statement import PREDICATE_TYPE, STATEMENT_TYPE
from truerate.hub.release import STATEMENT, sha256

# What git, the Hub and its client put beside the files of a repository.
BESIDE = re.compile(r"\.gitattributes|\.git/.*|\.cache/huggingface/.*", re.DOTALL)


class Verdict(NamedTuple):
    """What a folder is by its statement: `problems`, a line each (none: as stated), the number of files
    stated (None: nobody vouches for it), and what is to be said of the signature.
    """

    problems: tuple[str, ...]
    n_files: int | None
    signature: str


def verify(folder: Path, key_file: Path | None = None) -> Verdict:
    """Hold the files of a folder against the statement there, and that against a public key, if one is given.

    A statement that the key does not vouch for is the only problem that is then named: its digests are worth
    nothing. Raises TruerateError where there is no folder, statement or key that can be read.
    """
    if not folder.is_dir():
        raise SourceError(f"verify: {str(folder)!r} is no folder; name that of a downloaded release")
    path = folder / STATEMENT
    if not path.is_file():
        raise SourceError(f"verify: {str(folder)!r} holds no {STATEMENT}: it is no release, or an older one")
    envelope = envelope_of(path.read_bytes(), f"verify: {str(path)!r}")
    if key_file is not None and (problem := envelope.problem(public_key(key_file), str(key_file))):
        return Verdict((f"{problem}; no file was compared",), None, "not valid")
    stated = _subjects(envelope, f"verify: {str(path)!r}")
    return Verdict(tuple(_differences(folder, stated)), len(stated), _signature(envelope, key_file))


def _signature(envelope: Envelope, key_file: Path | None) -> str:
    """What is known of the signature: valid by the key, not checked without one, or none."""
    if key_file is not None:
        return f"valid by {str(key_file)!r}"
    if not envelope.signatures:
        return "none: the statement is unsigned"
    return f"by key {envelope.signers()}, not checked: name the public key by --key"


def _subjects(envelope: Envelope, where: str) -> dict[str, str]:
    """The SHA-256 of each file that a statement names. Raises SourceError if it is none of a release."""
    try:
        statement = json.loads(envelope.payload)
        types = (statement["_type"], statement["predicateType"])
        if types != (STATEMENT_TYPE, PREDICATE_TYPE):
            raise ValueError(f"its types are {types}; allowed: {STATEMENT_TYPE} of {PREDICATE_TYPE}")
        pairs = [(entry["name"], entry["digest"]["sha256"]) for entry in statement["subject"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        problem = " ".join(str(error).split())[:200]
        raise SourceError(f"{where} holds no in-toto statement of files ({problem})") from None
    digests = {str(name): str(digest) for name, digest in pairs}
    if len(digests) < len(pairs):
        raise SourceError(f"{where} names a file twice")
    return digests


def _differences(folder: Path, stated: Mapping[str, str]) -> Iterator[str]:
    """A line for each file that is changed, missing or added, by name."""
    present = {*_files(folder)} - {STATEMENT}
    for name in sorted(present | stated.keys()):
        path, shown = folder / name, visible(name, is_line=True)
        if name not in stated:
            yield f"{shown}: added, the statement does not name it"
        elif name not in present:
            yield f"{shown}: missing, the statement names it"
        elif not path.is_file():
            yield f"{shown}: changed, it is no file"
        elif (digest := sha256(path)) != stated[name]:
            was = visible(stated[name][:12], is_line=True)
            yield f"{shown}: changed, its SHA-256 is {digest[:12]}…, the statement says {was}…"


def _files(folder: Path) -> Iterator[str]:
    """The names of what lies in a folder, at any depth, but for what tools put beside it; a link to a folder
    counts as a file.
    """
    for directory, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(directory, name))]
        for name in (*names, *links):
            path = Path(directory, name).relative_to(folder).as_posix()
            if not BESIDE.fullmatch(path):
                yield path
