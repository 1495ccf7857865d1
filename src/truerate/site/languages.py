"""Languages by code: the English name and the name in the language itself."""

NAMES = {
    "ar": ("Arabic", "العربية"), "bs": ("Bosnian", "bosanski"), "ca": ("Catalan", "català"), "cs": ("Czech", "čeština"),
    "cy": ("Welsh", "Cymraeg"), "da": ("Danish", "dansk"), "de": ("German", "Deutsch"), "el": ("Greek", "Ελληνικά"),
    "en": ("English", "English"), "eo": ("Esperanto", "Esperanto"), "es": ("Spanish", "español"), "et": ("Estonian", "eesti"),
    "eu": ("Basque", "euskara"), "fa": ("Persian", "فارسی"), "fi": ("Finnish", "suomi"), "fr": ("French", "français"),
    "ga": ("Irish", "Gaeilge"), "gl": ("Galician", "galego"), "he": ("Hebrew", "עברית"), "hi": ("Hindi", "हिन्दी"),
    "hr": ("Croatian", "hrvatski"), "hu": ("Hungarian", "magyar"), "id": ("Indonesian", "Bahasa Indonesia"),
    "it": ("Italian", "italiano"),
    "ja": ("Japanese", "日本語"), "ko": ("Korean", "한국어"), "la": ("Latin", "latina"), "lt": ("Lithuanian", "lietuvių"),
    "lv": ("Latvian", "latviešu"), "ms": ("Malay", "Bahasa Melayu"), "nb": ("Norwegian Bokmål", "norsk bokmål"),
    "nl": ("Dutch", "Nederlands"),
    "no": ("Norwegian", "norsk"), "pl": ("Polish", "polski"), "pt": ("Portuguese", "português"), "ro": ("Romanian", "română"),
    "ru": ("Russian", "русский"), "sk": ("Slovak", "slovenčina"), "sl": ("Slovene", "slovenščina"), "sr": ("Serbian", "српски"),
    "bg": ("Bulgarian", "български"), "bn": ("Bengali", "বাংলা"), "sd": ("Sindhi", "سنڌي"), "ta": ("Tamil", "தமிழ்"),
    "sv": ("Swedish", "svenska"), "sw": ("Swahili", "Kiswahili"), "th": ("Thai", "ไทย"), "tr": ("Turkish", "Türkçe"),
    "uk": ("Ukrainian", "українська"), "ur": ("Urdu", "اردو"), "vi": ("Vietnamese", "Tiếng Việt"), "yue": ("Cantonese", "粵語"),
    "zh": ("Chinese", "中文"),
}  # fmt: skip


def language(code: str) -> str:
    """The English name of a language, `all` being all of them; a code that is not known stays as it is."""
    return "All languages" if code == "all" else NAMES.get(code, (code,))[0]


def own_name(code: str) -> str:
    """What a language calls itself; empty where that says nothing new."""
    english, own = NAMES.get(code, ("", ""))
    return own if own != english else ""
