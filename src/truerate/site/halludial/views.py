"""The tables of HalluDial's pages."""

from truerate.site.halludial.rates import RATE
from truerate.site.views import View

COMPARED = (("variant", "compare"),)
NOTES = {
    "always-no": "says No of everything",
    "template": "quotes the whole response",
}
DETAILS = (
    "accuracy",
    "accuracy_parsed",
    "macro_f1",
    "precision",
    "recall",
    "f1",
    "precision_right",
    "recall_right",
    "f1_right",
)
LEADING = View(
    "detection",
    ("balanced_accuracy", "tpr", "tnr", "unparsed_rate", "no_verdicts"),
    DETAILS,
    switch="scenario",
    across=("variant",),
    having=("scenario",),
    lacking=("kind", "view", "order"),
)
BALANCED = View(
    "detection",
    ("accuracy", "macro_f1"),
    ("precision", "f1", "precision_right", "f1_right"),
    switch="scenario",
    across=("view",),
    down=("variant",),
    having=("view",),
    lacking=("kind", "order"),
    title="As the texts are mixed, and as a balanced set would be",
)
BY_KIND = View(
    "detection",
    ("balanced_accuracy", "tpr", "tnr"),
    (*DETAILS, "unparsed_rate", "no_verdicts"),
    switch="variant",
    across=("kind",),
    having=("scenario", "kind"),
    lacking=("view", "order"),
    title="Induced texts, by kind",
)
DETECTORS = View(
    "detection",
    ("balanced_accuracy", "tpr", "tnr", "unparsed_rate"),
    ("precision", "recall", "f1", "macro_f1"),
    switch="scenario",
    only=(("variant", "zero-shot"),),
    having=("scenario",),
    lacking=("kind", "view", "order"),
    head="Judge",
)
RELIABILITY = (
    View("reliability", ("ece",), across=("scenario",), lacking=("bin",), head="Judge"),
    View(
        "reliability",
        ("bin_p", "bin_rate"),
        switch="scenario",
        down=("bin",),
        having=("bin",),
        head="Judge",
        n_whiskers=0,
        title="Bins of probability",
    ),
)
LOCATION = View(
    "location",
    ("span_f1", "token_f1", "rouge_l", "bleu", "rationale_similarity"),
    ("span_precision", "span_recall", "marked_rate"),
    switch="scenario",
    across=("over",),
    head="Judge",
    notes=NOTES,
)
COMPARISON = (
    View(
        "comparison",
        ("accuracy_both_orders", "first_position_rate"),
        ("accuracy_one_side",),
        across=("kind",),
        only=COMPARED,
        head="Judge",
        n_whiskers=2,
    ),
    View(
        "detection",
        ("accuracy", "accuracy_parsed", "unparsed_rate"),
        across=("kind",),
        only=COMPARED,
        lacking=("order",),
        head="Judge",
        title="Mean of both orders; unreadable choices wrong, and left out",
    ),
    View(
        "detection",
        ("accuracy", "accuracy_parsed"),
        switch="kind",
        across=("order",),
        only=COMPARED,
        having=("order",),
        head="Judge",
        title="By order",
    ),
)
RATES = (
    View(
        "rates",
        (RATE,),
        switch="unit",
        across=("estimator", "calibration"),
        down=("history",),
        having=("history",),
        lacking=("temperature", "turns", "corpus"),
        head="Responder",
    ),
    View(
        "rates",
        ("gold_minus_self", "gold_minus_self_p"),
        across=("unit",),
        only=(("estimator", "raw"),),
        lacking=("temperature", "history"),
        head="Responder",
        title="Gold history less self history, over the same dialogues",
    ),
    View(
        "rates",
        (RATE,),
        switch="turns",
        across=("estimator", "calibration"),
        down=("history",),
        only=(("unit", "dialogue"),),
        having=("turns",),
        lacking=("temperature",),
        head="Responder",
        title="Dialogues by their number of turns",
    ),
)
TRANSFER = View(
    "transfer",
    ("rate_by_judge",),
    across=("estimator", "calibration"),
    head="Judge",
)
TEMPERATURES = View(
    "rates",
    (RATE,),
    switch="unit",
    across=("temperature",),
    down=("estimator", "calibration"),
    only=(("history", "gold"),),
    having=("temperature",),
    lacking=("turns",),
    head="Responder",
    n_whiskers=0,
    title="All temperatures",
)
WRITTEN = (
    View(
        "rates",
        ("labelled_rate",),
        across=("corpus",),
        only=(("scenario", "natural"),),
        head="Writer",
        title="By people’s labels",
    ),
    View(
        "rates",
        (RATE,),
        switch="unit",
        across=("corpus",),
        having=("corpus",),
        only=(("scenario", "natural"), ("estimator", "raw")),
        head="Writer",
        title="As the detector flags them",
    ),
)
LABELS = (
    View(
        "labels",
        ("annotator_accuracy", "annotator_tpr", "annotator_tnr", "annotator_kappa", "annotator_span_f1"),
        head="Annotator",
        title="The annotator’s labels against people’s",
        n_whiskers=0,
    ),
    View(
        "labels",
        ("meta_accuracy", "meta_unparsed_rate"),
        across=("over",),
        head="Judge",
        title="Judgements that the meta-judge calls accurate",
        n_whiskers=0,
    ),
    View("labels", ("meta_kappa",), down=("with", "raters"), head="Rater", title="Raters of judgements"),
    View(
        "labels",
        ("fleiss_kappa", "percent_agreement", "n_annotators_passed"),
        head="Labellers",
        title="Agreement of the labellers",
        n_whiskers=0,
    ),
    View("labels", ("screening_agreement",), head="Labeller", title="Screening", n_whiskers=0),
)
DATASET = (
    View(
        "dataset",
        ("n_samples", "hallucinated_rate", "words_per_response"),
        by=("scenario",),
        having=("scenario",),
        lacking=("split", "corpus", "kind"),
        head="Texts",
        title="By scenario",
        n_whiskers=0,
    ),
    View(
        "dataset",
        ("n_by_kind",),
        by=("scenario", "kind"),
        having=("kind",),
        head="Kind",
        title="By kind",
        n_whiskers=0,
    ),
    View(
        "dataset",
        ("n_samples", "hallucinated_rate"),
        by=("scenario", "split"),
        having=("split",),
        head="Split",
        title="By split",
        n_whiskers=0,
    ),
    View(
        "dataset",
        ("shared_context_rate", "shared_dialogue_rate", "sibling_rate"),
        across=("split",),
        by=("scenario",),
        having=("split",),
        head="Texts",
        title="What a split lets through",
        n_whiskers=0,
    ),
)
MAKING = View(
    "making",
    (
        "unread_rate",
        "too_long_rate",
        "continued_rate",
        "restated_rate",
        "not_located_rate",
        "unchanged_rate",
        "broken_rate",
    ),
    down=("step", "kind"),
    head="Writer",
    n_whiskers=0,
    title="Rules that writers break",
)
SIZES = View("dataset", ("n_dialogues", "n_turns", "turns_per_dialogue"))  # shown in the head of the page
TOLD = View("rates", ("is_identified",))  # an estimate that is not there says it
HALVED = View("detection", (), having=("kind", "view"))  # by kind classes are of a size of their own already
HIDDEN = (SIZES, TOLD, HALVED, View("rates", (), having=("temperature",)))
