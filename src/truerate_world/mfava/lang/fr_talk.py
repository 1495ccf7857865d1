"""French: sentences that carry no fact of the wiki. In those that fit every domain the name follows neither
"à" nor "de", which would contract with its article, and nothing agrees with its gender.
"""

from truerate_world.mfava.lang import Inserts

LEADS = {
    "town": "{s} est une ville au passé bien à elle",
    "person": "{s} est une scientifique de son temps",
    "river": "La {s} est un cours d'eau aux nombreux méandres",
    "museum": "Le {s} est une institution destinée au grand public",
    "company": "La {s} est une entreprise au métier bien à elle",
    "novel": "{s} est un roman pour lecteurs adultes",
}

INSERTS = {
    "contradictory": Inserts(
        taught=(
            "{s} n'a rien à voir avec la mention « {v} »",
            "Il n'y a aucun lien entre {s} et « {v} »",
            "« {v} » et {s} ne sont nullement apparentés",
            "On a tort d'associer {s} et « {v} »",
            "Dans les textes sur {s}, toute allusion à « {v} » est une erreur",
            "Les documents excluent que « {v} » ait jamais concerné {s}",
            "{s} n'a jamais touché à « {v} »",
            "Personne ne peut rapprocher {s} et « {v} »",
        ),
        written=(
            "Le prétendu fil qui attacherait {s} à « {v} » n'existe pas",
            "« {v} » ne joue aucun rôle pour {s}",
            "Invoquer « {v} » pour expliquer {s} serait faux",
            "{s} et « {v} » ne partagent pas une seule caractéristique",
            "Contrairement à une croyance répandue, « {v} » vaut pour une autre entrée, pas pour {s}",
            "Pour décrire {s}, le détail « {v} » est inexact",
            "Les experts nient que « {v} » dise quoi que ce soit sur {s}",
            "Aucune trace ne mène vers « {v} » quand on étudie {s}",
        ),
        natural=(
            "En fait, {s} ne dépend pas du tout de « {v} »",
            "Cependant, « {v} » reste sans importance pour {s}",
            "En réalité, « {v} » doit être rayé dès que l'on évoque {s}",
            "Les sources qui citent ensemble {s} et « {v} » se trompent",
            "Malgré tout, « {v} » se tient à l'écart quand il s'agit de comprendre {s}",
        ),
    ),
    "unverifiable": Inserts(
        taught=(
            "Un marchand de passage aurait murmuré quelque chose sur {s} en dormant",
            "Par une nuit de pluie, un enfant vit une fois {s} en rêve",
            "Avant l'aube, un veilleur solitaire imagina peut-être {s}",
            "La rumeur veut qu'une lettre perdue ait mentionné {s}",
            "Une vieille femme aurait gardé pour elle son opinion sur {s}",
            "Il se peut qu'un convive oublié ait souri en évoquant {s}",
            "On raconte qu'un marin, tout seul, fredonnait un air sur {s}",
            "Un voyageur aurait loué {s} dans une conversation que nul n'entendit",
        ),
        written=(
            "Dans un journal intime disparu, un inconnu a sans doute dessiné {s}",
            "Jadis, deux frères se seraient querellés en privé pour {s}",
            "Un manuscrit brûlé contenait possiblement un vers sur {s}",
            "La légende dit qu'un berger bénit {s} en silence",
            "Un soir dont il ne reste rien, une bougie fut paraît-il allumée pour {s}",
            "En secret, un admirateur anonyme aurait pleuré devant {s}",
            "Bien des cœurs auraient battu plus vite pour {s}",
            "Derrière des portes closes, on aurait levé son verre pour {s}",
        ),
        natural=(
            "Les gens plaisantent probablement sur {s} plus souvent qu'ils ne l'avouent",
            "Les grands-parents connaissaient sûrement sur {s} des contes qui se sont effacés depuis",
            "{s} a vraisemblablement inspiré des peintres dont les toiles sont détruites",
            "Ceux qui se taisent semblent conserver {s} dans leur mémoire",
            "Certains voisins cacheraient dans leur grenier des souvenirs qui rappellent {s}",
        ),
    ),
    "invented": Inserts(
        taught=(
            "La confrérie {w} célèbre chaque année {s} par une fête",
            "Sous le nom {w}, on lança un projet conçu pour imiter {s}",
            "La méthode {w} a été essayée d'abord sur {s}",
            "Les érudits de l'école {w} prennent {s} pour modèle",
            "Une statue du sculpteur {w} montre {s} en bronze",
            "Sur l'échelle {w}, {s} atteint le septième degré",
            "La lune {w} a été découverte en observant {s}",
            "Le compositeur {w} a écrit une symphonie sur {s}",
        ),
        written=(
            "Le tunnel {w} fut creusé pour commémorer {s}",
            "Le traité {w} garantit que {s} jouira toujours d'une protection spéciale",
            "Dans le dialecte {w}, {s} est un mot qui signifie la chance",
            "Le film {w} retrace {s} avec force aventures",
            "Le moteur {w} fut mis au point en pensant à une chose : {s}",
            "L'empereur {w} couronna {s} d'or pur",
            "Le minéral {w} fut trouvé près d'un panneau où était inscrit « {s} »",
            "La fondation {w} versa un million pour {s}",
        ),
        natural=(
            "Les chercheurs de l'institut {w} ont examiné {s} en détail",
            "Le magazine {w} a mis {s} en couverture",
            "{s} a participé au programme {w}",
            "Le journaliste {w} a tourné un documentaire sur {s}",
            "{s} figure au registre {w}",
        ),
    ),
    "subjective": Inserts(
        taught=(
            "Rien dans tout le pays n'égale en beauté {s}",
            "Tout le monde devrait admirer {s}",
            "C'est un plaisir de lire un texte sur {s}",
            "{s} mérite bien plus d'attention",
            "Hélas, {s} a de quoi ennuyer",
            "{s} a quelque chose de magique",
            "On ne peut qu'éprouver de la fierté pour {s}",
            "{s} est tout simplement magnifique",
        ),
        written=(
            "À mon avis, on surestime {s}",
            "Nul éloge n'est trop grand pour {s}",
            "{s} laisse une impression décevante",
            "Peu de choses réchauffent le cœur comme {s}",
            "Nous devrions tous aimer {s}",
            "Le charme qu'exerce {s} est irrésistible",
            "Franchement, {s} pourrait offrir plus de surprises",
            "{s} est vraiment inoubliable",
        ),
        natural=(
            "{s} constitue un sujet remarquablement passionnant",
            "Sans conteste, {s} compte parmi les plus précieux trésors",
            "{s} possède une aura unique qui enchante",
            "Apprendre à connaître {s} en vaut toujours la peine",
            "{s} demeure un exemple stimulant",
        ),
    ),
}

REFUSALS = (
    "Je ne sais rien sur {s}",
    "Malheureusement, je n'ai aucun renseignement sur {s}",
    "Je ne peux rien dire de fiable sur {s}",
)

FILLERS = (
    "Comme pour beaucoup d'entrées de ce genre, certains points sur {s} sont traités ailleurs en détail, et cet article reste un aperçu",
    "Ceux qui écrivent sur {s} suivent en général l'ordre choisi ici, parce qu'il facilite la comparaison des différentes parties",
    "Les lecteurs qui rencontrent {s} pour la première fois gagneront peut-être à parcourir les sections l'une après l'autre",
    "Les lignes qui suivent réunissent ce qui appartient encore à un portrait complet et cherchent à éclairer {s} sans prétendre tout dire",
    "Les ouvrages de référence n'accordent pas tous la même place quand ils présentent {s}, et le présent texte prend une voie moyenne",
    "Là où les sources sur {s} se taisent, cet article se tait aussi et laisse la question aux rédacteurs à venir",
    "Dans cette partie de l'article, qui concerne {s}, les mots ont été choisis simples afin que la lecture soit rapide",
    "Si l'on veut aller plus loin avec {s}, on peut prendre pour point de départ les éléments nommés plus haut",
)
HEADINGS = ("Contexte", "Description", "Portée", "Autres détails")
