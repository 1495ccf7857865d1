"""English: how things are named. Relations stand in `en_people`, `en_things` and `en_works`, sentences that carry no fact
in `en_talk`.
"""

from truerate_world.lang import en_people, en_things, en_works
from truerate_world.lang.en_talk import (  # noqa: F401  (part of this language)
    ANSWERS,
    ARTICLES,
    COMPOUNDS,
    CONNECTORS,
    LEADS,
    PAIR_QUERIES,
    PROBE_QUERIES,
    PRONOUNS,
    QUERIES,
    RELATIVES,
    TALK,
    VAGUE,
)

KINDS = {  # domain -> what one of its entities is, and several of them
    "science": ("scientist", "scientists"),
    "politics": ("politician", "politicians"),
    "music": ("musician", "musicians"),
    "sport": ("athlete", "athletes"),
    "literature": ("writer", "writers"),
    "cinema": ("film-maker", "film-makers"),
    "towns": ("town", "towns"),
    "rivers": ("river", "rivers"),
    "mountains": ("mountain", "mountains"),
    "islands": ("island", "islands"),
    "architecture": ("building", "buildings"),
    "countries": ("country", "countries"),
    "business": ("company", "companies"),
    "universities": ("university", "universities"),
    "clubs": ("sports club", "sports clubs"),
    "museums": ("museum", "museums"),
    "novels": ("novel", "novels"),
    "films": ("film", "films"),
    "albums": ("album", "albums"),
    "software": ("program", "programs"),
    "games": ("board game", "board games"),
}

# domain -> a name and an alias; {w} an invented word, {g} a given name, {a} an adjective, {n} a noun
NAMES = {
    "science": ("{g} {w}", "{w}"),
    "politics": ("{g} {w}", "{w}"),
    "music": ("{g} {w}", "{w}"),
    "sport": ("{g} {w}", "{w}"),
    "literature": ("{g} {w}", "{w}"),
    "cinema": ("{g} {w}", "{w}"),
    "towns": ("{w}", "Old {w}"),
    "rivers": ("River {w}", "{w} River"),
    "mountains": ("Mount {w}", "{w} Peak"),
    "islands": ("{w} Island", "Isle of {w}"),
    "architecture": ("{w} {building}", "Great {w} {building}"),
    "countries": ("{w}ia", "Greater {w}ia"),
    "business": ("{w} {firm}", "{w}"),
    "universities": ("{w} University", "{w} Academy"),
    "clubs": ("{w} {team}", "{w} Sports Club"),
    "museums": ("{w} Museum", "{w} Galleries"),
    "novels": ("The {a} {n}", "{a} {n}"),
    "films": ("{n} of the {a} {m}", "{n} of {m}"),
    "albums": ("{a} {n} Songs", "Songs of the {a} {n}"),
    "software": ("{w}", "{w} Suite"),
    "games": ("{n} and {m}", "Game of {n} and {m}"),
}

GIVEN = {
    "he": "Adrel Borin Cassin Dorvan Edric Farlo Goran Halvard Ivo Jorim Kester Lucan Marek Nevio Osric Pavel Rurik Stellan Tavish".split(),
    "she": "Alva Brisa Corda Delia Edda Fiora Greta Hesper Isolde Jora Katla Liora Mirel Nadia Orla Petra Senna Thalia Ursa".split(),
}
WORDS = {
    "a": "Silent Amber Hollow Crimson Patient Distant Broken Gilded Winter Hidden Restless Pale Iron Wandering Burning Drowned".split(),
    "n": "Harbour Lantern Orchard Mirror Compass Garden Bridge Candle Feather Anchor Meadow Tower Raven Thistle Clock Shore".split(),
    "m": "Sparrow Tide Ember Valley Loom Falcon Willow Storm Saffron Marble Heron Quarry Comet Bramble Dune Frost".split(),
    "building": "Lighthouse Hall Cathedral Observatory Palace Viaduct Theatre Granary".split(),
    "firm": "Instruments Motors Foods Records Press Systems Pictures Textiles".split(),
    "team": "Rovers Athletic Wanderers United Harriers Rangers".split(),
}

CATEGORIES = {  # category -> its entries, each with another name after the slash
    "award": "Halden Medal/Medal of Halden|Corvin Prize/Prize of Corvin|Silver Quill/Quill in Silver|Order of the Heron/Heron Order"
    "|Marrow Ribbon/Ribbon of Marrow|Golden Astrolabe/Astrolabe in Gold|Tessel Cup/Cup of Tessel|Vesper Laurel/Laurel of Vesper"
    "|Brandt Star/Star of Brandt|Ivory Key/Key of Ivory",
    "field": "optics/study of light|hydrology/water science|crystallography/study of crystals|seismology/earthquake research"
    "|entomology/study of insects|thermodynamics/theory of heat|oceanography/marine science|linguistics/study of language"
    "|immunology/study of immunity|astronomy/study of the stars",
    "office": "minister of finance/finance minister|speaker of parliament/parliamentary speaker|ambassador/chief envoy"
    "|minister of health/health minister|chief treasurer/head of the treasury|minister of transport/transport minister"
    "|governor/head of the province|minister of justice/justice minister|attorney general/chief prosecutor"
    "|minister of trade/trade minister",
    "instrument": "cello/violoncello|bassoon/fagotto|accordion/squeezebox|harp/concert harp|clarinet/licorice stick|viola/alto violin"
    "|trombone/slide horn|mandolin/small lute|oboe/hautboy|zither/Alpine psaltery",
    "position": "goalkeeper/shot-stopper|left winger/winger on the left|sweeper/libero|centre forward/number nine"
    "|right back/defender on the right"
    "|playmaker/number ten|full-back/wide defender|midfielder/man in midfield|striker/goal-getter|fly-half/out-half",
    "specialty": "blown glass/glassware|smoked trout/trout from the smokehouse|saffron/crocus spice|lace/needlework|copperware/copper pots"
    "|plum brandy/spirits made of plums|ceramic tiles/glazed tiles|wool carpets/woollen rugs|honey cakes/gingerbread"
    "|sea salt/salt from the sea",
    "fish": "pike/jackfish|sturgeon/caviar fish|barbel/whiskered carp fish|grayling/lady of the stream|perch/stickle-backed bass"
    "|eels/snake-like fish|carp/pond koi|lamprey/nine-eyed fish|char/red-bellied trout|salmon/leaping lox",
    "rock": "granite/speckled plutonic rock|basalt/black lava rock|limestone/lime rock|gneiss/banded rock|dolomite/magnesian carbonate"
    "|slate/roofing stone|sandstone/cemented sand|schist/flaky mica rock|quartzite/hardened quartz|andesite/grey lava rock",
    "plant": "sea lavender/statice|juniper/gin-berry shrub|wild thyme/creeping thyme|heather/ling|myrtle/evergreen bridal shrub"
    "|samphire/glasswort|tamarisk/salt cedar|rock rose/cistus|broom/yellow besom shrub|marram/beach grass",
    "material": "red brick/fired clay bricks|white marble/pale marble|oak timber/oak beams|tuff/volcanic ash stone"
    "|glazed concrete/concrete and glass"
    "|travertine/banded spring limestone|rammed earth/tamped clay|cast iron/poured iron|flint/knapped flintstone|larch wood/larch planks",
    "currency": "corin/corin crown|dalar/dalar mark|veston/veston pound|marn/marn ducat|tolin/tolin franc|sestar/sestar peso"
    "|brel/brel shilling"
    "|orin/orin thaler|kessel/kessel guilder|lumen/lumen denar",
    "product": "telescopes/spyglasses|bicycles/push-bikes|sewing machines/machines for sewing|canned soup/soup in cans"
    "|typewriters/writing machines|ship engines/marine engines|wristwatches/watches for the wrist|radios/wireless sets"
    "|bottled water/water in bottles|elevators/lifts",
    "colours": "green and white/white and green|red and black/black and red|blue and gold/gold and blue|orange and grey/grey and orange"
    "|purple and white/white and purple|black and yellow/yellow and black|maroon and silver/silver and maroon|teal and navy/navy and teal"
    "|pink and brown/brown and pink|scarlet and cream/cream and scarlet",
    "collection": "antique clocks/old timepieces|sea charts/nautical charts|porcelain/fine china|beetles/pinned coleoptera"
    "|tapestries/woven wall hangings|coins/historic coinage|musical automata/self-playing instruments|meteorites/stones from space"
    "|early cameras/vintage cameras|puppets/marionettes",
    "genre": "mystery/whodunit|satire/mocking prose|family saga/saga of a family|ghost story/tale of ghosts|travelogue/travel writing"
    "|sea adventure/nautical adventure|courtroom drama/legal drama|fable/animal parable|romance/love story|spy thriller/espionage fiction",
    "film_genre": "comedy/laugh-out-loud fare|western/horse opera|musical/song-and-dance picture|heist film/caper|war drama/drama of war"
    "|film noir/dark crime picture|horror/scary fare|road movie/picture of the open road|melodrama/tear-jerker|science fiction/sci-fi",
    "style": "folk/traditional roots sound|baroque pop/chamber pop|ambient/atmospheric soundscapes|swing/big-band jazz"
    "|punk/three-chord rock"
    "|bossa nova/slow samba|synthpop/electropop|gospel/church soul|shoegaze/dreamy noise pop|blues/twelve-bar laments",
    "purpose": "bookkeeping/keeping accounts|route planning/planning of routes|image editing/retouching pictures"
    "|weather forecasting/predicting the weather|music notation/writing scores|inventory control/stock-keeping|typesetting/page layout"
    "|crop monitoring/watching over fields|language learning/learning of languages|circuit design/laying out circuits",
    "platform": "mainframes/big iron|tablets/slate computers|game consoles/consoles|smartphones/mobile phones|web browsers/browsers"
    "|workstations/desktop computers|smartwatches/wearables|pocket calculators/hand-held calculators|set-top boxes/television boxes"
    "|servers/data-centre machines",
    "theme": "beekeeping/apiculture|railways/railroads|volcanoes/fire mountains|spice trading/commerce in spices"
    "|lighthouses/beacons by the sea"
    "|archaeology/digging up the past|wine-making/viticulture|sled racing/races of dog sleds|pirates/buccaneers|cartography/map-making",
}
CATEGORIES = {
    name: tuple(tuple(entry.split("/")) for entry in entries.split("|"))
    for name, entries in CATEGORIES.items()
}
CATEGORY_KINDS = {
    "award": "honour",
    "field": "discipline",
    "office": "public office",
    "instrument": "instrument",
    "position": "playing position",
    "specialty": "local product",
    "fish": "freshwater species",
    "rock": "kind of rock",
    "plant": "coastal plant",
    "material": "building material",
    "currency": "coinage",
    "product": "manufactured goods",
    "colours": "pair of colours",
    "collection": "collector's pieces",
    "genre": "literary genre",
    "film_genre": "film genre",
    "style": "kind of music",
    "purpose": "office work",
    "platform": "computers",
    "theme": "pastime",
}

RELATIONS = en_people.RELATIONS | en_things.RELATIONS | en_works.RELATIONS
