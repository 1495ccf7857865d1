"""HaluEval (HELMA): sampling-then-filtering, general queries, recognition.  INPUTS data/sources  OUTPUTS data/datasets/<board>"""

from truerate.config.layout import Layout
from truerate.tracks.halueval import wiring

at = Layout.load("params.yaml")


rule halueval_export:  # validates with pandera, sorts, writes whole tables; the last is the one that DVC's command names
    input:
        lambda wildcards: wiring.for_export(at, wildcards.board),
    output:
        at.dataset("{board}", "card.json"),
    shell:
        "python -m truerate export {wildcards.board} {output} -- {input}"


rule halueval_sample:  # a generator writes candidates, by both schemes
    output:
        at.scratch_pattern("sample"),
    shell:
        "python -m truerate step sample {wildcards.board} {wildcards.model} {wildcards.shard} {output}"


rule halueval_filter:  # the judge picks the more plausible of two candidates, in both orders
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "filter", wildcards.model),
    output:
        at.scratch_pattern("filter"),
    shell:
        "python -m truerate step filter {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"


rule halueval_respond:  # three answers to each general query
    output:
        at.scratch_pattern("respond"),
    shell:
        "python -m truerate step respond {wildcards.board} {wildcards.model} {wildcards.shard} {output}"


rule halueval_recognise:  # does the text contain hallucination? every variant, and refinement of what was flagged
    input:
        lambda wildcards: wiring.before(at, wildcards.board, "recognise", wildcards.model),
    output:
        at.scratch_pattern("recognise"),
    shell:
        "python -m truerate step recognise {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"
