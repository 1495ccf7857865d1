"""Folders that `datasets` saved."""

import json
from pathlib import Path
from typing import Any

import polars as pl

from truerate.answers.exports.contents import unreadable
from truerate.answers.exports.records import EVIDENCE, Export, export_of, record_of
from truerate.answers.fields import ROLES

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
    return record_of(
        row.get(answer),
        metadata | ({"split": split} if split else {}),
        **{"golden" if is_golden else "reference": row.get("reference")},
    )
