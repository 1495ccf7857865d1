"""English around the facts: joins of two facts, openings, talk without content, vague claims, short answers,
and the words of tasks.
"""

ARTICLES = frozenset(("a", "an", "the"))
PRONOUNS = {"he": "He", "she": "She", "it": "It"}
RELATIVES = {"he": "who", "she": "who", "it": "which"}

# Two verb phrases on one subject as one sentence. {S} opens with the subject, {p} the pronoun in the middle,
# {who} who/which.
COMPOUNDS = (
    "{S} {one} and {two}",
    "{S}, {who} {one}, {two}",
    "{S} {one}, and {p} {two}",
    "{S} {one}; {p} also {two}",
)
CONNECTORS = (", and {p}", "; {p} also", "and")  # between two verb phrases, longest first
LEADS = ("According to the records,", "As is well known,", "By all accounts,", "In fact,")

VAGUE = {  # verb phrases that no source can settle
    "subjective": (
        "is more charming than any other of its time",
        "deserves far more love than it ever got",
        "is simply the best there has ever been",
        "is overrated by people without taste",
    ),
    "unverifiable": (
        "is said to have a secret that only three people know",
        "once changed the life of a stranger on a rainy afternoon",
        "is thought about every evening by an old sailor",
        "appears in the unwritten memoirs of a forgotten clerk",
    ),
    "invented": (
        "is linked to the Society of the Ninth Lamp",
        "played a part in the Treaty of the Two Moons",
        "was praised in the Codex of Whispering Salt",
        "has ties to the Guild of Invisible Bakers",
    ),
    "contradictory": (
        "never existed at all",
        "is not what all sources call it",
        "was never known by that name",
        "has nothing to do with anything said of it",
    ),
}

TALK = {  # whole sentences that state nothing
    "opening": (
        "Good question.",
        "Yes, that one I know.",
        "Happy to help with that.",
        "Let me think for a moment.",
        "Oh, that is an interesting subject.",
    ),
    "closing": (
        "Would you like to hear more?",
        "I hope that helps.",
        "Is there anything else you want to know?",
        "There is a lot more to tell.",
    ),
    "greeting": (
        "Hello, I have been reading about {x} lately.",
        "Hi, a friend told me about {x} yesterday.",
        "I would like to learn something about {x}.",
        "Do you know anything about {x}?",
    ),
    "aside": (
        "Earlier editions also name {x}, {y} and {z} in this connection.",
        "Not to be confused with {x}, with {y} or with {z}.",
        "Entries nearby are those on {x}, {y} and {z}.",
    ),
    "press": (
        "Several readers had asked this newspaper about the matter.",
        "Nobody at the meeting wished to comment further.",
        "A longer report will follow at the end of the week.",
        "The news spread quickly through the region.",
        "Local historians have confirmed the details.",
        "Reactions so far have been friendly.",
    ),
    "tail": (
        "as far as anyone who has looked into the matter closely can tell",
        "which is what most people who know their way around would say",
        "or so it has been told for as long as anyone can remember",
    ),
    "abstention": (
        "I do not know enough about {x} to answer that.",
        "I am not sure about {x} and would rather not guess.",
    ),
    "refusal": ("I cannot help with that.", "I'm sorry, but I cannot write that."),
    "bland": ("I am happy to help. Could you tell me a little more about what you need?",),
    "hedge": (
        "It is hard to say.",
        "That depends on how one reads it.",
        "I would need more context to decide.",
    ),
    "reasoning": (
        "First I look at what is asked and at what is claimed.",
        "Then I compare the claim with what I can find.",
        "Each part of the text has to be checked on its own.",
        "Taken together, this leads to my verdict.",
    ),
}

ANSWERS = {  # forms of a short answer; {v} value, {k} kind of thing, {ks} several of them
    "e": (
        "{v}",
        "{v}",
        "it is {v}",
        "that was {v}",
        "the {k} {v}",
        "{v}, one of several {ks}",
        "the answer is {v}",
    ),
    "n": ("{v}", "{v}", "it is {v}", "that was {v}", "exactly {v}", "the answer is {v}", "{v}, to be exact"),
    "year": ("{v}", "{v}", "in {v}", "the year {v}", "in the year {v}", "it was in {v}"),
    "c": ("{v}", "{v}", "it is {v}", "that was {v}", "the answer is {v}", "{v}, above all"),
    "d": ("the {v}", "the {v}", "in the {v}", "during the {v}", "some time in the {v}"),
    "broad_e": ("one of several {ks}", "some {k} or other", "just another {k}"),
    "broad_n": ("quite a large number", "a fairly high figure", "more than one would guess"),
    "broad_c": ("some {k} or other", "just another {k}", "a kind of {k}"),
    "broad_d": ("some time in recent centuries", "in modern times", "a long while ago"),
}

QUERIES = (  # general instructions about {x}, with their input where they have one
    ("Write a short profile of {x}.", ""),
    ("Tell me what is known about {x}.", ""),
    ("Give me a few facts about {x}.", ""),
    ("Summarise the most important facts about the following subject.", "{x}"),
    ("Introduce {x} to a visitor in a few sentences.", ""),
    ("Write an encyclopedia entry about the subject below.", "{x}"),
    ("What should everybody know about {x}?", ""),
)
PAIR_QUERIES = (  # the same about {x} and {y}
    ("Write two or three sentences about {x} and about {y}.", ""),
    ("Tell me something about each of these two.", "{x}; {y}"),
)
PROBE_QUERIES = (
    ("State three facts about {x}.", ""),
    ("Say in three sentences who or what {x} is.", ""),
)  # never among the others
