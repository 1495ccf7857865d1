"""WildHallucinations: entities of chats, web pages, replies, facts and verdicts.  INPUTS data/sources  OUTPUTS data/datasets/<board>"""

from truerate.config.layout import Layout
from truerate.tracks.wildhallucinations import wiring

at = Layout.load("params.yaml")


rule wildhallucinations_export:  # validates with pandera, sorts, writes whole tables; the last is the one that DVC's command names
    input:
        lambda wildcards: wiring.for_export(at, wildcards.board),
    output:
        at.dataset("{board}", "card.json"),
    shell:
        "python -m truerate export {wildcards.board} {output} -- {input}"


rule wildhallucinations_extract:  # the proper nouns of each message
    output:
        at.scratch_pattern("extract"),
    shell:
        "python -m truerate step extract {wildcards.board} {wildcards.model} {wildcards.shard} {output}"


rule wildhallucinations_curate:  # each name verified, private and ambiguous ones taken out, one of twenty domains
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "curate", wildcards.model),
    output:
        at.scratch_pattern("curate"),
    shell:
        "python -m truerate step curate {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"


rule wildhallucinations_evidence:  # the top results of a search for each entity, fetched, their main text
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "evidence", wildcards.model),
    output:
        at.scratch_pattern("evidence"),
    shell:
        "python -m truerate step evidence {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"


rule wildhallucinations_generate:  # a subject tells what it knows of each entity that has pages
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "generate", wildcards.model),
    output:
        at.scratch_pattern("generate"),
    shell:
        "python -m truerate step generate {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"


rule wildhallucinations_facts:  # its replies as atomic facts, each verified against passages of the pages
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "facts", wildcards.model),
    output:
        at.scratch_pattern("facts"),
    shell:
        "python -m truerate step facts {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"
