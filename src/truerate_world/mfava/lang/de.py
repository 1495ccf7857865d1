"""German: names, kinds and categories; facts stand in `de_facts`, sentences that carry none in `de_talk`.

Categories are written so that they stand unchanged in the nominative and the accusative (awards also in the
dative).
"""

from truerate_world.mfava.lang.de_facts import RELATIONS  # noqa: F401  (part of this language)
from truerate_world.mfava.lang.de_talk import FILLERS, HEADINGS, INSERTS, LEADS, REFUSALS  # noqa: F401

NAME = "German"
FULL_STOP = "."
JOIN = " "
SYLLABLES = None

KINDS = {
    "town": "Stadt",
    "person": "Wissenschaftlerin",
    "river": "Fluss",
    "museum": "Museum",
    "company": "Firma",
    "novel": "Roman",
}
NAMES = {
    "town": "{w}",
    "person": "{g} {w}",
    "river": "Fluss {w}",
    "museum": "Museum {w}",
    "company": "Firma {w}",
    "novel": "Rückkehr nach {w}",
}
CALLED = {"river": "der {s}", "museum": "das {s}", "company": "die {s}", "novel": "der Roman {s}"}
GIVEN = tuple(
    "Berta Klara Dorothea Franziska Greta Judith Lieselotte Monika Hannelore Paula Renate Sabine Theresa Waltraud".split()
)

CATEGORIES = {
    "craft": "Spitze|Keramik|Glaswaren|Korbwaren|Kupferwaren|Teppiche|Kerzen|Lederwaren|Silberschmuck|Holzschnitzereien|Stickereien|Seife",
    "field": "Geologie|Botanik|Optik|Seismologie|Astronomie|Hydrologie|Entomologie|Meteorologie|Linguistik|Chemie|Zoologie|Algebra",
    "award": "Laternenpreis|Kompasspreis|Reiherpreis|Granitpreis|Weidenpreis|Kometenpreis|Brückenpreis|Falkenpreis|Hafenpreis"
    "|Kristallpreis|Federpreis|Ankerpreis",
    "fish": "Hechte|Karpfen|Forellen|Barsche|Lachse|Aale|Barben|Äschen|Brassen|Welse|Störe|Schleien",
    "collection": "Standuhren|Münzen|Masken|Seekarten|Porzellan|Musikinstrumente|Meteoriten|Kameras|Puppen|Briefmarken|Fossilien|Waffen",
    "product": "Fahrräder|Teleskope|Klaviere|Nähmaschinen|Lampen|Armbanduhren|Schreibmaschinen|Aufzüge|Öfen|Regenschirme|Spielwaren|Farben",
    "genre": "Kriminalroman|Familienroman|Schauerroman|Reiseroman|Liebesroman|Spionageroman|Märchenroman|Justizroman|Schelmenroman"
    "|Kriegsroman|Historienroman|Entwicklungsroman",
}
CATEGORIES = {name: tuple(entries.split("|")) for name, entries in CATEGORIES.items()}
