"""Simulated people who label facts, review verdicts and check entities: each errs in ways of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.wildhallucinations.annotator_noise import CORRECT, KINDS, kind_of
from truerate_world.wildhallucinations.models.pages import is_relevant
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.reading import fact_is_true, stated_in
from truerate_world.wildhallucinations.models.replying import NOBODY


@dataclass(frozen=True)
class Annotator:
    """How a labeller errs. `missing`: that an unsupported fact is passed; `alarm`: that a supported one is
    marked; `mistyping`: that a kind of error is another; `careless`: that an entity is called ambiguous or
    not at random, or a page is miscounted.
    """

    name: str
    missing: float
    alarm: float
    mistyping: float
    careless: float


ANNOTATORS = tuple(Annotator(name, **rates) for name, rates in beside(__file__)["annotators"].items())


def annotate(tasks: Sequence[Mapping], world: World, seed: int, *, n_annotators: int = 3) -> list[dict]:
    """Return every label: rows `task_id`, `labeller`, `label`, sorted by task and labeller. Labels: supported
    or unsupported (kinds fact and reply, one fact a line); a kind of error or correct (review);
    `unambiguous`, `relevant`, `pages` (entity). A task that names its `labellers` is labelled by as many.
    """
    rows = []
    for task in sorted(tasks, key=lambda task: task["task_id"]):
        people = ANNOTATORS[: len(task["labellers"]) if task.get("labellers") else n_annotators]
        names = task.get("labellers") or [person.name for person in people]
        value = _TRUTH[task["kind"]](world, task)
        label = _LABEL[task["kind"]]
        for name, person in zip(names, people, strict=False):
            about = [task.get(name, "") for name in ("entity", "text", "verdict")]
            key = (seed, "web label", person.name, task["kind"], *about)
            rows.append({"task_id": task["task_id"], "labeller": name, "label": label(value, person, *key)})
    return sorted(rows, key=lambda row: (row["task_id"], row["labeller"]))


def entity_of(world: World, task: Mapping) -> int:
    """The entity that a task is about, NOBODY where its name means none."""
    named = planted_as(world, task.get("entity") or "")
    return named.entity if named and named.entity is not None else NOBODY


def _unsupported(world: World, task: Mapping) -> bool:
    """Whether a fact is not so; what cannot be read is not supported."""
    return not fact_is_true(world, entity_of(world, task), task["text"])


def _unsupported_reply(world: World, task: Mapping) -> bool:
    """Whether some fact of a reply is not so."""
    return any(_unsupported(world, {**task, "text": line}) for line in task["text"].split("\n"))


def _label_fact(is_unsupported: bool, person: Annotator, *key: object) -> str:
    says_so = draw(*key) < (1 - person.missing if is_unsupported else person.alarm)
    return "unsupported" if says_so else "supported"


def _kind(world: World, task: Mapping) -> str:
    """Return the kind of error behind a verdict (`unsupported`, or true, if not supported)."""
    is_unsupported = task["verdict"] in (True, "unsupported", "true", "not supported")
    return kind_of(world, entity_of(world, task), task["text"], texts_of(task), is_unsupported=is_unsupported)


def texts_of(task: Mapping) -> list[str]:
    """The texts of a task's passages, which are texts or mappings with one."""
    return [text if isinstance(text, str) else text["text"] for text in task.get("passages") or []]


def _label_kind(kind: str, person: Annotator, *key: object) -> str:
    if draw(*key) >= person.mistyping:
        return kind
    return pick([text for text in (*KINDS, CORRECT) if text != kind], *key, "kind")


def _entity(world: World, task: Mapping) -> dict:
    """Whether a name means one thing, and how many of its pages are about it."""
    entity = entity_of(world, task)
    pages = task.get("pages") or task.get("passages") or []
    relevant = sum(_is_about(world, entity, page) for page in pages)
    return {"unambiguous": entity != NOBODY, "relevant": relevant, "pages": len(pages)}


def _is_about(world: World, entity: int, page: object) -> bool:
    is_row = isinstance(page, Mapping)
    url = page.get("url") if is_row else page if str(page).startswith("http") else None
    if entity == NOBODY:
        return False
    if url:
        return is_relevant(world, url, entity)
    text = page["text"] if is_row else str(page)
    return any(stated.subject == entity and stated.is_true(world) for stated in stated_in(world, text))


def _label_entity(record: dict, person: Annotator, *key: object) -> dict:
    is_flipped = draw(*key, "unambiguous") < person.careless
    step = (1 if draw(*key, "side") < 0.5 else -1) if draw(*key, "relevant") < person.careless else 0
    relevant = min(record["pages"], max(0, record["relevant"] + step))
    return record | {"unambiguous": record["unambiguous"] != is_flipped, "relevant": relevant}


_TRUTH = {"fact": _unsupported, "reply": _unsupported_reply, "review": _kind, "entity": _entity}
_LABEL = {"fact": _label_fact, "reply": _label_fact, "review": _label_kind, "entity": _label_entity}
