"""The inputs of the profiles: the published formats, a dozen rows each, in words of our own."""

from pathlib import Path

import polars as pl
import raw_files
from raw_files import STONES, TOWNS


def halueval(folder: Path) -> None:
    """HaluEval's four data sets, their training parts."""
    place = folder / "halueval"
    raw_files.lay_out(place)
    (place / "hotpot_dev_distractor_v1.json").rename(place / "hotpot_train_v1.1.json")
    for path in place.rglob("validation-*"):
        path.rename(path.with_name(path.name.replace("validation", "train")))


def wildhallucinations(folder: Path) -> None:
    """The published list: a dozen names of two domains, common and rare, with and without Wikipedia."""
    place = folder / "wildhallucinations/data"
    place.mkdir(parents=True)
    rows = [
        {
            "entity": town,
            "perplexity": 5.0 * 10 ** (number % 3),
            "info": [
                {"text": f"{town} is a town. Its tower is built of {stone}.", "status_code": 200, "url": f"https://{town}.example/"},
                {"text": f"{town} was founded in {1200 + number}.", "status_code": 200, "url": f"https://{stone}.example/"},
            ],
            "category": ("geographic", "culture & entertainment")[number % 2],
            "wiki": number % 4 // 2,
        }
        for number, (town, stone) in enumerate(zip(TOWNS, STONES, strict=True))
    ]
    pl.DataFrame(rows).write_parquet(place / "train-00000-of-00001.parquet")
