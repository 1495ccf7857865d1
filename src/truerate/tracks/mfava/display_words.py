"""How pages show the values of the track's tables, in the order in which tables list them."""

from truerate.tracks.contract import Words

RATINGS = ("Very unlikely", "Unlikely", "Neutral", "Likely", "Very likely")  # to fool a reader, from 1 to 5

WORDS = Words(
    values={
        "held-out": "Held-out wordings",
        "silver": "Silver",
        "gold": "Gold",
        "natural": "Natural",
        # estimators: the headline first, which tables are sorted by, and last the share that is no rate
        "prediction-powered": "Prediction-powered",
        "labels-alone": "Labels alone",
        "ppi": "PPI",
        "fay-herriot": "Fay–Herriot",
        "predicted": "Predicted",
        "rogan-gladen-between": "Rogan–Gladen between models",
        "rogan-gladen-strata": "Rogan–Gladen by place",
        "rogan-gladen": "Rogan–Gladen",
        "hr_est": "HR_est",
        "raw": "Raw",
        "planted": "Planted",
        "corrected": "Corrected",
        "entity": "Entity",
        "relation": "Relation",
        "contradictory": "Contradictory",
        "unverifiable": "Unverifiable",
        "invented": "Invented",
        "subjective": "Subjective",
        "irrelevant": "Irrelevant",
        "mfava": "mFAVA",
        "train": "Training passages",
        "article": "Articles",
        "wild": "Replies in the wild",
        "dont_know": "Does not know",
        "max-voting": "Max-voting",
        "closest-to-silver": "Closest to silver",
        "t-test": "t-test",
        "bootstrap": "paired bootstrap",
        "paired": "paired by article",
        "passage": "Whole passages",
        "translate_reference": "Translate the reference",
        "hallucination": "Hallucination",
    },
    by_key={
        ("task", "silver"): "Passages",
        ("source", "no labels"): "No labels",
        ("source", "gold"): "Gold, by people",
        ("source", "silver"): "Silver, by the writer",
        ("stratum", "short-1-2"): "Short texts, sentences 1–2",
        ("stratum", "short-3-4"): "Short, 3–4",
        ("stratum", "long-1-2"): "Long texts, sentences 1–2",
        ("stratum", "long-3-4"): "Long, 3–4",
        ("stratum", "long-5"): "Long, 5 and later",
        ("oddity", "repeats"): "Repeats itself",
    }
    | {("rating", str(rating)): text for rating, text in enumerate(RATINGS, 1)},
)
