"""French: names, kinds and categories; facts stand in `fr_facts`, sentences that carry none in `fr_talk`.

Categories hold the article with which they stand in the phrases; fields are all such that "de" before them
does not contract, awards are all masculine, and so are genres.
"""

from truerate_world.mfava.lang.fr_facts import RELATIONS  # noqa: F401  (part of this language)
from truerate_world.mfava.lang.fr_talk import FILLERS, HEADINGS, INSERTS, LEADS, REFUSALS  # noqa: F401

NAME = "French"
FULL_STOP = "."
JOIN = " "
SYLLABLES = None

KINDS = {
    "town": "ville",
    "person": "scientifique",
    "river": "rivière",
    "museum": "musée",
    "company": "société",
    "novel": "roman",
}
NAMES = {
    "town": "{w}",
    "person": "{g} {w}",
    "river": "rivière {w}",
    "museum": "musée {w}",
    "company": "société {w}",
    "novel": "Retour à {w}",
}
CALLED = {"river": "la {s}", "museum": "le {s}", "company": "la {s}", "novel": "le roman {s}"}
GIVEN = tuple(
    "Lise Colette Claire Delphine Florence Gisèle Juliette Laurence Madeleine Nathalie Pauline Solange Thérèse Valérie".split()
)

CATEGORIES = {
    "craft": "la dentelle|la poterie|la verrerie|la vannerie|la dinanderie|les tapis|les bougies|la maroquinerie|les bijoux en argent"
    "|la sculpture sur bois|la broderie|le savon",
    "field": "la géologie|la botanique|l'optique|la sismologie|l'astronomie|l'hydrologie|l'entomologie|la météorologie|la linguistique"
    "|la chimie|la zoologie|l'algèbre",
    "award": "prix de la Lanterne|prix de la Boussole|prix du Héron|prix du Granit|prix du Saule|prix de la Comète|prix du Pont"
    "|prix du Faucon|prix du Port|prix du Cristal|prix de la Plume|prix de l'Ancre",
    "fish": "le brochet|la carpe|la truite|la perche|le saumon|l'anguille|le barbeau|l'ombre|la brème|le silure|l'esturgeon|la tanche",
    "collection": "des horloges|des monnaies|des masques|des cartes marines|de la porcelaine|des instruments de musique|des météorites"
    "|des appareils photo|des marionnettes|des timbres|des fossiles|des armes",
    "product": "des bicyclettes|des télescopes|des pianos|des machines à coudre|des lampes|des montres|des machines à écrire"
    "|des ascenseurs|des fours|des parapluies|des jouets|des peintures",
    "genre": "roman policier|roman familial|récit fantastique|récit de voyage|roman d'amour|roman d'espionnage|conte de fées"
    "|roman judiciaire|roman satirique|roman de guerre|roman historique|roman d'apprentissage",
}
CATEGORIES = {name: tuple(entries.split("|")) for name, entries in CATEGORIES.items()}
