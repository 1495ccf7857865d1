"""The steps that ask models (sections 2 and 3): `extract` lists the names in every message, `curate` asks
three things of each name, `generate` has a subject write what it knows of each entity that has pages, and
`facts` cuts its replies into atomic facts and verifies these against passages of the pages.

What does not pass a question is not asked the next. A source that brings its own entities is asked about
neither.
"""

from collections.abc import Iterable, Sequence
from functools import partial

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import draw, shard_of
from truerate.core.schemas import Document, Judgement, frame
from truerate.llm import Reply, Request, ask
from truerate.llm.generation import Prompted, Read, decoding, generation, generations
from truerate.llm.generation import facts as attributes
from truerate.llm.replies.lists.single_word import read_word
from truerate.tracks.asking import (
    Asking,
    Prompter,
    Reminder,
    ask_prompted,
    ask_until_read,
    number_in_shard,
    rows_in_shard,
)
from truerate.tracks.wildhallucinations import facts as writing
from truerate.tracks.wildhallucinations import verifying
from truerate.tracks.wildhallucinations.entities import (
    DISAMBIGUATE,
    DOMAIN,
    PASSED,
    VERIFY,
    Context,
    Replies,
    candidates,
    contexts,
    takedown_keys,
    with_pages,
)
from truerate.tracks.wildhallucinations.facts import GENERATE, facts_of
from truerate.tracks.wildhallucinations.names import (
    DOMAINS,
    EXTRACT,
    RULES,
    abstains,
    names_in_chats,
    parse_domain,
    read_names,
    texts_of,
)
from truerate.tracks.wildhallucinations.settings import Settings, Verification
from truerate.tracks.wildhallucinations.verifying import Claim

KINDS = {name: name for name in ("entity", "private person", "no entity")} | {"private": "private person"}
REFERENTS = {"one": "one", "several": "several"}
READERS = {
    VERIFY: lambda text: read_word(text, "Kind", KINDS),
    DISAMBIGUATE: lambda text: read_word(text, "Referents", REFERENTS),
    DOMAIN: parse_domain,
}


def reminder(asked: Prompted) -> Reminder:
    """Return what repeats the form after an unread reply; each purpose has a template of its own."""
    values = {"domains": DOMAINS} if asked.purpose == DOMAIN else {}
    return Reminder("wildhallucinations", f"remind_{asked.purpose}", values)


# ---- entities of chats -------------------------------------------------------------------------------------


def extract(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask for the names in each message of a shard: Generation rows, a name per line."""
    if not _is_asked(config, board, model, tables):
        return generations([])
    prompter, asked, messages = Prompter.of(config, board), list[Prompted](), dict[str, str]()
    for row in chosen(tables.items, config.p.size_of(board).chats, config.p.seed).iter_rows(named=True):
        if shard_of(row["item_id"], config.p.n_shards) == shard:
            messages[row["item_id"]] = row["question"]
            prompt = prompter.messages(EXTRACT, message=row["question"])
            request = Request(model, prompt, decoding(prompter.settings.extracting))
            of_row = {"conversation": attributes(row).get("conversation"), "lang": row["lang"]}
            asked.append(Prompted(request, row["item_id"], EXTRACT, of_row))

    def read(question: Prompted, text: str) -> Read:
        return read_names(text, messages[question.item_id])

    label = f"{board}: {EXTRACT} {model}"
    return generations(ask_until_read(asked, config, label, asking, read=read, remind=reminder).rows(read))


def curate(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask what each name of a shard is. Generation rows of purposes `verify`, `disambiguate` and `domain`,
    the parsed word as text.

    A name is looked at with the first of its messages by id. What stands in the take-down list or is plainly
    private is not asked about.
    """
    if not _is_asked(config, board, model, tables):
        return generations([])
    prompter, chats = Prompter.of(config, board), tables.items.filter(pl.col("task") == "chat")
    names, _ = names_in_chats(chats, upstream.get(EXTRACT, generations([])))
    texts = texts_of(chats, names)
    to_judge, _ = candidates(names, texts, takedown_keys(prompter.settings.takedown))
    to_judge = [name for name in to_judge if shard_of(name.item_id, config.p.n_shards) == shard]
    rows: list[dict] = []
    for call in (VERIFY, DISAMBIGUATE, DOMAIN):
        asked = []
        for name in to_judge:
            values = {"proper_noun": name.text, "message": texts[name.messages[0]], "domains": DOMAINS}
            request = Request(model, prompter.messages(call, **values), decoding(prompter.settings.curating))
            of_name = {"name": name.text, "key": name.key, "n_chats": str(name.n_chats)}
            asked.append(Prompted(request, name.item_id, call, of_name))
        label = f"{board}: {call} {model}"
        answered = ask_until_read(asked, config, label, asking, read=_read_word, remind=reminder)
        of_call = answered.rows(_read_word)
        passed = {
            row["item_id"] for row in of_call if (row["status"], row["text"]) == ("ok", PASSED.get(call))
        }
        to_judge = [name for name in to_judge if name.item_id in passed]
        rows += of_call
    return generations(rows)


def chosen(items: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """Return the chat items of `n` conversations, drawn by id: a larger `n` keeps the earlier ones."""
    chats = items.filter(pl.col("task") == "chat")
    groups = sorted(set(chats["group_id"]), key=lambda group: (draw(seed, "chat", group), group))[:n]
    return chats.filter(pl.col("group_id").is_in(groups)).sort("item_id")


def _is_asked(config: Layout, board: str, model: str, tables) -> bool:
    """Whether the model may stand on the board, and the source has no entities of its own."""
    has_own = not tables.items.filter(pl.col("task") == "entity").is_empty()
    return bool(config.p.models_on(board, (model,))) and not has_own


def _read_word(asked: Prompted, text: str) -> Read:
    reading = READERS[asked.purpose](text)
    cuts = {"cuts": " ".join(reading.cuts) or None}
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cuts)
    return Read(reading.value, attributes=cuts)


# ---- replies -----------------------------------------------------------------------------------------------


def generate(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask one subject about each entity of a shard: one bare question, one paragraph. Generation rows of
    purpose `generate`.

    A reply that abstains by the rule of params has status `abstained` and keeps its text; what either rule
    says stands in its attributes.
    """
    if not config.p.models_on(board, (model,)):
        return generations([])
    items, _ = with_pages(config, board, tables, upstream)
    settings = config.p.track(board)
    entities = contexts(rows_in_shard(items, shard, config.p.n_shards), frame(Document))  # names, no page
    asked = requests((entities[name] for name in sorted(entities)), model, settings)
    replies = ask_prompted(asked, config, f"{board}: generate {model}", asking)
    return generations(collect(asked, replies, rule=settings.abstention))


def requests(entities: Iterable[Context], subject: str, settings: Settings) -> list[Prompted]:
    """Return the question about each entity, `n_samples` times; samples differ by their seed."""
    asked = []
    for entity in entities:
        messages = ({"role": "user", "content": settings.question.replace("{entity}", entity.name)},)
        for index in range(settings.n_samples):
            request = Request(subject, messages, decoding(settings.answering, index), index)
            asked.append(Prompted(request, entity.item_id, GENERATE, {"lang": entity.lang}, may_decline=True))
    return asked


def collect(asked: Sequence[Prompted], answered: Sequence[Reply], *, rule: str) -> list[dict]:
    """Return Generation rows of the replies with what the rules of abstention say; `rule` decides their
    status. One that its server says the model declined abstains by every rule.
    """
    rows = []
    for question, reply in zip(asked, answered, strict=True):
        is_silent = {name: abstains(reply.text, name) for name in RULES} if reply.status == "ok" else {}
        is_silent = dict.fromkeys(RULES, True) if question.is_declined(reply) else is_silent
        marks = {f"abstained_{name}": str(is_so).lower() for name, is_so in is_silent.items()}
        status, reason = ("abstained", f"{rule}-rule") if is_silent.get(rule) else ("ok", None)
        rows.append(generation(question, reply, Read(reply.text, status, reason, marks)))
    return rows


# ---- facts and verdicts ------------------------------------------------------------------------------------


def facts(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Ask for the facts of one subject's replies of a shard, and for their verdicts in batches and, of some
    of them, one by one.

    Generation rows of purposes `write_facts` and `verify_facts`; beside them the Judgement rows. The Fact
    rows follow from the replies (`facts.facts_of`), their evidence from the judgements
    (`verifying.with_evidence`).
    """
    p, settings = config.p, config.p.track(board)
    if len(p.models_on(board, (model, settings.fact_writer, settings.verifier))) < 3:
        return generations([]), {"judgements": frame(Judgement)}
    entities = entities_of(config, board, tables, shard, upstream)
    replied = upstream.get("generate", generations([]))
    is_own = (pl.col("model") == model) & pl.col("item_id").is_in(list(entities))
    replied = replied.filter((pl.col("purpose") == GENERATE) & is_own).sort("generation_id")
    names = {name: entity.name for name, entity in entities.items()}
    asked = writing.write_requests(replied.iter_rows(named=True), names, Prompter.of(config, board))
    read = partial(writing.read, texts=dict(replied.select("generation_id", "text").iter_rows()))
    label = f"{board}: facts of {model}"
    came = ask_until_read(asked, config, label, asking, read=read, remind=reminder, n_lost=writing.n_lost)
    written = generations(came.rows(read))
    how = verification(config, board)
    claims = claims_of(facts_of(pl.concat([replied, written])), entities, how)
    calls = verifying.calls(claims, n=how.facts_per_call, window=how.window)
    n_checked = number_in_shard(how.n_checked, shard, p.n_shards)
    calls += verifying.checked(claims, n=n_checked, window=how.window)
    asked = verifying.requests(calls, Prompter.of(config, board))
    read = partial(verifying.read, texts={claim.fact_id: claim.text for claim in claims})
    label = f"{board}: verify {model}"
    came = ask_until_read(asked, config, label, asking, read=read, remind=reminder, n_lost=verifying.n_lost)
    judge = settings.verifier
    judged = verifying.judgements(calls, came.replies, judge=judge, version=config.identity(judge))
    rows = pl.concat([written, generations(came.rows(read))]).sort("generation_id")
    return rows, {"judgements": judged}


def entities_of(config: Layout, board: str, tables, shard: int, upstream: Replies) -> dict[str, Context]:
    """Return the entities of a shard with their pages, by item."""
    items, _ = with_pages(config, board, tables, upstream)
    documents = pl.concat([tables.documents.lazy(), upstream.get("documents", frame(Document)).lazy()])
    return dict(sorted(contexts(rows_in_shard(items, shard, config.p.n_shards), documents).items()))


def verification(config: Layout, board: str) -> Verification:
    """Return how a board's facts are verified, with as much evidence as the profile's sizes give."""
    settings: Verification = config.p.track(board).verification
    return settings.model_copy(update=config.p.size_of(board).evidence.model_dump(exclude_none=True))


def claims_of(facts: pl.DataFrame, entities: dict[str, Context], how: Verification) -> list[Claim]:
    """Return every fact with the best passages of its entity's pages (a fact's own words are the query)."""
    # brings scipy, whose loading takes as long as many a step works
    from truerate.tracks.wildhallucinations.passages import ranked

    claims = []
    for (item_id,), rows in facts.group_by("item_id", maintain_order=True):
        entity = entities[item_id]
        pages = list(zip(entity.document_ids, entity.pages, strict=True))
        titles = dict(zip(entity.document_ids, entity.titles, strict=True)) if how.has_titles else {}
        best = ranked(pages, rows["text"].to_list(), how.n_passages, n_words=how.passage_words)
        for row, passages in zip(rows.iter_rows(named=True), best, strict=True):
            ids = (row["fact_id"], row["generation_id"], item_id, row["subject"])
            titled = tuple(
                passage._replace(title=titles.get(passage.document_id, "")) for passage in passages
            )
            claims.append(Claim(*ids, row["text"], entity.name, titled))
    return claims
