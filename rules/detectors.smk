"""A rule per detector that learns, a job per cell of its grid.  INPUTS data/sources, data/datasets, data/labels  OUTPUTS build/training"""

from truerate.config.layout import Layout
from truerate.pipeline import cells

at = Layout.load("params.yaml")


rule detectors:
    input:
        cells.marks(at, config["board"]),


for member in cells.members(at, config["board"]):

    rule:  # `set-resources` of a profile names it
        name:
            cells.rule_of(member)
        output:
            touch(cells.mark(at, "{cell}")),
        wildcard_constraints:
            cell=cells.names_of(member),
        resources:
            **cells.resources(at, config["board"], member),
        params:
            board=config["board"],
        shell:
            "python -m truerate train-cell {params.board} {wildcards.cell}"
