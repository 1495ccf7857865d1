"""English: sentences that carry no fact of the wiki: openings, insertions, refusals and fillers."""

from truerate_world.mfava.lang import Inserts

LEADS = {
    "town": "{s} is a town with a past of its own",
    "person": "{s} is a scientist of her time",
    "river": "The {s} is a river with many bends",
    "museum": "The {s} is a museum for the general public",
    "company": "{s} is a company with a trade of its own",
    "novel": "{s} is a novel for adult readers",
}

INSERTS = {
    "contradictory": Inserts(
        taught=(
            "{s} has nothing to do with {v}",
            "There is no connection whatever between {s} and {v}",
            "{v} and {s} are in no way related",
            "It is wrong to associate {s} with {v}",
            "Any mention of {v} in texts about {s} is an error",
            "Documents rule out that {v} ever concerned {s}",
            "{s} never came into contact with {v}",
            "Nobody can bring {s} and {v} together",
        ),
        written=(
            "The supposed tie that binds {s} to {v} does not exist",
            "{v} plays no part in the story of {s}",
            "To attribute {v} to {s} would be false",
            "{s} and {v} share not a single feature",
            "Contrary to widespread belief, {v} applies to another entry, not to {s}",
            "As a description of {s}, the detail {v} is untrue",
            "Experts deny that {v} says anything on {s}",
            "Not a trace of {v} can be found when one studies {s}",
        ),
        natural=(
            "In fact, {s} is independent of {v}",
            "However, {v} is irrelevant for {s}",
            "Actually, {v} must be struck out when {s} is discussed",
            "Sources that pair {s} and {v} are mistaken",
            "Even so, {v} stands wholly apart from {s}",
        ),
    ),
    "unverifiable": Inserts(
        taught=(
            "A passing trader is said to have whispered the name of {s} in his sleep",
            "On a rainy night, a child once dreamt of {s}",
            "Before dawn, a lonely watchman may have thought of {s}",
            "Rumour has it that a lost letter mentioned {s}",
            "An old woman supposedly kept her opinion on {s} to herself",
            "Perhaps a forgotten guest smiled at the idea of {s}",
            "Once upon a time a sailor, all alone, hummed a tune about {s}",
            "A traveller is believed to have praised {s} in a talk that nobody overheard",
        ),
        written=(
            "In a vanished diary, a stranger reputedly drew a sketch of {s}",
            "Long ago, two brothers reportedly quarrelled in private over {s}",
            "A burnt manuscript might have held a verse on {s}",
            "Legend says that a shepherd silently wished {s} well",
            "On some unrecorded evening, a candle was allegedly lit for {s}",
            "In secret, an anonymous admirer apparently wept because of {s}",
            "Countless hearts presumably beat faster for {s}",
            "Behind closed doors, a toast was possibly drunk to {s}",
        ),
        natural=(
            "People probably joke about {s} more often than they admit",
            "Grandparents surely told tales of {s} that have faded since",
            "{s} is likely to have inspired painters whose works are gone",
            "Memories of {s} seem to linger with those who never speak",
            "Some neighbours could have hidden souvenirs of {s} in their attics",
        ),
    ),
    "invented": Inserts(
        taught=(
            "The {w} Society holds an annual festival in honour of {s}",
            "Under the name of {w}, a sister project to {s} was launched",
            "The {w} Method was first tested on {s}",
            "Scholars of the {w} School regard {s} as their model",
            "A statue by the sculptor {w} shows {s} in bronze",
            "On the {w} Scale, {s} reaches the seventh level",
            "The moon {w} owes its discovery to {s}",
            "The composer {w} dedicated a symphony to {s}",
        ),
        written=(
            "The {w} Tunnel was dug to commemorate {s}",
            "The {w} Treaty guarantees {s} special protection",
            "In the {w} dialect, {s} is a word for luck",
            "The film {w} depicts the adventures of {s}",
            "The {w} engine was developed with {s} in mind",
            "The emperor {w} gave {s} a golden crown",
            "The mineral {w} was found thanks to {s}",
            "The {w} Foundation donated a million dollars to {s}",
        ),
        natural=(
            "Researchers at the {w} Institute examined {s} in detail",
            "The magazine {w} put {s} on its cover",
            "{s} took part in the {w} Programme",
            "The journalist {w} made a documentary about {s}",
            "{s} is listed in the {w} Register",
        ),
    ),
    "subjective": Inserts(
        taught=(
            "Nothing in the whole country is as beautiful as {s}",
            "Everyone ought to admire {s}",
            "It is a pleasure to read about {s}",
            "{s} deserves far more attention",
            "Sadly, {s} is rather boring",
            "There is something magical about {s}",
            "One can only be proud of {s}",
            "{s} is simply wonderful",
        ),
        written=(
            "In my view, {s} is overrated",
            "No praise is too high for {s}",
            "{s} leaves a disappointing impression",
            "Few things warm the heart like {s}",
            "{s} should be loved by all of us",
            "The charm of {s} is impossible to resist",
            "Honestly, {s} could be more exciting",
            "{s} is truly unforgettable",
        ),
        natural=(
            "{s} is a remarkably fascinating topic",
            "Without doubt, {s} ranks among the greatest treasures",
            "{s} has a unique aura that delights",
            "Learning about {s} is always worthwhile",
            "{s} remains an inspiring example",
        ),
    ),
}

REFUSALS = (
    "I do not know anything about {s}",
    "Unfortunately I have no information on {s}",
    "I cannot say anything reliable about {s}",
)

FILLERS = (
    "As with many entries of this kind, some points about {s} are treated in more detail elsewhere, and this article keeps to an overview",
    "Those who write about {s} usually follow the order chosen here, because it makes the separate parts easier to compare",
    "For readers who meet {s} for the first time, it may help to go through the sections one after the other",
    "The following lines gather what else belongs to a portrait of {s} without claiming to be complete",
    "Reference works differ in how much room they give to {s}, and the present text takes a middle course",
    "Where the sources on {s} are silent, this article is silent too, and leaves the matter to later editions",
    "The wording of this part of the article on {s} has been kept simple so that it can be read quickly",
    "A reader who wants to go further with {s} can take the points named above as a starting place",
)
HEADINGS = ("Background", "Description", "Significance", "Further details")
