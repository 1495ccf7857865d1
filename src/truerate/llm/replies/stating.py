"""How a sentence states a verdict: the forms that `statements` tries on it, each a pattern with the word of verdict
in its group `word`; what stands before and behind in `before`, `after`, `rest`; and the marks that part sentences.
"""

import re

from truerate.core.patterns import lazy
from truerate.llm.replies.lexicon import ANSWERS, WORD

HALLUCINATION = lazy(
    r"(?:(?:is|has|contains?|any)\s+)?(?:an?\s+|the\s+)?hallucinat(?:ed|ions?)(?:\s+(?:content|information|details?|detected|"
    r"found|present))?",
    re.I,
)
SOUND_KEY = lazy(
    r"(?:is\s+)?(?:(?:factually|fully|entirely)\s+)?(?:faithful|accurate|correct|supported|factual|grounded|"
    r"consistent|hallucination[ -]free|no\s+hallucinations?)"
    r"(?:\s+(?:to|by|with|in)\s+(?:the\s+)?(?:source|document|knowledge|context|text))?",
    re.I,
)
LABELS = (
    r"(?:(?:the|my|your|final|overall|corrected|revised|updated|so|short|meine?|mon|ma|mi|la|die|der|das|le|endgültige)\s+)*(?:answer|"
    r"judge?ment|verdict|conclusion|decision|output|"
    r"result|outcome|solution|reply|label|response|classification|assessment|evaluation|status|"
    r"urteil|bewertung|fazit|jugement|verdict final|"
    r"resposta|risposta|(?:giudizio|verdetto|conclusione)\s+finale|(?:veredicto|jugement|julgamento|conclusión|conclusão)\s+final|итог|odpowiedź|werdykt|ocena|juicio|veredicto|giudizio|verdetto|julgamento|veredito|oordeel|вывод|вердикт|(?:最終|"
    r"最终)?(?:的な)?(?:判断|判定|結論|结论)|"
    r"결론|판단|판정|الحكم|karar(?:ım)?|निर्णय|答案|antwort|réponse|respuesta|ответ|الجواب|الإجابة|cevap|yanıt|답변?|"
    r"final(?=\W*[:=])|choice)"
)
# what may stand between a label or a verb of judging and the word, and behind the word
_SURELY = r"(?:clearly|definitely|simply|therefore|thus|hence|certainly|indeed|a\s+clear|a\s+definite)\s+"
_HERE = r"\s+(?:here|this\s+time|overall|(?:for|to|on|in)\s+this(?:\s+(?:one|case|question|example))?)\b"
_MARK = r"[\s\"'“„«*_`(\[{<]*"
_SHUT = r"[\"'”“»*_`)\]}>]*"
_FREE = rf"(?<!\w)(?P<word>{WORD})(?!\w|-\w)"
# the word alone: behind the mark of a list, or said again
ALONE = lazy(
    rf"(?:\s*\(?(?:\d|[a-d])[.)](?=\s))?[\W_]*{_FREE}(?:[\s,.!*\"'-]+(?P=word)(?!\w)){{0,5}}[\W_]*", re.I
)
_FILLER = (
    r"(?:(?:assistant|a|ai|bot|judge|model)\s*:\s*)?(?:(?:so|thus|hence|therefore|overall|and|or|but|well|actually|"
    r"ok(?:ay)?|hmm+|oh|ah|sorry|rather|then|right|indeed|honestly|clearly|definitely|absolutely|"
    r"in\s+(?:my\s+(?:view|opinion)|short|sum|brief|a\s+word)|unfortunately|fortunately|sadly|regrettably|luckily|"
    r"i\s+(?:think|believe)|i\s+mean|"
    r"(?:answering|to\s+answer)\s+(?:the|your)\s+question|given\s+(?:the\s+above|all\s+(?:this|that)|this|that)|"
    r"(?:looking\s+at|having|after|upon|based\s+on|considering|comparing)\b[^,.;:!?\n]{1,60}(?=,)|to\s+be\s+honest|if\s+i\s+(?:had\s+to|must)\s+(?:choose|decide)|"
    r"on\s+balance|all\s+in\s+all|(?:it|that)(?:'s|\s+is|'d\s+be|\s+would\s+be)\s+(?:clearly\s+|definitely\s+)?an?|i(?:'d|"
    r"\s+would)\s+say)\s*[,:]?\s+)*"
)
LEAD = lazy(
    rf"{_FILLER}{_MARK}{_FREE}{_SHUT}(?P<rest>(?:\s*[,.;:!。，、،；：！—–(\[/|…].*|\s*-(?!\w).*|\s+-.*|\s+(?:it|"
    rf"the|this|that|there|i|because|since|as)\b.*|\s+from\s+me\b.*|\s+(?:indeed|definitely|certainly)\b.*|\s*))",
    re.I | re.DOTALL,
)
_SO_ELSEWHERE = (
    r"daher|deshalb|somit|folglich|donc|ainsi|por (?:lo )?tanto|en conclusión|portanto|logo|quindi|dunque|dus|"
    r"следовательно|поэтому|значит|dolayısıyla|zatem"
)
LAST = lazy(
    rf"(?:^|.*(?:[,;:—–\-]|\s))\s*(?:(?:so|hence|thus|therefore|ergo|accordingly|overall|in short|in conclusion|"
    rf"{_SO_ELSEWHERE})\s*[,:]?|→|->|=>|⇒)\s*{_MARK}{_FREE}[\W_]*",
    re.I | re.DOTALL,
)
CONCLUSION = lazy(
    rf"(?P<before>.*?)\b(?:(?P<label>{LABELS})(?:\s+to\s+the\s+question|"
    rf"\s+to\s+(?:the\s+question\s+(?:of\s+)?)?(?P<asked>whether\s+[^,.;:!?\n]{{1,80}}?)|\s+here|\s+for\s+(?:this|"
    rf"the\s+(?:given|above))\s+\w+|,\s[^,.;:!?\n]{{1,60}},|\s+after\s+(?:the\s+)?\w+)?{_SHUT}"
    rf"(?:\s*(?:(?:is\s+)?(?:as\s+follows|the\s+following|follows)\s*:|(?:is|lautet|ist|est|es|è|é|(?:would|should|must|"
    rf"has\s+to)\s+be|(?P<stays>(?:still\s+)?(?:stays|remains)|is\s+still)|=|:|->|→)+)|\s+[-–—]\s)"
    rf"|(?P<voice>i\s+(?:(?:have\s+to|must|will|need\s+to|therefore|thus)\s+)?(?:change|revise|correct)\s+my\s+(?:judge?ment|verdict|"
    rf"answer|decision)\s+to|(?:the|this)\s+(?:answer|response|summary)\s+(?:should|must|has\s+to|can|is\s+to)\s+be\s+(?:judged|"
    rf"labell?ed|classified|marked|rated|categori[sz]ed|evaluated|counted)(?:\s+as)?|"
    rf"i\s+(?:would\s+|therefore\s+)?(?:conclude|end)\s+with\s+(?:a|the)\s+(?:judge?ment|verdict)\s+of|"
    rf"ich\s+würde\s+sagen|je\s+dirais(?:\s+que)?|diría(?:\s+que)?|i(?:'m|\s+am)\s+going\s+with|i(?:'d|\s+would|"
    rf"\s+will|'ll|\s+must|\s+have\s+to|\s+therefore|\s+thus|\s+hence)*\s+"
    rf"(?:answer|say|judge|conclude|reply|respond|vote|go)(?:\s+with)?))\s*[:,]?\s*(?:a\s+|"
    rf"that\s+is\s+|that\s+|{_SURELY})?{_MARK}{_FREE}{_SHUT}"
    rf"(?P<after>(?:{_HERE})?\s*(?:$|[.,;:!(—–-].*|because\b.*|since\b.*|as\b.*))",
    re.I | re.DOTALL,
)
# `So this time it's "No"`
IT_IS = lazy(
    rf"(?:so\s+|hence\s+|thus\s+|therefore\s+)?(?:(?:this\s+time|here|in\s+this\s+case)\s*,?\s+)?it(?:'s|\s+is)\s+(?:a\s+)?[\"“]{_FREE}[.!]?[\"”][\W_]*",
    re.I,
)
FINAL = lazy(r"final|corrected|revised|updated")
CHANGES = lazy(r"\b(?:change|revise|correct)\s+my\b", re.I)  # the last word, whatever was said before
# the verdict named before its noun: `Thus "No" is the appropriate judgement`
APT = lazy(
    rf"(?P<before>{_FILLER}){_MARK}{_FREE}{_SHUT}\s+(?:is|would\s+be|must\s+be|seems)\s+(?P<voice>)(?:clearly\s+|therefore\s+)?"
    r"(?:the|my)\s+(?:(?:appropriate|right|correct|proper|final|fitting)\s+)?(?P<label>judge?ment|verdict|label|decision)"
    r"(?P<after>(?:\s+here)?\s*(?:$|[.,;:!(—–-].*|because\b.*|since\b.*|as\b.*))",
    re.I | re.DOTALL,
)
# an arrow behind a verdict: `No → Yes`
POINTED = lazy(rf"(?<!\w)(?:{WORD})(?!\w).*(?:→|->|=>|⇒)\W*\Z", re.I | re.DOTALL)
THEN = lazy(
    r"[\s,;:—–→⇒]*(?:\band\s+)?(?:\b(?:so|hence|thus|therefore)\b)?[\s,]*(?:\b(?:the|my)\s*)?\Z", re.I
)
REASONED = lazy(
    r"(?:[,;:—–]\s*(?:and\s+)?|\band\s+)(?:so|hence|thus|therefore)\b\s*,?\s*(?:the\s+|my\s+)?\Z"
    r"|(?:[,;:—–]|\band)\s*(?:accordingly|consequently|i\.e\.)\s*,?\s*(?:the\s+|my\s+)?\Z|\A\W*(?:(?:\w+ly|in\s+\w+|and|but|so|hence|overall|fourth|third|second)\s*,?\s+)?"
    r"(?:since|because|as|given\s+that)\b[^.;:!?]+,\s*\Z|\band\s+(?:(?:my|the)\s*)?\Z",
    re.I,
)
# before the label: a condition, or an answer that is not the reply's own
NOT_OWN = lazy(
    r"\b(?:if|whether|would\s+be)\b|\bunder\s+an?\s+\w+\s+(?:reading|interpretation|view)\b|\bin\s+a\s+(?:strict|narrow|broad|loose)\s+sense\b|\A\W*(?:had|were|should)\s|(?:\w's|s')\s*\Z|\b(?:right|given|correct|true|"
    r"expected|proper|actual|candidate|example|sample|"
    r"previous|prior|reference|gold|their|first|second|initial|earlier|other)\s*\Z",
    re.I,
)
RIGHT = lazy(r"\b(?:right|correct|proper)\s*\Z", re.I)
VERDICTS = lazy(r"judge?ment|verdict|decision|conclusion|choice", re.I)
WILLING = lazy(r"\s*(?:(?:sure|certainly|of\s+course|ok(?:ay)?|well)\s*[,!.]\s*)*", re.I)
STANDING = lazy(rf"(?:^|[:.!;])[ \t]*[\"'*_(]*{_FREE}[\"'*_)]*[ \t]*(?=[.!,;]|$)", re.I | re.MULTILINE)
ANNOUNCED = lazy(r"(?:ok(?:ay)?|sure|well|alright)?[\s,.!]*(?:let\s+me|let's|let\s+us|i\s+will|i'll)\b", re.I)
SPOKEN = lazy(rf"[\"“]{_FREE}[,.!?]*,[\"”]\s+\w", re.I)  # `"No," she said`
NEGATED = lazy(r"\b(?:not|never|cannot|nor|neither|wrong|rash|hard|difficult)\b|n't\b", re.I)
# the other word standing as a verdict behind a first one
SECOND = lazy(
    r"(?:[,:;.!?…—–\-(/|]|\b(?:but|or|and|rather|actually|then|say|answer|is|be|wait|mean|also|well|"
    r"probably|perhaps|maybe))"
    rf"\s*[\"'*_]*(?<!\w)(?P<word>{WORD})(?!-\w)[\"'*_]*(?=\s*(?:$|[,.;:!?()\]}}|/…—–\-]|\s(?:for|to|on|as|in|if|"
    r"otherwise|when|where|with)\b))",
    re.I,
)
QUOTED = lazy(
    r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|«[^»\n]{0,200}»|„[^“”\n]{0,200}[“”]|(?<!\w)'[^'\n]{1,80}'(?!\w)"
)
NUMBERED = lazy(r"\b(no)\.?[ \t]*(?=\d)", re.I)
# a label alone on its line heads what stands on the next
LABEL_LINE = lazy(
    rf"^(?:([^\n]{{1,60}}:[ \t*_`]*)|#{{1,6}}[ \t]*({LABELS})[ \t#]*:?[ \t]*)\n\s*"
    rf"(?:[>*•-][ \t]+(?=[*_`]*(?:{WORD})[*_`.!]*[ \t]*$))?",
    re.I | re.MULTILINE,
)
BREAK = lazy(r"\n+|(?<=[.!?。！？])[\"'”’)\]*_`]*(?:\s+|(?<=[。！？]))|(?<=[;；])\s+")
OWN_QUESTION = lazy(r"hallucinat|fabricat|made[ -]up|yes\s+or\s+no|judge?ment|verdict|\berrors?\b", re.I)
CONTRARY_QUESTION = lazy(
    r"\b(?:no|not|free|without|accurate|correct|right|true|faithful|supported)\b|n't\b", re.I
)

SOUND_ALONE = lazy(r"(?:\w+ly\s+)?(?:correct|right|accurate|true|fine|faithful|supported)", re.I)
# `Faithful? No`: a name and its value
ASKED_SHORT = lazy(rf"^([a-z]{{5,12}})\?(?=[ \t]+(?:{WORD})[.!]*[ \t]*$)", re.I | re.MULTILINE)
LABEL = lazy(
    rf"(?:{LABELS}|explanation|reason(?:ing)?|justification|rationale)\s*[\"'*_`]*\s*(?:[:=→]|->|[-–—]\s)[\s*_`]*",
    re.I,
)
# a label that heads the verdict, and never the text that was judged
OF_VERDICT = lazy(
    r"(?:(?:the|my|your|final|overall|so)\s+)*(?:judge?ment|verdict|conclusion|decision|outcome|label|classification|"
    r"assessment|evaluation|status)\s*[\"'*_`]*\s*(?:[:=→]|->|[-–—]\s)[\s*_`]*",
    re.I,
)
# a verdict behind its reason and before the same in words: `…, so yes, it contains hallucination`
SO_WORD = lazy(
    rf".*[,;:—–]\s*(?:and\s+)?(?:so|hence|thus|therefore)\s*,?\s+{_FREE}\s*[,;:—–-]\s*(?P<rest>.+)",
    re.I | re.DOTALL,
)
# at the head of a reply, `Answer: Yes, hallucinated`: the word, and the same in words
ANSWERED = lazy(rf"answer\s*[:=]\s*{_MARK}{_FREE}{_SHUT}\s*[,(–—-]\s*(?P<rest>[^.;!?]+?)[).!\s]*", re.I)
# a verdict that is stated, its writer not wholly sure
SURE_ENOUGH = lazy(
    r",?\s+(?:al)?though\s+i(?:'m|\s+am|\s+can(?:no|')t\s+be|\s+can\s+not\s+be)\s+(?:not\s+)?(?:(?:entirely|"
    r"completely|fully|absolutely|totally|quite|a\s+hundred\s+percent|"
    r"100\s*%)\s+)(?:sure|certain|confident)(?=[.!]|\s*\Z)",
    re.I,
)
# a sentence that speaks against the one before
CONTRAST = lazy(
    r"(?:however|but|yet|nevertheless|still|that\s+said|on\s+the\s+other\s+hand|"
    r"(?:all\s+)?(?:except(?:\s+for)?|apart\s+from|save\s+for)),?\s+",
    re.I,
)
FABRICATED = lazy(
    r"\b(?:hallucinat|fabricat|made[ -]up|invent|not\s+(?:in|supported|mentioned|stated)\b)", re.I
)
# `Judgement: Hallucinated (Yes)`
SAID_AGAIN = lazy(rf"\s*[(\[]\s*{_FREE}\s*[)\]][\s.!*]*\Z", re.I)
# a verdict behind its reason: `Since the document contradicts it, yes`
SINCE = lazy(
    rf"(?:since|because|given\s+that)\s+(?P<reason>[^.;:!?]+),\s*{_MARK}{_FREE}[\W_]*", re.I | re.DOTALL
)
# a verdict behind what says the same: `…, hence it counts as hallucinated: Yes`
SAME_WORD = lazy(rf"(?P<said>.+?)\s*[:—–]\s*{_MARK}{_FREE}[\W_]*", re.I | re.DOTALL)
MAKES = lazy(
    rf"(?:.*[,;:—–]\s*(?:and\s+)?)?(?:which|this|that)\s+(?:makes\s+(?:it|this|(?:the|my)\s+(?:final\s+)?(?:judge?ment|verdict|answer))|is\s+(?:enough|sufficient|reason\s+enough)\s+for)\s+(?:an?\s+)?"
    rf"{_MARK}{_FREE}[\W_]*",
    re.I | re.DOTALL,
)
# what stands for Yes and No behind `Hallucination:`
VALUES = {"none": False, "none detected": False, "none found": False,
           "absent": False, "not found": False, "not detected": False, "not present": False, "false": False,
           "present": True, "found": True, "detected": True, "true": True}  # fmt: skip

# a name and its value: `Hallucination: Yes`, and with a word of VALUES
NAMED = lazy(
    rf"(?P<name>[\w \-]{{2,40}}?){_SHUT}\s*[:=?|]\s*{_MARK}{_FREE}{_SHUT}(?:[\s.!,(—–-].*)?", re.I | re.DOTALL
)
# `Hallucinated claims: 0 of 4`
COUNTED = lazy(
    r"(?:(?:total\s+)?number\s+of\s+)?hallucinat(?:ions|\w+\s+(?:claims|facts|details|statements|segments|parts|items))(?:\s+(?:found|detected|present|count))?\s*[:=]\s*(?P<n>\d{1,3})"
    r"(?:\s*(?:of|/|out\s+of)\s*\d{1,3})?\W*",
    re.I,
)
NAMED_VALUE = lazy(r"([\w \-]{2,40}?)\W*[:=]\W*([a-z ]+?)[\s.!]*", re.I)
# one word chosen against the other, and the prompt's own sentence said again
RATHER = lazy(
    rf"{_FREE}[\"']?\s*,?\s+(?:rather\s+than|instead\s+of|as\s+opposed\s+to|(?:and\s+)?not)\s+(?:an?\s+)?[\"']?(?P<other>{WORD})[\"']?"
    r"(?=\s*(?:[.,;:!)—–]|$|because\b|since\b|as\b))",
    re.I | re.MULTILINE,
)
INSTRUCTION = lazy(
    r"(?:please\s+)?(?:reply|respond|answer)\s+(?:with|in|by)\s+(?:one|a\s+single|just|only|either|exactly)\b",
    re.I,
)
WORDS = lazy(rf"(?<!\w)(?:{WORD})(?!\w)", re.I)
STRUCK = lazy(r"~~\s*(?:yes|no)\s*~~", re.I)
# a label of an answer that is the reply's own, and not the judged text's
OF_ANSWER = lazy(ANSWERS)
OWN = lazy(r"\b(?:my|final|overall|meine?|mon|ma|mi)\b", re.I)
# a last item of a list that breaks off within a quotation
ITEM_CUT = lazy(r"[ \t]*(?:[-*•]|\d[.)])[ \t]+[\"“][^\"”\n]*\Z")
SO_BEFORE = lazy(
    rf"\b(?:i\.e|so|thus|hence|therefore|overall|conclusion|i\s+(?:conclude|think|believe)|{_SO_ELSEWHERE})\b",
    re.I,
)
