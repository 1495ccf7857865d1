"""The source folder: the world's texts in the public formats that readers read, `n_items` of each task."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from truerate_world.encyclopedia import build
from truerate_world.halueval.models.claim_checker import Checker, checker
from truerate_world.halueval.seed_questions import hotpot, questions
from truerate_world.halueval.seed_texts import conversation, instruction, probe, story

N_PROBES = 40
CARD = {
    "name": "closed-world",
    "citation": "The closed world of truerate: fictional texts with planted truth, made from a seed.",
    "licence": "CC0-1.0",
    "redistribution": "yes",
    "url": None,
}


def write(folder: Path, seed: int, n_items: int, languages: Sequence[str] = ("en",)) -> None:
    """Write the seed files of all tasks; the items of several languages share `n_items` evenly."""
    folder = Path(folder)
    (folder / "stories").mkdir(parents=True, exist_ok=True)
    world = build(seed, tuple(languages))
    shares = [
        n_items // len(languages) + (offset < n_items % len(languages)) for offset in range(len(languages))
    ]
    parts = [(checker(world, code), n) for code, n in zip(languages, shares, strict=True)]
    _json(folder / "hotpotqa.json", [row for known, n in parts for row in _hotpot(known, n)])
    _text(folder / "opendialkg.csv", _dialogues(parts))
    _json(
        folder / "alpaca.json",
        [instruction(claim_checker, index) for claim_checker, n in parts for index in range(n)],
    )
    probes = [probe(known, position) for known, _ in parts for position in range(N_PROBES // len(parts))]
    _text(
        folder / "general_probe.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in probes)
    )
    for known, n in parts:
        for count in range(n):
            _text(folder / "stories" / f"{known.lexicon.code}-{count:05d}.story", story(known, count))
    _json(folder / "source.json", CARD | {"lang": ",".join(languages)})


def _hotpot(claim_checker: Checker, n: int) -> list[dict]:
    """Two-hop questions with two supporting and two distracting paragraphs each."""
    return [hotpot(claim_checker, index, text) for index, text in enumerate(questions(claim_checker, n))]


def _dialogues(parts: Sequence[tuple[Checker, int]]) -> str:
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["Messages", "User Rating", "Assistant Rating"])
    for claim_checker, n in parts:
        for index in range(n):
            messages, rating = conversation(claim_checker, index)
            rows.writerow([json.dumps(messages, ensure_ascii=False), json.dumps(rating), json.dumps(rating)])
    return out.getvalue()


def _json(path: Path, content: object) -> None:
    _text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
