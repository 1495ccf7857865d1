"""Files and folders of the user's own that decide what a stage makes, beside its source: prompts, lists, weights.

DVC watches a digest of them in the file of the stage's settings, wherever they lie.
"""

import hashlib
from pathlib import Path

from truerate.config import Params
from truerate.config.stage_settings import Stage, places
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
    read, found = places(p, stage), []
    if any(place.startswith("tracks.") for place in read):
        found += weights_of(p, stage.board)
    if stage.name == "dataset":
        others = [p.source(name) for name in p.track(stage.board).sources()]
        folders = [source.path for source in others if not source.make]
        named = (p.llm.prompts_dir, *p.track(stage.board).files(), *folders)
        found += [path for path in named if path and Path(path).exists()]
    if "backbones" in read:
        found += _folders(backbone.weights for backbone in p.backbones.values())
    families = (
        [p.detectors[name] for name in p.families(stage.board)] if stage.name in ("train", "judge") else []
    )
    found += _folders(one.weights for family in families for one in family.entailment.values())
    return list(dict.fromkeys(found))


def _folders(named) -> list[str]:
    """Those of the values that are folders here, and no Hub id or word of ours."""
    return [value for value in named if value and Path(value).expanduser().is_dir()]


def stamp_of(path: str) -> str:
    """What tells whether a file or folder changed: names and bytes; of large files names, sizes and times."""
    place = Path(path).expanduser()
    return content_id([[one.relative_to(place).as_posix(), _told(one)] for one in files(place)])


def _told(file: Path) -> list[object]:
    facts = file.stat()
    if facts.st_size >= LARGE:
        return [facts.st_size, facts.st_mtime_ns]
    return [hashlib.sha256(file.read_bytes()).hexdigest()]
