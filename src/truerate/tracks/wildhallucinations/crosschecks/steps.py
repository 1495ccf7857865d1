"""The steps that check what is verified already: `reverify` has a further verifier judge the same facts by the
same passages, and `cite` asks whether the results that sentences cite support them (`citing`).
"""

from collections.abc import Sequence
from functools import partial

import polars as pl

from truerate.core.schemas import Document, Judgement, frame, pair
from truerate.llm.generation import generations
from truerate.tracks.asking import step_of
from truerate.tracks.wildhallucinations import facts as writing
from truerate.tracks.wildhallucinations import verifying
from truerate.tracks.wildhallucinations.entities import Replies
from truerate.tracks.wildhallucinations.evidence import SEARCH_CLAIM
from truerate.tracks.wildhallucinations.facts import facts_of
from truerate.tracks.wildhallucinations.steps import (
    CheckingWork,
    EntityWork,
    replies_of,
    verification,
    verified,
)


class ReverifyingWork(EntityWork):
    """What a step works on that has facts verified which another step had written."""

    @property
    def is_due(self) -> bool:
        """Whether a further verifier and the fact writer may stand on the board."""
        models = (self.model, self.settings.fact_writer)
        return len(self.config.p.models_on(self.board, models)) == len(models)


@step_of(ReverifyingWork, {"judgements": Judgement})
def reverify(work: ReverifyingWork) -> tuple[pl.DataFrame, Replies]:
    """Ask a further verifier for its verdicts on the facts of all subjects of a shard, each in the calls and
    with the passages that the verifier was asked with; none one by one.

    Generation rows of purpose `verify_facts`; beside them the Judgement rows.
    """
    is_read = pl.col("purpose").is_in([writing.WRITE, writing.REVISE, SEARCH_CLAIM])
    written = work.upstream.get("facts", generations([])).filter(is_read)
    pages = {"documents": work.upstream.get("documents", frame(Document))}
    parts = [(generations([]), frame(Judgement))]
    for subject in work.settings.subjects:
        rows = pl.concat([replies_of(work, subject), written])
        parts.append(verified(work, rows, pages, work.model, n_checked=0))
    rows, judged = (pl.concat(tables) for tables in zip(*parts, strict=True))
    return rows.sort("generation_id"), {"judgements": judged.sort("judgement_id")}


@step_of(CheckingWork, {"judgements": Judgement})
def cite(work: CheckingWork) -> tuple[pl.DataFrame, Replies] | list[dict]:
    """Ask the verifier whether the results that a subject's sentences cite support them (`crosschecks.citing`), of
    replies of a shard that came with results and from which facts were taken; else nothing is read or asked.

    Generation rows of purpose `verify_facts` and stage `cited`; beside them Judgement rows of sentences and of
    citations.
    """
    is_told = pair("attributes", "retrieved").is_not_null()
    replied = work.upstream.get("generate", generations([]))
    if replied.filter(is_told, model=work.model).is_empty():
        return []
    from truerate.tracks.wildhallucinations.crosschecks import citing

    replied = replies_of(work, work.model).filter(is_told, pl.col("status") == "ok")
    written = work.upstream.get("facts", generations([]))
    written = written.filter(pl.col("purpose").is_in([writing.WRITE, writing.REVISE]))
    facts_ = facts_of(pl.concat([replied, written]))
    names = {name: entity.label for name, entity in work.entities.items()}
    how, judge = verification(work.config, work.board), work.settings.verifier
    searched = work.upstream.get("documents", frame(Document)).lazy()
    pages = citing.pages_cited(replied, pl.concat([work.tables.documents.lazy(), searched]))
    stated, version = citing.statements(replied, facts_, names, pages, how), work.config.identity(judge)
    rows = list[dict]()

    def ask(questions: Sequence[citing.Question]) -> dict[citing.Question, bool | None]:
        asked_calls = citing.calls(stated, questions, how)
        texts = {claim.fact_id: claim.text for call in asked_calls for claim in call.claims}
        read = partial(verifying.read, texts=texts)
        asked = verifying.requests(asked_calls, work.prompter)
        came = work.read_until(asked, "citations of", read=read, n_lost=verifying.n_lost)
        rows.extend(came.rows(read))
        of_judge = {"judge": judge, "version": version, "verdicts": how.verdicts}
        judged = verifying.judgements(asked_calls, came.replies, **of_judge)
        against = dict(judged.select("target_id", "verdict").iter_rows())
        verdict_of = {question: against[citing.claim_id(stated, question)] for question in questions}
        return {question: None if is_so is None else not is_so for question, is_so in verdict_of.items()}

    supported = citing.verdicts(stated, ask)
    judged = citing.judgements(stated, supported, judge=judge, version=version)
    return generations(rows), {"judgements": judged}
