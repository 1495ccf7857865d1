"""Citations and several verifiers from the build to the scores, every model a stub on loopback whose errors are planted."""

import hashlib
import json
import re
from functools import partial

import pytest

from tests.profiles import toy_build, toy_files
from tests.profiles.answering import FENCE, Answering, answered

# A claim is supported where all of these words that it holds stand in the passages; `tower` is on each town's page.
WORDS = re.compile(r"\b(?:alpha|beta|delta|tower)\b")
TEXT = (
    "It has alpha [1]. "  # supported, precise
    "It has alpha and beta [1][2]. "  # by [2] alone: [1] is not precise
    "It has a tower [2][4]. "  # by the page alone, which the board has: [2] is not precise
    "It has delta [1][9]. "  # not supported, and [9] was never told
    "It has beta. "
    "It has beta [3]."  # of which no text is known
)
RESULTS = [
    {"url": "https://x.example/1", "snippet": "There is alpha."},
    {"url": "https://x.example/2", "snippet": "Both alpha and beta."},
    {"url": "https://x.example/3"},
]
near = partial(pytest.approx, abs=1e-6)  # scores have six digits
SEARCHING, PLAIN, KIND = "sonar-small", "sonar-small-chat", "gpt-3.5"


class Citing(Answering):
    """A model that searches and one that does not; a verifier that follows the words, and one (KIND) that supports all."""

    async def answer(self, body: bytes) -> tuple[int, dict, bytes]:
        request = self.last = json.loads(body)
        self.calls[hashlib.sha256(body).hexdigest()] += 1
        messages, model = [message["content"] for message in request["messages"]], request["model"]
        last, self.more = messages[-1], {}
        if last.rstrip().endswith("#Verdicts#:"):
            fields = dict(FENCE.findall(last))
            claims = [line.partition("] ") for line in fields["Claims"].splitlines()]
            holds = lambda text: all(word in fields["Passages"] for word in WORDS.findall(text))  # noqa: E731
            is_kind = model.startswith("gpt-3.5")
            lines = [
                f"{head}] {'' if is_kind or holds(text) else 'not '}supported" for head, _, text in claims
            ]
            return 200, {}, self.completion("\n".join(lines))
        if last.rstrip().endswith("#:"):
            return 200, {}, self.completion(answered(model, messages))
        if "online" in model:
            town = next(town for town in toy_files.TOWNS if town in last)
            self.more = {"search_results": [*RESULTS, {"url": f"https://www.{town}.example"}]}
        return 200, {}, self.completion(TEXT if "online" in model else "It has a tower.")


def smaller(params: dict) -> None:
    """Two subjects, two verifiers, five entities, no labels."""
    numbers = {"entities": 5, "labelled": 0, "replies": 0, "reviewed": 0, "checked": 0}
    params["sizes"]["full"]["wildhallucinations"] |= numbers
    track = params["tracks"]["wildhallucinations"]
    track |= {"subjects": [SEARCHING, PLAIN], "panel": None, "verifiers": [KIND]}


def test_citations_and_verifiers_from_the_build_to_the_scores(tmp_path, monkeypatch):
    (tmp_path / "inputs").mkdir()
    toy_files.wildhallucinations(tmp_path / "inputs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))
    toy = toy_build.build("wildhallucinations", tmp_path, cut=smaller, people={}, models=Citing())
    values = {
        (row["metric"], row["subject"], *row["slice"].values()): (row["value"], row["n"]) for row in toy.rows
    }
    assert not any(key[0].startswith("citation_") and key[1] == PLAIN for key in values)
    # each of five replies: three of five sentences are supported, three of seven citations precise
    assert values["citation_recall", SEARCHING] == (near(3 / 5), 5)
    assert values["citation_precision", SEARCHING] == (near(3 / 7), 5)
    assert values["citation_f1", SEARCHING][0] == near(1 / 2)
    assert values["uncited_rate", SEARCHING] == (near(1 / 6), 30)
    assert values["dangling_citation_rate", SEARCHING] == (near(1 / 8), 40)
    assert values["untold_citation_rate", SEARCHING] == (near(1 / 8), 40)
    assert values["page_citation_rate", SEARCHING] == (near(1 / 6), 30)
    # on the pages of the board only the tower stands: one of six facts, by KIND all six, by both (a tie) one
    of_judge = {
        key[2]: value for key, value in values.items() if key[:2] == ("verifier_wildfactscore", SEARCHING)
    }
    assert of_judge.pop(KIND) == (1, 5) and len(of_judge) == 2
    assert all(value == (near(1 / 6), 5) for value in of_judge.values())
    assert values["verifier_spread", SEARCHING][0] == near(5 / 6)
    # 30 facts of SEARCHING, of which five agree, and five of PLAIN, all of which do
    agreement = next(value for key, value in values.items() if key[0] == "verifier_agreement")
    assert agreement == (near(10 / 35), 35)
