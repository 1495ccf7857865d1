"""What a board would ask, step by step, without asking: stored replies are used, missing ones are assumed.

An assumed reply is one that leads to the most further questions: a candidate is usable and unlike the other
one, a text is flagged (so that it is refined and judged again). The number of calls is therefore an upper
bound, and exact once everything is stored.
"""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm import Reply, Request
from truerate.llm.dry_run import DryRun, Planned, assumed_reply
from truerate.llm.generation import generations
from truerate.tracks.halueval import general, steps


def assumed(key: str, request: Request) -> Reply:
    """A reply that says what the prompt's last line asks for; candidates and free answers differ from one
    another.
    """
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1]
    text = f"assumed {content_id(key)}"
    if cue.startswith("#"):
        text = f"{cue} {'Yes' if 'Judgement' in cue else text}"
    elif cue.endswith("Understood."):
        text = "Understood."
    return assumed_reply(key, text)


def planned(at: Layout, board: str, tables) -> list[Planned]:
    """Every step of the board with what it asks, in the order of the build. `tables` are the source's."""
    at = _without_weights(at)
    settings, shards = at.p.track(board), range(at.p.n_shards)
    made: list[Planned] = []

    def note(step: str, model: str | None, run) -> pl.DataFrame:
        if not steps.allowed(at, board, model):
            return generations([])
        dry_run = DryRun(assumed)
        found = run(dry_run)
        made.append(Planned(step, model, dry_run.asked))
        return found

    def sampled(model: str):
        return lambda dry_run: pl.concat(
            [steps.sample(at, board, model, tables, shard, asking=dry_run) for shard in shards]
        )

    written = {
        name: note("sample", name, sampled(name))
        for name in dict.fromkeys((*settings.generators, settings.dataset_generator))
    }
    candidates = written[settings.dataset_generator]
    known = (tables.items, tables.documents)
    filtered = note(
        "filter",
        settings.filter_judge,
        lambda dry_run: steps.filter(at, board, candidates, *known, tables.samples, asking=dry_run),
    )
    responded = note(
        "respond",
        settings.responder,
        lambda dry_run: pl.concat(
            [steps.respond(at, board, *known, shard, asking=dry_run) for shard in shards]
        ),
    )
    dataset = steps.assemble(at, board, tables, candidates, filtered, responded)
    responses = general.selected(dataset.generations)

    def recognised(subject: str):
        texts = (dataset.samples, dataset.items, tables.documents, responses)
        return lambda dry_run: pl.concat(
            [steps.recognise(at, board, subject, *texts, shard, asking=dry_run)[0] for shard in shards]
        )

    for subject in settings.subjects:
        note("recognise", subject, recognised(subject))
    return made


def _without_weights(at: Layout) -> Layout:
    """The same settings with chrF: which responses are selected changes no number of calls, and a plan loads
    no encoder.
    """
    track = at.p.tracks.halueval.model_copy(update={"similarity": "chrf"})
    return Layout(at.p.model_copy(update={"tracks": at.p.tracks.model_copy(update={"halueval": track})}))
