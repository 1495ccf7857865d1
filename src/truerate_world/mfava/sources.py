"""The wiki's source folder: labelled passages in FAVA's format, silver prompts, and articles as MediaWiki's
API returns them.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from truerate_world.data import beside
from truerate_world.draws import draw, shuffled
from truerate_world.mfava.lang import LANGUAGES, load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.entity_table import EntityTable, build
from truerate_world.mfava.models.forms import Name
from truerate_world.mfava.models.reader import reader
from truerate_world.mfava.models.realiser import Said
from truerate_world.mfava.training import HELD_OUT, TAUGHT, Wording, example

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
    """Write the files; silver prompts and articles are `n` per language, articles besides those that are to
    be shut out.

    Without held-out passages there is no file of them.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for code in languages:
        load(code)
    table = build(seed)
    _lines(folder / "fava.jsonl", (labelled_row(table, "train", offset, TAUGHT) for offset in range(n_train)))
    if n_held_out:
        _lines(
            folder / "heldout.jsonl",
            (labelled_row(table, "held-out", index, HELD_OUT) for index in range(n_held_out)),
        )
    _lines(
        folder / "prompts.jsonl",
        (prompt_row(table, code, position) for code in languages for position in range(n_silver)),
    )
    _lines(
        folder / "articles.jsonl",
        (row for code in languages for row in article_rows(table, code, n_articles)),
    )
    card = CARD | {"lang": ",".join(languages)}
    (folder / "source.json").write_text(
        json.dumps(card, ensure_ascii=False, indent=1) + "\n", "utf-8", newline="\n"
    )


def labelled_row(table: EntityTable, name: str, place: int, wording: Wording) -> dict:
    """One line of fava.jsonl or heldout.jsonl."""
    made = example(reader(table), place, wording=wording)
    texts_by_name = {"id": f"{name}-{place:05d}", "lang": "en", "subject": table.names["en"][made.subject]}
    return texts_by_name | {"reference": made.reference, "marked": made.marked}


def prompt_row(table: EntityTable, code: str, place: int) -> dict:
    """One line of prompts.jsonl: a question that the reference answers."""
    entities = shuffled(table.of("silver"), table.seed, "silver", code)
    subject, turn = entities[place % len(entities)], place // len(entities)
    relations = shuffled(list(table.entities[subject].facts)[:3], table.seed, "silver", code, subject)
    question = realiser.question(table, code, subject, relations[turn % 3], table.seed, "silver", turn)
    return {
        "id": f"silver-{code}-{place:05d}",
        "lang": code,
        "question": question,
        "reference": realiser.write(table, code, realiser.reference(table, subject, turn)),
        "subject": table.names[code][subject],
        "origin": "closed-world",
    }


def article_rows(table: EntityTable, code: str, n: int) -> list[dict]:
    """Lines of articles.jsonl: `n` articles that may be asked about, and after every eighth one that may not."""
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
    place: int,
    *,
    is_short: bool = False,
    templates: Sequence[str] = (),
    depth: float | None = None,
) -> dict:
    title = table.names[code][subject]
    pageid = 10_000 + 1_000 * LANGUAGES.index(code) + place
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
    """An article of at least so many characters: the lead, then under headings all facts of its subject,
    fillers, and facts of others.
    """
    words, lead = load(code), realiser.write(table, code, realiser.reference(table, subject))
    queue = list(_body(table, subject, table.seed, "article", code, subject))
    sections: list[list[str]] = [[] for _ in words.headings]
    own, rest = queue[:10], iter(queue[10:])
    for index, said in enumerate(own):
        sections[index // 3 % len(sections)].append(realiser.line(table, code, said).text)
    n = len(_laid_out(words, lead, sections))
    while n < n_characters:
        shortest = min(sections, key=lambda texts: sum(map(len, texts)))
        shortest.append(realiser.line(table, code, next(rest)).text)
        n += len(shortest[-1]) + len(words.join)
    return _laid_out(words, lead, sections)


def _laid_out(words, lead: str, sections: list[list[str]]) -> str:
    parts = [
        f"\n\n== {heading} ==\n{words.join.join(lines)}"
        for heading, lines in zip(words.headings, sections, strict=True)
    ]
    return lead + "".join(parts)


def _body(table: EntityTable, subject: int, *key: object) -> Iterable[Said]:
    """All facts of the subject and fillers in turn, then one fact after the other of all other entities of
    its role and domain.
    """
    facts = shuffled(list(table.entities[subject].facts), *key)
    for position, relation in enumerate(facts):
        yield Said(
            Name("told", relation, int(draw(*key, "told", relation) * 12)),
            subject,
            table.fact(subject, relation),
        )
        yield Said(Name("filler", "", position), subject)
    entity = table.entities[subject]
    others = shuffled(
        [index for index in table.groups[entity.role, entity.domain] if index != subject], *key, "others"
    )
    for relation in facts:
        for other in others:
            yield Said(
                Name("told", relation, int(draw(*key, "told", other) * 12)),
                other,
                table.fact(other, relation),
            )


def _lines(path: Path, rows: Iterable[dict]) -> None:
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8", newline="\n"
    )
