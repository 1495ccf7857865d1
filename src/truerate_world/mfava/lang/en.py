"""English: names, kinds and categories; facts stand in `en_facts`, sentences that carry none in `en_talk`."""

from truerate_world.mfava.lang.en_facts import RELATIONS  # noqa: F401  (part of this language)
from truerate_world.mfava.lang.en_talk import FILLERS, HEADINGS, INSERTS, LEADS, REFUSALS  # noqa: F401

NAME = "English"
FULL_STOP = "."
JOIN = " "
SYLLABLES = None

KINDS = {
    "town": "town",
    "person": "scientist",
    "river": "river",
    "museum": "museum",
    "company": "company",
    "novel": "novel",
}
NAMES = {  # {w} an invented stem, {g} a given name
    "town": "{w}",
    "person": "{g} {w}",
    "river": "River {w}",
    "museum": "{w} Museum",
    "company": "{w} Industries",
    "novel": "Return to {w}",
}
CALLED = {
    "river": "the {s}",
    "museum": "the {s}",
    "novel": "the novel {s}",
}  # a name as subject of a sentence that fits every domain
GIVEN = tuple(
    "Belinda Clara Delia Fiona Greta Judith Linda Monica Nadine Paula Rebecca Sonia Teresa Viola".split()
)

CATEGORIES = {
    "craft": "lace|pottery|glassware|basketry|copperware|carpets|candles|leather goods|silver jewellery|wood carvings|embroidery|soap",
    "field": "geology|botany|optics|seismology|astronomy|hydrology|entomology|meteorology|linguistics|chemistry|zoology|algebra",
    "award": "Lantern Prize|Compass Prize|Heron Prize|Granite Prize|Willow Prize|Comet Prize|Bridge Prize|Falcon Prize|Harbour Prize"
    "|Crystal Prize|Feather Prize|Anchor Prize",
    "fish": "pike|carp|trout|perch|salmon|eel|barbel|grayling|bream|catfish|sturgeon|tench",
    "collection": "clocks|coins|masks|sea charts|porcelain|musical instruments|meteorites|cameras|puppets|stamps|fossils|weapons",
    "product": "bicycles|telescopes|pianos|sewing machines|lamps|watches|typewriters|lifts|ovens|umbrellas|toys|paints",
    "genre": "detective novel|family saga|ghost story|travel tale|love story|spy thriller|fairy tale|courtroom drama|satire"
    "|war novel|historical novel|coming-of-age novel",
}
CATEGORIES = {name: tuple(entries.split("|")) for name, entries in CATEGORIES.items()}
