"""A board of WildHallucinations of any size, with made pages, replies and labels: what `wild_scale.py` measures on."""

import hashlib
import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOARD, SOURCE = "wildhallucinations-closed-world", "closed-world-chats"
ENTITIES, SUBJECTS = 7919, 15  # of the paper
FILE_ENTITIES = 1_000  # of a file of the list that brings its pages
CHATS = 5  # conversations of the full profile for each entity
PAGES, PAGE_CHARS = 10, 34_700  # pages of an entity, and characters of each
SENTENCES, ABSTAINING = 28, 0.07
# With these, ten facts of a reply that have five passages each are shown 36 together; of Factcheck-GPT's claims 28 (`bench:evidence`).
TOPICS = [f"topic{place}" for place in range(8)]
FREQUENT = (
    "the of and in to was for on with as by at from is that it an be this which or are his had first its were new one also"
    " after other time people two year over world work city more been who all into their life up school between state when"
).split()
OF_SUBJECT = ("generate", "facts")  # steps with a job for each subject


# ---- what is asked about -----------------------------------------------------------------------------------
def sentence(draws: random.Random, *, about: Sequence[str] = (), n_words: int = 60_000) -> str:
    """A sentence of 8 to 26 of so many words, most of them frequent, which are those of English; some give their places to
    what it is about.
    """
    places = ((int(draws.paretovariate(0.35)) - 1) % n_words for _ in range(draws.randint(8, 26)))
    words = [FREQUENT[place] if place < len(FREQUENT) else f"word{place}" for place in places]
    for topic in about:
        words[draws.randrange(len(words))] = topic
    return f"{' '.join(words).capitalize()}."


def page(place: int, n_chars: int) -> str:
    """A page of so many characters in paragraphs; a sentence in fifty is about each of the entity's topics."""
    draws, parts, size = random.Random(place), [], 0
    while size < n_chars:
        about = [topic for topic in TOPICS if draws.random() < 0.02]
        parts.append(sentence(draws, about=about) + ("\n\n" if draws.random() < 0.15 else " "))
        size += len(parts[-1])
    return "".join(parts)


def names(n: int) -> list[str]:
    """The names of n entities."""
    return [f"Entity {place:05} of Varn" for place in range(n)]


def searches(n: int, n_chars: int) -> Iterator[dict]:
    """Recorded results of each entity with the texts of their pages."""
    for place, name in enumerate(names(n)):
        found = [
            {
                "link": f"https://site{rank}.example/{place}",
                "title": f"{name} {rank}",
                "text": page(place * PAGES + rank, n_chars),
            }
            for rank in range(PAGES)
        ]
        yield {"query": name, "items": found}


def replied(requests: Sequence, at, *, label: str) -> list:
    """A reply to each request, drawn by its prompt; nothing is asked."""
    from truerate.llm.request import Reply

    def one(request) -> Reply:
        said = request.messages[-1]["content"]
        key = hashlib.sha256(said.encode()).hexdigest()
        return Reply(key, "ok", answer(said, int(key[:12], 16)), "stop", None, 10, 5, 0.0, False)

    return [one(request) for request in requests]


def answer(said: str, drawn: int) -> str:
    """What a model might say: facts sentence by sentence, verdicts claim by claim, or a paragraph."""
    lines = [line for line in said.splitlines() if line.startswith("[")]
    if "#Claims#" in said:
        return "\n".join(
            f"[{n}] {'not ' * ((drawn >> n) % 5 == 0)}supported" for n in range(1, len(lines) + 1)
        )
    if "#Sentences#" in said:
        return "\n".join(lines)
    draws = random.Random(drawn)
    if draws.random() < ABSTAINING:
        return "I am not familiar with that name."
    about = (draws.sample(TOPICS, 2) for _ in range(SENTENCES))  # two, in words that all pages have
    return " ".join(sentence(draws, about=topics, n_words=len(FREQUENT)) for topics in about)


# ---- the project -------------------------------------------------------------------------------------------
def subjects() -> list[str]:
    """The names of the subjects."""
    return [f"subject-{place:02}" for place in range(1, SUBJECTS + 1)]


def project(n: int, folder: Path, n_chars: int, *, is_published: bool = False) -> None:
    """A project with the board alone, of these sizes: the settings with the full profile's evidence, a source, and
    what its entities' pages are: recorded searches beside the source's tables, or (`is_published`) in the source's
    files themselves, which are not imported yet.
    """
    import yaml

    from truerate.config.layout import Layout
    from truerate.core.schemas import Judgement, Score, frame, save

    for name in ("src", "rules", "profiles"):
        (folder / name).symlink_to(ROOT / name)
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    full = values["sizes"]["full"]["wildhallucinations"]
    values["sizes"]["demo"]["wildhallucinations"] = full | {"entities": n, "chats": CHATS * n}
    values["models"] |= {
        name: values["models"]["aster"] | {"model": f"sim-{name}", "family": name} for name in subjects()
    }
    track = values["tracks"]["wildhallucinations"]
    track["subjects"] = subjects()
    track["verification"]["n_checked"] = 2_000
    track["search"] |= {"endpoint": None, "url": None, "recorded": "searches.jsonl"}
    values |= {"profile": "demo", "n_shards": None, "boards": {BOARD: values["boards"][BOARD]}}
    if is_published:
        values["sources"] = {SOURCE: {"reader": "wildhallucinations", "path": "list", "is_simulated": True}}
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), "utf-8")
    (folder / "dvc.lock").write_text(f"schema: '2.0'\nstages:\n  dataset@{BOARD}: {{cmd: x}}\n", "utf-8")
    os.chdir(folder)
    at = Layout.load()
    published_list(n, n_chars) if is_published else searched_list(at, n, n_chars)
    for family in at.p.families(BOARD):
        save(Judgement, frame(Judgement), at.judgements(family, BOARD))
    save(Score, frame(Score), at.truth(BOARD))
    Path("jobs.json").write_text(str(at.shards_of(BOARD)), "utf-8")


def searched_list(at, n: int, n_chars: int) -> None:
    """A list of names as an imported source, and recorded searches of them with their pages."""
    from truerate.core.schemas import save
    from truerate.pipeline.dataset_tables import SOURCE as TABLES
    from truerate.sources.papers.wildhallucinations import read_entity_list

    with Path("searches.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in searches(n, n_chars))
    Path("list").mkdir()
    rows = "\n".join(json.dumps({"name": name, "n_chats": 3, "domain": "people"}) for name in names(n))
    Path("list/entities.jsonl").write_text(rows + "\n", "utf-8")
    tables = read_entity_list(Path("list"), name=SOURCE, on_bad_row="stop")
    for table, model in TABLES.items():
        save(model, getattr(tables, table), at.source(SOURCE, table))
    card = tables.card | {"licence": "CC-BY-4.0", "redistribution": "yes"}
    Path(at.source(SOURCE, "card.json")).write_text(json.dumps(card), "utf-8")


def published_list(n: int, n_chars: int) -> None:
    """The files of a list that brings its pages, in the published form: Parquet, of FILE_ENTITIES each."""
    import polars as pl

    Path("list/data").mkdir(parents=True)
    found = searches(n, n_chars)
    for place, start in enumerate(range(0, n, FILE_ENTITIES)):
        rows = [
            {
                "entity": one["query"],
                "perplexity": 2.0,
                "info": [
                    {"url": page["link"], "title": page["title"], "text": page["text"], "status_code": 200}
                    for page in one["items"]
                ],
                "category": "people",
                "wiki": 0,
            }
            for one, _ in zip(found, range(min(FILE_ENTITIES, n - start)), strict=False)
        ]
        pl.DataFrame(rows).write_parquet(f"list/data/train-{place:05}.parquet", row_group_size=FILE_ENTITIES)


def whole_project(base: Path, folder: Path) -> None:
    """A project whose data set has the paper's size: the tables of a smaller one of this benchmark, each row again under
    ids of its own until there are as many entities; people label, and single calls check, as many facts as there.
    """
    from growth import copied

    from truerate.config.layout import Layout
    from truerate.core.schemas import read, save_in_parts, write
    from truerate.pipeline.dataset_tables import DATASET, PARTED

    shutil.copytree(
        base, folder, symlinks=True, ignore=shutil.ignore_patterns("scratch", "searches.jsonl", "*.sqlite")
    )
    os.chdir(folder)
    at = Layout.load()
    k = ENTITIES // read(DATASET["items"], at.dataset(BOARD, "items")).height
    for name in ("items", *PARTED):
        path = at.dataset(BOARD, name)
        one, copies = (
            read(DATASET[name], path),
            [Path(f"copies/{name}-{copy:04}.parquet") for copy in range(k)],
        )
        for copy, place in enumerate(copies):
            write(DATASET[name], copied(of_all(one), copy) if copy else one, place)
        save_in_parts(DATASET[name], copies, path, **PARTED.get(name, {"key": "item_id"}))
        shutil.rmtree("copies")


def whole_list(base: Path, folder: Path) -> None:
    """A project whose list has the paper's size and is not imported yet: the files of a smaller one again, with a number
    before each name and page.
    """
    import polars as pl

    shutil.copytree(
        base, folder, symlinks=True, ignore=shutil.ignore_patterns("scratch", "data", "*.sqlite*")
    )
    (folder / "list/data").mkdir()
    files = sorted((base / "list/data").iterdir())
    n = sum(pl.scan_parquet(file).select(pl.len()).collect().item() for file in files)
    for copy in range(ENTITIES // n):
        numbered = pl.concat_str(pl.lit(f"{copy} "), pl.element().struct.field("text"))
        pages = pl.col("info").list.eval(pl.element().struct.with_fields(numbered.alias("text")))
        for file in files:
            rows = pl.read_parquet(file).with_columns(
                pages, entity=pl.concat_str("entity", pl.lit(f" {copy}"))
            )
            rows.write_parquet(folder / "list/data" / f"{copy}-{file.name}", row_group_size=FILE_ENTITIES)


def of_all(rows):
    """The rows of which there are more where there is more to ask: calls about one fact are a fixed number."""
    import polars as pl

    from truerate.core.schemas import pair

    return (
        rows.filter(pair("attributes", "stage").ne_missing(pl.lit("single")))
        if "attributes" in rows.columns
        else rows
    )


def scratch_of(step: str, subject: str, shard: int | str) -> Path:
    """Where a job of a step writes, or (`*`) the pattern of where its jobs do."""
    return Path("scratch") / (subject if step in OF_SUBJECT else "web") / f"{step}-{shard}.parquet"


def labels_of(task: dict) -> Iterator[dict]:
    """What three labellers return of a task: every ninth label is another than the verifier's."""
    for who in range(3):
        drawn = int(hashlib.sha256(f"{task['task_id']} {who // 2}".encode()).hexdigest()[:8], 16)
        label = (
            task["verdict"] if drawn % 9 else {"supported": "unsupported"}.get(task["verdict"], "supported")
        )
        if task["kind"] == "review":
            label = ("correct", "retrieval", "generation")[drawn % 3]
        elif task["kind"] == "entity":
            label = {"unambiguous": True, "relevant": len(task["passages"]), "pages": len(task["passages"])}
        yield {"task_id": task["task_id"], "labeller": f"labeller-{who}", "label": label or "supported"}
