"""Files and folders of the user's own that decide what a stage makes, beside its source: prompts, lists, weights.

DVC watches a digest of them in the file of the stage's settings, wherever they lie.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from truerate.config import Params
from truerate.config.stage_settings import Stage, judging, places
from truerate.core.keys import content_id, files

LARGE = (
    16 * 2**20
)  # bytes from which a file is known by its size and time: weights are not read again for each stage


def weights_of(p: Params, board: str) -> list[str]:
    """Local folders of weights that the settings of a board's track name."""
    track = p.track(board)
    return _folders(track.setting(key) for key in track.weights_in)


def own_files(p: Params, stage: Stage) -> list[str]:
    """What of the user's own a stage reads, as far as it is there: a path for each."""
    if stage.board is None:
        return []
    read, paths = places(p, stage), []
    if any(setting.startswith("tracks.") for setting in read):
        paths += weights_of(p, stage.board)
    if stage.name == "dataset":
        others = [p.source(name) for name in p.track(stage.board).sources()]
        folders = [source.path for source in others if not source.make]
        candidates = (p.llm.prompts_dir, *p.track(stage.board).files(), *folders)
        paths += [path for path in candidates if path and Path(path).exists()]
    if "backbones" in read:
        paths += _folders(backbone.weights for backbone in p.backbones.values())
    families = (
        [p.detectors[name] for name in judging(p, stage.board)] if stage.name in ("train", "judge") else []
    )
    paths += _folders(entailer.weights for family in families for entailer in family.entailment.values())
    published = [detector for family in families for detector in family.published.values()]
    paths += _folders(path for detector in published for path in (detector.weights, detector.base))
    return list(dict.fromkeys(paths))


def _folders(values: Iterable[str | None]) -> list[str]:
    """Those of the values that are local folders, not Hub ids or words such as `tiny`."""
    return [value for value in values if value and Path(value).expanduser().is_dir()]


def stamp_of(path: str) -> str:
    """What tells whether a file or folder changed: names and bytes; of large files names, sizes and times."""
    folder = Path(path).expanduser()
    return content_id([[file.relative_to(folder).as_posix(), _stamp_of_file(file)] for file in files(folder)])


def _stamp_of_file(file: Path) -> list[object]:
    facts = file.stat()
    if facts.st_size >= LARGE:
        return [facts.st_size, facts.st_mtime_ns]
    return [hashlib.sha256(file.read_bytes()).hexdigest()]
