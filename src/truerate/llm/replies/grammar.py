"""What a sentence without Yes or No says of a text that was judged: that it is hallucinated, that it is not,
or nothing that can be read. A closed grammar; a sentence matches as a whole or not at all.

    sentence  = [opening] clause [tail]   |  reason `, so` clause [tail]   |  `I do not think that` faulty
    clause    = target predicate          |  bare predicate  |  there is …  |  nothing is …  |  I find no …
    faulty    = contains … hallucination | is hallucinated, made up, wrong … | is not accurate, supported …
                | adds … that is not in the document, that the knowledge does not mention
    sound     = contains no … hallucination | is not hallucinated … | is accurate, free of hallucination …
                | adds nothing that is not in the document | (all of it) can be found in the document
    tail      = because, since, as, for … (whatever follows)

A negation belongs to its predicate or the sentence is not read. A sentence with a word of doubt, of condition
or of exception (DOUBT) is not read, nor is a question. Target is the text that was judged; `the claim that …`,
`the first sentence` and other parts of it are not.
"""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.doubting import is_doubted
from truerate.llm.replies.levelling import levelled

_TARGET = (
    r"(?:(?:the|this|that|your|its)\s+(?:(?:given|provided|above|generated|candidate|whole|entire|model's|"
    r"proposed|assistant's|system's|ai's|bot's)\s+)?"
    r"(?:answer|response|reply|summary|text|statement|passage|output|turn|one)(?:,\s+q,|\s+of\s+[\w'.-]+)?"
    r"(?:\s+(?:that\s+)?(?:you(?:'ve|\s+have)?\s+)?(?:gave|given|provided|shown))?|it|this|that)"
)
# all that the judged text says
_ALL = (
    r"(?:everything(?:\s+(?:that\s+is\s+)?(?:stated|said|mentioned|claimed))?|all(?:\s+of\s+it|\s+(?:of\s+)?(?:these\s+|those\s+)?(?:the\s+|its\s+)?(?:(?:two|three|four|five|six)\s+)?(?:facts|"
    r"claims|details|statements|points|sentences|parts|pieces\s+of\s+information))|"
    r"(?:each|every)\s+(?:one\s+)?of\s+(?:them|these)|(?:each|every)(?:\s+single)?\s+(?:fact|claim|detail|statement|"
    r"sentence|point|part|piece\s+of\s+information))"
    rf"(?:\s+(?:made\s+|given\s+|stated\s+)?(?:in|of|by)\s+{_TARGET}|\s+(?:that\s+)?{_TARGET}\s+(?:says|states|claims|tells|mentions))?"
)
_ADVERB = (
    r"(?:(?:fully|clearly|indeed|certainly|definitely|actually|really|completely|entirely|also|thus|therefore|all|"
    r"factually|plainly|obviously|wholly|simply|in fact|overall|well)\s+)*"
)
# of these none takes part of a fault away, as `not entirely hallucinated` does
_SURELY = r"(?:(?:clearly|indeed|certainly|definitely|actually|really|also|factually|plainly|obviously|in fact)\s+)*"
_MATERIAL = (
    r"(?:answer|response|reply|summary|text|document|knowledge|source|sources|context|question|passage|dialogue|"
    r"dialogue history|report|story|snippet|transcript|excerpt|paragraph|reference|material|provided text|evidence|"
    r"statement|article|facts?|information|conversation|query|original|output|here)"
)
_PLACE = (
    rf"(?:\s+(?:in|by|with|to|from|against|about|within)\s+(?:(?:the|this|that|its|any|given|provided|source|all|of)\s+)*"
    rf"{_MATERIAL}(?:\s+(?:provided|given|above))?|\s+between\s+(?:the\s+)?{_MATERIAL}\s+and\s+(?:the\s+)?{_MATERIAL}|"
    rf"\s+here|\s+in\s+it|\s+at\s+all|\s+whatsoever)*"
)
# what a faulty text contains
_FAULT = (
    r"(?:(?:clear|some|any|a|an|at least one|one|two|three|several|many|factual|serious|obvious|apparent|evident|evidence of|"
    r"traces? of|indications? of|signs? of|kind of|sort of|such|multiple|extrinsic|intrinsic)\s+)*"
    r"(?:hallucinations?|hallucinated\s+(?:content|information|material|details?|facts?|claims?|statements?|elements?|parts?)|"
    r"fabrications?|(?:fabricated|invented)\s+(?:content|information|details?|facts?|claims?)|"
    r"made-up\s+(?:content|information|details?|facts?|claims?)|errors?|mistakes?|inaccurac(?:y|ies)|"
    r"(?:false|incorrect|wrong|unsupported|non-?factual|unverifiable)\s+(?:information|details?|facts?|claims?|statements?))"
)
# what a sound text has none of: that there is one of these alone says less
_FLAW = rf"(?:{_FAULT}|(?:any\s+)?(?:issues?|problems?|discrepanc(?:y|ies)|contradictions?|inconsistenc(?:y|ies)|conflicts?|faults?))"
_BAD = (
    r"(?:hallucinated|an?\s+(?:(?:clear|obvious|plain|evident)\s+)?hallucination|"
    r"contradicted|refuted|hallucinatory|hallucinating|fabricated|made[ -]up|invented|false|wrong|incorrect|non-?factual|"
    r"an?\s+(?:false|fabricated|made[ -]up|unsupported|incorrect|inaccurate|invented)\s+(?:claim|statement|detail|"
    r"assertion|answer|response|summary)|inaccurate|untrue|unfaithful|unsupported|ungrounded|erroneous)"
)
_GOOD = (
    r"(?:accurate|correct|right|true|faithful|factual|supported|grounded|truthful|consistent|borne\s+out|"
    r"(?:backed(?:\s+up)?|confirmed|verified)(?!\s+(?:as|to)\b)|"
    r"fine|ok(?:ay)?|valid|hallucination[- ]free|error[- ]free|(?:free\s+(?:of|from)|"
    r"without)\s+(?:any\s+)?(?:hallucinations?|hallucinated\s+\w+|errors?|mistakes?)|"
    r"(?:in\s+(?:(?:full|complete|perfect)\s+)?(?:line|agreement|accordance|keeping|alignment)|aligned)(?=\s+with\b))"
)
# one quality or several: `correct and in line with the knowledge`
_GOODS = rf"{_GOOD}(?:{_PLACE}\s*(?:,|,?\s+and)\s+{_ADVERB}{_GOOD})*"
_IS = (
    r"(?:is|was|are|were|(?:has|have)\s+been|appears?\s+to\s+be|seems?\s+to\s+be|(?:does\s+)?counts?\s+as|qualifies\s+as|is\s+considered(?:\s+to\s+be)?|"
    r"(?:must|has\s+to|needs\s+to|can\s+only)\s+be\s+(?:considered|called|judged|classified|labell?ed|marked|rated|"
    r"regarded|deemed|treated)(?:\s+as|\s+to\s+be)?|is\s+to\s+be\s+considered)"
)
_NOT = r"(?:\s+not|n't)"
_HAS = r"(?:does\s+contain|does\s+have|does\s+include|contains?|contained|has|have|includes?|shows?|exhibits?|introduces?)"
_LACKS = rf"(?:does|do|did){_NOT}\s+{_ADVERB}(?:contain|have|include|show|exhibit|introduce)"
_CALLED = r"(?:cannot|can't|can\s+not)\s+be\s+(?:called|considered|deemed|regarded\s+as|described\s+as)"
_NONE = r"(?:no|nothing|none|neither|nor|not|never|nobody|zero|without|hardly|scarcely|few|little|cannot)\b"
_THE_MATERIAL = (
    rf"(?:what(?:'s|\s+(?:is|was))\s+(?:\w+ly\s+)?(?:(?:said|stated|given|found|written|mentioned|reported)\s+)?in\s+|what\s+)?"
    rf"(?:the\s+)?(?:given\s+|provided\s+)?(?:(?:knowledge|source|reference|news)\s+(?=\w))?{_MATERIAL}(?:\s+(?:about|"
    rf"on)\s+(?:the\s+)?[\w'-]+(?:\s+[\w'-]+){{0,3}})?"
)
_ADDS = r"(?:includes|contains|adds|mentions|introduces|states|has|makes)"
# of something that is told: that the source does not tell it
_ELSEWHERE = (
    rf"(?:(?:(?:that|which)\s+(?:is|are|was|were)\s+|(?:that|which)\s+(?=(?:is|are|was|were)n't))?(?:(?:is|are|was|were)n't|not|nowhere)\s+"
    r"(?:found|mentioned|stated|present|supported|backed(?:\s+up)?|borne\s+out|confirmed|verified|included|given|in|to\s+be\s+found)"
    rf"(?:\s+(?:in|by))?\s+{_THE_MATERIAL}"
    rf"|(?:that|which)\s+(?:cannot|can't|could\s+not|couldn't)\s+be\s+(?:verified|found|confirmed|traced)\s+(?:in|by|"
    rf"from|with|to)\s+{_THE_MATERIAL}|(?:absent|missing)\s+from\s+{_THE_MATERIAL}"
    rf"|for\s+which\s+(?:there\s+is\s+no\s+(?:basis|support|evidence)\s+in\s+{_THE_MATERIAL}|"
    rf"{_THE_MATERIAL}\s+(?:offers|gives|has|provides|contains)\s+no\s+"
    r"(?:basis|support|evidence))"
    rf"|(?:(?:that|which)\s+)?{_THE_MATERIAL}\s+(?:does\s+not|doesn't|do\s+not|don't|never)\s+"
    r"(?:contains?|mentions?|states?|gives?|supports?|includes?|has|have|says?|provides?|tells?))"
)
_FAULTY = (
    rf"{_ADVERB}{_HAS}\s+{_FAULT}",
    rf"{_IS}\s+{_ADVERB}{_BAD}",
    rf"{_IS}(?:\s+(?:therefore|thus|hence|clearly|simply|obviously|also))?{_NOT}\s+{_ADVERB}{_GOOD}",
    rf"{_ADVERB}(?:fails\s+the\s+check|is\s+(?:clearly\s+)?(?:in\s+conflict|at\s+odds)\s+with\s+{_THE_MATERIAL})",
    rf"{_ADVERB}(?:misrepresents|distorts|misquotes|misstates|misreports)\s+(?:it|{_THE_MATERIAL}|(?:the\s+)?facts?)",
    rf"(?:is|has)\s+got\s+{_FAULT}",
    rf"{_IS}\s+{_SURELY}an?\s+(?:factual\s+|clear\s+|serious\s+)?(?:error|mistake|fabrication|inaccuracy)",
    rf"{_CALLED}\s+{_ADVERB}{_GOOD}",
    rf"{_ADVERB}fails\s+to\s+(?:stay\s+within|stick\s+to|keep\s+to|match|reflect|agree\s+with|follow|correspond\s+to)\s+{_THE_MATERIAL}",
    r"(?:has|have)\s+(?:(?:therefore|thus|hence|clearly|simply)\s+)?made\s+(?:this|it|that|these|something)\s+up",
    rf"{_ADVERB}{_ADDS}\s+(?:(?:several|some|many|two|three)\s+)?(?:information|details?|facts?|claims?|content|statements?|an?\s+\w+|"
    rf"something)\s+(?:that|which)\s+(?:has|have|is|are|was|were)\s+(?:been\s+)?{_ADVERB}{_BAD}(?:\s+(?:and|or)\s+{_BAD})?",
    rf"{_ADVERB}(?:fabricates|invents|makes\s+up|hallucinates)(?!(?:\s+[\w'-]+)?\s+{_NONE})"
    r"(?:\s+[\w'-]+){0,12}",
    rf"{_ADVERB}{_ADDS}\s+(?:(?!{_NONE}|\w+ly\b|(?:words?|wordings?|phras\w+|terms?|synonyms?)\b)[\w'-]+\s+){{1,5}}?"
    rf"{_ELSEWHERE}",
    rf"{_ADVERB}(?:contradicts|conflicts\s+with|goes\s+(?:against|beyond))\s+{_THE_MATERIAL}",
    rf"{_ADVERB}(?:has|finds)\s+no\s+(?:basis|support|grounds?|counterpart)\s+(?:at\s+all\s+)?in\s+{_THE_MATERIAL}",
    rf"(?:cannot|can't|could\s+not|couldn't)\s+be\s+(?:verified|confirmed|supported|found|traced|backed|inferred|"
    rf"derived|deduced)\s+(?:by|in|from|with|to)\s+"
    rf"(?!(?:the\s+)?(?:question|query)\b){_THE_MATERIAL}",
    r"(?:does|did)\s+(?:indeed\s+|in\s+fact\s+)?hallucinate",
    rf"does\s+(?:indeed\s+|in\s+fact\s+)?(?:contain|include|introduce)\s+{_FAULT}",
    rf"{_ADVERB}(?:wrongly|falsely|incorrectly|mistakenly)\s+(?:states?|claims?|says?|asserts?|suggests?|implies|"
    rf"attributes?|names?|gives?|places?|"
    rf"mentions?|reports?|describes?)\s+(?:(?!{_NONE})[\w'-]+,?\s+){{0,24}}(?!{_NONE})[\w'-]+",
    rf"{_ADVERB}(?:adds|states|claims|says|mentions|asserts|suggests|implies)\s+(?:that\s+)?[^,.;:]{{3,160}}?,\s*which\s+"
    rf"(?:{_IS}{_NOT}\s+{_ADVERB}(?:{_GOOD}|mentioned|stated|found|present|given|in)|{_IS}\s+{_SURELY}{_BAD}|"
    rf"{_SURELY}(?:contradicts|conflicts\s+with)\s+{_THE_MATERIAL}|{_THE_MATERIAL}\s+(?:does{_NOT}|never)\s+"
    rf"(?:supports?|mentions?|states?|says?|confirms?))",
)
_SOUND = (
    rf"{_ADVERB}{_HAS}\s+(?:no|zero)\s+{_FLAW}",
    rf"{_LACKS}\s+{_FAULT}",
    rf"(?:does|do|did){_NOT}\s+{_ADVERB}(?:contradict|conflict\s+with|go\s+(?:beyond|against))\s+(?:anything\s+in\s+)?{_THE_MATERIAL}",
    rf"(?:does|do|did){_NOT}\s+{_ADVERB}(?:include|contain|add|mention|introduce|state|make)\s+any(?:thing|"
    rf"\s+\w+)\s+beyond\s+(?:what|those|that|the\s+ones)"
    rf"\s+(?:(?:is|are)\s+)?(?:(?:given|stated|found|mentioned)\s+)?in\s+{_THE_MATERIAL}",
    rf"(?:does|do|did){_NOT}\s+{_ADVERB}(?:include|contain|add|mention|introduce|state|make)\s+any\s+"
    rf"(?:(?!{_NONE})[\w'-]+\s+){{1,4}}?{_ELSEWHERE}",
    rf"{_IS}(?:\s+(?:therefore|thus|hence|clearly|simply|obviously|also))?{_NOT}\s+{_SURELY}{_BAD}",
    rf"{_IS}\s+{_ADVERB}{_GOODS}",
    rf"(?:does|do|did){_NOT}\s+{_ADVERB}(?:introduce|add|include|contain|invent)\s+any\s+(?:new|extra|additional|"
    rf"outside|external|invented|unsupported)\s+"
    r"(?:information|details?|facts?|claims?|content|material)",
    rf"{_ADVERB}(?:lacks|avoids(?:\s+any)?)\s+{_FLAW}(?:\s+(?:entirely|altogether|completely))?",
    rf"(?:seems|looks|sounds|reads|appears)\s+{_ADVERB}{_GOODS}(?:\s+to\s+me)?",
    rf"{_CALLED}\s+{_SURELY}{_BAD}",
    r"(?:should|must|need)(?:\s+not|n't)\s+be\s+(?:counted|considered|called|judged|classified|labell?ed|marked|rated|regarded|deemed|"
    rf"treated)(?:\s+as|\s+to\s+be)?\s+{_SURELY}{_BAD}",
    rf"(?:(?:directly|clearly|logically)\s+)?follows\s+(?:directly\s+|clearly\s+)?from\s+{_THE_MATERIAL}",
    rf"can\s+be\s+(?:\w+ly\s+)?(?:inferred|derived|deduced|verified|confirmed)\s+(?:by|from|with)\s+{_THE_MATERIAL}",
    rf"(?:accurately|faithfully|correctly)\s+(?:conveys|reproduces|restates|repeats|relays|reports|describes|summari[sz]es)\s+"
    rf"(?:what\s+)?{_THE_MATERIAL}(?:\s+(?:says|states|tells|contains))?",
    rf"(?:(?:accurately|faithfully|correctly|fully)\s+)?(?:reflects|matches|agrees\s+with|corresponds\s+to|"
    rf"represents|captures|(?:sticks|keeps|adheres)(?:\s+(?:closely|strictly))?\s+to|summari[sz]es)\s+"
    rf"(?:the\s+(?:contents?|facts|information|main\s+points|substance)\s+(?:of|in)\s+)?{_THE_MATERIAL}",
    rf"{_ADVERB}{_ADDS}\s+(?:no|nothing|not\s+a\s+single)\s+(?:(?!{_NONE})[\w'-]+\s+){{0,4}}?{_ELSEWHERE}",
)
# of all that the text says: where it stands
_TRACED = (
    r"(?:(?:can\s+(?:all\s+)?be|is|are)\s+(?:all\s+)?(?:found|present|contained|traced(?:\s+back)?|verified|confirmed|"
    r"stated|mentioned)\s+(?:in|to|by|with|"
    rf"from)|(?:is|are)\s+(?:all\s+)?(?:in|from)|(?:stands?|appears?)\s+in)\s+{_THE_MATERIAL}"
)
_SOURCE = r"(?:the|this)\s+(?:(?:given|provided)\s+)?(?:document|knowledge|source|context|evidence|article|passage|dialogue\s+history)"
_PASSIVE = r"(?:found|detected|present|seen|identified|there)"
_CALL = (
    r"i(?:'d|\s+(?:would|will|have\s+to|must))?\s+(?:label|classify|mark|rate|judge|regard|consider|call|deem|count|treat)\s+"
    rf"{_TARGET}\s+(?:as\s+|to\s+be\s+)?"
)
_BARE_FAULTY = (
    rf"{_CALL}(?:{_SURELY}{_BAD}|not\s+{_ADVERB}{_GOOD})",
    rf"{_SURELY}(?:hallucinated|hallucination|contains?\s+{_FAULT}|hallucinations?\s+(?:(?:is|are|was|"
    rf"were)\s+)?{_PASSIVE})",
    rf"there\s+(?:is|are|was|were)\s+{_ADVERB}{_FAULT}",
    r"(?:this|that|it|these)\s+(?:is|are|was)\s+(?:clearly\s+|an?\s+)?(?:hallucinated|fabricated|invented|made[ -]up|unsupported)\s+"
    r"(?:information|content|material|details?|facts?|claims?|statements?)",
    rf"i\s+(?:(?:therefore|thus|hence|also|can|do)\s+)*(?:see|find|found|detect|detected)\s+(?!no\b){_FAULT}",
    rf"(?:this|that|which)\s+(?:(?:alone|already|by\s+itself)\s+)?(?:makes|renders)\s+{_TARGET}\s+{_SURELY}{_BAD}",
    rf"none\s+of\s+(?:{_TARGET}|what\s+{_TARGET}\s+(?:says|states|claims))\s+(?:(?:is|are|was|can\s+be)\s+(?:found\s+|"
    rf"mentioned\s+|stated\s+|supported\s+|given\s+)?(?:in|by)\s+"
    rf"{_THE_MATERIAL}|{_IS}\s+{_SURELY}{_GOOD})",
    rf"{_CALL}containing\s+{_FAULT}",
    r"(?:the|a|its|one|this|that)\s+(?:\w+\s+)?(?:sentence|claim|statement|details?|part|bit|figure|name|date|number|"
    r"quote|quotation|fact|information|remark|explanation)\s+(?:about|on|of|in|that|for|regarding|concerning)\s+"
    r"(?:(?!\b(?:not|no|never|nothing)\b|n't)[^,.;:?]){1,80}?\s(?:is|was|has\s+been|were|are)\s+(?:simply\s+|"
    r"clearly\s+|entirely\s+|completely\s+)?(?:fabricated|made[ -]up|invented|hallucinated|"
    r"pulled\s+out\s+of\s+thin\s+air)(?:\s+by\s+the\s+model)?",
    r"the\s+(?:model|assistant|system|author|writer)\s+(?:has\s+|simply\s+|clearly\s+|just\s+)*(?:made\s+up|"
    r"makes\s+up|invented|invents|fabricated|fabricates|hallucinated|hallucinates|confused|confuses|mixed\s+up|misread)\s+"
    rf"(?!{_NONE})[^.;:?]{{2,120}}",
    rf"{_TARGET}\s+(?:cannot|can't)\s+be\s+(?:trusted|relied\s+on)|{_TARGET}\s+(?:does{_NOT}|fails\s+to)\s+pass",
    rf"not\s+(?:supported|grounded|faithful|backed(?:\s+up)?)(?:\s+(?:by|in|to)\s+{_THE_MATERIAL})?",
    rf"not\s+{_ALL}\s+(?:{_IS}\s+{_ADVERB}{_GOOD}|{_TRACED})",
    rf"(?:{_ALL}|something|some\s+of\s+it)\s+{_IS}\s+{_SURELY}{_BAD}",
    rf"nothing\s+in\s+{_TARGET}\s+{_IS}\s+{_SURELY}{_GOOD}",
    rf"{_SOURCE}\s+{_SURELY}(?:contradicts\s+{_TARGET}|(?:does{_NOT}|fails\s+to)\s+(?:support|confirm|back)\s+{_TARGET})",
)
_BARE_SOUND = (
    rf"{_CALL}not\s+containing\s+{_FAULT}",
    rf"{_CALL}(?:{_ADVERB}{_GOODS}|(?:not\s+|non-?\s?){_BAD})",
    rf"{_ADVERB}free\s+(?:of|from)\s+(?:any\s+)?{_FAULT}",
    rf"{_SURELY}not\s+(?:hallucinated|a\s+hallucination)|no\s+{_FAULT}(?:\s+(?:(?:is|are|was|were)\s+)?{_PASSIVE})?",
    rf"no\s+{_FLAW}\s+(?:(?:is|are|was|were)\s+)?{_PASSIVE}|no\s+(?:{_FAULT}|issues|problems|discrepancies|"
    rf"contradictions)\s+(?:then|here|at\s+all|whatsoever)",
    rf"{_TARGET}\s+(?:{_ADVERB}(?:reproduces|repeats|restates|reports)\s+(?:it|this|that|them)\s+(?:correctly|"
    rf"faithfully|accurately)\s+and\s+)?(?:says|adds|states|claims|contains|includes|introduces)\s+nothing\s+"
    rf"(?:of\s+its\s+own|untrue|new|{_BAD}|that\s+is\s+{_BAD}|{_ELSEWHERE})",
    rf"{_TARGET}\s+passes(?:\s+(?:the\s+(?:check|test)|on\s+(?:both|all)\s+counts))?",
    rf"(?:it\s+is\s+)?all\s+good,\s+no\s+{_FLAW}",
    rf"(?:does\s+not|doesn't)\s+contain\s+{_FAULT}|contains?\s+no\s+{_FAULT}",
    rf"there\s+(?:is|are|was|were)\s+(?:no|zero)\s+{_FLAW}|there\s+(?:isn't|aren't)\s+{_FAULT}",
    rf"nothing\s+in\s+{_TARGET}\s+can\s+be\s+called\s+an?\s+(?:hallucination|fabrication|error)",
    rf"nothing\s+(?:here\s+|in\s+{_TARGET}\s+)?(?:{_IS}\s+{_ADVERB}{_BAD}|(?:goes\s+(?:beyond|against)|contradicts|"
    rf"conflicts\s+with)\s+{_THE_MATERIAL})",
    rf"{_ALL}\s+(?:{_TRACED}|checks?\s+out|holds?\s+up)",
    rf"{_SOURCE}\s+{_ADVERB}(?:(?:supports|confirms|backs)\s+{_TARGET}|does{_NOT}\s+contradict\s+{_TARGET})",
    rf"no(?:ne\s+of\s+the)?\s+(?:statements?|claims?|details?|facts?|parts?|sentences?|information|content)\s+(?:(?:of|in)\s+{_TARGET}\s+)?"
    rf"(?:{_IS}\s+{_ADVERB}{_BAD}|(?:contradicts?|conflicts?\s+with|goes\s+(?:beyond|against))\s+{_THE_MATERIAL})",
    rf"i\s+(?:(?:therefore|thus|hence|also|can)\s+)*(?:see|find|found|detect|detected)\s+no\s+{_FLAW}",
    r"no\s+(?:(?:unsupported|new|extra|invented|false|made[ -]up|fabricated)\s+)(?:information|details?|facts?|"
    r"claims?|content|material)\s+(?:was|were|has\s+been|have\s+been|is)\s+"
    r"(?:added|introduced|included|invented)",
    rf"i\s+(?:do\s+not|don't|did\s+not|cannot|can't)\s+(?:see|find|spot|detect)\s+anything\s+(?:{_ELSEWHERE}|(?:that\s+is\s+)?{_BAD})",
    r"(?:factually\s+|fully\s+|entirely\s+|completely\s+)?(?:factual|faithful|grounded|hallucination[ -]free)",
    rf"(?:fully|entirely|completely|well|all)\s+(?:supported|backed(?:\s+up)?|grounded|consistent)(?:\s+(?:by|in|with)\s+{_THE_MATERIAL})?",
    rf"(?:there\s+(?:is|was)|i\s+(?:see|find|found|detect|detected))\s+nothing\s+(?:here\s+|"
    rf"in\s+{_TARGET}\s+)?(?:{_ELSEWHERE}|that\s+lacks\s+support|"
    rf"(?:(?:that|which)\s+is\s+)?{_BAD})",
    rf"(?:this|that|which)\s+(?:makes|renders)\s+{_TARGET}\s+{_ADVERB}{_GOOD}",
    rf"i\s+(?:do\s+not|don't|did\s+not|didn't|cannot|can't|was\s+unable\s+to|am\s+unable\s+to|(?:was|"
    rf"am)\s+not\s+able\s+to)\s+(?:see|find|detect|identify|spot|locate)\s+{_FAULT}",
)
_OPENING = (
    r"(?:(?:so|thus|hence|therefore|unfortunately|fortunately|regrettably|luckily|clearly|obviously|evidently|"
    r"as\s+such|in\s+fact|in\s+reality|yes|overall|accordingly|consequently|ultimately|in\s+the\s+end|in\s+conclusion|"
    r"in\s+short|in\s+sum|altogether|indeed|(?:there\s+is\s+)?no\s+doubt(?:\s+about\s+(?:it|that)|\s+that)?|without\s+(?:a\s+|any\s+)?doubt|"
    rf"(?:based\s+on|according\s+to|given|judging\s+by)\s+(?:the|this|that)\s+(?:(?:given|provided|above)\s+)?{_MATERIAL}(?:\s+(?:given|provided|above))?|"
    r"on\s+(?:closer|further|second|careful)\s+(?:inspection|examination|reading|reflection|look)|(?:by|for|on|in|"
    r"from|with|at)\s+(?:this|that|these|those|all)\s+[^,.;:?]{1,40},?(?=\s+(?:i|the|there|it|this)\b)|(?:which|this|"
    r"that)\s+means(?:\s+that)?|i\s+regret\s+to\s+say(?:\s+that)?|i(?:'m|\s+am)\s+(?:afraid|"
    r"sorry\s+to\s+say)(?:\s+that)?|in\s+other\s+words|"
    r"put\s+differently|that\s+is|to\s+sum\s+up|summing\s+up|to\s+summari[sz]e|in\s+summary|"
    r"to\s+conclude|all\s+in\s+all|in\s+a\s+word|"
    r"as\s+a\s+result|i\s+(?:(?:therefore|thus|hence)\s+)?(?:conclude|find|judge|hold)(?:\s+that)?|i\s+can\s+(?:confirm|say)(?:\s+that)?|"
    r"based\s+on\s+(?:my|this|the)\s+(?:\w+\s+)?(?:analysis|evaluation|comparison|reading|review|assessment)|"
    r"(?:considering|given)\s+(?:all\s+)?(?:the\s+above|of\s+this|this|that)|"
    r"(?:considering|given|because\s+of|due\s+to|in\s+view\s+of|in\s+light\s+of)\s+(?:these|this|the|that|such)\s+[^,.;:?]{1,60},|"
    r"it\s+is\s+clear\s+that|we\s+(?:conclude|find)(?:\s+that)?|it\s+follows\s+that|"
    r"this\s+means(?:\s+that)?|it\s+(?:appears|seems)\s+that|"
    r"(?:after|having|upon)\s+(?:\w+ly\s+)?(?:check|compar|read|review|examin|verif|consider|analy|evaluat)\w*[^,.;:]{0,60},|"
    r"i\s+(?:think|believe)(?:\s+that)?|i'd\s+(?:say|conclude|judge)(?:\s+that)?|my\s+(?:final\s+|overall\s+)?(?:judge?ment|verdict|"
    r"conclusion|assessment|evaluation|view|opinion)\s+is(?:\s+that)?|"
    r"i(?:'m|\s+am)\s+(?:(?:very|quite|fairly)\s+)?(?:confident|certain|sure)(?:\s+that)?|"
    r"the\s+(?:judge?ment|verdict|conclusion|assessment)\s+is(?:\s+that)?)\s*[,:]?\s+)*"
)
# what the material says instead
_WHICH = (
    r"\s*,\s+(?:which|where|that)\s+(?:only|never|clearly|explicitly|instead|actually)?\s*(?:does\s+not\s+)?"
    r"(?:says?|states?|mentions?|gives?|names?|lists?|puts?|tells?|has|reports?|speaks?|describes?)\b.*"
)
# how it does so
_BY = (
    r"by\s+(?:wrongly\s+|falsely\s+)?(?:claiming|stating|saying|adding|naming|giving|mentioning|asserting|suggesting|inventing|"
    r"attributing|confusing|placing|calling|introducing|putting|getting|changing|swapping|describing)"
)
_TAIL = rf"{_PLACE}(?:\s*[,;:(—–-]?\s*(?:because|since|as|for|{_BY})\b.*|\s*[:(—–].*|,\s+namely\b.*|(?<=[a-z]){_WHICH})?"
# behind a fault: what it is about, and what the source holds instead
_TAIL_OF_FAULT = (
    rf"(?:{_TAIL}|(?<!false)(?<!true)(?<!wrong)(?<!correct)(?<!invented)(?<!made\sup)(?<!fabricated)\s+(?:about|on|"
    rf"regarding|concerning|that|which|in\s+that|such\s+as|like)\b.*|\s*,\s+(?:while|whereas|when|as\s+opposed\s+to|"
    rf"due\s+to|not)\b.*|\s+due\s+to\b.*)"
)


def _any(*forms: str) -> str:
    return "|".join(f"(?:{form})" for form in forms)


def _told_of(target: str, forms: Sequence[str]) -> str:
    """A target with its predicates, all of one pole: `the answer is right and contains no error`."""
    said = _any(*forms)
    return rf"{target}\s+(?:{said})(?:{_PLACE}\s*,?\s+and\s+(?:{target}\s+)?(?:{said}))*"


_CLAUSES = {
    True: _any(_told_of(_TARGET, _FAULTY), rf"{_TARGET}\s+{_IS}{_NOT}\s+free\s+(?:of|from)\s+{_FAULT}",
               *_BARE_FAULTY),
    False: _any(_told_of(f"(?:{_TARGET}|{_ALL})", _SOUND), *_BARE_SOUND),
}  # fmt: skip
_SENTENCES = {
    value: lazy(rf"{_OPENING}(?:{clause}){_TAIL_OF_FAULT if value else _TAIL}", re.IGNORECASE | re.DOTALL)
    for value, clause in _CLAUSES.items()
}
# compiled for sentences that begin so alone: it takes a tenth of a second, and few do
_DISBELIEF = r"i\s+(?:do\s+not|don't)\s+(?:think|believe)\s+"
_DISBELIEVING = lazy(_DISBELIEF, re.IGNORECASE)
_DISBELIEVED = lazy(rf"{_DISBELIEF}(?:that\s+)?(?:{_CLAUSES[True]}){_PLACE}", re.IGNORECASE)
# a name and its value (`Hallucination: none`), which is no sentence
_VALUED = lazy(r"(?:not\s+)?hallucinat\w+\s*(?:[:=(—–]|-\s)", re.I)
_SO = lazy(
    r"(?:[,;:—–]\s*|\s+(?=and\s+so\s+it\b))(?:(?:(?:and|which\s+means|meaning)\s+)?(?:so|hence|thus|"
    r"therefore)\s*,?\s+|(?=which\s+(?:makes|renders)\s))",
    re.I,
)
# a main clause about hallucination behind what is granted: `The spelling differs, but there is no hallucination`
_BUT = lazy(
    r"(?P<granted>(?:(?!\b(?:if|whether|unless|may|might|could|would|should|not\s+sure|"
    r"hallucinat\w*|fabricat\w*|made[ -]up|invent\w*)\b)[^.;:!?])"
    r"{3,160}?),?\s+but\s+(?P<main>[^.;:!?]*\bhallucinat[^.;:!?]*)",
    re.I,
)
# that nothing is at fault in what was given is said of that, and not of the text that is judged
_OF_GIVEN = lazy(
    r"(?:there|i|no|nothing)\b(?!.*\b(?:contradict|conflict|discrepanc|inconsisten|that\s+(?:is|are|was)|which|"
    r"not\s+(?:in|found|mentioned|stated|given)\b)).*\b(?:in|within|with|about)\s+(?:the|this|that)\s+"
    r"(?:given\s+|provided\s+)?(?:question|query|knowledge|document|source|passage|article|context|prompt)",
    re.I,
)


# what a label of the verdict may head in place of Yes and No: `Judgement: Faithful`
_STATES = {
    True: lazy(
        rf"{_SURELY}(?:a\s+)?(?:{_BAD}|hallucinations?(?:\s+(?:is\s+)?(?:present|found|detected))?|inconsistent|non-?factual|contradictory|"
        r"not\s+(?:fully\s+|entirely\s+)?(?:accurate|correct|faithful|factual|supported|grounded|consistent))"
        rf"{_PLACE}",
        re.IGNORECASE,
    ),
    False: lazy(
        rf"{_ADVERB}(?:{_GOOD}|not\s+{_BAD}|non-?\s?hallucinated|no\s+{_FLAW}){_PLACE}", re.IGNORECASE
    ),
}
_TRUTH = lazy(r"(?:not\s+)?(?:true|false|right|wrong|valid|fine|ok(?:ay)?)", re.IGNORECASE)


def state(words: str) -> bool | None:
    """What words under a label of the verdict say of the judged text: True for a fault, False for none, None
    for words that may speak of something else (`true`: the text, or that it is hallucinated?).
    """
    plain = " ".join(words.strip(" \t\n.!*_`\"'").split())
    if _TRUTH.fullmatch(plain):
        return None
    said = [value for value, pattern in _STATES.items() if pattern.fullmatch(plain)]
    return said[0] if len(said) == 1 else None


def paraphrase(sentence: str) -> bool | None:
    """True where a sentence says that the judged text is hallucinated, False where it says that it is not,
    None where it says neither by the grammar.
    """
    plain = levelled(sentence)
    if not plain or plain.endswith("?") or _VALUED.match(plain):
        return None
    if _DISBELIEVING.match(plain) and _DISBELIEVED.fullmatch(plain):
        return False
    if granted := _BUT.fullmatch(plain):
        main = granted["main"]
        told = {paraphrase(clause) for clause in (main, f"it {main}")} - {None}
        return told.pop() if len(told) == 1 else None
    parts = _SO.split(plain)
    clause = parts[-1]
    # of a reason and what follows from it the last part is read; doubt anywhere leaves the whole unread
    if _OF_GIVEN.fullmatch(clause):
        return None
    said = {value for value, pattern in _SENTENCES.items() if pattern.fullmatch(clause)}
    if not said:
        return _of_parts(plain)
    return None if len(said) == 2 or is_doubted(plain, clause, is_fault=True in said) else said.pop()


def _of_parts(sentence: str) -> bool | None:
    """What both clauses of a sentence say (`it is right, and there is no error`), or the main one behind what is granted
    before a fault (`While most of it is right, it invents a date`).
    """
    if granted := _GRANTED.match(sentence):
        return paraphrase(sentence[granted.end() :]) or None
    parts = re.split(r",\s+and\s+(?=(?:it|there|the|this|that|i|no|nothing)\b)", sentence, flags=re.I)
    if len(parts) == 1:
        return None
    told = {paraphrase(part) for part in parts}
    return told.pop() if len(told) == 1 else None


_GRANTED = lazy(
    r"(?:while|although|though|even\s+though)\s+[^,;:.?]{3,160},\s+(?=(?:it|this|that|the|there)\b)", re.I
)
