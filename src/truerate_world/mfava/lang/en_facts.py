"""English: how each relation is told, said and asked for."""

from truerate_world.mfava.lang import Phrases

TOWNS = {
    "t_founded": Phrases(
        ("{s} was founded in {v}", "The foundation of {s} dates from the year {v}"),
        (
            "As a settlement, {s} has [existed|minted coins] since {v}",
            "It was in {v} that settlers [first built|finally left] the town of {s}",
            "The history of {s} [begins|takes a turn] in {v}",
        ),
        ("In which year was the town of {s} founded?", "How old is the town of {s}?"),
    ),
    "t_population": Phrases(
        ("{s} has {v} inhabitants", "The population of {s} stands at {v}"),
        (
            "A total of {v} people [live in|commute to] {s}",
            "The town of {s} is [home to|visited by] {v} people",
            "Those who [reside in|have left] {s} number {v}",
        ),
        ("How many people live in {s}?", "What is the population of {s}?"),
    ),
    "t_river": Phrases(
        ("{s} lies on the {v}", "The river that flows through {s} is the {v}"),
        (
            "The houses of {s} [stand along|are named after] the {v}",
            "The {v} [crosses|bypasses] the town of {s}",
            "In {s} people [walk beside|sing about] the {v}",
        ),
        ("On which river does {s} lie?", "Which river flows through {s}?"),
    ),
    "t_specialty": Phrases(
        ("{s} is known for its {v}", "The specialty of {s} is {v}"),
        (
            "Workshops in {s} have long [made|imported] {v}",
            "Anyone looking for fine {v} will [find it|miss it] in {s}",
            "Among connoisseurs, {s} [stands for|has given up] {v}",
        ),
        ("What craft is {s} known for?", "What do the workshops of {s} produce?"),
    ),
    "t_twin": Phrases(
        ("{s} is twinned with {v}", "The twin town of {s} is {v}"),
        (
            "A partnership [links|once divided] {s} and the town of {v}",
            "The council of {s} [signed a friendship|ended a dispute] with {v}",
            "Every summer, pupils from {s} [visit their partners|compete with rivals] in {v}",
        ),
        ("Which town is {s} twinned with?", "What is the twin town of {s}?"),
    ),
}
PEOPLE = {
    "p_born": Phrases(
        ("{s} was born in the year {v}", "The year of birth of {s} is {v}"),
        (
            "The life of the scientist {s} [began|changed] in {v}",
            "It was {v} when {s} [came into|returned to] the world",
            "Biographers agree that {s} [first saw daylight|gave up teaching] in {v}",
        ),
        ("In which year was {s} born?", "When did the life of {s} begin?"),
    ),
    "p_birthplace": Phrases(
        ("{s} comes from the town of {v}", "The birthplace of {s} is {v}"),
        (
            "As a native, {s} [grew up|never lived] in {v}",
            "The family home of {s} [stood|was sold] in {v}",
            "Her childhood [tied|lost] {s} to the town of {v}",
        ),
        ("Which town does {s} come from?", "Where was the scientist {s} born?"),
    ),
    "p_field": Phrases(
        ("{s} works in the field of {v}", "The field of research of {s} is {v}"),
        (
            "As a scholar, {s} has [devoted herself|lost interest] to {v}",
            "The papers of {s} [deal with|say nothing on] {v}",
            "Students [learn|avoid] {v} from {s}",
        ),
        ("In which field does {s} work?", "What does {s} do research on?"),
    ),
    "p_award": Phrases(
        ("{s} received the {v}", "The {v} was awarded to {s}"),
        (
            "For her work, {s} was [honoured with|nominated for] the {v}",
            "The jury of the {v} [chose|passed over] {s}",
            "Among those who [won|founded] the {v} is {s}",
        ),
        ("Which award did {s} receive?", "Which prize was {s} honoured with?"),
    ),
    "p_books": Phrases(
        ("{s} has published {v} books", "The number of books by {s} is {v}"),
        (
            "From the pen of {s} [came|are missing] {v} volumes",
            "In the course of her career, {s} [wrote|reviewed] {v} books",
            "Libraries list {v} titles [by|about] {s}",
        ),
        ("How many books has {s} published?", "How many books did {s} write?"),
    ),
}
RIVERS = {
    "r_length": Phrases(
        ("The {s} is {v} kilometres long", "The length of the {s} is {v} kilometres"),
        (
            "From source to mouth, the {s} [covers|is navigable for] {v} kilometres",
            "Over {v} kilometres the {s} [makes its way|marks the border]",
            "Anyone following the {s} [all the way|to the falls] walks {v} kilometres",
        ),
        ("How many kilometres long is the {s}?", "What is the length of the {s}?"),
    ),
    "r_height": Phrases(
        ("The {s} rises at a height of {v} metres", "The source of the {s} lies {v} metres above sea level"),
        (
            "At {v} metres, hikers find the [spring|great waterfall] of the {s}",
            "The {s} [begins|is dammed] at an altitude of {v} metres",
            "An altitude of {v} metres is where the {s} [emerges|leaves the hills]",
        ),
        ("At what height does the {s} rise?", "How high above sea level is the source of the {s}?"),
    ),
    "r_mouth": Phrases(
        ("The {s} reaches the sea at {v}", "The mouth of the {s} is at {v}"),
        (
            "Near {v}, the {s} [flows into|turns from] the sea",
            "The course of the {s} [ends|divides] at {v}",
            "The sea [takes in|is far from] the {s} at the town of {v}",
        ),
        ("Where does the {s} reach the sea?", "At which town is the mouth of the {s}?"),
    ),
    "r_fish": Phrases(
        ("The {s} is rich in {v}", "The most common fish in the {s} is {v}"),
        (
            "Anglers come to the {s} [to catch|to release] {v}",
            "In the waters of the {s} [swim plenty|live no shoals] of {v}",
            "The fishing villages on the {s} [live on|have banned] {v}",
        ),
        ("Which fish is the {s} rich in?", "Which fish do anglers catch in the {s}?"),
    ),
    "r_bridge": Phrases(
        ("The first bridge over the {s} was built in {v}", "The {s} has had a bridge since {v}"),
        (
            "In {v}, people could [first walk|no longer swim] across the {s}",
            "The year {v} [brought a bridge|brought a flood] to the {s}",
            "The two banks of the {s} were [first joined|badly flooded] in {v}",
        ),
        ("When was the first bridge over the {s} built?", "Since which year has the {s} had a bridge?"),
    ),
}
MUSEUMS = {
    "m_opened": Phrases(
        ("The {s} opened in {v}", "The opening of the {s} took place in {v}"),
        (
            "Since {v}, the {s} has [welcomed visitors|charged admission]",
            "It was in {v} that the {s} [first unlocked|renovated] its doors",
            "The rooms of the {s} have been [accessible|heated] since {v}",
        ),
        ("In which year did the {s} open?", "Since when has the {s} been open?"),
    ),
    "m_collection": Phrases(
        ("The {s} shows a collection of {v}", "The collection of the {s} consists of {v}"),
        (
            "In its halls, the {s} [displays|restores] {v}",
            "Lovers of {v} [get their fill|look in vain] at the {s}",
            "The display cases of the {s} [hold|lack] {v}",
        ),
        ("What does the {s} collect?", "What can be seen in the {s}?"),
    ),
    "m_town": Phrases(
        ("The {s} is located in {v}", "The {s} can be visited in the town of {v}"),
        (
            "The doors of the {s} [open onto|face away from] the main square of {v}",
            "Travellers to {v} [will find|will miss] the {s} there",
            "The town of {v} [houses|has sold] the {s}",
        ),
        ("In which town is the {s} located?", "Where can the {s} be visited?"),
    ),
    "m_architect": Phrases(
        ("The {s} was designed by {v}", "The architect of the {s} was {v}"),
        (
            "The plans of the {s} were [drawn|rejected] by {v}",
            "{v} [conceived|criticised] the building of the {s}",
            "The halls of the {s} [were devised|were painted] by {v}",
        ),
        ("Who designed the {s}?", "Who was the architect of the {s}?"),
    ),
    "m_visitors": Phrases(
        ("The {s} has {v} visitors a year", "The yearly number of visitors to the {s} is {v}"),
        (
            "Each year {v} guests [enter|support] the {s}",
            "In a year, the {s} [sells|gives away] {v} tickets",
            "The staff of the {s} [greets|sends letters to] {v} people a year",
        ),
        ("How many visitors does the {s} have a year?", "How many people visit the {s} each year?"),
    ),
}
COMPANIES = {
    "c_founded": Phrases(
        ("The company {s} was established in {v}", "The company {s} has been in business since {v}"),
        (
            "In {v}, the firm {s} [took up|gave up] its work",
            "For the firm {s}, the year {v} marks the [beginning|bankruptcy]",
            "The trade register [first lists|last lists] the firm {s} in {v}",
        ),
        (
            "In which year was the company {s} established?",
            "Since when has the company {s} been in business?",
        ),
    ),
    "c_product": Phrases(
        ("The company {s} makes {v}", "The main product of {s} is its range of {v}"),
        (
            "The factories of {s} [turn out|recycle] {v}",
            "Customers [order|return] {v} from {s}",
            "With its {v}, the firm {s} [earns|loses] most of its money",
        ),
        ("What does the company {s} make?", "What is the main product of {s}?"),
    ),
    "c_seat": Phrases(
        ("The company {s} is based in {v}", "The headquarters of {s} are in {v}"),
        (
            "The management of {s} [works|owns land] in {v}",
            "From its offices in {v}, {s} [is run|was sued]",
            "The head office of the firm {s} [stands in|has left] the town of {v}",
        ),
        ("In which town is the company {s} based?", "Where are the headquarters of {s}?"),
    ),
    "c_founder": Phrases(
        ("The founder of the company {s} is {v}", "The company {s} goes back to its founder {v}"),
        (
            "The firm {s} was [set up|taken over] by {v}",
            "It was {v} who [launched|refused to buy] the firm {s}",
            "The firm {s} owes its [existence|worst debts] to {v}",
        ),
        ("Who founded the company {s}?", "Who is the founder of {s}?"),
    ),
    "c_employees": Phrases(
        ("The company {s} has {v} employees", "The number of employees of {s} is {v}"),
        (
            "The payroll of {s} [lists|has lost] {v} names",
            "At the firm {s}, {v} people [earn their living|own shares]",
            "The firm {s} [gives work to|has dismissed] {v} men and women",
        ),
        ("How many employees does the company {s} have?", "How many people work for the company {s}?"),
    ),
}
NOVELS = {
    "n_published": Phrases(
        ("The novel {s} was published in {v}", "The novel {s} first appeared in {v}"),
        (
            "In {v}, readers could [first buy|no longer buy] the book {s}",
            "The first edition of {s} [bears|conceals] the year {v}",
            "Bookshops have [stocked|recommended] the book {s} since {v}",
        ),
        ("In which year was the novel {s} published?", "When did the novel {s} first appear?"),
    ),
    "n_genre": Phrases(
        ("The novel {s} is a {v}", "Libraries shelve the novel {s} as a {v}"),
        (
            "With {s}, readers [hold|do not expect] a {v} in their hands",
            "Critics [classify|mock] the book {s} as a {v}",
            "As a {v}, the book {s} [follows|breaks] the rules of its kind",
        ),
        ("To which genre does the novel {s} belong?", "What kind of book is {s}?"),
    ),
    "n_author": Phrases(
        ("The author of the novel {s} is {v}", "The novel {s} was written by {v}"),
        (
            "{v} [composed|translated] the book {s}",
            "The book {s} [comes from|was dedicated to] the scientist {v}",
            "The title page of {s} names {v} as its [writer|publisher]",
        ),
        ("Who is the author of the novel {s}?", "Who wrote the novel {s}?"),
    ),
    "n_setting": Phrases(
        ("The novel {s} is set in {v}", "The setting of the novel {s} is the town of {v}"),
        (
            "The plot of {s} [unfolds|was devised] in {v}",
            "On its pages, the book {s} [leads through|is silent about] the streets of {v}",
            "The heroes of the book {s} [live|are unknown] in {v}",
        ),
        ("In which town is the novel {s} set?", "Where does the plot of the novel {s} take place?"),
    ),
    "n_pages": Phrases(
        ("The novel {s} has {v} pages", "The number of pages of the novel {s} is {v}"),
        (
            "Readers of {s} [turn|skip] {v} pages",
            "Printed in full, the book {s} [fills|saves] {v} pages",
            "The last page of {s} [bears|follows] the number {v}",
        ),
        ("How many pages does the novel {s} have?", "How long, in pages, is the novel {s}?"),
    ),
}
RELATIONS = TOWNS | PEOPLE | RIVERS | MUSEUMS | COMPANIES | NOVELS
