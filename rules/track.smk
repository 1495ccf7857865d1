"""A rule per step of a track, `<track>_<step>`, and its export.  INPUTS data/sources  OUTPUTS data/datasets"""

from truerate.config.layout import Layout
from truerate.pipeline import graph

at = Layout.load("params.yaml")


for track in graph.tracks(at, config.get("track")):

    rule:  # validates, sorts and writes whole tables; the last is the one that DVC's command names
        name:
            f"{track}_export"
        input:
            lambda wildcards: graph.for_export(at, wildcards.board),
        output:
            at.dataset("{board}", "card.json"),
        wildcard_constraints:
            board=graph.boards(at, track),
        shell:
            "python -m truerate export {wildcards.board} {output} -- {input}"

    for step in graph.steps(track):

        rule:
            name:
                f"{track}_{step.name}"
            input:
                lambda wildcards, name=step.name: graph.before(
                    at, wildcards.board, name, wildcards.model, int(wildcards.shard)
                ),
            output:
                at.scratch_pattern(step.name),
            wildcard_constraints:
                board=graph.boards(at, track),
            resources:
                **graph.resources(step),
            params:
                step=step.name,
            shell:
                "python -m truerate step {params.step} {wildcards.board} {wildcards.model} {wildcards.shard} {output} -- {input}"
