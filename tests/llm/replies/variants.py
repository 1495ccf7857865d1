"""Seeded variants of the corpora's replies: forms that keep the meaning, and cuts inside or before a verdict."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from truerate.llm.thought import split_thought

Row = dict[str, Any]
Form = Callable[[str, random.Random], str]
VARIED = ("verdicts", "chains", "choices", "located", "accuracies")  # the corpora of which variants are made
HEADINGS = (
    "#{}#: ", "**{}:** ", "### {}\n", "`#{}#:` ", "{}: ", "[{}]: ", "#{}#\n", "> **{}**: ", "###{}###:\n", "＃{}＃：",
)  # fmt: skip
THOUGHTS = (
    "<think>It may be Yes, it may be No. Answer 1? Answer 2?</think>\n", "<thinking>\nNo, no.\n</thinking>\n\n",
    "◁think▷Yes? The second one?◁/think▷", "So far Yes, or No.</think>\n", "[THINK]No. Answer 2.[/THINK]",
    "<|channel|>analysis<|message|>Yes or No, 1 or 2?<|end|><|start|>assistant<|channel|>final<|message|>",
)  # fmt: skip
TOKENS = (
    "<|eot_id|>",
    "</s>",
    "<|im_end|>",
    "<eos>",
    "<｜end▁of▁sentence｜>",
    "<|im_end|>\n<|im_start|>user\nNo, yes?",
)
EXAMPLE = {
    "verdicts": "\n\n#Document#: The mill burnt in 1901.\n#Summary#: It burnt in 1910.\n#Your Judgement#: {}",
    "choices": "\n\n#Question#: Which sea?\n#Answer 1#: Baltic\n#Answer 2#: North\n#Best Answer#: {}",
    "located": "\n\n#Knowledge#: The mill burnt in 1901.\n#Response#: It burnt in 1910.\n#Annotation#: {}",
    "accuracies": "\n\n#Knowledge#: The mill burnt in 1901.\n#Evaluation#: No.\n#Evaluation Is#: {}",
}
OWN = ("udg", "hoice", "Best")
CUES = {"located": "Annotation", "accuracies": "Evaluation Is"}
# what a reply holds that has a heading of its own
HEADED = re.compile(
    r"udg|hoice|Best|nnotation|NNOT|Evaluation|valuation is|erdict|nswer|##|^\W*\w+:", re.MULTILINE
)
BEHIND = ("\n\nLet me know if you need more.", "\n\nI looked at every date and every name.", "\n")
# what a reply goes on with behind its verdict, where the server cuts it at a length
TAILS = (
    "\n\n### Explanation\nThe document gives 1931, and so does the text; the mayor is named in both.",
    "\n\nLet me know if you would like me to check another one.",
    "\n\n**Remark:** I compared the dates, the names and the places that are given.",
    "\n\n<think>\nShould I say more about the second sentence? Perhaps",
)
UNSEEN = ("\ufeff{}", "{}\u200b", "\u202a{}\u202c", "\x00{}\x0b", "\u200e{}\u200e", "{}\ufe0f", "{}\u00ad")
COURTESIES = (
    "Sure! Here is my answer:\n\n{}", "Okay.\n\n{}", "{}\n\n---", "---\n\n{}", "{}\n\nI hope this helps!",
    "Here's my response:\n\n{}\n\nLet me know if you have any questions.",
)  # fmt: skip
BEFORE = ("\n\n", "Let me look at it.\n\n", "  \n")


def forms(kind: str, row: Row) -> Iterator[tuple[str, Form]]:
    """The forms that keep the meaning of a reply of this kind."""
    is_headed = bool(HEADED.search(row["text"])) if kind in CUES else any(mark in row["text"] for mark in OWN)
    is_wrapped = row["text"].lstrip().startswith(("<", "[", "{", "`", "◁")) or "</" in row["text"]
    cue = CUES.get(kind) or row.get("context", {}).get("cue", "Your Judgement")
    other = _other(kind, row["value"])
    yield "thought before", lambda text, draw: draw.choice(THOUGHTS) + text
    yield "thought behind", lambda text, draw: f"{text}\n<think>or the other one, Yes or No?"
    yield "special token", lambda text, draw: text + draw.choice(TOKENS)
    # a reply that breaks off, or announces its verdict alone, is another one with words behind it
    last = row["text"].rstrip().rpartition("\n")[2]
    is_broken = len(last.split()) > 2 and re.search(r"[\w,;-]\Z", last)
    is_open = row["value"] is None and (
        is_broken or last.endswith(":") or not split_thought(row["text"]).answer
    )
    is_material = is_open or re.match(r"\W*(?:Knowledge|Document|Question|Dialogue History)\W*:", row["text"])
    if row["text"].strip() and not is_material:
        # nothing would stand before the example, and a reply may begin by repeating what it was given
        behind = EXAMPLE.get(kind, EXAMPLE["verdicts"]).format(other)
        yield "next example", lambda text, draw: text + behind
    yield "words before", lambda text, draw: draw.choice(BEFORE) + text
    if not is_open:
        yield "words behind", lambda text, draw: text + draw.choice(BEHIND)
        yield "cut behind", lambda text, draw: text + _cut(draw.choice(TAILS), draw)
    yield "line ends", lambda text, draw: text.replace("\n", "\r\n")
    yield "signs unseen", lambda text, draw: draw.choice(UNSEEN).replace("{}", text)
    yield "courtesy", lambda text, draw: draw.choice(COURTESIES).replace("{}", text)
    if not is_wrapped:
        yield "quotation block", lambda text, draw: "> " + text.replace("\n", "\n> ")
    yield "blank lines", lambda text, draw: "\n" + text.replace("\n", "\n\n") + "\n\n"
    if kind != "located":  # two answers quote twice
        yield "doubled", lambda text, draw: f"{text}\n\n{text}"
    if not is_headed and not is_wrapped:
        yield "heading", lambda text, draw: draw.choice(HEADINGS).format(cue) + text
    if "\n" not in row["text"] and not is_wrapped:
        yield "bold", lambda text, draw: f"**{text}**"
        yield "fence", lambda text, draw: f"```\n{text}\n```"
        yield "tags", lambda text, draw: f"<answer>{text}</answer>"
        if '"' not in row["text"] and "“" not in row["text"]:
            yield "quotation", lambda text, draw: f"“{text}”"


def _cut(text: str, draw: random.Random) -> str:
    return text[: draw.randrange(1, len(text))]


def _other(kind: str, value: Any) -> Any:
    """The answer that a next example gives: the contrary one, of a choice the same."""
    if kind == "accuracies":
        return "Accurate" if value is not True else "Inaccurate"
    if kind == "located":
        return "No" if value and value["verdict"] else "Yes"
    return {True: "No", False: "Yes", None: "Yes"}.get(value, value)


def kept(rows: list[tuple[str, Row]], n: int, seed: int) -> list[tuple[str, Row]]:
    """`n` variants of replies, each with the value of the reply that it was made of, and the form's name."""
    draw = random.Random(seed)
    usable = [(kind, row) for kind, row in rows if row["kind"] not in ("empty", "cut", "special token")]
    variants = []
    while len(variants) < n:
        kind, row = draw.choice(usable)
        name, form = draw.choice(list(forms(kind, row)))
        variants.append((kind, {**row, "text": form(row["text"], draw), "form": name}))
    return variants


# Replies and their verdict; a cut anywhere before its end leaves nothing to read, but for what OF_A_CUT names.
CUT = (
    ("Yes", "Yes"), ("#Your Judgement#: No", "No"), ("**Your Judgement:** Yes", "Yes"), ("### Your Judgement\nNo", "No"),
    ("The year differs from the one in the source.\n#Your Judgement#: Yes", "Yes"),
    ("Every date is in the document, and so is the name.\n**Your Judgement:** No", "No"),
    ("<think>It may be Yes. Or is it No? The mayor is not named.</think>\nNo", "No"),
    ("<think>No mayor is named, so Yes.</think>\n#Your Judgement#: Yes", "Yes"),
    ("The answer is hallucinated", "hallucinated"), ("The answer is not hallucinated", "hallucinated"),
    ("The response is free of hallucination", "hallucination"), ("The summary contains no hallucination", "hallucination"),
    ("The summary contains hallucination", "hallucination"), ("Nothing is made up", "made up"),
    ('{"hallucinated": "yes"}', '"yes"'), ('{"reason": "No year is given, yes.", "verdict": "no"}', '"no"'),
    ('```json\n{"judgement": "Yes"}', '"Yes"'), ("<answer>Yes", "Yes"), ("Nein", "Nein"), ("Oui", "Oui"), ("Não", "Não"),
    ("Step 1: the year is right.\nStep 2: the place is another one.\nSo the verdict is Yes", "Yes"),
    ("1. Year: yes\n2. Place: no\n\nYour Judgement: Yes", "Yes"), ("My final answer is No", "No"),
    ("Nothing in the text speaks of tolls, hence it is hallucinated", "hallucinated"),
    ("The source says No to the offer and the text says so. Your Judgement: No", "No"),
    ("<|channel|>analysis<|message|>Yes or No?<|end|><|start|>assistant<|channel|>final<|message|>Yes", "Yes"),
    ("I do not think that the answer is hallucinated", "hallucinated"), ("There is no hallucination", "hallucination"),
    ("Yes or no? Let me think. The dates agree. My judgement is: no", "no"),
)  # fmt: skip
OF_A_CUT = {"No": False, "The answer is no": False, "Yes": True, "Yes ": True}


def cuts(n: int, seed: int) -> list[Row]:
    """`n` replies cut before or inside their verdict."""
    draw = random.Random(seed)
    variants = []
    while len(variants) < n:
        text, verdict = draw.choice(CUT)
        end = text.rindex(verdict) + len(verdict)
        left = text[: draw.randrange(0, end)]
        variants.append({"text": left, "value": OF_A_CUT.get(left), "kind": "cut"})
    return variants
