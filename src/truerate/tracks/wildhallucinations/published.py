"""What WildHallucinations's printed numbers (published.csv) can be held against: their own sums, and why the rest cannot be checked."""

# Printed totals whose printed parts must sum to them: source, table, metric of the total, how its parts begin.
TOTALS = (("wildhallucinations", "7", "evaluator_error_total", "evaluator_error_"),)
# Why a table cannot be checked from what is public, by source and table.
REASONS = {
    (
        "wildhallucinations",
        "4",
    ): "needs the paper's replies, which are not public; models are asked about other entities in other words",
    ("wildhallucinations", "5"): "needs the paper's replies, facts and verdicts, which are not public",
    (
        "wildhallucinations",
        "6",
    ): "needs the paper's replies; 5,891 common entities are more than Claude 3 Haiku's 72.59 % of 7,919 allow",
    ("wildhallucinations", "7"): "needs the paper's review of facts; the parts are summed above",
    (
        "wildhallucinations",
        "8",
    ): "needs the paper's review of facts; the printed shares sum to 97.48 %, 116 of 119 facts",
}
