"""French: how each relation is told, said and asked for. Names begin with a consonant or are led by their
noun: nothing is elided.
"""

from truerate_world.mfava.lang import Phrases

TOWNS = {
    "t_founded": Phrases(
        ("{s} a été fondée en {v}", "La fondation de {s} remonte à l'année {v}"),
        (
            "En tant que bourg, {s} [existe|bat monnaie] depuis {v}",
            "C'est en {v} que des colons ont [bâti|abandonné] la ville de {s}",
            "L'histoire de {s} [débute|bascule] en {v}",
        ),
        ("En quelle année la ville de {s} a-t-elle été fondée ?", "Quel âge a la ville de {s} ?"),
    ),
    "t_population": Phrases(
        ("{s} compte {v} habitants", "La population de {s} s'élève à {v} habitants"),
        (
            "Au total, {v} personnes [vivent|travaillent] à {s}",
            "La ville de {s} [abrite|reçoit chaque année] {v} personnes",
            "Ceux qui [résident à|ont quitté] {s} sont au nombre de {v}",
        ),
        ("Combien de personnes vivent à {s} ?", "Quelle est la population de {s} ?"),
    ),
    "t_river": Phrases(
        ("{s} se trouve au bord de la {v}", "Le cours d'eau qui passe par {s} est la {v}"),
        (
            "Les maisons de {s} [longent|évitent] la {v}",
            "La {v} [traverse|contourne] la ville de {s}",
            "Les gens de {s} [se promènent|chassent] le long de la {v}",
        ),
        ("Au bord de quelle rivière se trouve {s} ?", "Quelle rivière passe par {s} ?"),
    ),
    "t_specialty": Phrases(
        ("{s} est connue pour {v}", "{s} a pour spécialité {v}"),
        (
            "Les ateliers de {s} [fabriquent|importent] depuis longtemps {v}",
            "Qui cherche {v} sera [comblé|déçu] à {s}",
            "Pour les connaisseurs, {s} [évoque|a abandonné] {v}",
        ),
        ("Pour quel artisanat {s} est-elle connue ?", "Que produisent les ateliers de {s} ?"),
    ),
    "t_twin": Phrases(
        ("{s} est jumelée avec {v}", "La ville jumelle de {s} est {v}"),
        (
            "Un partenariat [unit|opposait jadis] {s} et la ville de {v}",
            "Le conseil de {s} a [scellé une amitié|clos une querelle] avec {v}",
            "Chaque été, des élèves de {s} [rendent visite|se mesurent] à leurs camarades de {v}",
        ),
        ("Avec quelle ville {s} est-elle jumelée ?", "Quelle est la ville jumelle de {s} ?"),
    ),
}
PEOPLE = {
    "p_born": Phrases(
        ("{s} est née en {v}", "L'année de naissance de {s} est {v}"),
        (
            "La vie de la scientifique {s} [a commencé|a changé] en {v}",
            "On était en {v} quand {s} [vint au|parcourut le] monde",
            "Les biographes s'accordent : {s} a [vu le jour|quitté l'enseignement] en {v}",
        ),
        ("En quelle année {s} est-elle née ?", "Quand la vie de {s} a-t-elle commencé ?"),
    ),
    "p_birthplace": Phrases(
        ("{s} est originaire de la ville de {v}", "Le lieu de naissance de {s} est {v}"),
        (
            "Enfant, {s} [a grandi|n'allait jamais] à {v}",
            "La maison familiale de {s} [se trouvait|fut vendue] à {v}",
            "Ses premières années, {s} les a [passées|détestées] à {v}",
        ),
        ("De quelle ville {s} est-elle originaire ?", "Où la scientifique {s} est-elle née ?"),
    ),
    "p_field": Phrases(
        ("{s} travaille dans le domaine de {v}", "Le domaine de recherche de {s} est {v}"),
        (
            "Comme savante, {s} [se consacre|ne croit plus] à {v}",
            "Les articles de {s} [traitent|ne parlent pas] de {v}",
            "Les étudiants [apprennent|délaissent] {v} auprès de {s}",
        ),
        ("Dans quel domaine {s} travaille-t-elle ?", "Sur quoi portent les recherches de {s} ?"),
    ),
    "p_award": Phrases(
        ("{s} a reçu le {v}", "Le {v} a été décerné à {s}"),
        (
            "Pour son œuvre, {s} a [remporté|manqué de peu] le {v}",
            "Le jury du {v} a [choisi|écarté] {s}",
            "Parmi celles qui ont [obtenu|créé] le {v} figure {s}",
        ),
        ("Quelle récompense {s} a-t-elle reçue ?", "Quel prix a été décerné à {s} ?"),
    ),
    "p_books": Phrases(
        ("{s} a publié {v} livres", "Le nombre de livres de {s} est de {v}"),
        (
            "De la plume de {s} [sont nés|se sont perdus] {v} volumes",
            "Au cours de sa carrière, {s} a [écrit|commenté] {v} livres",
            "Les bibliothèques recensent {v} titres [signés par|consacrés à] {s}",
        ),
        ("Combien de livres {s} a-t-elle publiés ?", "Combien de livres {s} a-t-elle écrits ?"),
    ),
}
RIVERS = {
    "r_length": Phrases(
        ("La {s} est longue de {v} kilomètres", "La longueur de la {s} est de {v} kilomètres"),
        (
            "De la source à l'embouchure, la {s} [parcourt|pollue] {v} kilomètres",
            "Sur {v} kilomètres, la {s} [serpente|marque la frontière]",
            "Qui suit la {s} [en entier|jusqu'aux chutes] marche {v} kilomètres",
        ),
        ("Combien de kilomètres mesure la {s} ?", "Quelle est la longueur de la {s} ?"),
    ),
    "r_height": Phrases(
        (
            "La {s} prend sa source à {v} mètres d'altitude",
            "La source de la {s} se situe à {v} mètres au-dessus de la mer",
        ),
        (
            "À {v} mètres, les randonneurs trouvent la [source|grande cascade] de la {s}",
            "La {s} [naît|est barrée] à une altitude de {v} mètres",
            "L'endroit où la {s} [jaillit|alimente des moulins] est à {v} mètres de hauteur",
        ),
        (
            "À quelle altitude la {s} prend-elle sa source ?",
            "À combien de mètres se situe la source de la {s} ?",
        ),
    ),
    "r_mouth": Phrases(
        ("La {s} atteint la mer à {v}", "L'embouchure de la {s} est à {v}"),
        (
            "Près de {v}, la {s} [se jette dans|s'éloigne de] la mer",
            "Le cours de la {s} [prend fin|se divise] à {v}",
            "La mer [reçoit|menace] la {s} devant la ville de {v}",
        ),
        ("Où la {s} atteint-elle la mer ?", "Dans quelle ville est l'embouchure de la {s} ?"),
    ),
    "r_fish": Phrases(
        ("Dans la {s}, on trouve surtout {v}", "Le poisson le plus commun de la {s} est {v}"),
        (
            "Les pêcheurs viennent à la {s} pour [prendre|protéger] {v}",
            "Dans les eaux de la {s} [abonde|ne nage plus] {v}",
            "Dans les villages au bord de la {s}, on [mange|interdit] {v}",
        ),
        ("Quel poisson trouve-t-on surtout dans la {s} ?", "Quel poisson pêche-t-on dans la {s} ?"),
    ),
    "r_bridge": Phrases(
        ("Le premier pont sur la {s} a été construit en {v}", "Un pont enjambe la {s} depuis {v}"),
        (
            "En {v}, on put [enfin marcher|nager en vain] d'une rive à l'autre de la {s}",
            "L'année {v} apporta à la {s} [un pont|une crue]",
            "Les deux rives de la {s} furent [reliées|inondées] pour la première fois en {v}",
        ),
        (
            "Quand le premier pont sur la {s} a-t-il été construit ?",
            "Depuis quelle année un pont enjambe-t-il la {s} ?",
        ),
    ),
}
MUSEUMS = {
    "m_opened": Phrases(
        ("Le {s} a ouvert en {v}", "L'ouverture du {s} a eu lieu en {v}"),
        (
            "Depuis {v}, le {s} [accueille|fait payer] ses visiteurs",
            "C'est en {v} que le {s} a [inauguré|repeint] ses portes",
            "Les salles du {s} sont [accessibles|chauffées] depuis {v}",
        ),
        ("En quelle année le {s} a-t-il ouvert ?", "Depuis quand le {s} est-il ouvert ?"),
    ),
    "m_collection": Phrases(
        ("Le {s} expose {v}", "Au {s}, on peut admirer {v}"),
        (
            "Dans ses salles, le {s} [présente|restaure] {v}",
            "Qui souhaite voir {v} sera [ravi|frustré] au {s}",
            "Les vitrines du {s} [renferment|ont perdu] {v}",
        ),
        ("Qu'expose le {s} ?", "Que peut-on admirer au {s} ?"),
    ),
    "m_town": Phrases(
        ("Le {s} est situé à {v}", "Le {s} se visite dans la ville de {v}"),
        (
            "Les portes du {s} [donnent sur|ignorent] la grande place de {v}",
            "Les voyageurs [découvrent|cherchent en vain] le {s} à {v}",
            "La ville de {v} [héberge|a vendu] le {s}",
        ),
        ("Dans quelle ville le {s} est-il situé ?", "Où peut-on visiter le {s} ?"),
    ),
    "m_architect": Phrases(
        ("Le {s} a été conçu par {v}", "L'architecte du {s} est {v}"),
        (
            "Les plans du {s} ont été [dessinés|refusés] par {v}",
            "{v} a [imaginé|critiqué] le bâtiment du {s}",
            "Les halls du {s} furent [élaborés|repeints] par {v}",
        ),
        ("Qui a conçu le {s} ?", "Qui est l'architecte du {s} ?"),
    ),
    "m_visitors": Phrases(
        ("Le {s} reçoit {v} visiteurs par an", "Le nombre annuel de visiteurs du {s} est de {v}"),
        (
            "Chaque année, {v} hôtes [parcourent|soutiennent] le {s}",
            "En un an, le {s} [vend|distribue gratuitement] {v} billets",
            "Le personnel du {s} [salue|remercie par écrit] {v} personnes par an",
        ),
        (
            "Combien de visiteurs le {s} reçoit-il par an ?",
            "Combien de personnes visitent le {s} chaque année ?",
        ),
    ),
}
COMPANIES = {
    "c_founded": Phrases(
        ("La {s} a été créée en {v}", "La {s} exerce ses activités depuis {v}"),
        (
            "En {v}, la {s} a [commencé|cessé] son travail",
            "Pour la {s}, l'année {v} marque [les débuts|la faillite]",
            "Le registre du commerce mentionne la {s} pour la [première|dernière] fois en {v}",
        ),
        ("En quelle année la {s} a-t-elle été créée ?", "Depuis quand la {s} exerce-t-elle ses activités ?"),
    ),
    "c_product": Phrases(
        ("La {s} fabrique {v}", "La {s} propose surtout {v}"),
        (
            "Les usines de la {s} [produisent|recyclent] {v}",
            "Les clients [commandent|renvoient] {v} à la {s}",
            "C'est avec {v} que la {s} [gagne|perd] le plus d'argent",
        ),
        ("Que fabrique la {s} ?", "Que propose surtout la {s} ?"),
    ),
    "c_seat": Phrases(
        ("La {s} est établie à {v}", "Le siège de la {s} est à {v}"),
        (
            "La direction de la {s} [travaille|possède des terrains] à {v}",
            "Depuis des bureaux à {v}, la {s} est [dirigée|poursuivie en justice]",
            "Le bâtiment principal de la {s} [se dresse|manque toujours] dans la ville de {v}",
        ),
        ("Dans quelle ville la {s} est-elle établie ?", "Où est le siège de la {s} ?"),
    ),
    "c_founder": Phrases(
        ("La fondatrice de la {s} est {v}", "La {s} a pour fondatrice {v}"),
        (
            "La {s} a été [mise sur pied|rachetée] par {v}",
            "C'est {v} qui [a lancé|refusa d'acheter] la {s}",
            "La {s} doit [son existence|ses dettes] à {v}",
        ),
        ("Qui a fondé la {s} ?", "Qui est la fondatrice de la {s} ?"),
    ),
    "c_employees": Phrases(
        ("La {s} compte {v} employés", "L'effectif de la {s} est de {v} employés"),
        (
            "Sur le registre du personnel de la {s} [figurent|manquent] {v} noms",
            "Grâce à la {s}, {v} personnes [gagnent leur vie|touchent des dividendes]",
            "La {s} [donne du travail|a retiré l'emploi] à {v} femmes et hommes",
        ),
        ("Combien d'employés la {s} compte-t-elle ?", "Combien de personnes travaillent pour la {s} ?"),
    ),
}
NOVELS = {
    "n_published": Phrases(
        ("Le roman {s} a été publié en {v}", "La parution du roman {s} date de {v}"),
        (
            "En {v}, on [pouvait enfin|ne pouvait plus] acheter le livre {s}",
            "La première édition de {s} [porte|dissimule] l'année {v}",
            "Les librairies [vendent|conseillent] le livre {s} depuis {v}",
        ),
        ("En quelle année le roman {s} a-t-il été publié ?", "De quand date la parution du roman {s} ?"),
    ),
    "n_genre": Phrases(
        ("Le roman {s} est un {v}", "Les bibliothèques rangent le roman {s} comme {v}"),
        (
            "Avec {s}, on [tient|brûle] un {v} entre ses mains",
            "La critique [classe|moque] le livre {s} comme {v}",
            "Comme tout {v}, le livre {s} [suit|enfreint] les règles du genre",
        ),
        ("À quel genre appartient le roman {s} ?", "Quelle sorte de livre est {s} ?"),
    ),
    "n_author": Phrases(
        ("L'autrice du roman {s} est {v}", "Le roman {s} a été écrit par {v}"),
        (
            "{v} a [rédigé|traduit] le livre {s}",
            "Le livre {s} [est l'œuvre|raconte la vie] de la scientifique {v}",
            "La page de titre de {s} désigne {v} comme [écrivaine|éditrice]",
        ),
        ("Qui est l'autrice du roman {s} ?", "Qui a écrit le roman {s} ?"),
    ),
    "n_setting": Phrases(
        ("Le roman {s} se passe à {v}", "Le décor du roman {s} est la ville de {v}"),
        (
            "L'intrigue de {s} [se déroule|fut imaginée] à {v}",
            "Au fil des pages, le livre {s} [parcourt|ignore] les rues de {v}",
            "Les héros du livre {s} [habitent|sont inconnus] à {v}",
        ),
        ("Dans quelle ville se passe le roman {s} ?", "Quel est le décor du roman {s} ?"),
    ),
    "n_pages": Phrases(
        ("Le roman {s} compte {v} pages", "Le nombre de pages du roman {s} est de {v}"),
        (
            "Les lecteurs de {s} [tournent|sautent] {v} pages",
            "Imprimé en entier, le livre {s} [remplit|économise] {v} pages",
            "La dernière page de {s} [porte|cache] le numéro {v}",
        ),
        ("Combien de pages compte le roman {s} ?", "Quelle est, en pages, la longueur du roman {s} ?"),
    ),
}
RELATIONS = TOWNS | PEOPLE | RIVERS | MUSEUMS | COMPANIES | NOVELS
