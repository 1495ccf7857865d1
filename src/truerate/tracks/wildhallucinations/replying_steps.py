"""A subject tells what it knows of each entity that has pages (WildHallucinations section 3.1): one bare
question, one paragraph.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Document, frame
from truerate.llm import Reply, Request, ask
from truerate.llm.generation import Prompted, Read, decoding, generation, generations
from truerate.tracks.asking import Asking, ask_prompted, rows_in_shard
from truerate.tracks.wildhallucinations.abstention import RULES, abstains
from truerate.tracks.wildhallucinations.asked_about import with_pages
from truerate.tracks.wildhallucinations.context import Context, contexts
from truerate.tracks.wildhallucinations.settings import Settings

GENERATE = "generate"
Replies = dict[str, pl.DataFrame]


def generate(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """One subject's replies to the question about each entity of a shard. Generation rows of purpose `generate`.

    A reply that abstains by the rule of params has status `abstained` and keeps its text; what either rule
    says stands in its attributes.
    """
    if not at.p.models_on(board, (model,)):
        return generations([])
    items, _ = with_pages(at, board, tables, upstream)
    settings = at.p.track(board)
    found = contexts(rows_in_shard(items, shard, at.p.n_shards), frame(Document)).values()  # names, no page
    asked = requests(sorted(found, key=lambda one: one.item_id), model, settings)
    replies = ask_prompted(asked, at, f"{board}: generate {model}", asking)
    return generations(collect(asked, replies, rule=settings.abstention))


def requests(entities: Iterable[Context], subject: str, settings: Settings) -> list[Prompted]:
    """The question about each entity, `n_samples` times: nothing else stands in the prompt. Samples differ by
    their seed.
    """
    asked = []
    for entity in entities:
        messages = ({"role": "user", "content": settings.question.replace("{entity}", entity.name)},)
        for index in range(settings.n_samples):
            request = Request(subject, messages, decoding(settings.answering, index), index)
            known = {"lang": entity.lang}
            asked.append(Prompted(request, entity.item_id, GENERATE, known, may_decline=True))
    return asked


def collect(asked: Sequence[Prompted], answered: Sequence[Reply], *, rule: str) -> list[dict]:
    """Generation rows of the replies with what the rules of abstention say; `rule` decides their status. One
    that its server says the model declined abstains by every rule.
    """
    rows = []
    for one, reply in zip(asked, answered, strict=True):
        found = {name: abstains(reply.text, name) for name in RULES} if reply.status == "ok" else {}
        found = dict.fromkeys(RULES, True) if one.is_declined(reply) else found
        marks = {f"abstained_{name}": str(is_so).lower() for name, is_so in found.items()}
        status, reason = ("abstained", f"{rule}-rule") if found.get(rule) else ("ok", None)
        rows.append(generation(one, reply, Read(reply.text, status, reason, marks)))
    return rows
