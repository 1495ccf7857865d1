"""What stands beside a word of verdict and speaks against it, or shows that it answers something else: the same
said in words, agreement with a claim of the text, the verdict on one step of a list.
"""

import re

from truerate.core.patterns import lazy
from truerate.llm.replies.grammar import paraphrase, state
from truerate.llm.replies.lexicon import WORD

# words of the other verdict behind one, in a sentence that the grammar does not read
CONTRARY = {
    True: lazy(r"\b(?:not|no|n't|free\s+of|without)\s+(?:\w+\s+){0,2}?hallucinat", re.I),
    False: lazy(r"\A(?!.*\b(?:not|no|nothing|none|never|without|free|neither|nor|zero|if|whether|non)\b|.*n't\b)"
                r".*\b(?:is|are|was|were|contains?|has|have|includes?)\s+(?:\w+\s+){0,2}?hallucinat", re.I | re.DOTALL),
}  # fmt: skip
_SOURCE = r"(?:the|this|that)\s+(?:\w+\s+)?(?:document|knowledge|source|text|passage|article|dialogue|context|history|evidence)\s+"
# a Yes that agrees with a claim, and a No that disputes one: the contrary of what was asked, or a step
OF_CLAIM = {
    True: lazy(
        r"the\s+(?:names?|places?|dates?|years?|numbers?|titles?|quot(?:es?|ations?))\s+(?:agrees?|match(?:es)?|fits?|is\s+right|are\s+right)\s*\Z|"
        rf"{_SOURCE}(?:does|says?|states?|mentions?|confirms?|supports?|has|agrees)\s*"
        r"(?:so|it|this|that|exactly\s+that|the\s+same)?\s*(?:as\s+well|too|also)?\s*\Z"
        rf"|(?:that|this|it)(?:'s|\s+is)\s+(?:exactly\s+|also\s+)?what\s+{_SOURCE}(?:says|states|mentions|gives|"
        rf"has)\b(?!.*\b(?:not|but)\b)",
        re.I,
    ),
    False: lazy(
        rf"{_SOURCE}(?:(?:does\s+not|doesn't|never)\s*(?:says?|states?|mentions?|confirms?|supports?)?\s*(?:so|it|this|that)?|"
        r"(?:disagrees|says\s+otherwise|contradicts\s+(?:it|this|that)))\s*\Z",
        re.I,
    ),
}
# behind a Yes or No about what was given: the material or the question, not the text that is judged
OF_GIVEN = lazy(
    r"(?:the|this|that|your)\s+(?:given\s+|provided\s+)?(?:knowledge|source|document|passage|article|context|question|query|"
    r"conversation|dialogue(?:\s+history)?|instructions?|task|prompt|format)\s+(?:is|are|was|seems|looks)\s+(?:not\s+|n't\s+)?"
    r"(?:(?:very|quite|perfectly|really|entirely|fully|a\s+bit|rather)\s+)?(?:reliable|trustworthy|clear|unclear|ambiguous|vague|"
    r"complete|incomplete|sufficient|insufficient|enough|relevant|long|short|easy|simple|hard|difficult|tricky|interesting|"
    r"understood|understandable|available|readable|well[ -]?known|detailed|good|fine|valid|leading|loaded)"
    r"(?:\s+(?:enough|here|to\s+me))?\s*\Z"
    r"|(?:the|this|that|your)\s+(?:document|source|text|article|passage|summary|answer|response)\s+is\s+(?:written\s+)?in\s+"
    r"(?:english|german|french|spanish|portuguese|italian|chinese|japanese|russian|arabic|dutch|turkish|polish|korean|hindi)\b",
    re.I,
)
# behind a Yes or No that answers the one who asks: courtesy, what the writer will or cannot do, what it lacks
COURTEOUS = lazy(
    r"\W*(?:please\b|(?:happy|glad)\s+to\b|(?:i(?:'m|\s+am)\s+afraid\s+)?i\s+(?:do\s+not|don't|can't|cannot)\s+(?:have\s+access|access|open)\b|"
    r"(?:claro|por\s+supuesto|natürlich|gerne?|bien\s+sûr|avec\s+plaisir|certo|volentieri|com\s+prazer|конечно|当然|もちろん)\b[^\n]*[?？]|"
    r"(?:claro\W+)?(?:con\s+(?:mucho\s+)?gusto|avec\s+plaisir|com\s+prazer|sehr\s+gerne?|volentieri)\b|"
    r"(?:das|es)\s+(?:lässt\s+sich|kann\s+ich)\s+(?:so\s+)?nicht\s+(?:sagen|beurteilen|entscheiden)|"
    r"(?:je\s+ne\s+(?:peux|sais)\s+pas|no\s+(?:puedo|sé|se\s+puede)\s+(?:decir|juzgar|saber)|non\s+posso\s+(?:dire|giudicare))\b|(?:the\s+)?next\s+(?:question|one|example|item)\b|[^.,;:!?\n]{1,40}\splease\s*[.!]?\s*\Z|"
    r"thanks?\b|thank\s+you\b|sorry\s*(?:\W*\Z|[,.!]?\s*(?:but\s+)?i\b)|"
    r"(?:sure|of\s+course|absolutely|certainly)\s*[.!,]\s*(?:which|what|please|i|let|how|could|can|may|here|send|give)\b|"
    r"let(?:'s|\s+me|\s+us)\s+(?!explain|elaborate|clarify|walk|break)|(?:i|we)(?:'d|\s+would)\s+(?:be\s+)?(?:happy|glad|love|like)\b|i\s+(?:(?:really|also|do)\s+)?(?:love|loved|like|liked|enjoy|enjoyed|adore)\b|"
    r"(?:i|we)(?:'m|'re|\s+am|\s+are)\s+(?:happy|glad|ready|here|able)\b|(?:i|we)(?:'ll|\s+will)\s+(?!say|answer|stand|stick|go)|"
    r"(?:i|we)\s+(?:will\s+not|won't|cannot|can't|can\s+not)\s+(?!(?:\w+ly\s+)?(?:find|see|detect|spot|identify|"
    r"locate|confirm|verify|trace))|"
    r"(?:i|we)\s+(?:do\s+not|don't)\s+have\s+(?:enough|the|any|sufficient)\b|(?:i|we)\s+(?:have\s+not|"
    r"haven't)\s+(?:seen|received|got|read|been)\b|"
    r"(?:i|we)\s+have\s+(?:no|some|a|any)\s+(?:\w+\s+)?"
    r"(?:questions?|doubts?|objections?|idea|comments?)\b|(?:i|we)\s+need\b|"
    r"(?:understood|noted|ready|got\s+it|ok(?:ay)?)\s*(?:[.!,]|\Z)|that(?:'s|\s+is)\s+not\s+what\s+i\b|(?:i|we)(?:'ve|"
    r"\s+have)\s+(?:\w+\s+)?"
    r"(?:evaluated|read|reviewed|checked|compared|analy[sz]ed|received)\b[^:;,]*\Z)",
    re.I,
)
# a Yes to the one who asks, before what the writer is about to do: `Yes, of course! Let me take a look.`
COURTESY_FIRST = lazy(
    r"(?:\A|(?<=\n\n))\W*yes\W+(?:sure|of\s+course|absolutely|certainly|gladly|no\s+problem|definitely)\s*[.!,]+\s*"
    r"(?=(?:let\s+me|let's|i(?:'ll|\s+will|'d\s+be|\s+would\s+be|'m\s+happy|\s+am\s+happy)|here\s+(?:is|are)\s+my)\b"
    r"(?!\s+(?:explain|elaborate|clarify|walk|break|say|answer)))",
    re.I,
)
# in a list: the verdict on one entry behind what it is about (`2. The year is 1931. Yes, it matches.`)
_ENTRY = lazy(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+\S", re.MULTILINE)
_STEP = lazy(
    r"^([ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?![^\n]*\b(?:final|overall|judge?ment|verdict|conclusion)\b)"
    rf"[^\n]*?\w[^\n]*?[.!][\"*_)]*[ \t]+(?:(?:supported|verified|correct|accurate|true|confirmed)[ \t]*[:=?][ \t]*)?)(?:{WORD})(?!\w)",
    re.I | re.MULTILINE,
)


_LONGEST_STEP = 400  # characters: the pattern takes the square of a line's length


def without_steps(text: str) -> str:
    """A text whose lists hold a placeholder for each verdict on one entry."""
    if len(_ENTRY.findall(text)) < 2:
        return text
    lines = text.split("\n")
    return "\n".join(_STEP.sub(r"\1Q", line) if len(line) <= _LONGEST_STEP else line for line in lines)


def in_words(clause: str) -> bool | None:
    """What a clause beside a verdict says in words of the judged text."""
    plain = re.sub(r"(?i)\bclaim\b", "statement", clause.strip(" \t,.;:!—–-()[]|…"))
    said = paraphrase(plain) if plain else None
    return state(plain) if said is None and plain else said
