"""Replies cut into atomic facts (FActScore, Min et al. 2023): one call per reply, its sentences numbered."""

from collections.abc import Iterable, Mapping, Sequence

from truerate.core.text import sentences
from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts, generation
from truerate.llm.guard import neutralise
from truerate.tracks.wildhallucinations.facts import WRITE, read_lines
from truerate.tracks.wildhallucinations.settings import Settings


def write_requests(
    replies: Iterable[dict],
    names: Mapping[str, str],
    writer: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
) -> list[Prompted]:
    """One request per reply of status `ok` (a row of purpose `generate`) with a sentence in it. `names` are
    the entities' by item.
    """
    asked = []
    for row in replies:
        if row["status"] != "ok" or row["item_id"] not in names or not (parts := sentences(row["text"])):
            continue
        name = names[row["item_id"]]
        messages = tuple(
            prompts.render(
                "wildhallucinations", "write_facts", prompts_dir, subject=name, sentences=numbered(parts)
            )
        )
        kept = {
            "generation": row["generation_id"],
            "subject": row["model"],
            "name": name,
            "lang": facts(row).get("lang"),
        }
        request = Request(writer, messages, decoding(settings.writing_facts))
        asked.append(Prompted(request, row["item_id"], WRITE, kept | {"n_sentences": str(len(parts))}))
    return asked


def collect(asked: Sequence[Prompted], answered: Sequence[Reply]) -> list[dict]:
    """Generation rows of the fact writer. Its sentences without a line and its malformed lines are counted in
    the attributes.

    A reply in which no line can be read is `unparsed` (`empty` or `absent`).
    """
    told = zip(asked, answered, strict=True)
    return [generation(one, reply, read(one, reply.text)) for one, reply in told]


def read(asked: Prompted, text: str) -> Read:
    """A reply as the lines of facts that it holds."""
    found = read_lines(text, int(asked.attributes["n_sentences"] or 0))
    if found is None:
        return Read(text, "unparsed", "absent" if text.strip() else "empty")
    return Read(text, attributes={"n_missed": str(len(found.missed)), "n_malformed": str(found.n_malformed)})


def numbered(lines: Iterable[str]) -> str:
    """Lines as they stand in a prompt: `[1] …`, each on one line, and neutralised before a number stands
    where a heading could.
    """
    return "\n".join(f"[{place}] {' '.join(neutralise(line).split())}" for place, line in enumerate(lines, 1))
