"""The languages that prompts can speak of: what they call them, the script they are written in, and NLLB's
code.

Codes are ISO 639-1, else 639-3. One that is not here is refused in one line: prompts name their language, and
replies are told by script.
"""

from typing import NamedTuple

from truerate.core.errors import SettingsError, listed


class Language(NamedTuple):
    """A language by its English name, the Unicode scripts of its texts, and its code in NLLB."""

    name: str
    scripts: tuple[str, ...]
    nllb: str


def _latin(name: str, nllb: str) -> Language:
    return Language(name, ("Latin",), f"{nllb}_Latn")


def _cyrillic(name: str, nllb: str) -> Language:
    return Language(name, ("Cyrillic",), f"{nllb}_Cyrl")


def _arabic(name: str, nllb: str) -> Language:
    return Language(name, ("Arabic",), f"{nllb}_Arab")


LANGUAGES = {
    "ar": _arabic("Arabic", "arb"),
    "bg": _cyrillic("Bulgarian", "bul"),
    "bn": Language("Bengali", ("Bengali",), "ben_Beng"),
    "ca": _latin("Catalan", "cat"),
    "cs": _latin("Czech", "ces"),
    "da": _latin("Danish", "dan"),
    "de": _latin("German", "deu"),
    "el": Language("Greek", ("Greek",), "ell_Grek"),
    "en": _latin("English", "eng"),
    "eo": _latin("Esperanto", "epo"),
    "es": _latin("Spanish", "spa"),
    "et": _latin("Estonian", "est"),
    "eu": _latin("Basque", "eus"),
    "fa": _arabic("Persian", "pes"),
    "fi": _latin("Finnish", "fin"),
    "fr": _latin("French", "fra"),
    "gl": _latin("Galician", "glg"),
    "he": Language("Hebrew", ("Hebrew",), "heb_Hebr"),
    "hi": Language("Hindi", ("Devanagari",), "hin_Deva"),
    "hr": _latin("Croatian", "hrv"),
    "hu": _latin("Hungarian", "hun"),
    "id": _latin("Indonesian", "ind"),
    "it": _latin("Italian", "ita"),
    "ja": Language("Japanese", ("Han", "Hiragana", "Katakana"), "jpn_Jpan"),
    "ko": Language("Korean", ("Hangul", "Han"), "kor_Hang"),
    "la": _latin("Latin", "lat"),
    "lt": _latin("Lithuanian", "lit"),
    "lv": _latin("Latvian", "lvs"),
    "ms": _latin("Malay", "zsm"),
    "nl": _latin("Dutch", "nld"),
    "no": _latin("Norwegian", "nob"),
    "pl": _latin("Polish", "pol"),
    "pt": _latin("Portuguese", "por"),
    "ro": _latin("Romanian", "ron"),
    "ru": _cyrillic("Russian", "rus"),
    "sd": _arabic("Sindhi", "snd"),
    "sk": _latin("Slovak", "slk"),
    "sl": _latin("Slovenian", "slv"),
    "sr": Language("Serbian", ("Cyrillic", "Latin"), "srp_Cyrl"),
    "sv": _latin("Swedish", "swe"),
    "sw": _latin("Swahili", "swh"),
    "ta": Language("Tamil", ("Tamil",), "tam_Taml"),
    "th": Language("Thai", ("Thai",), "tha_Thai"),
    "tr": _latin("Turkish", "tur"),
    "uk": _cyrillic("Ukrainian", "ukr"),
    "ur": _arabic("Urdu", "urd"),
    "vi": _latin("Vietnamese", "vie"),
    "yue": Language("Cantonese", ("Han",), "yue_Hant"),
    "zh": Language("Chinese", ("Han",), "zho_Hans"),
}


def language(code: str, where: str = "languages") -> Language:
    """A language by its code; SettingsError with the known codes for others. `where`: the setting."""
    if code not in LANGUAGES:
        raise SettingsError(f"{where}: unknown language code {code!r}; known: {listed(LANGUAGES)}")
    return LANGUAGES[code]
