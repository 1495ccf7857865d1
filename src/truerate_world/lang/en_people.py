"""English about people: how each of their relations is said, asked and misstated."""

from truerate_world.lang import Phrases

RELATIONS = {
    "birth_year": Phrases(
        ("was born in {v}", "came into the world in {v}", "first saw the light of day in {v}"),
        ("The year of birth of {s} is {v}", "It was in {v} that {s} was born"),
        ("In which year was {x} born?", "What is the year of birth of {x}?"),
        "died in {v}",
        compares=(
            ("Who was born first, {a} or {b}?", "min"),
            ("Who is the older of the two, {a} or {b}?", "min"),
            ("Who was born later, {a} or {b}?", "max"),
        ),
        decades=("In which decade was {x} born?",),
    ),
    "birth_place": Phrases(
        ("was born in {v}", "hails from {v}", "is a native of {v}", "spent the first years of life in {v}"),
        ("{v} is the birthplace of {s}", "It was {v} that gave the world {s}"),
        ("In which town was {x} born?", "Where does {x} come from?", "What is the birthplace of {x}?"),
        "is buried in {v}",
        ("the birthplace of {x}", "the town where {x} was born"),
    ),
    "alma_mater": Phrases(
        ("studied at {v}", "graduated from {v}", "was educated at {v}", "took a degree at {v}"),
        ("{v} counts {s} among its graduates", "The alma mater of {s} is {v}"),
        ("At which university did {x} study?", "Where did {x} take a degree?"),
        "was expelled from {v}",
        ("the alma mater of {x}", "the university where {x} studied"),
    ),
    "award": Phrases(
        ("received the {v}", "was honoured with the {v}", "won the {v}", "is a laureate of the {v}"),
        ("The {v} was awarded to {s}", "The {v} once went to {s}"),
        ("Which award did {x} receive?", "With what honour was {x} distinguished?"),
        "turned down the {v}",
    ),
    "field": Phrases(
        ("worked in {v}", "specialised in {v}", "made a name in {v}"),
        ("The research of {s} concerned {v}", "{v} was the field of {s}"),
        ("In which field did {x} work?", "What did {x} specialise in?"),
        "publicly mocked {v}",
    ),
    "employer": Phrases(
        ("was employed by {v}", "worked for {v}", "spent a career at {v}"),
        ("{v} employed {s}", "{v} had {s} on its payroll"),
        ("Which company employed {x}?", "For which company did {x} work?"),
        "sued {v}",
        ("the company that employed {x}", "the employer of {x}"),
    ),
    "office": Phrases(
        ("served as {v}", "held the post of {v}", "was appointed {v}"),
        ("The post of {v} was held by {s}", "As {v}, {s} became widely known"),
        ("Which office did {x} hold?", "As what did {x} serve?"),
        "declined to become {v}",
    ),
    "nationality": Phrases(
        ("is a citizen of {v}", "made a career in the politics of {v}", "sat in the parliament of {v}"),
        ("{v} is the country that {s} served", "In the parliament of {v} sat {s}"),
        ("Which country did {x} serve?", "Of which country is {x} a citizen?"),
        "was banished from {v}",
        ("the country that {x} served", "the home country of {x}"),
    ),
    "instrument": Phrases(
        ("plays the {v}", "is a master of the {v}", "performs on the {v}"),
        ("The {v} is the instrument of {s}", "On the {v}, {s} has few rivals"),
        ("Which instrument does {x} play?", "On what does {x} perform?"),
        "collects paintings of the {v}",
    ),
    "record_label": Phrases(
        ("records for {v}", "is under contract to {v}", "signed with {v}"),
        ("{v} holds the recording contract of {s}", "{v} releases the recordings of {s}"),
        ("For which company does {x} record?", "With which company did {x} sign?"),
        "owns shares in {v}",
        ("the company for which {x} records", "the record company of {x}"),
    ),
    "position": Phrases(
        ("plays as {v}", "is fielded as {v}", "has always been {v}"),
        ("The role of {v} is filled by {s}", "As {v}, {s} is hard to replace"),
        ("In which position does {x} play?", "As what is {x} fielded?"),
        "once coached a {v}",
    ),
    "club": Phrases(
        ("competes for {v}", "is a member of {v}", "appears for {v}", "wears the shirt of {v}"),
        ("{v} is the club of {s}", "{v} has {s} on its roster"),
        ("For which club does {x} compete?", "Which club has {x} on its roster?"),
        "was once scouted by {v}",
        ("the club of {x}", "the club for which {x} competes"),
    ),
    "debut_year": Phrases(
        ("made a debut in {v}", "first appeared before the public in {v}", "began a career in {v}"),
        ("The debut of {s} fell in {v}", "{v} was the year in which {s} made a debut"),
        ("In which year did {x} make a debut?", "What was the year of the debut of {x}?"),
        "retired in {v}",
        compares=(
            ("Who made a debut first, {a} or {b}?", "min"),
            ("Whose debut came later, that of {a} or that of {b}?", "max"),
        ),
        decades=("In which decade did {x} make a debut?",),
    ),
    "publisher": Phrases(
        ("is published by {v}", "brings out all books with {v}", "has {v} as a publisher"),
        ("{v} publishes the books of {s}", "The books of {s} appear with {v}"),
        ("Which company publishes {x}?", "With which company do the books of {x} appear?"),
        "quarrelled with {v}",
        ("the publisher of {x}", "the company that publishes {x}"),
    ),
    "studio": Phrases(
        ("makes pictures for {v}", "shoots for {v}", "has a contract as a film-maker with {v}"),
        ("{v} produces the pictures of {s}", "The pictures of {s} are financed by {v}"),
        ("For which company does {x} make pictures?", "Which company finances the pictures of {x}?"),
        "was dismissed by {v}",
        ("the company that finances the pictures of {x}", "the studio of {x}"),
    ),
}
