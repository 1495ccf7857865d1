"""Files of a published detector, downloaded from the Hugging Face Hub and held against their checksums."""

import hashlib
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
    else.

    Raises TruerateError, one line, where there is no such repository or revision, it may not be read, or the
    Hub does not answer.
    """
    from huggingface_hub import errors as hub
    from huggingface_hub import snapshot_download

    doing = f"loading detector {repo!r}"
    try:
        return Path(
            snapshot_download(
                repo, revision=revision, allow_patterns=[*files, CHECKSUMS], **dict(options or {})
            )
        )
    except hub.RevisionNotFoundError:
        raise TruerateError(
            f"{doing}: no revision {revision!r}; name a tag, branch or commit of it"
        ) from None
    except hub.GatedRepoError:
        raise TruerateError(
            f"{doing}: its owner must grant access; ask for it on its page, then set HF_TOKEN"
        ) from None
    except hub.RepositoryNotFoundError:
        raise TruerateError(
            f"{doing}: no such repository, or HF_TOKEN does not open it; name org/name or a folder"
        ) from None
    except hub.HFValidationError:
        raise TruerateError(
            f"{doing}: neither a folder nor the name of a repository; name org/name or a folder"
        ) from None
    except hub.LocalEntryNotFoundError:
        raise TruerateError(
            f"{doing}: the Hub cannot be reached and nothing of it is in the cache; try again online"
        ) from None
    except Exception as error:  # the transport's errors share no class
        raise TruerateError(f"{doing}: {one_line(error)}; try again") from None


def check_sums(folder: Path, files: Sequence[str], doing: str) -> None:
    """Raise TruerateError where a file differs from its published checksum; a trained folder has none."""
    lines = (folder / CHECKSUMS).read_text("utf-8").splitlines() if (folder / CHECKSUMS).is_file() else []
    digests = {path: digest for digest, _, path in (line.partition("  ") for line in lines)}
    for name in files:
        if name in digests and _sha256(folder / name) != digests[name]:
            raise TruerateError(
                f"{doing}: {name} is not what was published; load it anew with force_download=True"
            )


def one_line(error: Exception) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _sha256(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
