"""Files of a published detector, downloaded from the Hugging Face Hub and held against their checksums; and
which weights they are, wherever they lie.
"""

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truerate.core.errors import TruerateError

CHECKSUMS = "SHA256SUMS"
CONFIG = "config.json"  # of every published detector; its `model_type` says which kind it is


def downloaded(
    repo: str, revision: str | None, files: Sequence[str], options: Mapping[str, Any] | None = None
) -> Path:
    """The folder in huggingface_hub's cache that holds these files of a repository at a revision, and nothing
    else. Raises TruerateError, one line, where there is no such repository or revision, it may not be read,
    or the Hub does not answer.
    """
    from huggingface_hub import errors as hub
    from huggingface_hub import snapshot_download

    doing = f"loading detector {repo!r}"
    advice = {  # by the Hub's error, the most particular first
        hub.RevisionNotFoundError: f"no revision {revision!r}; name a tag, branch or commit of it",
        hub.GatedRepoError: "its owner must grant access; ask for it on its page, then set HF_TOKEN",
        hub.RepositoryNotFoundError: "no such repository, or HF_TOKEN does not open it; name org/name or a "
        "folder",
        hub.HFValidationError: "neither a folder nor the name of a repository; name org/name or a folder",
        hub.LocalEntryNotFoundError: "the Hub cannot be reached and nothing of it is in the cache; try again "
        "online",
    }
    wanted = [*files, CHECKSUMS]
    try:
        return Path(snapshot_download(repo, revision=revision, allow_patterns=wanted, **dict(options or {})))
    except Exception as error:  # the transport's errors share no class
        lines = (line for kind, line in advice.items() if isinstance(error, kind))
        raise TruerateError(f"{doing}: {next(lines, f'{one_line(error)}; try again')}") from None


def check_sums(folder: Path, files: Sequence[str], doing: str) -> None:
    """Raise TruerateError where a file differs from its published checksum; a trained folder has none."""
    lines = (folder / CHECKSUMS).read_text("utf-8").splitlines() if (folder / CHECKSUMS).is_file() else []
    digests = {path: digest for digest, _, path in (line.partition("  ") for line in lines)}
    for name in (name for name in files if name in digests):
        path = folder / name
        with path.open("rb") if path.is_file() else io.BytesIO() as file:
            is_same = hashlib.file_digest(file, "sha256").hexdigest() == digests[name]
        if not is_same:
            raise TruerateError(
                f"{doing}: {name} is not what was published; load it anew with force_download=True"
            )


def one_line(error: Exception) -> str:
    """Return what an error says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def identity_of(weights: str, revision: str | None) -> str:
    """Return what names the weights behind a Hub id or a folder: `id@commit`, or sixteen hex digits over the
    folder's names and bytes. `weights` has been loaded: its config.json lies in huggingface_hub's cache, in a
    folder named by its commit.
    """
    from huggingface_hub import hf_hub_download

    from truerate.detectors.tokens.cells import version_of

    if Path(weights).is_dir():
        return version_of(Path(weights))
    return f"{weights}@{Path(hf_hub_download(weights, 'config.json', revision=revision)).parent.name}"
