"""What HaluEval's printed numbers (published.csv) can be held against: their own sums, and why the rest cannot be checked."""

# Printed totals whose printed parts must sum to them: source, table, metric of the total, how its parts begin.
TOTALS = (
    ("helma", "5", "n_samples", "n_samples_type"),
    ("helma", "7", "n_failed", "n_failed_type"),
)
# Why a table cannot be checked from what is public, by source and table.
REASONS = {
    (
        "helma",
        "5",
    ): "counts of the paper's own sampling; the candidates before filtering are not public as a whole",
    (
        "helma",
        "6",
    ): "needs the models of 2023 on the released pairs, asked with the paper's prompts; ours are our own words",
    ("helma", "7"): "needs the outputs behind the printed failures, which are not public",
    (
        "helma",
        "9",
    ): "needs the models of 2023 with the paper's prompts for knowledge, chain of thought and contrast",
}
