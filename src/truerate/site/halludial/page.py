"""HalluDial's boards: who finds natural hallucinations first, then what is found where, in which order, and
rates over turns, dialogues and temperatures.
"""

import truerate.site.halludial.views as views
from truerate.site.halludial.browser import FILTERS, records
from truerate.site.halludial.points import operating_points
from truerate.site.halludial.rates import PLANTED, RATE, recovered
from truerate.site.halludial.rows import derived
from truerate.site.halludial.temperatures import temperature_lines
from truerate.site.recovery import TEMPLATE as RECOVERY
from truerate.site.sections import Figure, Page, Part, Rows, Section
from truerate.site.tables import Board

SECTIONS = (
    Section(
        "Detection",
        "Does a judge notice that a response says what neither the knowledge nor the conversation holds? Ranked on spontaneous "
        "responses, which nobody wrote to deceive. Induced texts are written to be wrong, and style alone may give them away.",
        (views.LEADING,),
        lead_unasked="Does a judge notice that a response says what neither the knowledge nor the conversation holds? No model has "
        "been asked yet: the rows are detectors and simple rules, which a model has to beat.",
    ),
    Section(
        "Who finds what",
        "A judge that never says Yes is right wherever hallucination is rare, so accuracy alone tells little. Each judge stands where "
        "its two rates put it.",
        (views.BALANCED, views.BY_KIND),
        part=Part("halludial/points.html.j2", operating_points),
        n_folded=2,
    ),
    Section(
        "Place and reason",
        "Judges are shown three demonstrations, quote the hallucinated segments and give a reason; detectors need none. Both are held "
        "against the label’s: over all texts, as published, and over hallucinated ones alone, where a missed one counts nothing. Always "
        "No shows how much of the first the verdict gives away.",
        (views.LOCATION,),
    ),
    Section(
        "Comparison",
        "Which of two responses is hallucinated, asked in both orders. Right in both orders is what cannot be had by always naming one "
        "place.",
        views.COMPARISON,
        n_folded=1,
    ),
    Section(
        "Rates",
        "How often models hallucinate, turn by turn and in dialogues with such a turn, on the reference’s earlier turns (gold history) "
        "and on a model’s own (self history). Raw is what the detector flags; a corrected rate says what its errors were measured on. "
        "Where induced texts are easier to see than natural ones, a correction by them takes the detector for better than it is.",
        views.RATES,
        n_folded=1,
    ),
    Section(
        "The same responses by every judge",
        "How many of the spontaneous responses, of all responders together, are hallucinated? One number is true, whoever judges. A "
        "judge’s errors on induced texts carry over to natural ones only where both are as easy to see: else the rate corrected by "
        "them is off, however narrow its interval.",
        (views.TRANSFER,),
        short="By judge",
    ),
    Section(
        "Temperature",
        "Models respond again at other temperatures. Is more made up where sampling is freer?",
        (views.TEMPERATURES,),
        part=Part("halludial/lines.html.j2", temperature_lines),
        n_folded=1,
    ),
    Section(
        "Planted against estimated",
        "The closed world knows how often its models hallucinate, so each estimator of the rates can be held against that, cell by cell.",
        part=Part(RECOVERY, recovered),
        short="Planted truth",
    ),
    Section(
        "Responses that people labelled",
        "How often the systems behind published responses hallucinate. Each response stands alone, so of dialogues nothing is told.",
        views.WRITTEN,
        short="Labelled responses",
        is_flow=True,
    ),
    Section(
        "Probabilities",
        "Does a judge that gives a probability mean it? The gap between what it says and how many of such texts are hallucinated.",
        views.RELIABILITY,
        n_folded=1,
    ),
    Section(
        "Labels",
        "Spontaneous labels are a model’s, who sees the reference. How far do people agree with it, with one another, and with the "
        "model that judges judgements?",
        views.LABELS,
        is_flow=True,
        n_folded=1,
    ),
    Section(
        "The texts",
        "How many there are, what rules writers break, and how many contexts stand on both sides of a split.",
        (*views.DATASET, views.MAKING),
        is_flow=True,
        has_flags=False,
        n_folded=1,
    ),
)


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many dialogues and turns the texts are about, and whose verdicts make the rates."""
    sizes = {row["metric"]: row["value"] for row in rows if views.SIZES.takes(row)}
    shown: list[Figure] = []
    if sizes.get("n_dialogues"):
        mean = sizes.get("turns_per_dialogue")
        shown.append(("Dialogues", int(sizes["n_dialogues"]), f"{mean:.1f} turns each" if mean else ""))
    if sizes.get("n_turns"):
        shown.append(("Turns", int(sizes["n_turns"]), ""))
    member = board.detector.get("member")
    has_rates = any(
        row["metric"] == RATE and row["value"] is not None and row["kind"] != PLANTED for row in rows
    )
    return [*shown, *([("Rates by", member, "")] if member and has_rates else [])]


PAGE = Page(
    SECTIONS,
    views.LEADING,
    detectors=views.DETECTORS,
    judging={
        "detection": ("precision", "recall", "f1", "balanced_accuracy", "tpr", "tnr", "unparsed_rate"),
        "location": ("span_precision", "span_recall", "span_f1", "token_f1", "marked_rate"),
        "comparison": ("accuracy_both_orders", "first_position_rate"),
        "reliability": ("ece",),
    },
    counted="detection",
    baselines="detection",
    heads={
        "labels": "Rater",
        "dataset": "Texts",
        "making": "Writer",
        "location": "Judge",
        "reliability": "Judge",
        "rates": "Responder",
        "transfer": "Judge",
    },
    beyond="Place and reason, comparison, rates, labels",
    beyond_variants="All {n} scenarios, place and reason, rates, labels",
    hidden=views.HIDDEN,
    records=records,
    record_filters=tuple(name for name, *_ in FILTERS),
    record_scripts=("halludial/samples.js",),
    derive=derived,
    figures=figures,
)
