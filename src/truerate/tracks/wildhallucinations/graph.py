"""The steps of WildHallucinations' data set (sections 2 and 3): entities of chats, pages, replies, facts."""

from truerate.tracks.contract import Reads, Resources, StandIn, Step

WEB = "web"  # stands in paths where a model's alias would: pages are searched for and fetched, no model is asked

ENTITIES = (Reads("extract"), Reads("curate"))
PAGES = (*ENTITIES, Reads("evidence", is_of_shard=True))  # an entity and its pages are of one shard

GRAPH = (
    Step("extract", "extractor", "the proper nouns of each message"),
    Step(
        "curate",
        "curator",
        "each name verified, private and ambiguous ones taken out, one of twenty domains",
        reads=(Reads("extract"),),
    ),
    Step(
        "evidence",
        "subjects",
        "the top results of a search for each entity, fetched, their main text",
        reads=ENTITIES,
        beside=("documents", "rejects"),
        stand_in=StandIn(WEB),
        resources=Resources(memory_mb=4_000),
    ),
    Step("generate", "subjects", "a subject tells what it knows of each entity that has pages", reads=PAGES),
    Step(
        "facts",
        "subjects",
        "its replies as atomic facts, each verified against passages of the pages",
        reads=(*PAGES, Reads("generate", is_own=True, is_of_shard=True)),
        asks=("fact_writer", "verifier"),
        beside=("judgements",),
        resources=Resources(memory_mb=4_000),
    ),
)
