"""The track's card."""

from truerate.tracks.contract import Card, Ranked, Section

CARD = Card(
    name="capitals",
    title="Capitals",
    paper="A paper on capitals",
    citation="A. Author (2025). A paper on capitals.",
    url="https://example.org/capitals",
    summary="Do models name the right capital?",
    tasks={"capital": "questions for the capital of a country"},
    steps=(Section("Asking", "2", "Each model names the capital of each country."),),
    ranks=Ranked("capital_accuracy", {}, "how often a model names the right capital"),
    caveats=("A right capital says nothing of other facts.",),
    attributes=frozenset({"continent"}),
)
