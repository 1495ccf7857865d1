"""The inputs of the profiles: the published formats, a dozen rows each, in words of our own."""

from pathlib import Path

import raw_files


def halueval(folder: Path) -> None:
    """HaluEval's four data sets, their training parts."""
    place = folder / "halueval"
    raw_files.lay_out(place)
    (place / "hotpot_dev_distractor_v1.json").rename(place / "hotpot_train_v1.1.json")
    for path in place.rglob("validation-*"):
        path.rename(path.with_name(path.name.replace("validation", "train")))
