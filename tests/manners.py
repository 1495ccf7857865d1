"""A chat model on loopback with the manners of real ones, drawn by the prompt, and what it meant by each reply.

It reads the cue that a prompt of HaluEval ends with. `told` keeps, by model, messages and seed, the manner of each
reply and its meaning: the text that it was to write, a verdict or a choice, None where it left that open.
"""

import argparse
import json
import re
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.stub import Stub, serving

SEED = 351  # by which every manner of writing is drawn in the tests' first run
REFUSALS = {  # of what is false: of a person and of nobody, in two languages
    "refuses": "I'm sorry, but I can't write a false {noun}.",
    "refuses, impersonal": "Writing false statements goes against the guidelines. A correct {noun} can be given instead.",
    "refuses, German": "Tut mir leid, aber ich kann keine falschen Angaben erfinden.",
    "refuses, impersonal German": "Diese Anfrage kann nicht erfüllt werden, da sie falsche Angaben verlangt.",
    "refuses, one word": "Refused.",
}
TEXTS: dict[str, str] = REFUSALS | {
    "plain": "{text}",
    "thinks": "<think>\nThe right one is: {right}\nI write another.\n</think>\n\n{text}",
    "thought cut": "<think>\nThe right one is: {right}\nWhich other could",
    "heading": "### Hallucinated {Noun}\n\n{text}",
    "label in bold": "**{Noun} (hallucinated):** {text}",
    "bold": "**{text}**",
    "preamble and outro": "Sure! Here is a hallucinated {noun}:\n\n{text}\n\nLet me know if you need another one!",
    "preamble on its line": "Of course, a false but plausible {noun} follows.\n{text}",
    "quotation marks": "“{text}”",
    "explanation behind": "{text}\n\n(This is wrong because the right {noun} is: {right})",
    "explanation, labelled": "{text}\n\n**Explanation:** The source says otherwise.",
    "runs on": "{text}\n\n#Knowledge#: The mill of Ost was sold in 1790.\n#Question#: When was the mill sold?\n"
    "#Right Answer#: 1790\n#Hallucinated Answer#: 1809",
    "JSON": '{{"hallucinated_{noun}": {quoted}}}',
    "right restated": "The {noun} is {right}",
    "right again": "{right}",
    "acknowledges": "Got it!",
}
# how each word of a verdict is said; the plain ones come after a chain of thought too
VERDICTS = {
    "word": "{Word}",
    "bold": "**{Word}.**",
    "small, with a reason": "{word}, for two places were compared.",
    "JSON": '{{"hallucinated": "{word}"}}',
    "heading": "### Your Judgement\n\n**{Word}**",
    "preamble": "Sure! My judgement: {Word}",
    "quotation marks": '"{Word}"',
    "thinks": "<think>The year may be off. {Other}?</think>\n{Word}",
    "runs on": "{Word}\n\n#Question#: When was the mill sold?\n#Answer#: 1790\n#Your Judgement#: {Other}",
    "German": "{Wort}.",
    "token": "{word}<|eot_id|>",
    "paraphrase": "{Sentence}",
}
REASONED = {
    "cue": "#Your Judgement#: {Word}",
    "cue in bold": "**Your Judgement:** {Word}",
    "in backticks": "`#Your Judgement#: {Word}`",
    "own line": "{Word}",
    "heading": "### Your Judgement\n{Word}",
    "boxed": "\\boxed{{{Word}}}",
    "American": "Final Judgment: {Word}.",
}
CHOICES = {
    "name": "{Noun} {n}",
    "bold": "**{Noun} {n}**",
    "brackets": "[{n}]",
    "ordinal": "I would pick the {nth} one.",
    "reason names the other": "Choice: {Noun} {n} ({Noun} {other} leaves the year out)",
    "JSON": '{{"choice": "{Noun} {n}"}}',
    "thinks": "<think>Is it {Noun} {other}? No.</think>{Noun} {n}",
    "heading": "### Your Choice\n\n{Noun} {n}",
}
OPEN = {
    "hedges": "It is hard to say; this could go either way.",
    "hedges in short": "I cannot tell whether it is hallucinated.",
    "thought cut": "<think>Perhaps Yes, the year looks odd",
}
OPEN_CHOICES = {"hedges": "Neither convinces me.", "thought cut": "<think>Perhaps the first"}
REFINED = ("plain", "thinks", "bold", "quotation marks", "refuses")


@dataclass(frozen=True)
class Told:
    """A reply: the kind of its prompt, the manner, what was meant, its words, and whether it was cut."""

    kind: str
    manner: str
    meant: str | None
    text: str
    is_cut: bool = False


def asked(model: str, messages: list[dict[str, str]], seed: int | None) -> str:
    """What a reply follows from, as one text."""
    return json.dumps([model, [(one["role"], one["content"]) for one in messages], seed])


def reply(model: str, messages: list[dict[str, str]], seed: int | None) -> Told:
    """What this model says. A pure function."""
    drawn = zlib.crc32(f"{SEED}{asked(model, messages, seed)}".encode())
    said = messages[-1]["content"]
    cue = said.rstrip().rsplit("\n", 1)[-1]
    is_again = sum(one["role"] == "assistant" for one in messages) > 0
    if "single word Understood" in said:
        return Told("teach", "plain", None, "Understood")
    if found := re.match(r"#Hallucinated (\w+)#:", cue):
        return _written("sample", TEXTS, found[1], said, drawn)
    if found := re.match(r"#Refined (\w+)#:", cue):
        return _written("refine", {name: TEXTS[name] for name in REFINED}, found[1], said, drawn)
    if "Choice#:" in cue or cue.startswith("#Best "):
        noun = next(noun for noun in ("Response", "Summary", "Answer") if f"{noun} 1" in _whole(messages))
        return _chosen("filter" if cue.startswith("#Best ") else "contrast", noun, drawn, is_again)
    if cue == "#Reasoning#:" or (is_again and "#Reasoning#:" in messages[-3]["content"]):
        return _judged("chain of thought", REASONED, drawn, is_again)
    if cue == "#Your Judgement#:":
        return _judged("verdict", VERDICTS, drawn, is_again)
    return Told("respond", "plain", None, f"There are {drawn % 97} of them, as far as the lists of Varn go.")


def _whole(messages: list[dict[str, str]]) -> str:
    return "\n".join(one["content"] for one in messages)


def _block(said: str, heading: str) -> str:
    """What stands in the block of data under a heading of a prompt."""
    found = re.search(rf"#{heading}#:\n<data-\w+>\n(.*?)\n</data-", said, re.DOTALL)
    return found[1] if found else ""


def _written(kind: str, manners: dict[str, str], noun: str, said: str, drawn: int) -> Told:
    manner = list(manners)[drawn % len(manners)]
    place = f"Ostra {drawn % 9973}"
    text = {"Answer": f"granite of {place}", "Response": f"She was born in {place}."}.get(
        noun, f"The bridge of {place} was closed."
    )
    right = _block(said, f"(?:Right|True) {noun}")
    values = {"text": text, "right": right, "noun": noun.lower(), "Noun": noun, "quoted": json.dumps(text)}
    return Told(kind, manner, text, manners[manner].format(**values), "cut" in manner)


def _judged(kind: str, manners: dict[str, str], drawn: int, is_again: bool) -> Told:
    """A verdict, or in a fifth of all replies none."""
    if drawn % 5 == 0:
        manner = list(OPEN)[drawn // 5 % len(OPEN)]
        return Told(kind, manner, None, OPEN[manner], "cut" in manner)
    manner, is_yes = list(manners)[drawn // 5 % len(manners)], bool(drawn // 3 % 2)
    word, other = ("yes", "no") if is_yes else ("no", "yes")
    values = {"word": word, "Word": word.title(), "Other": other.title(), "Wort": "Ja" if is_yes else "Nein",
              "Sentence": "It contains hallucination." if is_yes else "It is free of hallucination."}  # fmt: skip
    text = manners[manner].format(**values)
    if kind == "chain of thought" and not is_again:
        text = f"The source names No 4 and the year. Is the place {other.title()}-ville? The two were compared.\n\n{text}"
    return Told(kind, manner, word, text)


def _chosen(kind: str, noun: str, drawn: int, is_again: bool) -> Told:
    if drawn % 5 == 0:
        manner = list(OPEN_CHOICES)[drawn // 5 % len(OPEN_CHOICES)]
        return Told(kind, manner, None, OPEN_CHOICES[manner], "cut" in manner)
    manner, n = list(CHOICES)[drawn // 5 % len(CHOICES)], 1 + drawn // 3 % 2
    values = {"Noun": noun, "n": n, "other": 3 - n, "nth": ("first", "second")[n - 1]}
    return Told(kind, manner, str(n), CHOICES[manner].format(**values))


class Author(Stub):
    """The stub whose completions have manners."""

    def __init__(self, reply: Callable[..., Told] = reply) -> None:
        super().__init__(identity="author")
        self.reply = reply
        self.told: dict[str, Told] = {}

    async def answer(self, body: bytes) -> Any:
        """A completion in one of the manners."""
        request = json.loads(body)
        given = (request["model"], request["messages"], request.get("seed"))
        said = self.told[asked(*given)] = self.reply(*given)
        self.calls[asked(*given)] += 1
        return 200, {}, self.completion(said.text, finish="length" if said.is_cut else "stop")


def main() -> None:
    """Serve on a free port until interrupted: to walk through the guide by hand."""
    argparse.ArgumentParser(description=main.__doc__).parse_args()
    with serving(Author()) as address:
        print(address, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
