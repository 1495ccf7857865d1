"""What a board would ask, step by step, without asking: stored replies are used, missing ones are assumed.

An assumed reply is one that leads to the most further questions: a passage keeps the rules of every round, an
article gets all its queries. The number of calls is therefore an upper bound, and exact once everything is
stored. Weights that translate here ask nobody.
"""

from collections.abc import Callable

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm import Reply, Request
from truerate.llm.dry_run import DryRun, Planned, assumed_reply
from truerate.llm.generation import generations
from truerate.tracks.mfava import silver, steps


def planned(at: Layout, board: str, tables) -> list[Planned]:
    """Every step of the board with what it asks, in the order of the build. `tables` are the source's."""
    settings = at.p.track(board)
    made: list[Planned] = []

    def note(
        step: str, model: str | None, upstream: steps.Replies, said: Callable[[str, Request], Reply], **more
    ) -> pl.DataFrame:
        if not steps.allowed(at, board, model):
            return generations([])
        dry_run, run = DryRun(said), getattr(steps, step)
        found = [
            run(at, board, model, tables, shard, upstream, asking=dry_run, **more)
            for shard in range(at.p.n_shards)
        ]
        made.append(Planned(step, model, dry_run.asked))
        return pl.concat(found)

    note("silver", settings.writer, {}, _anything, assumed=_kept_rules)
    if not settings.seq2seq:
        note("translate", settings.translator, {}, _anything)
    queried = {"query": note("query", settings.query_writer, {}, _queries(settings.wild.queries_per_article))}
    note("check", settings.checker, queried, _anything)
    for subject in settings.subjects:
        note("answer", subject, queried, _anything)
    return made


def _anything(key: str, request: Request) -> Reply:
    return assumed_reply(key, f"assumed {content_id(key)}")


def _queries(n: int) -> Callable[[str, Request], Reply]:
    """Assumed replies with `n` numbered queries."""
    return lambda key, request: assumed_reply(
        key, "\n".join(f"{place}. assumed {content_id(key, place)}?" for place in range(1, n + 1))
    )


def _kept_rules(draft: silver.Draft, type_: str | None, reply: Reply) -> Reply:
    """The reply itself where it has come, else one that keeps the rules of the round."""
    return reply if reply.is_stored else assumed_reply(reply.key, silver.assumed(draft, type_))
