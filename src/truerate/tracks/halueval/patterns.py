"""Hallucination patterns per task: names as in the paper (Table 5), definitions and demonstrations in our own
words.

A demonstration holds a right and a hallucinated text about the same thing, so it serves sampling (write the
wrong one), filtering (which is closer to the truth), recognition (is this one hallucinated) and contrast
(which of the two is). Its two texts are alike in length and form, or who learns from it learns to tell them
by that. The dialogue patterns are those of the paper's Tables 11 and 15: an entity exchanged for a similar
one, for a dissimilar one, for a dissimilar one of another type. The general task has no patterns to write
by; its three labels take their place in recognition.
"""

from dataclasses import dataclass
from functools import lru_cache

from truerate.core.keys import draw

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Demonstration:
    """One worked example: a right and a hallucinated text, why the one is wrong (`why`) and the other right
    (`fits`). `knowledge` is the document of a summary, `history` the turns of a dialogue,
    `question` a question or query.
    """

    right: str
    hallucinated: str
    why: str
    fits: str
    knowledge: str = ""
    question: str = ""
    history: str = ""


@dataclass(frozen=True)
class Judged:
    """One side of a demonstration as recognition shows it: the text, whether it is hallucinated, and why it
    is or is not.
    """

    about: Demonstration
    text: str
    is_hallucinated: bool
    why: str


@dataclass(frozen=True)
class Compared:
    """A demonstration as a choice shows it: both texts, and which of them is the right one (1 or 2)."""

    about: Demonstration
    first: str
    second: str
    right: int

    @property
    def hallucinated(self) -> int:
        """Which of the two is the hallucinated one."""
        return 3 - self.right


@dataclass(frozen=True)
class Pattern:
    """One way in which a text is hallucinated."""

    name: str
    definition: str
    demonstration: Demonstration


QA = (
    Pattern(
        "comprehension",
        "the answer misreads the question or the knowledge and so replies to something that was not asked.",
        Demonstration(
            knowledge="The Danube rises in the Black Forest of Germany and ends in the Black Sea. "
            "The Volga flows wholly within Russia and ends in the Caspian Sea.",
            question="Into which sea does the river flow that rises in the Black Forest?",
            right="It flows into the Black Sea.",
            hallucinated="It rises in the Black Forest.",
            why="The question asks for the sea at the river's end, and the answer names its source instead.",
            fits="The river that rises in the Black Forest is the Danube, and it ends in the Black Sea.",
        ),
    ),
    Pattern(
        "factualness",
        "the answer states a fact about the world that is wrong and that the knowledge contradicts.",
        Demonstration(
            knowledge="Marie Curie won Nobel Prizes in physics and in chemistry. "
            "Her elder daughter Irène Joliot-Curie shared the chemistry prize of 1935.",
            question="Who was the mother of the woman that shared the Nobel Prize in Chemistry of 1935?",
            right="Marie Curie",
            hallucinated="Lise Meitner",
            why="The woman is Irène Joliot-Curie, whose mother was Marie Curie; Lise Meitner was not related to her.",
            fits="The prize of 1935 went to Irène Joliot-Curie, and her mother was Marie Curie.",
        ),
    ),
    Pattern(
        "specificity",
        "the answer stays on the wrong level: too vague, or narrower than the knowledge supports.",
        Demonstration(
            knowledge="Antoni Gaudí was a Catalan architect whose best-known church is the Sagrada Família. "
            "The Sagrada Família stands in Barcelona, and work on it began in 1882.",
            question="In which city does the best-known church of Antoni Gaudí stand?",
            right="Barcelona",
            hallucinated="Catalonia",
            why="A city was asked for, and the answer names only the region around it.",
            fits="Gaudí's best-known church is the Sagrada Família, and that stands in Barcelona.",
        ),
    ),
    Pattern(
        "inference",
        "the answer draws a conclusion that does not follow from the knowledge.",
        Demonstration(
            knowledge="Mount Kilimanjaro is 5,895 metres high. Mount Kenya is 5,199 metres high.",
            question="Which of the two is higher, Mount Kilimanjaro or Mount Kenya?",
            right="Mount Kilimanjaro",
            hallucinated="Mount Kenya",
            why="5,895 is more than 5,199, so Mount Kilimanjaro is the higher one.",
            fits="Of 5,895 and 5,199 metres the former is more, and that is Mount Kilimanjaro's height.",
        ),
    ),
)

DIALOGUE = (
    Pattern(
        "extrinsic-soft",
        "a name in the response is exchanged for one that is closely related to it, so that the response still reads well.",
        Demonstration(
            knowledge="Moby-Dick, written by, Herman Melville. Moby-Dick, has genre, adventure novel.",
            history="[Human]: I like stories about the sea.\n[Assistant]: Do old whaling tales appeal to you?\n"
            "[Human]: Yes! Is there one that you would recommend?",
            right="Try Moby-Dick, an adventure novel by Herman Melville.",
            hallucinated="Try Moby-Dick, an adventure novel by Jules Verne.",
            why="The knowledge names Herman Melville as the author; Verne wrote other adventures at sea.",
            fits="Moby-Dick is an adventure novel, and Herman Melville wrote it.",
        ),
    ),
    Pattern(
        "extrinsic-hard",
        "a name in the response is exchanged for one of the same type that has little in common with it and that the "
        "knowledge does not mention.",
        Demonstration(
            knowledge="The telescope, was improved by, Galileo Galilei. Galileo Galilei, was born in, Pisa.",
            history="[Human]: I have just bought a telescope.\n[Assistant]: How nice. Galileo would have envied you.\n"
            "[Human]: Where was he born?",
            right="Galileo Galilei was born in Pisa.",
            hallucinated="Galileo Galilei was born in Lima.",
            why="The knowledge gives Pisa as his birthplace; Lima is a city of another continent.",
            fits="Galileo Galilei was born in Pisa, as the response says.",
        ),
    ),
    Pattern(
        "extrinsic-grouped",
        "a name in the response is exchanged for one of another type: a building for a river, a person for a place.",
        Demonstration(
            knowledge="The White Nile, flows out of, Lake Victoria. Lake Victoria, lies in, Uganda.",
            history="[Human]: Do you know where the White Nile begins?",
            right="It flows out of Lake Victoria, which lies partly in Uganda.",
            hallucinated="It flows out of Gustav Mahler, which lies partly in Uganda.",
            why="The knowledge says Lake Victoria; Gustav Mahler was a composer, out of whom no river flows.",
            fits="The White Nile flows out of Lake Victoria, and a part of that lake lies in Uganda.",
        ),
    ),
)

SUMMARIZATION = (
    Pattern(
        "factual",
        "the summary adds something that is true in the world but that the document does not say.",
        Demonstration(
            knowledge="A storm blew down an old lime tree in front of the town hall of Bergen on Tuesday night. No one was hurt. "
            "Workers cleared the street before the morning traffic began.",
            right="A storm felled a lime tree by Bergen's town hall; nobody was hurt.",
            hallucinated="A storm felled a lime tree in Bergen, Norway's second largest city.",
            why="That Bergen is Norway's second largest city is true, but the document does not say it.",
            fits="The document tells of the storm, of the lime tree by the town hall and that no one was hurt.",
        ),
    ),
    Pattern(
        "non-factual",
        "the summary adds something that the document does not say and that is not true either.",
        Demonstration(
            knowledge="The central library of Leeds will stay open until nine in the evening from Monday to Thursday. The longer hours "
            "begin in October and are paid for by a small rise of the fine for late books.",
            right="From October the Leeds library stays open until nine on four days, paid for by higher fines.",
            hallucinated="From October the Leeds library, the only one in England, stays open until nine on four days.",
            why="The document does not say that it is the only library in England, and it is not.",
            fits="The document names October, the hour of nine, four days from Monday to Thursday and the higher fine.",
        ),
    ),
    Pattern(
        "intrinsic",
        "the summary contradicts what the document says.",
        Demonstration(
            knowledge="Two hikers were found on Ben Nevis on Sunday after a night in the fog. A search dog led the rescue team to them. "
            "Both were cold but unhurt.",
            right="A search dog found two hikers unhurt on Ben Nevis after a night in the fog.",
            hallucinated="A search dog found two hikers hurt on Ben Nevis after a night in the fog.",
            why="The document says that both hikers were cold but unhurt.",
            fits="The document says that a search dog led to the two hikers, and that they were unhurt after a night of fog.",
        ),
    ),
)

GENERAL = (
    Pattern(
        "unverifiable",
        "the response states something that no source could confirm.",
        Demonstration(
            knowledge="Cleopatra died in Alexandria in 30 BC. What is told of her end was written by authors who "
            "lived long after her and were not there.",
            question="What did Cleopatra say to her maid on her last morning?",
            right="No reliable record of her words on that morning has come down to us.",
            hallucinated="She asked for her blue robe and said that she would leave Egypt without leaving it.",
            why="No source records what she said to her maid, so the quotation cannot be confirmed.",
            fits="What is told of her end was written long after it, so there is no reliable record of her words.",
        ),
    ),
    Pattern(
        "non-factual",
        "the response states something that is wrong.",
        Demonstration(
            knowledge="A screen mixes red, green and blue light. Painters mix red, yellow and blue.",
            question="Name the three primary colours of light.",
            right="Red, green and blue.",
            hallucinated="Red, yellow and blue.",
            why="The primary colours of light are red, green and blue; yellow belongs to mixing paint.",
            fits="Light is mixed of red, green and blue, and the response names these three.",
        ),
    ),
    Pattern(
        "irrelevant",
        "the response does not do what the query asks.",
        Demonstration(
            knowledge="Limescale dissolves in weak acids such as vinegar. Boiled with as much water, vinegar frees a kettle "
            "of it in twenty minutes.",
            question="How do I remove limescale from a kettle?",
            right="Boil equal parts of white vinegar and water in it, wait for twenty minutes and rinse it well.",
            hallucinated="Early kettles were made of bronze or copper, and many museums show fine ones.",
            why="The query asks how to remove limescale, and the response tells the history of kettles.",
            fits="Vinegar dissolves limescale, and the response tells how to use it step by step.",
        ),
    ),
)

PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "qa": QA,
    "dialogue": DIALOGUE,
    "summarization": SUMMARIZATION,
    "general": GENERAL,
}
LABELS = tuple(pattern.name for pattern in GENERAL)


def names(task: str) -> tuple[str, ...]:
    """The pattern names of a task, in the paper's order."""
    return tuple(pattern.name for pattern in PATTERNS[task])


def named(task: str, name: str | None) -> tuple[Pattern, ...]:
    """The one pattern of that name, or all of the task's patterns where no name is given."""
    return tuple(pattern for pattern in PATTERNS[task] if name is None or pattern.name == name)


@lru_cache(maxsize=64)
def judged(task: str, seed: int) -> tuple[Judged, ...]:
    """Both sides of every demonstration of a task, in an order drawn by seed: no verdict follows from the one
    before it. The order is one for all texts of a board, so that their prompts begin alike.
    """
    shown = [
        side
        for one in (pattern.demonstration for pattern in PATTERNS[task])
        for side in (Judged(one, one.hallucinated, True, one.why), Judged(one, one.right, False, one.fits))
    ]
    return tuple(sorted(shown, key=lambda one: draw(seed, "demonstration", task, one.text)))


@lru_cache(maxsize=64)
def compared(task: str, seed: int) -> tuple[Compared, ...]:
    """The demonstrations of a task as choices of one of two texts, their order drawn by seed and on which
    place the right text stands, as often on the one as on the other, or once more: no choice follows from the
    one before it.
    """
    shown = [pattern.demonstration for pattern in PATTERNS[task]]
    first = 1 if draw(seed, "odd place", task) < 0.5 else 2  # the place of one more, where they are odd
    places = [first if number % 2 == 0 else 3 - first for number in range(len(shown))]
    drawn = sorted(range(len(shown)), key=lambda number: draw(seed, "place", task, shown[number].right))
    place_of = dict(zip(drawn, places, strict=True))
    order = sorted(range(len(shown)), key=lambda number: draw(seed, "choice", task, shown[number].right))
    return tuple(_compared(shown[number], place_of[number]) for number in order)


def _compared(about: Demonstration, right: int) -> Compared:
    both = (about.right, about.hallucinated)
    return Compared(about, *(both if right == 1 else both[::-1]), right)
