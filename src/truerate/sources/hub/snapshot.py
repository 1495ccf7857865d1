"""What is here of one commit of a data set, and which of its files were found sound.

Files lie in the client's cache (`HF_HOME`); beside them stands the list of the commit's checksums and which
files were held against it, with their size and time, so that a build neither asks the Hub nor reads them
again.
"""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from truerate.config import HubSource
from truerate.core.errors import SourceError, listed

CHECKED = "checked"  # folder beside the client's own: <cache>/datasets--org--name/checked/<revision>.json
SUM = re.compile(r"sha256:[0-9a-f]{64}|git:[0-9a-f]{40}")


class Mismatch(SourceError):
    """Files that are not what the list of a commit says of them, or are not there at all."""

    def __init__(self, paths: Sequence[str]):
        super().__init__(
            f"files differ from the Hub's checksums and were removed: {listed(paths)}; run it again to fetch them anew"
        )
        self.paths = paths


class Snapshot:
    """What is here of one commit: the list of its files with their checksums, and those that were found sound."""

    def __init__(self, hub: HubSource):
        from huggingface_hub import constants
        from huggingface_hub.file_download import repo_folder_name
        from huggingface_hub.utils import validate_repo_id

        validate_repo_id(hub.repo)
        cache = Path(constants.HF_HUB_CACHE).expanduser()
        folder = cache / repo_folder_name(repo_id=hub.repo, repo_type="dataset")
        self.hub, self.folder = hub, folder / "snapshots" / hub.revision
        self.note = folder / CHECKED / f"{hub.revision}.json"
        self.sums: dict[str, str] = {}
        self.sound: dict[str, list[int]] = {}
        try:  # a note of ours; empty where there is none or it cannot be read
            note = json.loads(self.note.read_text("utf-8"))
            if all(SUM.fullmatch(checksum) for checksum in note["sums"].values()):
                self.sums, self.sound = dict(note["sums"]), dict(note["sound"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            pass

    def is_sound(self, path: str) -> bool:
        """Whether a file was held against its checksum and has not changed since."""
        return path in self.sound and self.sound[path] == self._state(path)

    def missing(self, paths: Sequence[str]) -> list[str]:
        """Those of the files that are not here, or were not checked."""
        return [path for path in paths if not self.is_sound(path)]

    def check(self, path: str) -> bool:
        """Hold a file against its checksum and note it where it is sound; one that is not there is not."""
        file, wanted = self.folder / path, self.sums.get(path)
        if wanted is None or not file.is_file() or _checksum(file, wanted.partition(":")[0]) != wanted:
            return False
        if (state := self._state(path)) is not None:
            self.sound[path] = state
        return True

    def remove(self, path: str) -> None:
        """Take a file away, so that it is fetched again."""
        for file in ((self.folder / path).resolve(), self.folder / path):
            file.unlink(missing_ok=True)

    def learn(self, sums: dict[str, str]) -> None:
        """Take this list in the place of the one there was; files of which the two say the same stay sound."""
        same = {path for path, checksum in sums.items() if checksum == self.sums.get(path)}
        self.sound = {path: state for path, state in self.sound.items() if path in same}
        self.sums = sums
        self.save()

    def save(self) -> None:
        """Keep the list and what was found sound."""
        self.note.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.note.with_suffix(f".{os.getpid()}.tmp")
        scratch.write_text(json.dumps({"sums": self.sums, "sound": self.sound}, sort_keys=True), "utf-8")
        os.replace(scratch, self.note)

    def _state(self, path: str) -> list[int] | None:
        try:
            status = (self.folder / path).stat()
        except OSError:
            return None
        return [status.st_size, status.st_mtime_ns]


def _checksum(file: Path, kind: str) -> str:
    """A file's checksum as the listing writes it."""
    whole = hashlib.sha256() if kind == "sha256" else hashlib.sha1(b"blob %d\0" % file.stat().st_size)
    with file.open("rb") as stream:
        while part := stream.read(1 << 20):
            whole.update(part)
    return f"{kind}:{whole.hexdigest()}"
