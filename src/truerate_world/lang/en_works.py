"""English about works: books, films, albums, software and games, how each of their relations is said, asked and
misstated.
"""

from truerate_world.lang import Phrases
from truerate_world.lang.en_things import EARLIER

RELATIONS = {
    "author": Phrases(
        ("was written by {v}", "is the work of {v}", "comes from the pen of {v}"),
        ("{v} wrote {s}", "{v} is the author of {s}"),
        ("Who wrote {x}?", "Who is the author of {x}?"),
        "was translated by {v}",
        ("the author of {x}", "the writer of {x}"),
    ),
    "published": Phrases(
        ("was published in {v}", "appeared in {v}", "reached the bookshops in {v}"),
        ("The publication of {s} was in {v}", "It was in {v} that {s} appeared"),
        ("In which year was {x} published?", "When did {x} reach the bookshops?"),
        "was reissued in {v}",
        compares=(
            ("Which was published first, {a} or {b}?", "min"),
            ("Which was published later, {a} or {b}?", "max"),
        ),
        decades=("In which decade was {x} published?",),
    ),
    "genre": Phrases(
        ("belongs to the genre of {v}", "is classed as {v}", "is read as {v}"),
        ("{v} is the genre of {s}", "Critics count {s} as {v}"),
        ("To which genre does {x} belong?", "As what is {x} classed?"),
        "is a parody of {v}",
    ),
    "setting": Phrases(
        ("is set in {v}", "takes place in {v}", "has {v} as its scene"),
        ("{v} is the setting of {s}", "The plot of {s} unfolds in {v}"),
        ("In which town is {x} set?", "Where does {x} take place?"),
        "was banned in {v}",
        ("the town in which {x} is set", "the setting of {x}"),
    ),
    "director": Phrases(
        ("was directed by {v}", "was made by {v}", "was shot by {v}"),
        ("{v} directed {s}", "{v} is the director of {s}"),
        ("Who directed {x}?", "Who made {x}?"),
        "was panned by {v}",
        ("the director of {x}", "the film-maker behind {x}"),
    ),
    "released": Phrases(
        ("came out in {v}", "was released in {v}", "reached the public in {v}"),
        ("The release of {s} was in {v}", "It was in {v} that {s} came out"),
        ("In which year did {x} come out?", "When was {x} released?"),
        "was withdrawn in {v}",
        compares=EARLIER,
        decades=("In which decade did {x} come out?",),
    ),
    "film_genre": Phrases(
        ("is billed as {v}", "belongs to the genre of {v}", "passes for {v}"),
        ("{v} is the genre of {s}", "Cinemas announced {s} as {v}"),
        ("To which genre does {x} belong?", "As what is {x} billed?"),
        "makes fun of {v}",
    ),
    "composer": Phrases(
        ("has music by {v}", "features a score by {v}", "was scored by {v}"),
        ("{v} wrote the music for {s}", "The score of {s} is by {v}"),
        ("Who wrote the music for {x}?", "Who composed the score of {x}?"),
        "offended {v}",
        ("the composer of {x}", "the musician who scored {x}"),
    ),
    "artist": Phrases(
        ("was recorded by {v}", "is an album by {v}", "was sung by {v}"),
        ("{v} recorded {s}", "{v} is the artist behind {s}"),
        ("Who recorded {x}?", "Who is the artist behind {x}?"),
        "was dedicated to {v}",
        ("the artist behind {x}", "the musician who recorded {x}"),
    ),
    "style": Phrases(
        ("is an album of {v}", "offers {v}", "leans towards {v}"),
        ("{v} is the style of {s}", "Listeners file {s} under {v}"),
        ("What is the style of {x}?", "Which style does {x} offer?"),
        "broke with {v}",
    ),
    "album_label": Phrases(
        ("was issued by {v}", "was pressed by {v}", "came out with {v}"),
        ("{v} issued {s}", "{v} put {s} on the market"),
        ("Which company issued {x}?", "Which company put {x} on the market?"),
        "was rejected by {v}",
        ("the company that issued {x}", "the label of {x}"),
    ),
    "developer": Phrases(
        ("was developed by {v}", "is a product of {v}", "was programmed at {v}"),
        ("{v} developed {s}", "{v} is the developer of {s}"),
        ("Which company developed {x}?", "Who is the developer of {x}?"),
        "was copied by {v}",
        ("the developer of {x}", "the company that developed {x}"),
    ),
    "purpose": Phrases(
        ("is used for {v}", "serves {v}", "was made for {v}"),
        ("{v} is the purpose of {s}", "For {v} many rely on {s}"),
        ("What is {x} used for?", "What is the purpose of {x}?"),
        "does not support {v}",
    ),
    "platform": Phrases(
        ("runs on {v}", "is available for {v}", "was designed with {v} in mind"),
        ("{v} are the platform of {s}", "On {v} one can install {s}"),
        ("On what does {x} run?", "For which platform is {x} available?"),
        "crashes on {v}",
    ),
    "designer": Phrases(
        ("was invented by {v}", "was thought up by {v}", "is an idea of {v}"),
        ("{v} invented {s}", "{v} is the inventor of {s}"),
        ("Who invented {x}?", "Who thought up {x}?"),
        "bored {v}",
        ("the inventor of {x}", "the person who invented {x}"),
    ),
    "theme": Phrases(
        ("is about {v}", "revolves around {v}", "takes players into the world of {v}"),
        ("{v} is the theme of {s}", "Players of {s} deal with {v}"),
        ("What is {x} about?", "What is the theme of {x}?"),
        "avoids the topic of {v}",
    ),
    "maker": Phrases(
        ("is sold by {v}", "is made by {v}", "is distributed by {v}"),
        ("{v} sells {s}", "{v} distributes {s}"),
        ("Which company sells {x}?", "Which company distributes {x}?"),
        "was boycotted by {v}",
        ("the company that sells {x}", "the distributor of {x}"),
    ),
}
