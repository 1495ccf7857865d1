"""Words for yes and no in the languages that the reader of verdicts knows.

English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Polish, Turkish, Russian,
Ukrainian, Greek, Chinese, Japanese, Korean, Arabic, Hebrew, Persian, Hindi, Indonesian, Vietnamese. Words that
mean something else in another of them (Greek ne, Czech ne, Romanian da, Spanish si without its accent) are
left out: a word that is not here loses a reply, a word that is here wrongly turns one.
"""

import re

YES = (
    "yes", "yep", "yeah", "yup", "ja", "jawohl", "oui", "sí", "sì", "sim", "evet", "tak", "да", "так", "ναι",
    "是", "是的", "はい", "네", "예", "نعم", "כן", "بله", "हाँ", "हां", "ya", "có",
)  # fmt: skip
NO = (
    "no", "nope", "nah", "nein", "non", "não", "nee", "nej", "nie", "hayır", "hayir", "нет", "ні", "όχι",
    "否", "不是", "いいえ", "아니요", "아니오", "아뇨", "لا", "לא", "خیر", "नहीं", "tidak", "không",
)  # fmt: skip
MEANS = dict.fromkeys(YES, True) | dict.fromkeys(NO, False)
# Words of other languages by which the sentence of a verdict can contradict it: for sound, for fault, and the
# negations that turn either. (English has a grammar.)
SOUND = (
    r"korrekt|richtig|stimmt|treu\b|\bfrei\s+von\b|stimmen\b.{0,40}überein|fidèle|\bfiel\b|fedele|correct[eoa]?\b|"
    r"exacte?\b|cierta|corrett|corret[oa]\b|correcta?\b|klopt|juist|"
    r"doğru|верн|правильн|"
    r"正确|一致|相符|正し[いく]|صحيح|정확|맞"
)
FAULT = (
    r"halluzin|falsch|erfunden|hallucin|faux|fausse|inventé|alucina|fals[aeio]\b|inventa[dn]?|errad|allucina|"
    r"sbaglia|inventat|verzonnen|fout|"
    r"uydur|yanlış|галлюцин|неверн|ложн|выдум|幻觉|错误|捏造|虚构|编造|幻覚|誤り|هلوسة|خاطئ|환각|틀"
)
NEGATION = (
    r"\b(?:nicht|keine?[nmrs]?|ohne|pas|aucune?|sans|sin|ningun[oa]|non|nessun[oa]?|senza|não|nenhum[a]?|"
    r"sem|niet|geen|zonder|не|нет|без|"
    r"değil|yok|(?:\w+m[ıiuü]yor|\w+m[ae]z|\w+m[ae]mı[şs]|\w+memiş)(?:tır|tir|dur|lar|ler)?\b|لا|ليس|غير|بدون)\b|没有|无|不|ない|ません|없|아니"
)
# what an answer is called: the judged text's name, too
ANSWERS = (
    r"answer|response|答案|antwort|réponse|respuesta|resposta|risposta|ответ|الجواب|الإجابة|cevap|yanıt|답"
)
# Spanish and Italian begin with an English `No`: their words of fault stand behind a verb of being
ROMANCE_FAULT = (
    r"\A(?!.*\b(?:no|non|ning\w+|nessun\w*)\b).*\b(?:es|está|son|è|sono)\s+(?:un[oa']?\s+)?"
    r"(?:fals|incorrect[oa]|erróne|inventad|alucina|sbagliat|errat|inventat|allucina)"
)
# a pattern of any of them, the longest first
WORD = "|".join(sorted(MEANS, key=len, reverse=True))


_BECAUSE = re.compile(
    r"[,，、;；:]?\s*(?:\b(?:weil|denn|parce\s+que?|puisque|car|porque|ya\s+que|perché|poiché|pois|omdat|want|ponieważ|bo|çünkü|"
    r"потому\s+что|так\s+как|поскольку|тому\s+що)\b|因为|因為|由于|なぜなら|왜냐하면|لأن)",
    re.IGNORECASE,
)


def pole(text: str) -> bool | None:
    """Whether words of other languages than English say that something is at fault (True) or sound (False);
    None where they say neither, or both. A negation turns them.
    """
    clause = _BECAUSE.split(text, maxsplit=1)[0]  # a reason has negations of its own
    head = clause.partition(":")[0]
    clause = head if re.search(f"{FAULT}|{SOUND}", head, re.IGNORECASE) else clause  # so has an explanation
    is_fault, is_sound = (bool(re.search(words, clause, re.IGNORECASE)) for words in (FAULT, SOUND))
    if is_fault is is_sound:
        return None
    return is_fault is not bool(re.search(NEGATION, clause, re.IGNORECASE))


# that there is a hallucination, or none
_THERE_IS = re.compile(
    r"\W*(?:(?:daher|somit|insgesamt|donc|ainsi|por\s+(?:lo\s+)?tanto|así\s+que|quindi|pertanto|portanto|logo|dus|"
    r"таким\s+образом|итак|поэтому|因此|所以|综上|したがって|よって|따라서)[,，、]?\s*)?(?:(?P<none>"
    r"(?:es\s+gibt\s+|da\s+sind\s+)?keine\s+halluzination\w*|es\s+(?:liegt|liegen)\s+keine\s+halluzination\w*\s+vor|"
    r"(?:il\s+n'y\s+a\s+)?(?:pas\s+d'|aucune\s+)hallucination\w*|no\s+hay\s+(?:ninguna\s+)?alucinaci\w+|"
    r"não\s+há\s+(?:nenhuma\s+)?(?:alucinaç\w+|informaç\w+\s+(?:alucinad|inventad)as?)|no\s+hay\s+información\s+(?:inventada|alucinada)|non\s+(?:c'è|ci\s+sono)\s+(?:nessuna\s+)?allucinazion\w|"
    r"er\s+(?:zijn|is)\s+geen\s+hallucinatie\w*|галлюцинаций\s+(?:нет|не\s+обнаружено)|(?:不存在|没有任何)幻觉|"
    r"幻覚は?(?:ない|ありません|見られません)|환각이?\s*없(?:다|습니다|음))"
    r"|(?P<some>es\s+gibt\s+(?:eine\s+)?halluzination\w*|il\s+y\s+a\s+(?:une\s+|des\s+)?hallucination\w*|"
    r"hay\s+(?:una\s+)?alucinaci\w+|há\s+(?:uma\s+)?alucinaç\w+|c'è\s+(?:un')?allucinazione|"
    r"er\s+is\s+een\s+hallucinatie|(?:存在|有)幻觉|幻覚が(?:ある|あります)))\W*",
    re.IGNORECASE,
)
# a sentence about the judged text in other languages than English, and what leaves it open
_OF_TEXT = re.compile(
    r"\W*(?:(?:daher|somit|also|insgesamt|donc|ainsi|por\s+(?:lo\s+)?tanto|así\s+que|quindi|pertanto|portanto|dus|"
    r"таким\s+образом|итак|поэтому|因此|所以|综上|したがって|よって)[,，、]?\s*)?"
    r"(?:die\s+(?:antwort|zusammenfassung)|(?:la|cette)\s+réponse|(?:le|ce)\s+résumé|(?:la|esta)\s+respuesta|(?:el|"
    r"este)\s+resumen|(?:la|questa)\s+risposta|il\s+riassunto|"
    r"a\s+resposta|o\s+resumo|het\s+antwoord|de\s+samenvatting|(?:этот\s+)?ответ|(?:это\s+)?резюме|(?:该|这个|这份)?(?:回答|"
    r"答案|摘要|总结|回复)|(?:この)?(?:回答|要約|応答)は)"
    r"(?:\s+(?:enthält|ist|stimmt|contient|est|contiene|es|è|inventa|invente|erfindet|inventeert|contém|é|bevat|is|"
    r"содержит|не|no|non|não|niet|ne|nicht|n'est)\b|"
    r"(?=[^.。]*(?:含|有|は|与|和|是|没|が)))",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(
    r"\b(?:vielleicht|möglicherweise|wahrscheinlich|teilweise|wenn|falls|ob|peut-être|probablement|partiellement|si|"
    r"quizás?|tal\s+vez|probablemente|parcialmente|forse|probabilmente|se|talvez|"
    r"provavelmente|misschien|waarschijnlijk|als|of|возможно|вероятно|если|ли|частично|aber|mais|pero|ma|mas|maar|но|"
    r"jedoch|cependant)\b|也许|可能|如果|是否|部分|かもしれ|おそらく|もし|但|でも|しかし|[?？]",
    re.IGNORECASE,
)


def foreign(sentence: str) -> bool | None:
    """What a sentence of another language than English says of the judged text, which it begins with (`Die Antwort ist
    falsch`), or of hallucinations (`Não há alucinação`); None where it leaves it open or says neither.
    """
    if there := _THERE_IS.fullmatch(sentence.replace("’", "'")):
        return there["some"] is not None
    if _OF_TEXT.match(sentence) is None or _LEFT_OPEN.search(sentence):
        return None
    clause = _BECAUSE.split(sentence, maxsplit=1)[0].partition(":")[0]
    parts = re.split(r"\s+(?:y|e|et|und|en|и)\s+", re.sub(r"\bno\b", "non", clause, flags=re.IGNORECASE))
    told = {pole(part) for part in parts}
    return told.pop() if len(told) == 1 else None


def is_left_open(sentence: str) -> bool:
    """Whether words of another language than English leave a sentence open: doubt, condition, contrast."""
    return _LEFT_OPEN.search(sentence) is not None


# a conclusion in Chinese, Japanese or Korean, which set no blanks: `因此答案是“否”`, `答えは「はい」です`
_CONCLUDED = re.compile(
    r"(?:\A|[\s,.;。、])(?:(?:因此|所以|故|综上|よって|したがって|따라서)[,、]?\s*)?(?:我的|私の|저의|제\s)?(?:最终|最終|최종)?(?:的な)?\s*"
    r"(?:判断|判定|结论|結論|答案|回答|答え|결론|답변?|판단)\s*(?:是|为|為|は|은|는|:)+\s*[\"'“「『]*"
    r"(?P<word>是的?|否|不是|はい|いいえ|네|예|아니요|아니오)[\"'”」』]*\s*(?:です|だ|입니다|이다)?\s*[.。]?\s*\Z"
)
_CONDITION = re.compile("如果|若|要是|假如|もし|なら|만약|[?？吗]|还是|または")


def concluded(sentence: str) -> bool | None:
    """The verdict in which a sentence of Chinese, Japanese or Korean ends; None where it ends in none, or speaks
    of a condition or a question.
    """
    found = None if _CONDITION.search(sentence) else _CONCLUDED.search(sentence)
    return MEANS[found["word"]] if found else None
