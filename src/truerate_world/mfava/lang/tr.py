"""Turkish: names, kinds and categories; facts stand in `tr_facts`, sentences that carry none in `tr_talk`.

Suffixes stand on generic nouns ("{v} kentinde"), never on a name, a number or a category.
"""

from truerate_world.mfava.lang.tr_facts import RELATIONS  # noqa: F401  (part of this language)
from truerate_world.mfava.lang.tr_talk import FILLERS, HEADINGS, INSERTS, LEADS, REFUSALS  # noqa: F401

NAME = "Turkish"
FULL_STOP = "."
JOIN = " "
SYLLABLES = None

KINDS = {
    "town": "kent",
    "person": "bilim insanı",
    "river": "nehir",
    "museum": "müze",
    "company": "şirket",
    "novel": "roman",
}
NAMES = {
    "town": "{w}",
    "person": "{g} {w}",
    "river": "{w} Nehri",
    "museum": "{w} Müzesi",
    "company": "{w} Şirketi",
    "novel": "{w} Yolu",
}
CALLED = {}
GIVEN = tuple(
    "Belgin Canan Derya Feride Gülay Hande Jale Leyla Meral Nermin Pınar Reyhan Selma Zeynep".split()
)

CATEGORIES = {
    "craft": "dantel|çömlek|cam eşya|sepet|bakır eşya|halı|mum|deri eşya|gümüş takı|ahşap oyma|nakış|sabun",
    "field": "jeoloji|botanik|optik|sismoloji|astronomi|hidroloji|entomoloji|meteoroloji|dilbilim|kimya|zooloji|cebir",
    "award": "Fener Ödülü|Pusula Ödülü|Balıkçıl Ödülü|Granit Ödülü|Söğüt Ödülü|Kuyruklu Yıldız Ödülü|Köprü Ödülü|Şahin Ödülü|Liman Ödülü"
    "|Kristal Ödülü|Tüy Ödülü|Çapa Ödülü",
    "fish": "turna balığı|sazan|alabalık|tatlı su levreği|somon|yılan balığı|bıyıklı balık|gölge balığı|çapak balığı|yayın balığı"
    "|mersin balığı|kadife balığı",
    "collection": "saat|madeni para|maske|deniz haritası|porselen|çalgı|göktaşı|fotoğraf makinesi|kukla|pul|fosil|silah",
    "product": "bisiklet|teleskop|piyano|dikiş makinesi|lamba|kol saati|daktilo|asansör|fırın|şemsiye|oyuncak|boya",
    "genre": "polisiye roman|aile romanı|hayalet öyküsü|gezi anlatısı|aşk romanı|casusluk romanı|peri masalı|mahkeme romanı|hiciv romanı"
    "|savaş romanı|tarihsel roman|gelişim romanı",
}
CATEGORIES = {name: tuple(entries.split("|")) for name, entries in CATEGORIES.items()}
