"""Worked examples that prompts show, in our own words: three responses with their annotation, and one induced
response of each kind.

The annotated three are of one conversation length and style: two are hallucinated in part, one is not, so
that neither verdict nor length follows from the place of an example.
"""

from dataclasses import dataclass

FACTUALITY, FAITHFULNESS, MATCHED, REFERENCE = "factuality", "faithfulness", "matched", "reference"
KINDS = (FACTUALITY, FAITHFULNESS)


@dataclass(frozen=True, slots=True)
class Annotated:
    """A response, and what is said of it: verdict, segments and reason. `history` holds a line per turn."""

    knowledge: str
    history: str
    reference: str
    response: str
    annotation: str


@dataclass(frozen=True, slots=True)
class Induced:
    """A correct response and one that was made to hallucinate, with the segment that does and why."""

    knowledge: str
    history: str
    correct: str
    kind: str
    induced: str
    segment: str
    rationale: str


ANNOTATED = (
    Annotated(
        knowledge="Cork is the bark of the cork oak. It is stripped from the living tree every nine years, mostly in Portugal.",
        history="User: My wine bottles all have real corks.\nAssistant: Nice! Do you know where cork comes from?\n"
        "User: Not at all. Is a tree cut down for it?",
        reference="No, the tree lives on: its bark is stripped every nine years, mostly in Portugal.",
        response="No, only the bark is taken. The tree is stripped every three years, mostly in Portugal.",
        annotation='Yes. The segment "stripped every three years" contradicts the knowledge, because the knowledge says that the '
        "bark is stripped every nine years.",
    ),
    Annotated(
        knowledge="The bassoon is a woodwind instrument with a double reed. Its tube is about two and a half metres long.",
        history="User: I heard a bassoon last night.\nAssistant: How did you like it?\nUser: Very deep! How long is it?",
        reference="Its tube is about two and a half metres long, and it is blown through a double reed.",
        response="The tube of a bassoon measures some 2.5 metres, so no wonder that it sounds deep.",
        annotation="No. The length is that of the knowledge, and that it sounds deep was said in the conversation. No mention of "
        "the reed is needed to answer the question.",
    ),
    Annotated(
        knowledge="Curling is played on ice by two teams of four. The stones are made of granite.",
        history="User: We watched curling on television.\nAssistant: It is fun, is it not?\nUser: Yes! What are the stones made of?",
        reference="They are made of granite. Two teams of four players send them over the ice.",
        response="They are granite stones from a quarry in Wales, and each team has four players, who train twice a week.",
        annotation='Yes. The segments "from a quarry in Wales" and "who train twice a week" are not supported, because neither the '
        "knowledge nor the conversation says where the granite comes from or how often the teams train.",
    ),
)

INDUCED = (
    Induced(
        knowledge="The axolotl is a salamander that keeps its gills for life. It comes from lakes near Mexico City.",
        history="User: My niece wants an axolotl.\nAssistant: They are charming.\nUser: Where do they live in the wild?",
        correct="They come from lakes near Mexico City, and they keep their gills for life.",
        kind=FACTUALITY,
        induced="They come from rivers of Madagascar, and they keep their gills for life.",
        segment="rivers of Madagascar",
        rationale="Axolotls come from lakes near Mexico City; none live in the rivers of Madagascar.",
    ),
    Induced(
        knowledge="Sourdough rises by wild yeast and lactic acid bacteria. A starter is fed with flour and water.",
        history="User: I would like to bake my own bread.\nAssistant: Have you thought of sourdough?\nUser: Is it hard to begin?",
        correct="Not really: a starter of wild yeast only has to be fed with flour and water.",
        kind=FAITHFULNESS,
        induced="Not really: a starter of wild yeast is ready to bake with after five days.",
        segment="is ready to bake with after five days",
        rationale="Neither the knowledge nor the conversation says after how many days a starter can be used.",
    ),
)
