"""mFAVA: silver passages, translated training data, queries and replies in the wild.  INPUTS data/sources  OUTPUTS data/datasets/<board>"""

from truerate.config.layout import Layout
from truerate.tracks.mfava import wiring

at = Layout.load("params.yaml")


rule mfava_export:  # validates with pandera, sorts, writes whole tables; the last is the one that DVC's command names
    input:
        lambda wildcards: wiring.for_export(at, wildcards.board),
    output:
        at.dataset("{board}", "card.json"),
    shell:
        "python -m truerate export {wildcards.board} {output} -- {input}"


rule mfava_silver:  # the writer writes a passage from a reference, then six separate insertions into it
    output:
        at.scratch_pattern("silver"),
    shell:
        "python -m truerate step silver {wildcards.board} {wildcards.model} {wildcards.shard} {output}"


rule mfava_translate:  # the English training passages and their references in every other language
    output:
        at.scratch_pattern("translate"),
    shell:
        "python -m truerate step translate {wildcards.board} {wildcards.model} {wildcards.shard} {output}"


rule mfava_query:  # knowledge-intensive queries about each article
    output:
        at.scratch_pattern("query"),
    shell:
        "python -m truerate step query {wildcards.board} {wildcards.model} {wildcards.shard} {output}"


rule mfava_check:  # does the reference answer the query? on a sample
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "check", wildcards.model),
    output:
        at.scratch_pattern("check"),
    shell:
        "python -m truerate step check {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"


rule mfava_answer:  # a subject answers the queries alone, each subset with its own seed
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "answer", wildcards.model),
    output:
        at.scratch_pattern("answer"),
    shell:
        "python -m truerate step answer {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"
