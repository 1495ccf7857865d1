"""Replies cut into atomic facts (FActScore, Min et al. 2023): one call per reply, its sentences numbered."""

from collections.abc import Iterable, Mapping, Sequence

from truerate.core.text import sentences, uncited
from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts, generation
from truerate.llm.guard import neutralise
from truerate.llm.replies.cutting import MAX_CHARS
from truerate.llm.replies.numbered import read_facts
from truerate.tracks.asking import UNREAD
from truerate.tracks.wildhallucinations.facts import WRITE
from truerate.tracks.wildhallucinations.settings import Settings


def write_requests(
    replies: Iterable[dict],
    names: Mapping[str, str],
    writer: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
) -> list[Prompted]:
    """One request per reply of status `ok` (a row of purpose `generate`) with a sentence in it, marks of
    citations left out: they look like the numbers. `names` are the entities' by item.
    """
    asked = []
    for row in replies:
        if row["status"] != "ok" or row["item_id"] not in names or not (parts := sentences(row["text"])):
            continue
        name = names[row["item_id"]]
        messages = tuple(
            prompts.render(
                "wildhallucinations",
                "write_facts",
                prompts_dir,
                subject=name,
                sentences=numbered(map(uncited, parts)),
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


def collect(asked: Sequence[Prompted], answered: Sequence[Reply], texts: Mapping[str, str]) -> list[dict]:
    """Generation rows of the written facts. `texts` are the replies' by id.

    `n_missed` counts sentences without a line, `n_malformed` lines that may have been meant as facts and
    were not read; `cuts` names what was read loosely (`reading.CUTS`).
    """
    told = zip(asked, answered, strict=True)
    return [generation(one, reply, read(one, reply.text, texts)) for one, reply in told]


def read(asked: Prompted, text: str, texts: Mapping[str, str]) -> Read:
    """A reply as the lines of facts of the text that it is about, which is the one of `texts` that it names."""
    parts = [uncited(part) for part in sentences(texts[asked.attributes["generation"] or ""])]
    found = read_facts(text, parts)
    cuts = {"cuts": " ".join(found.cuts) or None}
    if found.value is None:
        return Read(text, "unparsed", found.reason, cuts)
    counts = {"n_missed": str(len(found.value.missed)), "n_malformed": str(found.value.n_malformed)}
    return Read(text, attributes={**counts, **cuts})


def n_lost(found: Read) -> int:
    """How many sentences are without a line, which also one without a fact has in this form, and lines that may have
    been meant as a fact; of a reply that could not be read at all more than any reply has.
    """
    if found.status == UNREAD:
        return MAX_CHARS
    return int(found.attributes["n_missed"] or 0) + int(found.attributes["n_malformed"] or 0)


def numbered(lines: Iterable[str]) -> str:
    """Lines as they stand in a prompt: `[1] …`, each on one line, and neutralised before a number stands
    where a heading could.
    """
    return "\n".join(f"[{place}] {' '.join(neutralise(line).split())}" for place, line in enumerate(lines, 1))
