"""The fine graph as a whole, for a look: snakemake -n, --dag, --lint. Only `dvc repro` writes under data/."""

from truerate.config.layout import Layout


configfile: "params.yaml"


include: "rules/sources.smk"
include: "rules/track.smk"


rule all:
    default_target: True
    input:
        [at.dataset(board, "card.json") for board in at.p.boards],
