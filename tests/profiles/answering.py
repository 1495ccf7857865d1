"""A stub that reads a prompt to its last line and answers in the form asked for, now right, now wrong, by the prompt's hash."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping

from stub import Stub

from tests.tracks.mfava.tiny_wiki import inserted

Asked = tuple[str, str]  # the whole prompt, and the message that is answered
FENCE = re.compile(r"#([^#\n]+)#:\n<data-[^>]*>\n?(.*?)\n?</data-", re.DOTALL)
LINE = re.compile(r"^#([^#\n]+)#: (.+)$", re.MULTILINE)


def chance(*key: str) -> int:
    """A whole number that the words decide."""
    return int.from_bytes(hashlib.sha256("\n".join(key).encode()).digest()[:4])


class Answering(Stub):
    """The models of a profile, which err by chance."""

    async def answer(self, body: bytes) -> tuple[int, dict, bytes]:
        """A completion in the form that the prompt asks for."""
        request = self.last = json.loads(body)
        self.calls[hashlib.sha256(body).hexdigest()] += 1
        messages = [message["content"] for message in request["messages"]]
        searches = "online" in request["model"]
        self.more = (
            {"search_results": [{"url": "https://varn.example/", "title": "Varn"}]} if searches else {}
        )
        return 200, {}, self.completion(answered(request["model"], messages, seed=str(request.get("seed"))))


def answered(model: str, messages: list[str], *, seed: str = "") -> str:
    """The answer of a model to a conversation."""
    whole, last = "\n".join(messages), messages[-1].rstrip()
    draw = chance(model, seed, whole)
    if last.endswith("Reply with the single word Understood."):
        return "Understood."
    heading = last.rpartition("\n")[2].strip("#:")
    fields = dict(LINE.findall(last) + FENCE.findall(last))
    for name, answer in BY_HEADING.items():
        if re.fullmatch(name, heading):
            return answer(draw, whole, last, fields)
    if draw % 11 == 0:
        return "I'm sorry, but I do not know anything about that."
    return " ".join(SENTENCES[draw // 7**place % 7] for place in range(1 + draw % 4))


SENTENCES = (
    "The tower is built of tin.", "It was opened in 1911.", "The mayor was born in Oster.", "Nobody knows the number.",
    "Two bridges cross the river.", "Its fair is held in June.", "The harbour has four cranes.",
)  # fmt: skip


def _candidate(draw: int, whole: str, last: str, fields: Mapping[str, str]) -> str:
    """A hallucinated text; with the name of a pattern where the writer is to choose one."""
    text = f"{SENTENCES[draw % 7][:-1]}, they say."
    names = re.findall(r"^#Pattern#: (.+)$", whole, re.MULTILINE)
    if "#Pattern#:" in last:
        return text
    noun = re.search(r"#Hallucinated \w+#", last)[0]
    return f"#Pattern#: {names[draw % len(names)]}\n{noun}: {text}"


def _numbered(draw: int, whole: str, last: str, fields: Mapping[str, str]) -> str:
    """One of two texts, by the noun that heads them."""
    noun = next(name for name in fields if name.endswith(" 1")).removesuffix(" 1")
    return f"{noun} {1 + draw % 2}"


def _verdict(draw: int, *_: object) -> str:
    return "Yes" if draw % 3 else "No"


def _reasoned(draw: int, *_: object) -> str:
    return f"I looked at each word.\n#Your Judgement#: {_verdict(draw)}"


def _facts(draw: int, whole: str, last: str, fields: Mapping[str, str]) -> str:
    """Each sentence as a fact of its own."""
    return "\n".join(line for line in fields["Sentences"].splitlines() if line.strip())


def _verdicts(draw: int, whole: str, last: str, fields: Mapping[str, str]) -> str:
    """A verdict on each numbered claim."""
    numbers = re.findall(r"^\[(\d+)\]", fields["Claims"], re.MULTILINE)
    return "\n".join(f"[{n}] {'' if chance(str(draw), n) % 3 else 'not '}supported" for n in numbers)


def _located(draw: int, whole: str, last: str, fields: Mapping[str, str]) -> str:
    """A verdict with the first sentence quoted and a reason; a bare No."""
    first = fields["Response"].split(". ")[0].rstrip(".")
    return f'Yes. The segment "{first}" is wrong, because nothing says so.' if draw % 2 else "No."


def _induced(draw: int, *_: object) -> str:
    """A hallucinated response with its segment and reason."""
    text = SENTENCES[draw % 7]
    return f'#Induced Response#: {text}\n#Segment#: "{text[:-1]}"\n#Rationale#: The knowledge says otherwise.'


def _text(draw: int, *_: object) -> str:
    return f"{SENTENCES[draw % 7]} {SENTENCES[draw // 7 % 7]}"


BY_HEADING: dict[str, Callable[..., str]] = {
    r"Hallucinated (?!One)\w+": _candidate,
    r"Best \w+|Your Choice|Hallucinated One": _numbered,
    "Your Judgement|Is It Hallucinated": _verdict,
    "Annotation|Judgement And Reason": _located,
    "Induced Response": _induced,
    "Faithful Paraphrase": _text,
    "Next Response": _text,
    "Evaluation Is": lambda draw, *_: "Accurate" if draw % 3 else "Inaccurate",
    "Reasoning": _reasoned,
    "Passage": lambda *asked: asked[-1]["Reference"],
    "Tagged Passage": lambda *asked: inserted(asked[-1]["Passage"], asked[-1]["Type"]),
    "Translation": lambda *asked: "[{Target Language}] {Text}".format(**asked[-1]),
    "Queries": lambda *asked: "1. What is {Title}?\n2. Where is {Title}?".format(**asked[-1]),
    "Answerable": _verdict,
    "Facts": _facts,
    "Verdicts": _verdicts,
    r"Refined \w+": lambda draw, *_: f"{SENTENCES[draw % 7]} This is known.",
}
