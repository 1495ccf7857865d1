"""The steps that ask models (sections 2 and 3): `extract` lists the names in every message, `curate` asks
three things of each name, `generate` has a subject write what it knows of each entity that has pages, and
`facts` cuts its replies into atomic facts and verifies these against passages of the pages. What checks
these verdicts and the sentences' citations stands in `crosschecks.steps`.

What does not pass a question is not asked the next. A source that brings its own entities is asked about
neither.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import draw, shard_of
from truerate.core.schemas import Document, Judgement, Reject, frame
from truerate.llm.dry_run import DryRun
from truerate.llm.generation import Prompted, Read, decoding, generation, generations
from truerate.llm.generation import facts as attributes
from truerate.llm.replies.lists.single_word import read_word
from truerate.llm.request import Reply, Request
from truerate.tracks.asking import Answered, Reminder, Work, number_in_shard, rows_in_shard, step_of
from truerate.tracks.wildhallucinations import entities as of_board
from truerate.tracks.wildhallucinations import facts as writing
from truerate.tracks.wildhallucinations import names as naming
from truerate.tracks.wildhallucinations import verifying
from truerate.tracks.wildhallucinations.entities import DISAMBIGUATE, DOMAIN, PASSED, VERIFY, Context, Replies
from truerate.tracks.wildhallucinations.evidence import (
    SEARCH_CLAIM,
    assumed_pages,
    by_claim,
    claim_pages,
    without_page,
)
from truerate.tracks.wildhallucinations.facts import GENERATE, facts_of
from truerate.tracks.wildhallucinations.names import DOMAINS, EXTRACT, RULES, abstains
from truerate.tracks.wildhallucinations.settings import Settings, Verification
from truerate.tracks.wildhallucinations.verifying import Claim

CLAIM = ("fact_id", "generation_id", "item_id", "subject", "text")  # columns of a fact that a claim has
KINDS = {name: name for name in ("entity", "private person", "no entity")} | {"private": "private person"}
REFERENTS = {"one": "one", "several": "several"}
READERS = {
    VERIFY: lambda text: read_word(text, "Kind", KINDS),
    DISAMBIGUATE: lambda text: read_word(text, "Referents", REFERENTS),
    DOMAIN: naming.parse_domain,
}


def reminder(asked: Prompted) -> Reminder:
    """Return what repeats the form after an unread reply; each purpose has a template of its own."""
    values = {"domains": DOMAINS} if asked.purpose == DOMAIN else {}
    is_three = asked.request.form is verifying.FORMS["three"]
    name = verifying.THREE if is_three else asked.purpose
    return Reminder("wildhallucinations", f"remind_{name}", values)


@dataclass(frozen=True)
class EntityWork(Work):
    """What a step of this track works on."""

    @cached_property
    def items(self) -> pl.DataFrame:
        """The entities of the shard that have pages."""
        items, _ = of_board.with_pages(self.config, self.board, self.tables, self.upstream)
        return rows_in_shard(items, self.shard, self.config.p.n_shards)

    @cached_property
    def entities(self) -> dict[str, Context]:
        """These with their pages, by item."""
        searched = self.upstream.get("documents", frame(Document))
        documents = pl.concat([self.tables.documents.lazy(), searched.lazy()])
        return dict(sorted(of_board.contexts(self.items, documents).items()))

    def is_of_shard(self, item_id: str) -> bool:
        """Return whether an item belongs to the shard."""
        return shard_of(item_id, self.config.p.n_shards) == self.shard

    def read_until(self, asked: list[Prompted], what: str, **how: Any) -> Answered:
        """Return the replies to questions; what is not read is asked for once more."""
        return self.answered(asked, what, remind=reminder, **how)


class CuratingWork(EntityWork):
    """What a step works on that asks about the names of chats."""

    @property
    def is_due(self) -> bool:
        """Whether the model may stand on the board, and the source has no entities of its own."""
        return super().is_due and self.tables.items.filter(pl.col("task") == "entity").is_empty()


class CheckingWork(EntityWork):
    """What a step works on that has facts written and verified."""

    @property
    def is_due(self) -> bool:
        """Whether subject, fact writer and verifier may stand on the board."""
        models = (self.model, self.settings.fact_writer, self.settings.verifier)
        return len(self.config.p.models_on(self.board, models)) == len(models)


# ---- entities of chats -------------------------------------------------------------------------------------


@step_of(CuratingWork)
def extract(work: CuratingWork) -> list[dict]:
    """Ask for the names in each message of a shard: Generation rows, a name per line."""
    asked, messages = list[Prompted](), dict[str, str]()
    for row in chosen(work.tables.items, work.size.chats, work.seed).iter_rows(named=True):
        if work.is_of_shard(row["item_id"]):
            messages[row["item_id"]] = row["question"]
            of_row = {"conversation": attributes(row).get("conversation"), "lang": row["lang"]}
            how = work.model, row["item_id"], work.settings.extracting, of_row
            asked.append(work.prompter.prompted(EXTRACT, *how, message=row["question"]))

    def read(question: Prompted, text: str) -> Read:
        return naming.read_names(text, messages[question.item_id])

    return work.read_until(asked, EXTRACT, read=read).rows(read)


@step_of(CuratingWork)
def curate(work: CuratingWork) -> list[dict]:
    """Ask what each name of a shard is. Generation rows of purposes `verify`, `disambiguate` and `domain`, the
    parsed word as text.

    A name is looked at with the first of its messages by id. What stands in the take-down list or is plainly
    private is not asked about.
    """
    chats = work.tables.items.filter(pl.col("task") == "chat")
    names, _ = naming.names_in_chats(chats, work.upstream.get(EXTRACT, generations([])))
    texts = naming.texts_of(chats, names)
    to_judge, _ = of_board.candidates(names, texts, of_board.takedown_keys(work.settings.takedown))
    to_judge = [name for name in to_judge if work.is_of_shard(name.item_id)]
    rows: list[dict] = []
    for call in (VERIFY, DISAMBIGUATE, DOMAIN):
        asked = []
        for name in to_judge:
            values = {"proper_noun": name.text, "message": texts[name.messages[0]], "domains": DOMAINS}
            of_name = {"name": name.text, "key": name.key, "n_chats": str(name.n_chats)}
            how = work.model, name.item_id, work.settings.curating, of_name
            asked.append(work.prompter.prompted(call, *how, **values))
        of_call = work.read_until(asked, call, read=_read_word).rows(_read_word)
        is_passed = ("ok", PASSED.get(call))
        passed = {row["item_id"] for row in of_call if (row["status"], row["text"]) == is_passed}
        to_judge = [name for name in to_judge if name.item_id in passed]
        rows += of_call
    return rows


def chosen(items: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """Return the chat items of `n` conversations, drawn by id: a larger `n` keeps the earlier ones."""
    chats = items.filter(pl.col("task") == "chat")
    groups = sorted(set(chats["group_id"]), key=lambda group: (draw(seed, "chat", group), group))[:n]
    return chats.filter(pl.col("group_id").is_in(groups)).sort("item_id")


def _read_word(asked: Prompted, text: str) -> Read:
    reading = READERS[asked.purpose](text)
    cuts = {"cuts": " ".join(reading.cuts) or None}
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cuts)
    return Read(reading.value, attributes=cuts)


# ---- replies -----------------------------------------------------------------------------------------------


@step_of(EntityWork)
def generate(work: EntityWork) -> list[dict]:
    """Ask one subject about each entity of a shard: one bare question, one paragraph. Generation rows of
    purpose `generate`.

    A reply that abstains by the rule of params has status `abstained` and keeps its text; what either rule
    says stands in its attributes.
    """
    entities = of_board.contexts(work.items, frame(Document))  # names, no page
    asked = requests((entities[name] for name in sorted(entities)), work.model, work.settings)
    return collect(asked, work.asked(asked, "generate"), rule=work.settings.abstention)


def requests(entities: Iterable[Context], subject: str, settings: Settings) -> list[Prompted]:
    """Return the question about each entity, a prompt as it stands, `n_samples` times; samples differ by their
    seed.
    """
    asked = []
    for entity in entities:
        asks = "{entity}" if entity.is_prompt else settings.question
        messages = ({"role": "user", "content": asks.replace("{entity}", entity.name)},)
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


@step_of(CheckingWork, {"judgements": Judgement, "documents": Document, "rejects": Reject})
def facts(work: CheckingWork) -> tuple[pl.DataFrame, Replies]:
    """Ask for the facts of one subject's replies of a shard, and for their verdicts in batches and, of some
    of them, one by one.

    Generation rows of purposes `write_facts` and `verify_facts`, and where claims are revised or searched for
    `revise_facts` and `search_claim`; beside them the Judgement rows, pages and rejected pages. The Fact
    rows follow from the replies (`facts.facts_of`), their evidence from the judgements
    (`verifying.with_evidence`).
    """
    replied = replies_of(work, work.model)
    names = {name: entity.name for name, entity in work.entities.items()}
    asked = writing.write_requests(replied.iter_rows(named=True), names, work.prompter)
    read = partial(writing.read, texts=dict(replied.select("generation_id", "text").iter_rows()))
    written = generations(work.read_until(asked, "facts of", read=read, n_lost=writing.n_lost).rows(read))
    if work.settings.claims == "revised":
        asked, claims_by_part = writing.revise_requests(replied, written, names, work.prompter)
        revise = partial(writing.read_revised, claims_of=claims_by_part)
        came = work.read_until(asked, "claims of", read=revise, n_lost=writing.n_unread)
        written = pl.concat([written, generations(came.rows(revise))])
    parts, searched, tables = pl.concat([replied, written]), generations([]), Replies()
    if work.settings.evidence == "claim":
        claims = facts_of(parts).filter(~pl.col("fact_id").is_in(sorted(writing.uncheckable(parts))))
        how = verification(work.config, work.board)
        is_dry = isinstance(work.asking, DryRun)  # a page stands for each search
        pages = assumed_pages(claims, how) if is_dry else claim_pages(work.config, work.board, claims)
        searched, tables = pages
    rows, judged = verified(work, pl.concat([parts, searched]), tables, work.settings.verifier)
    return pl.concat([written, searched, rows]).sort("generation_id"), {**tables, "judgements": judged}


def replies_of(work: EntityWork, subject: str) -> pl.DataFrame:
    """Return the replies of a subject about the entities of the shard, by id."""
    replied = work.upstream.get("generate", generations([])).filter(purpose=GENERATE, model=subject)
    return replied.filter(pl.col("item_id").is_in(list(work.entities))).sort("generation_id")


def verified(
    work: EntityWork, written: pl.DataFrame, tables: Replies, judge: str, *, n_checked: int | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the Generation and Judgement rows of a judge's verdicts on the facts of one subject, in batches
    and, of `n_checked` of them (null: as the settings say), one by one. `written`: its replies and what was
    written and searched of them; `tables`: the pages of those searches.

    Not asked about are facts that cannot be checked and, where each is searched for, those without a passage.
    """
    how = verification(work.config, work.board)
    of_judge = {"judge": judge, "version": work.config.identity(judge), "verdicts": how.verdicts}
    folder = Path(work.config.p.paths.build, "embeddings")
    facts = facts_of(written)
    is_out = pl.col("fact_id").is_in(sorted(writing.uncheckable(written)))
    out = facts.filter(is_out).select(CLAIM).iter_rows()
    left = [(Claim._make((*row, "", ())), verifying.NOT_CHECKABLE) for row in out]
    entities, by = work.entities, "item_id"
    if work.settings.evidence == "claim":
        searched = written.filter(purpose=SEARCH_CLAIM)
        entities, by = by_claim(entities, searched, tables["documents"]), "fact_id"
    claims = claims_of(facts.filter(~is_out), entities, how, by=by, folder=folder)
    if by == "fact_id":
        why = dict.fromkeys(without_page(searched), verifying.NO_PAGE)
        silent = [claim for claim in claims if not claim.passages]
        left += [(claim, why.get(claim.fact_id, verifying.UNMENTIONED)) for claim in silent]
        claims = [claim for claim in claims if claim.passages]
    calls = verifying.calls(claims, n=how.facts_per_call, window=how.window)
    n = how.n_checked if n_checked is None else n_checked
    n = number_in_shard(n, work.shard, work.config.p.n_shards)
    calls += verifying.checked(claims, n=n, window=how.window)
    asked = verifying.requests(calls, work.prompter, judge)
    read = partial(verifying.read, texts={claim.fact_id: claim.text for claim in claims})
    came = work.read_until(asked, "verify", read=read, n_lost=verifying.n_lost)
    judged = [verifying.judgements(calls, came.replies, **of_judge), verifying.unasked(left, **of_judge)]
    return generations(came.rows(read)), pl.concat(judged).sort("judgement_id")


def verification(config: Layout, board: str) -> Verification:
    """Return how a board's facts are verified, with as much evidence as the profile's sizes give."""
    settings: Verification = config.p.track(board).verification
    return settings.model_copy(update=config.p.size_of(board).evidence.model_dump(exclude_none=True))


def claims_of(
    facts: pl.DataFrame,
    entities: dict[str, Context],
    how: Verification,
    *,
    by: str = "item_id",
    folder: Path | None = None,
) -> list[Claim]:
    """Return every fact with the best passages of its entity's pages, or by its `fact_id` of its own (a fact's
    own words are the query). Vectors of an encoder are kept in `folder`.
    """
    # brings scipy, whose loading takes as long as many a step works
    from truerate.tracks.wildhallucinations.dense import Retriever
    from truerate.tracks.wildhallucinations.passages import ranked

    retriever, claims = Retriever(how.retriever, how.encoder, folder), []
    for (key,), rows in facts.group_by(by, maintain_order=True):
        entity = entities[key]
        pages = list(zip(entity.document_ids, entity.pages, strict=True))
        titles = dict(zip(entity.document_ids, entity.titles, strict=True)) if how.has_titles else {}
        best = ranked(
            pages, rows["text"].to_list(), how.n_passages, n_words=how.passage_words, retriever=retriever
        )
        for row, passages in zip(rows.iter_rows(named=True), best, strict=True):
            ids = (row["fact_id"], row["generation_id"], row["item_id"], row["subject"])
            titled = (passage._replace(title=titles.get(passage.document_id, "")) for passage in passages)
            claims.append(Claim(*ids, row["text"], entity.label, tuple(titled)))
    return claims
