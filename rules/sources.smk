"""Sources: public formats → Document, Item, Sample and Judgement tables.  INPUTS sources of params.yaml  OUTPUTS data/sources"""

from truerate.config.layout import Layout

at = Layout.load("params.yaml")


rule sources:
    input:
        [at.source(name, "card.json") for name in at.p.used_sources()],


rule sources_import:
    output:
        at.source("{name}", "card.json"),
    shell:
        "python -m truerate import {wildcards.name}"
