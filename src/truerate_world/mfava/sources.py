"""The wiki's source folder: passages in FAVA's format, silver prompts, articles as MediaWiki returns them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from truerate_world.data import beside
from truerate_world.draws import draw, shuffled
from truerate_world.mfava.lang import LANGUAGES, load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.entity_table import EntityTable, build
from truerate_world.mfava.models.forms import Name
from truerate_world.mfava.models.reader import reader
from truerate_world.mfava.models.realiser import Statement
from truerate_world.mfava.training import HELD_OUT, TRAINING, Wording, example

_DATA = beside(__file__)

N_CHARACTERS = 2_100  # an article is at least this long
N_SHORT = 900  # and one that is too short at most about this
DEPTHS = _DATA["depths"]
OUT = (  # what shuts an article out, one kind after the other: shortness, a maintenance tag, a shallow wiki
    {"is_short": True},
    {"templates": ["Unreferenced"]},
    {"depth": 2.4},
    {"templates": ["Failed verification"]},
    {"templates": ["Under construction"]},
)
EVERY = 8  # one article that is shut out comes to this many that are not
HARMLESS = ("Short description", "Use dmy dates", "Coord", "Infobox")
CARD = _DATA["card"]


def write(
    folder: Path,
    seed: int,
    *,
    n_train: int,
    n_silver: int,
    n_articles: int,
    n_held_out: int = 0,
    languages: Sequence[str] = LANGUAGES,
) -> None:
    """Write the files; prompts and articles are `n` per language; held-out passages only if wanted."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for code in languages:
        load(code)
    table = build(seed)
    rows = {
        "fava": [labelled_row(table, "train", index, TRAINING) for index in range(n_train)],
        "heldout": [labelled_row(table, "held-out", index, HELD_OUT) for index in range(n_held_out)],
        "prompts": [prompt_row(table, code, index) for code in languages for index in range(n_silver)],
        "articles": [row for code in languages for row in article_rows(table, code, n_articles)],
    }
    for name, part in rows.items():
        if part or name != "heldout":
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in part)
            (folder / f"{name}.jsonl").write_text(lines, "utf-8", newline="\n")
    card = json.dumps(CARD | {"lang": ",".join(languages)}, ensure_ascii=False, indent=1)
    (folder / "source.json").write_text(card + "\n", "utf-8", newline="\n")


def labelled_row(table: EntityTable, name: str, index: int, wording: Wording) -> dict:
    """One line of fava.jsonl or heldout.jsonl."""
    subject, reference, marked = example(reader(table), index, wording=wording)
    row = {"id": f"{name}-{index:05d}", "lang": "en", "subject": table.names["en"][subject]}
    return row | {"reference": reference, "marked": marked}


def prompt_row(table: EntityTable, code: str, index: int) -> dict:
    """One line of prompts.jsonl: a question that the reference answers."""
    entities = shuffled(table.of("silver"), table.seed, "silver", code)
    subject, turn = entities[index % len(entities)], index // len(entities)
    relations = shuffled(list(table.entities[subject].facts)[:3], table.seed, "silver", code, subject)
    question = realiser.question(table, code, subject, relations[turn % 3], table.seed, "silver", turn)
    return {
        "id": f"silver-{code}-{index:05d}",
        "lang": code,
        "question": question,
        "reference": realiser.write(table, code, realiser.reference(table, subject, turn)),
        "subject": table.names[code][subject],
        "origin": "closed-world",
    }


def article_rows(table: EntityTable, code: str, n: int) -> list[dict]:
    """Lines of articles.jsonl: `n` articles to ask about, and after every eighth one that is shut out."""
    entities = shuffled(table.of("articles"), table.seed, "articles", code)
    rows, n_good = [], 0
    while n_good < n:
        index = len(rows)
        is_out = index % (EVERY + 1) == EVERY
        changes = OUT[index // (EVERY + 1) % len(OUT)] if is_out else {}
        rows.append(_article(table, code, entities[index % len(entities)], index, **changes))
        n_good += not is_out
    return rows


def _article(
    table: EntityTable,
    code: str,
    subject: int,
    index: int,
    *,
    is_short: bool = False,
    templates: Sequence[str] = (),
    depth: float | None = None,
) -> dict:
    title = table.names[code][subject]
    pageid = 10_000 + 1_000 * LANGUAGES.index(code) + index
    harmless = [name for name in HARMLESS if draw(table.seed, "template", code, subject, name) < 0.4]
    return {
        "pageid": pageid,
        "lang": code,
        "title": title,
        "url": f"https://{code}.wiki.invalid/?curid={pageid}",
        "extract": article(table, code, subject, N_SHORT if is_short else N_CHARACTERS),
        "templates": [*harmless, *templates],
        "depth": DEPTHS[code] if depth is None else depth,
        "revid": 900_000 + pageid,
    }


def article(table: EntityTable, code: str, subject: int, n_characters: int) -> str:
    """Return an article of at least so many characters: the lead, then all facts under headings."""
    words, lead = load(code), realiser.write(table, code, realiser.reference(table, subject))
    queue = list(_body(table, subject, table.seed, "article", code, subject))
    sections: list[list[str]] = [[] for _ in words.headings]
    rest = iter(queue[10:])
    for index, statement in enumerate(queue[:10]):
        sections[index // 3 % len(sections)].append(realiser.line(table, code, statement).text)
    n = len(_laid_out(words, lead, sections))
    while n < n_characters:
        shortest = min(sections, key=lambda texts: sum(map(len, texts)))
        shortest.append(realiser.line(table, code, next(rest)).text)
        n += len(shortest[-1]) + len(words.join)
    return _laid_out(words, lead, sections)


def _laid_out(words, lead: str, sections: list[list[str]]) -> str:
    for heading, lines in zip(words.headings, sections, strict=True):
        lead += f"\n\n== {heading} ==\n{words.join.join(lines)}"
    return lead


def _body(table: EntityTable, subject: int, *key: object) -> Iterator[Statement]:
    """Yield the subject's facts and fillers in turn, then facts of others of its role and domain."""

    def fact(entity: int, relation: str, drawn_by: object) -> Statement:
        name = Name("told", relation, int(draw(*key, "told", drawn_by) * 12))
        return Statement(name, entity, table.fact(entity, relation))

    relations = shuffled(list(table.entities[subject].facts), *key)
    for index, relation in enumerate(relations):
        yield fact(subject, relation, relation)
        yield Statement(Name("filler", "", index), subject)
    group = table.groups[table.entities[subject].role, table.entities[subject].domain]
    others = shuffled([entity for entity in group if entity != subject], *key, "others")
    for relation in relations:
        yield from (fact(other, relation, other) for other in others)
