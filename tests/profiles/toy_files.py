"""The inputs of the profiles: the published formats, a dozen rows each, in words of our own."""

import json
from pathlib import Path

import polars as pl
import raw_files
from raw_files import STONES, TOWNS

LANGS = ("ar", "de", "zh")  # of mFAVA: three scripts


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
                {
                    "text": f"{town} is a town. Its tower is built of {stone}.",
                    "status_code": 200,
                    "url": f"https://{town}.example/",
                },
                {
                    "text": f"{town} was founded in {1200 + number}.",
                    "status_code": 200,
                    "url": f"https://{stone}.example/",
                },
            ],
            "category": ("geographic", "culture & entertainment")[number % 2],
            "wiki": number % 4 // 2,
        }
        for number, (town, stone) in enumerate(zip(TOWNS, STONES, strict=True))
    ]
    pl.DataFrame(rows).write_parquet(place / "train-00000-of-00001.parquet")


def mfava(folder: Path) -> None:
    """FAVA's training file, prompts of our own, and articles in three languages."""
    place = folder / "mfava"
    place.mkdir()
    facts = [
        f"{town} is a town by the river Odla. It was founded in 1204. Its tower is of {stone}."
        for town, stone in zip(TOWNS, STONES, strict=True)
    ]
    training = [_of_fava(fact, number) for fact in facts[6:] for number in range(4)]
    (place / "training.json").write_text(json.dumps(training), "utf-8")
    prompts = [
        {"question": f"What is {town}?", "reference": fact, "subject": town, "id": town}
        for town, fact in zip(TOWNS[:6], facts, strict=False)
    ]
    articles = [
        {"pageid": number, "lang": lang, "title": town, "extract": f"{facts[number]}\n\n== More ==\n{facts[number] * 30}",
         "templates": [], "depth": 20.0, "revid": 1, "url": f"https://{lang}.example/{town}"}
        for lang in LANGS for number, town in enumerate(TOWNS[:5])
    ]  # fmt: skip
    for name, rows in (("prompts", prompts), ("articles", articles)):
        (place / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def _of_fava(fact: str, number: int) -> dict:
    """A passage with errors as FAVA's training file has it: in `completion` the tags are the corrections."""
    wrong, kind = (("1911", "entity"), ("1204", ""), ("1350", "entity"), ("1204", "invented"))[number]
    text = fact.replace("1204", wrong)
    edited = (
        fact.replace("1204", f"<entity><mark>1204</mark><delete>{wrong}</delete></entity>")
        if kind == "entity"
        else text
    )
    if kind == "invented":
        text, edited = f"{text} It floats.", f"{edited} <invented><delete>It floats.</delete></invented>"
    prompt = f"Read the following references:\n{fact}\nPlease identify all the errors in the text. [Text] {text} [Edited] "
    return {"prompt": prompt, "completion": edited}


def halludial(folder: Path) -> None:
    """FaithDial's training part, six dialogues of two turns; and HaluEval's published pairs of three tasks."""
    dialogues, pairs = folder / "faithdial", folder / "halueval"
    dialogues.mkdir()
    pairs.mkdir()
    (dialogues / "train.json").write_text(json.dumps([_dialogue(number) for number in range(6)]), "utf-8")
    for task, rows in _pairs().items():
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (pairs / f"{task}_data.json").write_text(lines, "utf-8")


def _dialogue(number: int) -> dict:
    """A dialogue as FaithDial has it: what a seeker says, the knowledge, the edited response and the original one."""
    town, stone = TOWNS[number], STONES[number]
    knowledge = f"{town} is a town whose tower is built of {stone}. The fair of {town} is held in May."
    first = [f"Have you been to {town}?", f"Yes, its tower is built of {stone}.", "And is there a fair?"]
    turns = [(first[:1], first[1], "Yes, my aunt lives there."), (first, "There is one in May.", None)]
    utterances = [
        {"history": history, "knowledge": knowledge, "response": response, "original_response": original,
         "BEGIN": ["Hallucination" if original else "Entailment"], "VRM": ["Disclosure"]}
        for history, response, original in turns
    ]  # fmt: skip
    return {"dialog_idx": 100 + number, "utterances": utterances}


def _pairs() -> dict[str, list[dict]]:
    """Published pairs of HaluEval, by task."""
    facts = [
        (town, stone, f"The tower of {town} is built of {stone}.")
        for town, stone in zip(TOWNS, STONES, strict=True)
    ]
    return {
        "qa": [
            {"knowledge": fact, "question": f"Of what is the tower of {town}?", "right_answer": f"It is built of {stone}.",
             "hallucinated_answer": "A queen of glass sang there in 1911."}
            for town, stone, fact in facts
        ],
        "dialogue": [
            {"knowledge": fact, "dialogue_history": f"[Human]: Do you know {town}? ", "right_response": fact,
             "hallucinated_response": f"{town} lies on the moon."}
            for town, stone, fact in facts
        ],
        "summarization": [
            {"document": f"{fact} It was opened on Monday.", "right_summary": fact, "hallucinated_summary": f"{town} was sold."}
            for town, stone, fact in facts
        ],
    }  # fmt: skip
