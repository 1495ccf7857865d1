"""What a clause with one text as its subject says of it, by what stands behind the name: the kinds that `weighing` weighs."""

import re
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.holding import SOURCE

NAME = "[\x01\x02]"  # the sign of a text (`comparisons.signed`)
_SURELY = r"(?:(?:clearly|simply|also|even|just|directly|plainly|obviously|actually|indeed|then|completely|entirely|fully|only)\s+)*"
BAD = (
    r"(?:hallucinated|fabricated|made[ -]up|invented|false|wrong|incorrect|inaccurate|unsupported|unfounded|unverifiable|untrue|"
    r"ungrounded|non-?factual|unfaithful|erroneous|baseless|fictional|fictitious)"
)
FAULTS = (
    rf"(?:hallucinations?|fabrications?|errors?|mistakes?|inaccurac(?:y|ies)|contradictions?|"
    rf"(?:(?!(?:no|fewer|less|more|zero)\b)[\w-]+\s+){{0,2}}{BAD}\s+(?:[\w-]+\s+){{0,2}}?(?:details?|facts?|claims?|"
    rf"information|content|statements?|dates?|names?|numbers?|"
    r"figures?|places?|parts?|things?|assertions?|material|elements?|years?|quotes?|events?))"
)
# verbs with the ending of `it …s`, which `does not …` leaves out
_ERR = (
    rf"(?:(?:invent§|fabricate§|hallucinate§|distort§|misstate§|misrepresent§|misquote§|misread§|misattribute§)(?!\s+(?:no|nothing)\b)|"
    rf"make§\s+(?:(?:something|things|it|that|a\s+\w+|the\s+\w+|facts?|details?)\s+up\b|up\b)|"
    rf"(?:contradict§|conflict§\s+with|clash§§\s+with|go§§\s+(?:beyond|against)|(?:deviate|depart|"
    rf"stray)§\s+from)\s+(?:what\s+)?(?:{SOURCE}|it)\b|"
    rf"get§\s+(?:the\s+|its\s+|some\s+)?(?:[\w']+\s+){{1,4}}wrong|"
    rf"(?:contain§|include§|add§|introduce§|make§|give§|state§|ha[sv]e?|mention§|present§)\s+"
    rf"(?:an?\s+|some\s+|several\s+|many\s+|any\s+|one\s+|two\s+)?{FAULTS})"
)
_HOLD = (
    rf"(?:(?:stick|keep|adhere)§\s+(?:strictly\s+|closely\s+|only\s+|faithfully\s+)*to|stay§\s+(?:strictly\s+|closely\s+|faithfully\s+)*"
    rf"(?:with(?:in)?|close\s+to|true\s+to|faithful\s+to)|(?:match(?:es)?|(?:reflect|align|agree|"
    rf"correspond)§)(?:\s+\w+ly)?(?:\s+(?:with|to))?|"
    rf"follow§|remain§\s+(?:true|faithful)\s+to)\s+(?:what\s+)?(?:{SOURCE}|it)\b"
)
_ERRS, _HOLDS = (verbs.replace("§§", "es").replace("§", "s") for verbs in (_ERR, _HOLD))
_ERR_NOT, _HOLD_NOT = (verbs.replace("§", "") for verbs in (_ERR, _HOLD))
GOOD = (
    r"(?:faithful|accurate|correct|right|supported|grounded|factual|truthful|consistent|true\s+to|backed|borne\s+out|reliable|sound|"
    r"in\s+line\s+with|free\s+(?:of|from)\s+(?:any\s+)?(?:hallucinations?|errors?|mistakes?|fabrications?))"
)
_IS = r"(?:is|was|looks|seems|appears|sounds|remains|must\s+be|has\s+to\s+be)(?:\s+to\s+be)?"
_ISNT = rf"(?:{_IS}\s+not|isn't|wasn't)"
_DOESNT = r"(?:does\s+not|doesn't|did\s+not|didn't)"
_WELL = (
    r"(?:well|fully|clearly|entirely|completely|also|quite|very|factually|the|a|an|one\s+(?:that|which)\s+is)"
)
TRUE = r"(?:faithful|accurate|correct|supported|grounded|factual|truthful|consistent)"
LIKELY = r"(?:plausible|convincing|natural|believable|credible|reliable|precise|realistic|relevant|likely)"
_CLOSELY = r"(?:closely|faithfully|accurately|precisely|strictly|tightly)"
_MUCH = r"(?:(?:slightly|much|far|therefore|thus|hence|clearly|somewhat|significantly|noticeably|a\s+bit|a\s+little|overall)\s+)?"
_THAN = rf"(?:\s+(?:(?!\b(?:not|no|never|but|more|less|better|worse)\b)[^\x01\x02]){{1,60}}?)?(?:\s+than\s+{NAME}(?:\s+(?:does|is|do))?)?"
# what may follow a fault that is told, and what may follow that there is none: no word that takes it back
REST = r"(?:\s*[:—–]?\s+(?:(?!\b(?:but|yet|although|though|however|except|apart|nothing|not\s+at\s+all)\b)[^\x01\x02])*)?"
_NO_FAULT = (
    r"(?:\s+(?:(?!\b(?:but|yet|although|though|however|except|apart|not|no|never|without|only|partly|partially|mostly|largely|wrong\w*|"
    r"false\w*|incorrect\w*|inaccura\w*|invent\w*|fabricat\w*|hallucinat\w*|made[ -]up|errors?|mistakes?|contradict\w*|unsupported|"
    r"more|less|better|worse)\b|n't\b)[^\x01\x02])*)?"
)


class _Kind(NamedTuple):
    """A kind of clause: what it says of its subject, and the pattern of what stands behind the name."""

    says: str
    form: re.Pattern[str]


def _kind(says: str, *forms: str) -> _Kind:
    whole = "|".join(f"(?:{form})" for form in forms)
    return _Kind(says, lazy(rf"(?:{whole})", re.I))


KINDS = (
    _kind("picked", rf"(?:{_SURELY})(?:wins|has\s+the\s+edge|it\s+is|is\s+(?:my|the)\s+(?:choice|pick|winner)|"
          r"is\s+the\s+(?:one|answer|response|summary)\s+(?:that\s+)?i(?:'d|\s+would)?\s+(?:trust|choose|pick|"
          r"go\s+with|prefer|take))(?:\s+here)?"),
    _kind(
        "better",
        rf"{_IS}\s+{_MUCH}(?:the\s+)?(?:better(?!\s+(?:{TRUE}|backed|founded)\b)|superior|preferable|stronger|"
        rf"more\s+(?:\w+ly\s+)?{LIKELY}){_THAN}",
    ),
    _kind(
        "truer",
        rf"{_IS}\s+{_MUCH}(?:the\s+)?(?:more\s+(?:\w+ly\s+)?{TRUE}|better\s+(?:{TRUE}|backed|founded)){_THAN}",
        rf"{_IS}\s+{_MUCH}(?:closer|nearer|truer)\s+to\s+{SOURCE}(?:\s+than\s+{NAME}(?:\s+is)?)?",
        rf"(?:sticks|stays|keeps|adheres|follows|matches|reflects|fits)\s+(?:{SOURCE}\s+)?{_MUCH}(?:more\s+{_CLOSELY}|better)"
        rf"(?:\s+(?:to|with|within)?\s*{SOURCE})?{_THAN}",
        rf"{_SURELY}(?:contains|has|makes|includes|shows|introduces)\s+{_MUCH}(?:fewer|less)\s+{FAULTS}{_THAN}",
    ),
    _kind(
        "worse",
        rf"{_IS}\s+{_MUCH}less\s+(?:\w+ly\s+)?{TRUE}(?:\s+to\s+{SOURCE})?\s+than\s+{NAME}(?:\s+is)?",
        rf"{_SURELY}(?:contains|has|makes|includes|shows|introduces)\s+{_MUCH}more\s+{FAULTS}{_THAN}",
    ),
    _kind(
        "lacking",
        rf"{_SURELY}(?:misses|omits|leaves\s+out|ignores|lacks|skips|overlooks)\s{REST}[^\x01\x02]*",
        rf"{_IS}\s+(?:too\s+\w+|vague|short|brief|incomplete|unclear){REST}",
    ),
    _kind(
        "faulty",
        rf"{_SURELY}{_ERRS}{REST}",
        rf"(?:has\s+)?(?:made\s+up|invented|fabricated|hallucinated|misstated|misquoted|contradicted)\s+(?!no\b|nothing\b)\w+{REST}",
        rf"(?:wrongly|incorrectly|falsely|erroneously|mistakenly|inaccurately)\s+\w+s\b(?!\s+(?:no|nothing)\b){REST}",
        rf"{_SURELY}(?:confuses|mixes\s+up|swaps|misidentifies|misnames|mislabels|misdates)\b{REST}",
        rf"{_IS}\s+{_SURELY}(?:the\s+)?{BAD}(?:\s+one)?{REST}",
        rf"{_ISNT}\s+(?:{_WELL}\s+)*{GOOD}{REST}",
        r"(?:gives|names|has|states)\s+(?:an?|the)\s+(?:wrong|incorrect|false)\s+\w+(?:\s+\([^)\x01\x02]*)?",
        rf"{_DOESNT}\s+{_SURELY}(?:{_HOLD_NOT}|hold\s+up|check\s+out){REST}",
        rf"(?:cannot|can't)\s+be\s+(?:verified|confirmed|traced|found|supported){REST}",
    ),
    _kind(
        "clean",
        rf"(?:{_DOESNT}\s+{_SURELY}{_ERR_NOT}|never\s+{_ERRS}){_NO_FAULT}",
        rf"(?:contains|has|includes|makes|adds|introduces)\s+no\s+{FAULTS}{_NO_FAULT}",
    ),
    _kind(
        "sound",
        rf"{_SURELY}(?:holds\s+up|checks\s+out|can\s+be\s+(?:verified|confirmed|traced)){_NO_FAULT}",
        rf"(?:invents|fabricates|distorts|adds|makes\s+up)\s+nothing{_NO_FAULT}",
        r"(?:gives|names|has|states)\s+the\s+(?:correct|right)\s+\w+(?:\s+\([^)\x01\x02]*)?",
        r"gets\s+(?:[\w']+\s+){1,4}right",
        rf"(?:correctly|accurately|faithfully|rightly|truthfully)\s+\w+s\b{_NO_FAULT}",
        rf"only\s+(?:says|states|reports|repeats|mentions|gives|uses|includes|"
        rf"contains)\s+(?:what\s+{SOURCE}\s+(?:says|states|gives|mentions|contains|holds)|"
        rf"(?:(?:supported|verified|verifiable|correct|true|accurate)\s+)(?:statements?|facts?|information|details?|claims?)|"
        rf"(?:facts?|information|details?|claims?|statements?|what\s+is)\s+(?:from|in|found\s+in|supported\s+by|"
        rf"given\s+in|mentioned\s+in)\s+{SOURCE})",
        rf"{_IS}\s+(?:{_WELL}\s+)*{GOOD}(?:\s+(?:one|answer|response|summary))?{_NO_FAULT}",
        rf"{_ISNT}\s+{_SURELY}{BAD}{_NO_FAULT}",
        rf"{_SURELY}{_HOLDS}{_NO_FAULT}",
        rf"(?:avoids|is\s+without)\s+(?:any\s+)?{FAULTS}{_NO_FAULT}",
    ),
)  # fmt: skip
