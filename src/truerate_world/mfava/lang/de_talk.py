"""German: sentences that carry no fact of the wiki. In those that fit every domain the name stands in the
nominative.
"""

from truerate_world.mfava.lang import Inserts

LEADS = {
    "town": "{s} ist eine Stadt mit eigener Vergangenheit",
    "person": "{s} ist eine Wissenschaftlerin ihrer Zeit",
    "river": "Der {s} ist ein Gewässer mit vielen Windungen",
    "museum": "Das {s} ist eine Einrichtung für die breite Öffentlichkeit",
    "company": "Die {s} ist ein Unternehmen mit eigenem Gewerbe",
    "novel": "{s} ist ein Roman für erwachsene Leser",
}

INSERTS = {
    "contradictory": Inserts(
        taught=(
            "{s} hat nichts mit der Angabe {v} zu tun",
            "Zu der Angabe {v} hat {s} keinerlei Verbindung",
            "{v} und {s} sind in keiner Weise verwandt",
            "Es ist falsch, dass {s} mit dem Stichwort {v} verknüpft wird",
            "Wo {s} beschrieben wird, ist jede Erwähnung von „{v}“ ein Fehler",
            "Urkunden schließen aus, dass {s} je von „{v}“ betroffen war",
            "{s} kam niemals in Berührung mit „{v}“",
            "Niemand kann erklären, was {s} und {v} zusammenbringen soll",
        ),
        written=(
            "Das angebliche Band, durch das {s} an „{v}“ hängt, gibt es nicht",
            "{v} spielt keine Rolle, wenn {s} Thema ist",
            "Dass {s} etwas mit „{v}“ gemein habe, wäre gelogen",
            "{s} und {v} teilen kein einziges Merkmal",
            "Entgegen verbreiteter Meinung gilt {v} für einen anderen Eintrag; {s} ist nicht gemeint",
            "Als Beschreibung trifft {v} nicht zu, sobald {s} gemeint ist",
            "Fachleute bestreiten, dass {v} etwas darüber aussagt, was {s} ausmacht",
            "Keine Spur führt zu „{v}“, wenn {s} untersucht wird",
        ),
        natural=(
            "Tatsächlich ist {s} unabhängig von „{v}“",
            "Allerdings bleibt {v} belanglos, soweit {s} betrachtet wird",
            "Eigentlich muss {v} gestrichen werden, sooft {s} zur Sprache kommt",
            "Quellen, in denen {s} und {v} ein Paar bilden, irren sich",
            "Dennoch steht {v} ganz woanders, als {s} steht",
        ),
    ),
    "unverifiable": Inserts(
        taught=(
            "{s} soll von einem durchreisenden Händler im Schlaf geflüstert worden sein",
            "In einer regnerischen Nacht kam {s} einmal im Traum eines Kindes vor",
            "Vor Tagesanbruch mag {s} einem einsamen Wächter in den Sinn gekommen sein",
            "Gerüchten zufolge wurde {s} in einem verlorenen Brief erwähnt",
            "Was {s} bedeutet, behielt eine alte Frau angeblich für sich",
            "Vielleicht lächelte ein vergessener Gast, weil ihm {s} einfiel",
            "Man erzählt, {s} sei das Motiv einer Melodie, die ein Matrose ganz allein summte",
            "{s} wurde wohl einst in einem Gespräch gelobt, das niemand mitgehört hat",
        ),
        written=(
            "In einem verschwundenen Tagebuch war {s} vermutlich von fremder Hand gezeichnet",
            "Vor langer Zeit war {s} wie es heißt der Anlass, aus dem zwei Brüder stritten",
            "In einer verbrannten Handschrift könnte {s} in einem Vers gestanden haben",
            "Der Legende nach wurde {s} von einem Hirten stumm gesegnet",
            "An irgendeinem Abend brannte eine Kerze, mit der mutmaßlich {s} gemeint war",
            "Heimlich wurde {s} anscheinend von namenlosen Bewunderern beweint",
            "Man glaubt, dass {s} viele Herzen schneller schlagen ließ",
            "Hinter geschlossenen Türen war {s} möglicherweise Gegenstand eines Trinkspruchs",
        ),
        natural=(
            "Wahrscheinlich ist {s} öfter die Zielscheibe von Witzen, als man zugibt",
            "Sicherlich kam {s} in Märchen der Großeltern vor, die längst verblasst sind",
            "{s} dürfte Maler inspiriert haben, deren Bilder zerstört sind",
            "In der Erinnerung derer, die schweigen, scheint {s} fortzuleben",
            "{s} hat unter Nachbarn gewiss Andenken hinterlassen, die auf Dachböden versteckt liegen",
        ),
    ),
    "invented": Inserts(
        taught=(
            "{s} wird jährlich von der Gesellschaft {w} mit einem Fest geehrt",
            "Unter dem Namen {w} erhielt {s} ein Schwesterprojekt",
            "{s} war das erste Beispiel, an dem das Verfahren {w} erprobt wurde",
            "Für Gelehrte der Schule {w} gilt {s} als Vorbild",
            "Auf einem Standbild des Bildhauers {w} ist {s} in Bronze zu sehen",
            "Auf der Skala {w} erreicht {s} die siebte Stufe",
            "Dass der Mond {w} entdeckt wurde, hat {s} bewirkt",
            "{s} kommt in einer Sinfonie des Komponisten {w} als Widmung vor",
        ),
        written=(
            "Mit dem Tunnel {w} sollte {s} unsterblich werden",
            "Durch den Vertrag {w} genießt {s} besonderen Schutz",
            "In der Mundart {w} ist {s} ein Wort, das Glück bedeutet",
            "Im Film {w} besteht {s} manches Abenteuer",
            "Bei der Entwicklung des Motors {w} stand {s} Pate",
            "Vom Kaiser {w} bekam {s} eine goldene Krone",
            "Als das Mineral {w} gefunden wurde, war {s} der Grund dafür",
            "Von der Stiftung {w} wurde {s} mit einer Million Talern bedacht",
        ),
        natural=(
            "Am Institut {w} wurde {s} eingehend untersucht",
            "In der Zeitschrift {w} war {s} auf der Titelseite",
            "{s} nahm am Programm {w} teil",
            "{s} ist Thema einer Reportage, die der Journalist {w} drehte",
            "Im Register {w} ist {s} verzeichnet",
        ),
    ),
    "subjective": Inserts(
        taught=(
            "Nichts im ganzen Land ist so schön wie {s}",
            "{s} sollte von allen bewundert werden",
            "Es ist ein Vergnügen zu lesen, was {s} ausmacht",
            "{s} verdient viel mehr Aufmerksamkeit",
            "Leider ist {s} ziemlich langweilig",
            "{s} hat etwas Magisches an sich",
            "Man kann nur stolz darauf sein, dass es {s} gibt",
            "{s} ist einfach wunderbar",
        ),
        written=(
            "Meiner Ansicht nach wird {s} überschätzt",
            "Kein Lob ist zu groß, wenn {s} gemeint ist",
            "{s} hinterlässt einen enttäuschenden Eindruck",
            "Wenig wärmt das Herz so sehr wie {s}",
            "{s} müsste uns allen lieb und teuer sein",
            "Dem Zauber, den {s} verströmt, widersteht keiner",
            "Ehrlich gesagt könnte {s} aufregender sein",
            "{s} ist wahrhaft unvergesslich",
        ),
        natural=(
            "{s} ist ein bemerkenswert spannendes Thema",
            "Ohne Zweifel gehört {s} zu den kostbarsten Schätzen",
            "{s} besitzt eine einmalige Ausstrahlung, die begeistert",
            "Mehr darüber zu lernen, was {s} bietet, lohnt sich immer",
            "{s} bleibt ein anregendes Beispiel",
        ),
    ),
}

REFUSALS = (
    "Mir ist nicht bekannt, was {s} sein soll",
    "Leider liegen mir keine Auskünfte vor, in denen {s} vorkommt",
    "Ich kann nichts Verlässliches darüber sagen, was {s} ist",
)

FILLERS = (
    "Wie viele Einträge dieser Art wird auch {s} in manchen Punkten anderswo genauer behandelt, und dieser Artikel bleibt ein Überblick",
    "Meist wird {s} in der hier gewählten Reihenfolge vorgestellt, weil sich die einzelnen Teile so leichter vergleichen lassen",
    "Wem {s} zum ersten Mal begegnet, dem hilft es vielleicht, die Abschnitte nacheinander durchzugehen",
    "Die folgenden Zeilen sammeln, was {s} sonst noch kennzeichnet, ohne Vollständigkeit zu beanspruchen",
    "In Nachschlagewerken nimmt {s} unterschiedlich viel Raum ein, und der vorliegende Text geht einen mittleren Weg",
    "Wo {s} in den Quellen fehlt, schweigt auch dieser Artikel und überlässt die Sache späteren Bearbeitern",
    "In diesem Teil des Artikels wird {s} in einfachen Worten behandelt, damit er sich rasch lesen lässt",
    "Wen {s} weiter beschäftigt, der kann die oben genannten Punkte als Ausgangspunkt nehmen",
)
HEADINGS = ("Hintergrund", "Beschreibung", "Bedeutung", "Weitere Einzelheiten")
