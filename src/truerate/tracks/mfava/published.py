"""What mFAVA's printed numbers (published.csv) can be held against: their own sums, and why the rest cannot be checked."""

# Printed totals whose printed parts must sum to them: source, table, metric of the total, how its parts begin.
TOTALS = (("mfava", "2", "gold_spans_Total", "gold_spans_"),)
# Why a table cannot be checked from what is public, by source and table.
REASONS = {
    ("mfava", "1"): "needs the paper's raters; ours rate other passages",
    ("mfava", "2"): "counts of the paper's annotators; the parts are summed above",
    ("mfava", "3"): "needs the paper's 8B backbones trained on its translations; ours learn from other texts",
    ("mfava", "4"): "counts of the paper's silver set as a whole; the public files hold a part of it",
    ("mfava", "10"): "needs the paper's trained detector; its weights are not public",
    ("mfava", "Fig4"): "needs the paper's replies and trained detector; its weights are not public",
}
