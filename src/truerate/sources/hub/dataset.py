"""A pinned data set of the Hugging Face Hub: downloaded once, each file held against the Hub's checksum,
without network from then on.

The client checks the size of a download only. A download that was killed goes on with the files that are not
there yet. What fails in passing is tried again; where a file differs, the list of checksums is doubted first,
then the file.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from truerate.config import HubSource
from truerate.core.errors import EndpointError, SourceError, TruerateError
from truerate.core.process.terminal import announced_wait
from truerate.sources.hub.faults import ODD, message_of, tried
from truerate.sources.hub.files import CARD, about, files_of
from truerate.sources.hub.snapshot import SUM, Mismatch, Snapshot

N_AT_ONCE = 8


def fetched(name: str, hub: HubSource) -> tuple[Path, list[str]]:
    """The folder of a pinned data set and its files, those of its config and split where one is named, all of
    them sound.

    What a data set of truerate's own says of itself (`hub_files.about`) lies in the folder, too.
    `HF_ENDPOINT`, `HF_HOME`, `HF_HUB_OFFLINE` and `HF_TOKEN` are honoured. Raises TruerateError where they
    cannot all be had.
    """
    import httpx2

    at = f"source {name!r}: data set {hub.repo!r} at {hub.revision[:8]} of the Hub"
    try:
        snapshot = Snapshot(hub)
        if not snapshot.sums:
            snapshot.learn(tried(lambda: _listing(hub)))
        with announced_wait(f"{at} is being fetched"):
            try:
                wanted = _bring_all(snapshot)
            except Mismatch as mismatch:
                # the checksums are listed again; files that differ from the new ones, too, are fetched anew
                snapshot.learn(tried(lambda: _listing(hub)))
                for path in mismatch.paths:
                    if not snapshot.check(path):
                        snapshot.remove(path)
                wanted = _bring_all(snapshot)
    except Mismatch as mismatch:
        for path in mismatch.paths:
            snapshot.remove(path)
        raise SourceError(f"{at}: {mismatch}") from None
    except TruerateError as error:
        raise type(error)(f"{at}: {error}") from None
    except (httpx2.HTTPError, OSError, *ODD) as error:
        raise EndpointError(f"{at}: {message_of(error, hub.repo)}") from None
    return snapshot.folder, wanted


def wanted_files(
    snapshot: Snapshot, *, fetch: Callable[[Snapshot, list[str]], None] | None = None
) -> list[str]:
    """The files of a commit that a source reads: all, or those of its config and split, by its card."""
    hub = snapshot.hub
    if hub.config is None and hub.split is None:
        return sorted(snapshot.sums)
    card = snapshot.folder / CARD
    if fetch and CARD in snapshot.sums:
        fetch(snapshot, [CARD])
    text = card.read_text("utf-8", errors="replace") if card.is_file() else ""
    return files_of(hub, list(snapshot.sums), text)


def state(hub: HubSource) -> str | None:
    """What of a data set is missing here, in words, without asking the Hub; None where nothing is."""
    try:
        snapshot = Snapshot(hub)
        if not snapshot.sums:
            return "not fetched"
        wanted = wanted_files(snapshot)
    except (TruerateError, OSError, ValueError) as error:
        return " ".join(str(error).split())
    n_missing = len(snapshot.missing(wanted))
    return f"{n_missing} of {len(wanted)} files not fetched" if n_missing else None


def _listing(hub: HubSource) -> dict[str, str]:
    """The checksums of a commit's files: SHA-256 of those in large-file storage, git's of the others."""
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    tree = list(HfApi().list_repo_tree(hub.repo, repo_type="dataset", revision=hub.revision, recursive=True))
    folders = {entry.path for entry in tree if not isinstance(entry, RepoFile)}
    files = [entry for entry in tree if isinstance(entry, RepoFile)]
    sums = {file.path: f"sha256:{file.lfs.sha256}" if file.lfs else f"git:{file.blob_id}" for file in files}
    paths = [PurePosixPath(path) for path in sums]
    if not all(SUM.fullmatch(checksum) for checksum in sums.values()):
        raise ValueError("a checksum in the list of files is none")
    if empty := folders - {str(folder) for path in paths for folder in path.parents}:
        # git knows none: it was a file
        raise ValueError(f"the list of files has a folder without any: {min(empty)!r}")
    if strange := [str(path) for path in paths if path.is_absolute() or ".." in path.parts]:
        raise SourceError(f"it names the file {strange[0]!r}, which is no place in it")
    if not sums:
        raise SourceError("there is no file in it")
    return sums


def _bring_all(snapshot: Snapshot) -> list[str]:
    """The files that a source reads, all of them here and sound, as is what the data set says of itself."""
    wanted = wanted_files(snapshot, fetch=_fetch)
    _fetch(snapshot, list(dict.fromkeys([*wanted, *about(snapshot.sums)])))
    return wanted


def _fetch(snapshot: Snapshot, paths: Sequence[str]) -> None:
    """Download the missing files and verify their checksums; sound ones are kept whatever fails."""
    missing = snapshot.missing(paths)
    if not missing:
        return
    wrong: list[str] = []
    try:
        with ThreadPoolExecutor(min(N_AT_ONCE, len(missing))) as pool:
            tasks = {path: pool.submit(_download, snapshot.hub, path) for path in missing}
            try:
                for path, task in tasks.items():
                    wrong += [] if task.result() and snapshot.check(path) else [path]
            finally:
                pool.shutdown(cancel_futures=True)
    finally:
        snapshot.save()
    if wrong:
        raise Mismatch(wrong)


def _download(hub: HubSource, path: str) -> bool:
    """Bring one file into the client's cache; whether there is one of this name in the commit."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import RemoteEntryNotFoundError

    try:
        tried(lambda: hf_hub_download(hub.repo, path, repo_type="dataset", revision=hub.revision))
    except RemoteEntryNotFoundError:
        return False
    return True
