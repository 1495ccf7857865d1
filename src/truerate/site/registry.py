"""The functions behind the pages of each track, by the names in its page.yaml; a track without any needs no entry."""

from functools import cache
from pathlib import Path
from typing import Any

from truerate.site.charts.recovery import TEMPLATE as RECOVERY
from truerate.site.halludial import page as halludial
from truerate.site.halludial.points import operating_points
from truerate.site.halludial.rates import recovered as halludial_recovered
from truerate.site.halludial.rows import derived as halludial_rows
from truerate.site.halludial.temperatures import temperature_lines
from truerate.site.halueval import page as halueval
from truerate.site.labelled_replies import page as labelled_replies
from truerate.site.layout import Page, Part, read_page
from truerate.site.mfava import page as mfava
from truerate.site.mfava.analyses import analyses
from truerate.site.mfava.heatmap import heat_map
from truerate.site.mfava.planted import recovered as mfava_recovered
from truerate.site.mfava.rows import derived as mfava_rows
from truerate.site.samples import facts, located, marked
from truerate.site.samples.index import FORMS
from truerate.site.wildhallucinations import page as wildhallucinations
from truerate.site.wildhallucinations.funnel import distribution, evidence, funnel
from truerate.site.wildhallucinations.rows import derived as wildhallucinations_rows

TRACKS = Path(__file__).parents[1] / "tracks"
PARTS: dict[str, dict[str, Part]] = {
    "halludial": {
        "operating_points": Part("halludial/points.html.j2", operating_points),
        "temperature_lines": Part("halludial/lines.html.j2", temperature_lines),
        "recovered": Part(RECOVERY, halludial_recovered),
    },
    "mfava": {
        "heat_map": Part("mfava/heatmap.html.j2", heat_map),
        "recovered": Part(RECOVERY, mfava_recovered),
        "analyses": Part("mfava/analyses.html.j2", analyses),
    },
    "wildhallucinations": {
        "recovered": Part(RECOVERY, wildhallucinations.recovered),
        "funnel": Part("wildhallucinations/funnel.html.j2", funnel),
        "distribution": Part("wildhallucinations/distribution.html.j2", distribution),
        "evidence": Part("wildhallucinations/evidence.html.j2", evidence),
    },
    "labelled_replies": {
        "labelled_by": Part("labelled_replies/labelled_by.html.j2", labelled_replies.labelled_by)
    },
}
FUNCTIONS: dict[str, dict[str, Any]] = {
    "halueval": {"derive": halueval.with_failure_rates, "figures": halueval.figures},
    "halludial": {
        "records": located.records,
        "record_filters": tuple(FORMS["located"]["filters"]),
        "derive": halludial_rows,
        "figures": halludial.figures,
    },
    "mfava": {
        "records": marked.records,
        "targets": marked.targets,
        "record_filters": tuple(FORMS["marked"]["filters"]),
        "derive": mfava_rows,
        "figures": mfava.figures,
    },
    "wildhallucinations": {
        "records": facts.records,
        "targets": facts.targets,
        "record_filters": tuple(FORMS["facts"]["filters"]),
        "derive": wildhallucinations_rows,
        "figures": wildhallucinations.figures,
        "is_labelled": wildhallucinations.is_labelled,
    },
    "labelled_replies": {"flags": labelled_replies.own_family, "figures": labelled_replies.figures},
}


@cache
def page_of(track: str) -> Page:
    """The layout of a track's boards; an empty one where its folder holds no page.yaml. Raises TruerateError."""
    path = TRACKS / track / "page.yaml"
    if not path.is_file():
        return Page()
    return read_page(path, parts=PARTS.get(track, {}), functions=FUNCTIONS.get(track, {}))
