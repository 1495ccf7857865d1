"""Words for yes and no in the languages that the reader of verdicts knows.

English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Polish, Turkish, Russian,
Ukrainian, Greek, Chinese, Japanese, Korean, Arabic, Hebrew, Persian, Hindi, Indonesian, Vietnamese. Words that
mean something else in another of them (Greek ne, Czech ne, Romanian da, Spanish si without its accent) are
left out: a word that is not here loses a reply, a word that is here wrongly turns one.
"""

YES = (
    "yes", "yep", "yeah", "yup", "ja", "jawohl", "oui", "sí", "sì", "sim", "evet", "tak", "да", "так", "ναι",
    "是", "是的", "はい", "네", "예", "نعم", "כן", "بله", "हाँ", "हां", "ya", "có",
)  # fmt: skip
NO = (
    "no", "nope", "nah", "nein", "non", "não", "nee", "nej", "nie", "hayır", "hayir", "нет", "ні", "όχι",
    "否", "不是", "いいえ", "아니요", "아니오", "아뇨", "لا", "לא", "خیر", "नहीं", "tidak", "không",
)  # fmt: skip
MEANS = dict.fromkeys(YES, True) | dict.fromkeys(NO, False)
# a pattern of any of them, the longest first
WORD = "|".join(sorted(MEANS, key=len, reverse=True))
