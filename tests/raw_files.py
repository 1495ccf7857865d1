"""HaluEval's four data sets as their publishers lay them out, a dozen rows each, in words of our own."""

import json
from pathlib import Path

import polars as pl

N_ROWS = 12
TOWNS = ("Varn", "Oster", "Lund", "Kelm", "Mora", "Tarn", "Belm", "Sorna", "Ruve", "Hald", "Pirk", "Alsen")
STONES = ("basalt", "brick", "chalk", "flint", "gneiss", "marble", "oak", "pumice", "quartz", "slate", "timber", "tuff")  # fmt: skip


def lay_out(folder: Path) -> None:
    """Write the four data sets into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hotpot_dev_distractor_v1.json").write_text(json.dumps(_questions()), "utf-8")
    (folder / "alpaca_data.json").write_text(json.dumps(_queries()), "utf-8")
    _dialogues().write_csv(folder / "opendialkg.csv")
    (folder / "cnn_dailymail/3.0.0").mkdir(parents=True)
    _news().write_parquet(folder / "cnn_dailymail/3.0.0/validation-00000-of-00001.parquet")


def _questions() -> list[dict]:
    """HotpotQA, distractor setting: the supporting paragraph and one that does not help."""
    return [
        {
            "_id": f"5a{number:022x}",
            "question": f"Of what is the tower of {town} built?",
            "answer": stone,
            "type": "bridge",
            "level": "hard",
            "supporting_facts": [[f"Tower of {town}", 0]],
            "context": [
                [f"Tower of {town}", [f"The tower of {town} is built of {stone}.", " It has four floors."]],
                [f"{town} fair", [f"The fair of {town} is held in May."]],
            ],
        }
        for number, (town, stone) in enumerate(zip(TOWNS, STONES, strict=True))
    ]


def _queries() -> list[dict]:
    """Alpaca: instructions, some with an input."""
    asked = [f"How many bridges does {town} have?" for town in TOWNS]
    return [
        {"instruction": query, "input": "" if number % 3 else "Answer in a sentence.", "output": "Two."}
        for number, query in enumerate(asked)
    ]


def _dialogues() -> pl.DataFrame:
    """OpenDialKG: a walk in the graph, then what the assistant says."""
    rows = []
    for number, town in enumerate(TOWNS):
        name = f"{STONES[number].title()} Ada"
        walk = {"path": [0.9, [[name, "born in", town]], f"{name} was born in {town}"]}
        messages = [
            {"type": "chat", "sender": "user", "message": f"Do you know {name}?"},
            {"type": "chat", "sender": "assistant", "message": "Yes, I do. What would you like to know?"},
            {"type": "chat", "sender": "user", "message": "Where was she born?"},
            {"type": "action", "sender": "assistant", "action_id": "kgwalk/choose_path", "metadata": walk},
            {"type": "chat", "sender": "assistant", "message": f"She was born in {town}."},
        ]
        rows.append({"Messages": json.dumps(messages), "User Rating": "5", "Assistant Rating": "4"})
    return pl.DataFrame(rows)


def _news() -> pl.DataFrame:
    """CNN/DailyMail 3.0.0 as on the Hub."""
    return pl.DataFrame(
        [
            {
                "article": f"{town} opened a bridge of {stone} on Monday. It is the longest of the region, said the mayor.",
                "highlights": f"{town} opened a bridge of {stone}\nIt is the longest of the region",
                "id": f"{number:040x}",
            }
            for number, (town, stone) in enumerate(zip(TOWNS, STONES, strict=True))
        ]
    )
