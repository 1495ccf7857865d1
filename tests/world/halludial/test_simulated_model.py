"""The simulated models in conversations: planted rates found again in bulk, draws that no layout changes."""

import re
from collections import Counter

import pytest

from truerate.core.text import words
from truerate_world.halludial.models.claims import BLATANT, SUBTLE
from truerate_world.halludial.models.profiles import PROFILES
from truerate_world.halludial.models.style import WRITER
from truerate_world.halludial.sources import spoken
from truerate_world.simulated_model import reply

from ..asking import block, user
from .asking import (
    MODELS,
    WORLD,
    annotate,
    ask,
    compare,
    induce,
    locate,
    match,
    meta,
    respond,
    turns,
)

BAND = 4.6  # standard errors: with a few hundred comparisons all hold, unless something is wrong


def is_near(hits, rates):
    """Whether as many hits as their probabilities make are there, within BAND standard errors."""
    variance = sum(p * (1 - p) for p in rates)
    return abs(sum(hits) - sum(rates)) <= BAND * max(variance, 0.25) ** 0.5


# ---- responses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_responses_hallucinate_as_planted_and_more_at_a_higher_temperature(known, rows, model):
    shares = []
    for temperature in (0.0, 0.3, 1.0):
        told = [(row, respond(model, row, temperature).truth) for row in rows]
        told = [(row, truth) for row, truth in told if truth["outcome"] in ("written", "too_long")]
        rates = []
        for row, _ in told:
            wanted = known.asked_for(spoken(row["history"]))
            held = known.context(row["knowledge"], spoken(row["history"]))
            subject = wanted[0] if wanted else held.knowledge[0].subject
            rates.append(PROFILES[model].rate(temperature, subject))
        hits = [truth["finding"].is_hallucinated for _, truth in told]
        assert is_near(hits, rates), (temperature, sum(hits), sum(rates))
        shares.append(sum(hits) / len(hits))
    assert shares == sorted(shares) and shares[0] < 0.7 * shares[2]


def test_natural_hallucinations_are_mostly_subtle_and_induced_ones_blatant(rows):
    natural = [respond("sim-elm", row).truth["finding"].sight for row in rows]
    induced = [induce("sim-quill", row, "factuality").truth["finding"].sight for row in rows]
    natural, induced = (Counter(sight[1] for sight in some if sight) for some in (natural, induced))
    assert natural[SUBTLE] > 2 * natural[BLATANT] and induced[BLATANT] > 4 * induced[SUBTLE]


def test_an_own_earlier_falsehood_spreads(known, rows):
    """The same turns with a false turn of the assistant before them."""
    model, strayed, straight = "sim-dogwood", [], []
    for row in rows:
        if row["turn"]:
            false = known.writer.vague("invented", 3, row["dialogue"])
            history = [*row["history"][:-2], false, row["history"][-1]]
            for some, given in ((straight, row), (strayed, row | {"history": history})):
                for seed in range(4):
                    some.append(respond(model, given, seed=seed).truth["finding"].is_hallucinated)
    ratio = (sum(strayed) / len(strayed)) / (sum(straight) / len(straight))
    assert 1.35 < ratio < 2.2, ratio  # planted: 1.8, less where the rate comes to its ceiling


def test_a_response_that_is_too_long_is_longer_than_the_prompt_allows(rows):
    for row in rows[:120]:
        answer = respond("sim-elm", row)
        if answer.truth["outcome"] == "too_long" and answer.truth["read"]:
            assert len(words(answer.truth["read"])) > 80
        elif answer.truth["read"]:
            assert len(words(answer.truth["read"])) <= 80
    long = ask("sim-cedar", "Next Response", rows[0], system="Write at most 3 words.")
    assert long.task == "respond"


# ---- induced and matched -----------------------------------------------------------------------------------


def test_induced_texts_are_hallucinated_of_their_kind_and_hardly_longer(rows):
    for kind, wanted in (("factuality", "contradicts"), ("faithfulness", "unverifiable")):
        kinds = Counter()
        for row in rows:
            truth = induce("sim-quill", row, kind).truth
            if truth["outcome"] == "written" and truth["read"]:
                assert truth["finding"].is_hallucinated
                assert len(words(truth["read"])) <= len(words(row["reference"])) + 6
                assert truth["segment"] in truth["read"]
                kinds[truth["finding"].sight[0]] += 1
        assert kinds[wanted] > 0.75 * sum(kinds.values())


def test_paraphrases_are_faithful_and_wear_the_style_of_the_induced(rows):
    openers = (*WRITER.openers, *WRITER.leads, *WRITER.closers)

    def styled(text):
        return any(phrase in text for phrase in openers)

    matched = [match("sim-quill", row).truth for row in rows]
    assert not any(truth["finding"].flaws for truth in matched)
    texts = [truth["read"] for truth in matched if truth["read"]]
    induced = [
        truth["read"] for row in rows if (truth := induce("sim-quill", row, "factuality").truth)["read"]
    ]
    shares = [sum(map(styled, some)) / len(some) for some in (texts, induced)]
    assert min(shares) > 0.6 and abs(shares[0] - shares[1]) < 0.1
    assert not any(styled(row["reference"]) for row in rows)


# ---- layout ------------------------------------------------------------------------------------------------


def test_no_layout_and_no_word_of_the_instruction_changes_an_answer(responses):
    example = "#Knowledge#: none\n#Conversation#: User: Hi\n#Response#: Hello\n#Is It Hallucinated#: No\n\n"
    for row, text in responses[::9]:
        fields = {"Knowledge": row["knowledge"], "Conversation": spoken(row["history"]), "Response": text}
        plain = block("Is It Hallucinated", fields)
        layouts = [
            user(plain),
            user(block("Is It Hallucinated", fields, is_fenced=False), "Be brief."),
            user(example + "And now:\n\n" + plain, ""),
            [{"role": "user", "content": re.sub(r"#: ", "#:\n", plain)}],
        ]
        assert len({reply(WORLD, "sim-birch", messages).text for messages in layouts}) == 1


def test_equal_arguments_give_equal_answers_and_a_reminder_another_draw(rows):
    row = rows[0]
    assert respond("sim-elm", row).text == respond("sim-elm", row).text
    assert len({respond("sim-elm", row, seed=seed).text for seed in range(12)}) > 3
    texts = set()
    for given in turns(12, first=100):
        messages = user(
            block("Is It Hallucinated", {"Knowledge": given["knowledge"], "Response": "It may be."})
        )
        again = [
            {"role": "assistant", "content": "Hm."},
            {"role": "user", "content": "#Is It Hallucinated#:"},
        ]
        first, second = (reply(WORLD, "sim-elm", one) for one in (messages, messages + again))
        assert first.task == second.task == "detect"
        texts.add(first.text == second.text)
    assert False in texts


def test_strange_text_in_any_field_is_no_error(rows):
    for text in ("", "\ud800", "\x00", "#", "§e", "日本", "User: x\nAssistant: y", "a" * 5000):
        row = {"knowledge": text, "history": [text], "reference": text}
        for answer in (
            respond("sim-elm", row),
            induce("sim-elm", row, "factuality"),
            induce("sim-elm", row, "other"),
            match("sim-elm", row),
            annotate("sim-elm", row, text),
            locate("sim-elm", row, text),
            compare("sim-elm", row, text, text),
            meta("sim-elm", row, text, text),
        ):
            assert answer.task != "unrecognised"


def test_the_prompts_of_other_protocols_are_none_of_its_own():
    message = user(block("Your Judgement", {"Question": "Who?", "Answer": "Nobody"}))
    assert reply(WORLD, "sim-aster", message, only="halludial").task == "unrecognised"
    assert reply(WORLD, "sim-aster", message).task == "recognition"
