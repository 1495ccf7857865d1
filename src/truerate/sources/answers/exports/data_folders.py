"""Folders that `datasets` saved."""

import glob
import json
from pathlib import Path
from typing import Any

import polars as pl

from truerate.sources.answers.exports.contents import Content, unreadable
from truerate.sources.answers.exports.records import EVIDENCE, Export, export_of, record_of
from truerate.sources.answers.names import ROLES

TOOL = "datasets"
INFO = "dataset_info.json"


def of_folder(path: Path) -> Export | None:
    """The answers of a folder of `save_to_disk`, of all its splits; the names of a ClassLabel say which value
    means hallucinated. None for another folder.
    """
    folders = [path] if (path / INFO).is_file() else sorted(entry.parent for entry in path.glob(f"*/{INFO}"))
    if not folders:
        return None
    records = []
    for folder in folders:
        try:
            features = json.loads((folder / INFO).read_text("utf-8")).get("features") or {}
            state = folder / "state.json"
            files = json.loads(state.read_text("utf-8"))["_data_files"] if state.is_file() else []
            names = [Path(file["filename"]).name for file in files] or sorted(
                f.name for f in folder.glob("*.arrow")
            )
            rows = [row for name in names for row in pl.read_ipc_stream(folder / name).to_dicts()]
        except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
            raise unreadable(
                path, f"it is no whole folder of datasets: {' '.join(str(error).split())}"
            ) from None
        classes = {
            name: entry["names"]
            for name, entry in features.items()
            if isinstance(entry, dict) and entry.get("names")
        }
        records += [_record(_named(row, classes), folder.name if len(folders) > 1 else None) for row in rows]
    return export_of(TOOL, records)


def of_table(content: Content) -> Export | None:
    """The answers of a table in which `datasets` left the numbers of a class, where the names of its classes
    stand beside it: in a Parquet file of the same name, or a saved folder. None for another table.
    """
    path = content.path
    if content.frame is not None:
        return None  # which has its own
    infos = path.parent.glob(f"{glob.escape(path.stem)}*/{INFO}")
    for other in (path.with_suffix(".parquet"), path.parent / INFO, *sorted(infos)):
        classes = {name: names for name, names in _classes_beside(other).items() if name in content.names}
        if not classes:
            continue
        rows = []
        for row in content.rows:
            numbers = {name: int(row[name]) for name in classes if str(row.get(name)).isdecimal()}
            rows.append(_named(row | numbers, classes))
        return export_of(TOOL, [_record(row, None) for row in rows], [f"names of classes: {other.name!r}"])
    return None


def _classes_beside(path: Path) -> dict[str, list[str]]:
    """The names of classes by column, of a Parquet file or an info of `datasets`; none where it is another."""
    if not path.is_file():
        return {}
    try:
        if path.suffix == ".json":
            features = json.loads(path.read_text("utf-8"))["features"]
        else:
            features = json.loads(pl.read_parquet_metadata(path)["huggingface"])["info"]["features"]
        return {name: f["names"] for name, f in features.items() if isinstance(f, dict) and f.get("names")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
        return {}


def _named(row: dict[str, Any], classes: dict[str, list[str]]) -> dict[str, Any]:
    for name, names in classes.items():
        if isinstance(value := row.get(name), int):
            row[name] = names[value] if 0 <= value < len(names) else None
    return row


def _record(row: dict[str, Any], split: str | None) -> dict[str, Any]:
    answers = [name for name in ROLES["answer"] if isinstance(row.get(name), str)]
    answer = answers[1] if len(answers) > 1 and answers[0] == "answer" else next(iter(answers), "")
    metadata = {name: value for name, value in row.items() if name not in (*answers, "reference")}
    is_golden = any(row.get(name) for name in EVIDENCE)
    given: dict[str, Any] = {"golden" if is_golden else "reference": row.get("reference")}
    return record_of(row.get(answer), metadata | ({"split": split} if split else {}), **given)
