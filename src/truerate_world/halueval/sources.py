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
    share, rest = divmod(n_items, len(languages))
    parts = [(checker(world, code), share + (index < rest)) for index, code in enumerate(languages)]
    questions_ = (
        hotpot(language, index, text)
        for language, n in parts
        for index, text in enumerate(questions(language, n))
    )
    _json(folder / "hotpotqa.json", list(questions_))
    _text(folder / "opendialkg.csv", _dialogues(parts))
    items = [(language, index) for language, n in parts for index in range(n)]
    _json(folder / "alpaca.json", [instruction(*item) for item in items])
    probes = [probe(language, index) for language, _ in parts for index in range(N_PROBES // len(parts))]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in probes)
    _text(folder / "general_probe.jsonl", "".join(lines))
    for language, index in items:
        path = folder / "stories" / f"{language.lexicon.code}-{index:05d}.story"
        _text(path, story(language, index))
    _json(folder / "source.json", CARD | {"lang": ",".join(languages)})


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
