"""Chats in WildChat's format: Parquet with moderation per turn, and JSON Lines of the older fields."""

import json
from bisect import bisect
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

import polars as pl

from truerate_world.data import beside
from truerate_world.domains import is_person
from truerate_world.draws import draw, pick, pick_weighted
from truerate_world.encyclopedia import World, build
from truerate_world.wildhallucinations.models.planted import AMBIGUOUS, INVENTED, PRIVATE

_DATA = beside(__file__)

PARQUET, JSONL = "train-00000-of-00002.parquet", "train-00001-of-00002.jsonl"
CARD = _DATA["card"]
SORTS = {"usable": 0.70, "foreign": 0.13, "toxic": 0.07, "redacted": 0.06, "silent": 0.04}  # of conversations
TOPICS = _DATA["topics"]
BY_POPULARITY = 0.6  # that an entity is drawn by its popularity, not evenly
SPELLINGS = {"plain": 0.62, "small": 0.16, "quoted": 0.12, "possessive": 0.10}
INJECTED = 0.05  # that a turn tells the reader what to do
N_TURNS = {"1": 0.6, "2": 0.28, "3": 0.12}
START = datetime(2023, 4, 9)

# {x} stands for a name as it is spelled, {of} for its possessive ("Karlomi's"), {y} for a second name.
ABOUT = _DATA["about"]
PEOPLE = _DATA["people"]
TWO = _DATA["two"]
AMBIGUOUS_TURNS = _DATA["ambiguous_turns"]
STORIES = _DATA["stories"]
OWN = _DATA["own"]
NOTHING = _DATA["nothing"]
INJECTIONS = _DATA["injections"]
TOXIC = _DATA["toxic"]
REDACTED = _DATA["redacted"]
FOREIGN = _DATA["foreign"]
FOLLOW_UPS = ("go on", "Continue.", "thanks!", "shorter please")
REPLY = "Here is what I can say about that."


def write_chats(folder: Path, seed: int, n: int, *, world: World | None = None) -> None:
    """Write `n` conversations, half as Parquet and half as JSON Lines, and the folder's card."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    world = world or build(seed)
    rows = [conversation(world, index) for index in range(n)]
    half = (n + 1) // 2
    _parquet(rows[:half], folder / PARQUET)
    older = [_older(row, index) for index, row in enumerate(rows[half:])]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in older)
    if lines:
        (folder / JSONL).write_text(lines, "utf-8", newline="\n")
    card = json.dumps(CARD, ensure_ascii=False, indent=1) + "\n"
    (folder / "source.json").write_text(card, "utf-8", newline="\n")


def conversation(world: World, index: int) -> dict:
    """One conversation as a row of the newer form."""
    key = (world.seed, "chat", index)
    sort = pick_weighted(SORTS, *key, "sort")
    language = pick(tuple(FOREIGN), *key, "language") if sort == "foreign" else "English"
    flags, turns = {"toxic": sort == "toxic", "redacted": sort == "redacted"}, list[dict]()
    for number in range(int(pick_weighted(N_TURNS, *key, "turns"))):
        text = _user(world, sort, language, number, *key, number)
        marks = {"language": language, **flags, "turn_identifier": index * 10 + number}
        turns.append({"content": text, "role": "user", **marks})
        turns.append({"content": REPLY, "role": "assistant", **marks, "toxic": False})
    return {
        "conversation_hash": f"{int(draw(*key, 'hash') * 2**48):012x}{index:08x}",
        "model": pick(("gpt-3.5-turbo-0301", "gpt-4-0314"), *key, "model"),
        "timestamp": START + timedelta(minutes=7 * index),
        "conversation": turns,
        "turn": len(turns) // 2,
        "language": language,
        "openai_moderation": [{"flagged": turn["toxic"]} for turn in turns],
        **flags,
    }


def _user(world: World, sort: str, language: str, number: int, *key: object) -> str:
    """What the user writes in one turn."""
    if sort == "silent" and number == 0:
        return " "
    if number and draw(*key, "follow up") < 0.35:
        return pick(FOLLOW_UPS, *key, "follow up")
    turns = {"foreign": FOREIGN.get(language, ()), "toxic": TOXIC, "redacted": REDACTED}.get(sort)
    if turns:
        return pick(turns, *key).format(x=entity_name(world, *key))
    text = _usable(world, pick_weighted(TOPICS, *key, "topic"), *key)
    is_injected = draw(*key, "is injected") < INJECTED
    return pick(INJECTIONS, *key, "injection").format(turn=text) if is_injected else text


def _usable(world: World, topic: str, *key: object) -> str:
    """An English turn on one topic."""
    if topic == "entity":
        entity, spelling = entity_index(world, *key), pick_weighted(SPELLINGS, *key, "spelling")
        forms = PEOPLE if is_person(world.entities[entity].domain) else ABOUT
        name = world.lexicon().name(entity)
        written, form = name.lower() if spelling == "small" else name, pick(forms[spelling], *key)
        return form.format(x=written, of=name + pick(("'s", "’s"), *key, "apostrophe"))
    if topic == "two entities":
        return pick(TWO, *key).format(x=entity_name(world, *key), y=entity_name(world, *key, "second"))
    turns, names = {
        "ambiguous": (AMBIGUOUS_TURNS, tuple(AMBIGUOUS)),
        "invented": (STORIES, INVENTED),
        "private": (OWN, PRIVATE),
        "nothing": (NOTHING, ("",)),
    }[topic]
    return pick(turns, *key).format(x=pick(names, *key, "name"))


def entity_index(world: World, *key: object) -> int:
    """An entity, by popularity or evenly."""
    if draw(*key, "is popular") < BY_POPULARITY:
        sums = _popularities(world)
        return min(bisect(sums, draw(*key, "entity") * sums[-1]), len(sums) - 1)
    return pick(world.entities, *key, "entity").index


def entity_name(world: World, *key: object) -> str:
    """The name of an entity that is drawn as `entity_index` does."""
    return world.lexicon().name(entity_index(world, *key))


@lru_cache(maxsize=4)
def _popularities(world: World) -> list[float]:
    return list(accumulate(entity.popularity for entity in world.entities))


def _older(row: dict, index: int) -> dict:
    """Return the row in the older form: another id, no moderation, now and then no flags."""
    older = {"conversation_id": row["conversation_hash"], "model": row["model"]}
    names = ("content", "role", "language", "toxic", "redacted")
    turns = [{name: turn[name] for name in names} for turn in row["conversation"]]
    if index % 5 == 1 and not (row["toxic"] or row["redacted"]):
        turns = [{"content": turn["content"], "role": turn["role"], "language": None} for turn in turns]
    older |= {"timestamp": row["timestamp"].isoformat(), "conversation": turns}
    return older | {name: row[name] for name in ("turn", "language", "toxic", "redacted")}


def _parquet(rows: list[dict], path: Path) -> None:
    flags = {"toxic": pl.Boolean, "redacted": pl.Boolean}
    turn = {"content": pl.String, "role": pl.String, "language": pl.String, **flags}
    columns = {
        "conversation_hash": pl.String,
        "model": pl.String,
        "timestamp": pl.Datetime("us"),
        "conversation": pl.List(pl.Struct({**turn, "turn_identifier": pl.Int64})),
        "turn": pl.Int64,
        "language": pl.String,
        "openai_moderation": pl.List(pl.Struct({"flagged": pl.Boolean})),
        **flags,
    }
    if rows:
        frame = pl.DataFrame(rows, schema=columns, orient="row")
        frame.write_parquet(path, compression="zstd", statistics=False)
