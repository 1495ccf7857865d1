"""The six languages of the wiki: what all of them must say, and one YAML file of hand-written phrases each.

Every language's file holds the same fields (see `en.yaml`), and entry k of a list means the same in every language:
a sentence is translated by its place. Names and values are put into phrases as they are, never inflected. In
sentences that fit every domain (`inserts`, `refusals`, `fillers`) a name stands as `called` says, with its article
("the River Lomin"), and the first letter of a sentence is a capital.
"""

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from truerate.core.errors import TruerateError, listed
from truerate_world.lang import read_words

LANGUAGES = ("en", "de", "fr", "tr", "zh", "ar")

DOMAINS = {  # domain -> its relations, in the order in which a reference tells them
    "town": ("t_founded", "t_population", "t_river", "t_specialty", "t_twin"),
    "person": ("p_born", "p_birthplace", "p_field", "p_award", "p_books"),
    "river": ("r_length", "r_height", "r_mouth", "r_fish", "r_bridge"),
    "museum": ("m_opened", "m_collection", "m_town", "m_architect", "m_visitors"),
    "company": ("c_founded", "c_product", "c_seat", "c_founder", "c_employees"),
    "novel": ("n_published", "n_genre", "n_author", "n_setting", "n_pages"),
}

# relation -> what its value is: y a year, n a number (2 or more), e:domain an entity, c:category a category
RELATIONS = {
    "t_founded": "y",
    "t_population": "n",
    "t_river": "e:river",
    "t_specialty": "c:craft",
    "t_twin": "e:town",
    "p_born": "y",
    "p_birthplace": "e:town",
    "p_field": "c:field",
    "p_award": "c:award",
    "p_books": "n",
    "r_length": "n",
    "r_height": "n",
    "r_mouth": "e:town",
    "r_fish": "c:fish",
    "r_bridge": "y",
    "m_opened": "y",
    "m_collection": "c:collection",
    "m_town": "e:town",
    "m_architect": "e:person",
    "m_visitors": "n",
    "c_founded": "y",
    "c_product": "c:product",
    "c_seat": "e:town",
    "c_founder": "e:person",
    "c_employees": "n",
    "n_published": "y",
    "n_genre": "c:genre",
    "n_author": "e:person",
    "n_setting": "e:town",
    "n_pages": "n",
}

# what invented stems are made of; every one begins with a consonant, so no article before a name changes
SYLLABLES_LATIN = tuple(
    "ba bi bo da di do fa fi fo ga gi ka ki ko la li lo ma mi mo na ni no ra ri ro sa si so ta ti to za zi zo ja jo "
    "ban bor dan din fal gan gor kas kin lan lor man mir nal nor ran ris san sol tal tin tor zan".split()
)

TAKEN = frozenset(  # stems that these syllables make and that are words, names or places
    "bali bamako banana bandana banjo bari baro bikini bobo bodin bonito boris dada dakota dali dana dani data didi dina dino "
    "dodo dodoma domino doris fado faro fifi gado gala gandi ganja gorki jaja jojo kadi kadin kali kalina kanada kari kasino "
    "katana kigali kiki kilo kimono kino koran lada lalo lama lanka latin latina lido lili lima limo lira lisa lodi lola loris "
    "malabo malaga mali malina malo mama manado mandala manga manila manna mannaro mano manor mara marina matin milan milano milo "
    "mimi minor mira miranda mirna mirza misano miso mona moro moroni nana narita natal nato nilo nina nino nola nora norman "
    "norris rana rimini rino riri rita rodin roma romani rosa sabo safari salami salina salo samo sana sani sansa santo sari "
    "satin sato sino sofa sola soldan soldo solo soma somali sonata tabora taliban tari taro tata tiki tina tirana titi tomato "
    "toni tora tori torino tornado toro torso toto zara zaza zizi zola zozo".split()
)


class Phrases(NamedTuple):
    """How a language says one relation of `{s}` (a name) with `{v}` (its value).

    `told`: two sentences of references. `said`: three other sentences of answers, each with one bracket
    `[right|wrong]` around the words that carry the relation; the wrong words state another one. `asks`: two
    questions (with their question mark; they hold `{s}` only). Sentences have no full stop.
    """

    told: tuple[str, ...]
    said: tuple[str, ...]
    asks: tuple[str, ...]


class Inserts(NamedTuple):
    """Whole sentences of one hallucination type, in three lists without a common wording: those that training
    texts show (8), those that writers of silver passages use (8), and those that come up by themselves in
    replies (5). They fit an entity of every domain.
    """

    taught: tuple[str, ...]
    written: tuple[str, ...]
    natural: tuple[str, ...]


# hallucination type -> what its sentences hold: {v} a value of the reference, {w} an invented stem
INSERTED = {
    "contradictory": ("s", "v"),
    "unverifiable": ("s",),
    "invented": ("s", "w"),
    "subjective": ("s",),
}


@cache
def load(code: str) -> SimpleNamespace:
    """Return the words of one language; TruerateError where the wiki is not written in it."""
    if code not in LANGUAGES:
        raise TruerateError(
            f"language {code!r} is not spoken in the closed world's wiki; spoken: {listed(LANGUAGES)}"
        )
    return read_words(Path(__file__).with_name(f"{code}.yaml"), relations=Phrases, inserts=Inserts)
