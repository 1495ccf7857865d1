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
