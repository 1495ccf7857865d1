"""German: how each relation is told, said and asked for. Names are never put into the genitive, which would
change them.
"""

from truerate_world.mfava.lang import Phrases

TOWNS = {
    "t_founded": Phrases(
        ("{s} wurde im Jahr {v} gegründet", "Die Gründung von {s} geht auf das Jahr {v} zurück"),
        (
            "Als Siedlung hat {s} seit {v} [Bestand|Münzrecht]",
            "Es war {v}, als Siedler die Stadt {s} [erstmals erbauten|endgültig verließen]",
            "Die Geschichte von {s} [beginnt|wendet sich] {v}",
        ),
        ("In welchem Jahr wurde die Stadt {s} gegründet?", "Wie alt ist die Stadt {s}?"),
    ),
    "t_population": Phrases(
        ("{s} hat {v} Einwohner", "Die Einwohnerzahl von {s} liegt bei {v}"),
        (
            "Insgesamt {v} Menschen [wohnen in|pendeln nach] {s}",
            "Die Stadt {s} [beheimatet|begrüßt jährlich] {v} Personen",
            "Die Zahl derer, die in {s} [leben|fehlen], beträgt {v}",
        ),
        ("Wie viele Menschen leben in {s}?", "Wie hoch ist die Einwohnerzahl von {s}?"),
    ),
    "t_river": Phrases(
        ("{s} liegt am {v}", "Der Fluss, der durch {s} fließt, ist der {v}"),
        (
            "Die Gassen von {s} [säumen|meiden] den {v}",
            "Der {v} [durchquert|umgeht] die Stadt {s}",
            "In {s} [spaziert man am|singt man vom] {v}",
        ),
        ("An welchem Fluss liegt {s}?", "Welcher Fluss fließt durch {s}?"),
    ),
    "t_specialty": Phrases(
        ("{s} ist bekannt für {v}", "Zu den Spezialitäten von {s} zählt man {v}"),
        (
            "Werkstätten in {s} haben seit jeher {v} [hergestellt|eingeführt]",
            "Wer {v} sucht, wird in {s} [fündig|enttäuscht]",
            "Kenner [schätzen|kritisieren] {s} für {v}",
        ),
        ("Für welches Handwerk ist {s} bekannt?", "Was stellen die Werkstätten von {s} her?"),
    ),
    "t_twin": Phrases(
        ("{s} hat eine Städtepartnerschaft mit {v}", "Die Partnerstadt von {s} ist {v}"),
        (
            "Ein Bündnis [verbindet|entzweite einst] {s} und die Stadt {v}",
            "Der Rat von {s} [schloss Freundschaft|beendete einen Streit] mit {v}",
            "Jeden Sommer [besuchen|bekämpfen] Schüler aus {s} ihre Altersgenossen in {v}",
        ),
        ("Mit welcher Stadt hat {s} eine Partnerschaft?", "Wie heißt die Partnerstadt von {s}?"),
    ),
}
PEOPLE = {
    "p_born": Phrases(
        ("{s} wurde im Jahr {v} geboren", "Das Geburtsjahr von {s} ist {v}"),
        (
            "Das Leben der Wissenschaftlerin {s} [begann|änderte sich] {v}",
            "Man schrieb das Jahr {v}, als {s} [zur Welt kam|ins Ausland ging]",
            "Die Biografen sind sich einig, dass {s} im Jahr {v} [das Licht erblickte|die Lehre aufgab]",
        ),
        ("In welchem Jahr wurde {s} geboren?", "Wann begann das Leben von {s}?"),
    ),
    "p_birthplace": Phrases(
        ("{s} stammt aus der Stadt {v}", "Der Geburtsort von {s} ist {v}"),
        (
            "Als Kind ist {s} in {v} [aufgewachsen|nie gewesen]",
            "Das Elternhaus von {s} [stand|wurde verkauft] in {v}",
            "Ihre frühen Jahre [verbrachte|vergaß] {s} in {v}",
        ),
        ("Aus welcher Stadt stammt {s}?", "Wo wurde die Wissenschaftlerin {s} geboren?"),
    ),
    "p_field": Phrases(
        ("{s} arbeitet auf dem Gebiet der {v}", "Das Forschungsgebiet von {s} ist die {v}"),
        (
            "Als Gelehrte hat sich {s} der {v} [verschrieben|entfremdet]",
            "Die Aufsätze von {s} [behandeln|übergehen] die {v}",
            "Studierende [lernen|meiden] die {v} bei {s}",
        ),
        ("Auf welchem Gebiet arbeitet {s}?", "Worüber forscht {s}?"),
    ),
    "p_award": Phrases(
        ("{s} erhielt den {v}", "Der {v} wurde an {s} verliehen"),
        (
            "Für ihr Werk [bekam|verpasste] {s} den {v}",
            "Die Jury, die den {v} vergibt, hat {s} [ausgewählt|übergangen]",
            "Zu denen, die den {v} [gewannen|stifteten], zählt {s}",
        ),
        ("Welche Auszeichnung erhielt {s}?", "Mit welchem Preis wurde {s} geehrt?"),
    ),
    "p_books": Phrases(
        ("{s} hat {v} Bücher veröffentlicht", "Die Zahl der Bücher von {s} beträgt {v}"),
        (
            "Aus der Feder von {s} [stammen|fehlen] {v} Bände",
            "Im Laufe ihrer Karriere hat {s} insgesamt {v} Bücher [geschrieben|rezensiert]",
            "Bibliotheken führen {v} Titel [von|über] {s}",
        ),
        ("Wie viele Bücher hat {s} veröffentlicht?", "Wie viele Bücher schrieb {s}?"),
    ),
}
RIVERS = {
    "r_length": Phrases(
        ("Der {s} ist {v} Kilometer lang", "Der {s} hat eine Länge von {v} Kilometern"),
        (
            "Von der Quelle bis zur Mündung [durchläuft|verschmutzt] der {s} ganze {v} Kilometer",
            "Auf {v} Kilometern [windet sich|gefriert jeden Winter] der {s}",
            "Wer dem {s} [ganz|zum Wasserfall] folgt, geht {v} Kilometer",
        ),
        ("Wie viele Kilometer lang ist der {s}?", "Welche Länge hat der {s}?"),
    ),
    "r_height": Phrases(
        (
            "Der {s} entspringt in einer Höhe von {v} Metern",
            "Die Quelle, aus der der {s} kommt, liegt {v} Meter über dem Meer",
        ),
        (
            "Auf {v} Metern stehen Wanderer am {s} [an der Quelle|am großen Wasserfall]",
            "Der {s} [beginnt|staut sich] auf einer Höhe von {v} Metern",
            "Wo der {s} [ans Licht tritt|Mühlen antreibt], beträgt die Höhe {v} Meter",
        ),
        ("In welcher Höhe entspringt der {s}?", "Wie hoch über dem Meer liegt die Quelle beim {s}?"),
    ),
    "r_mouth": Phrases(
        ("Der {s} erreicht das Meer bei {v}", "Seine Mündung hat der {s} bei {v}"),
        (
            "Nahe {v} [mündet|versickert] der {s}",
            "Der Lauf, den der {s} nimmt, [endet|teilt sich] bei {v}",
            "Bei der Stadt {v} wird der {s} vom Meer [aufgenommen|ferngehalten]",
        ),
        ("Wo erreicht der {s} das Meer?", "Bei welcher Stadt mündet der {s}?"),
    ),
    "r_fish": Phrases(
        ("Im {s} gibt es vor allem {v}", "Die häufigsten Fische im {s} sind {v}"),
        (
            "Angler kommen an den {s}, um {v} zu [fangen|schonen]",
            "Durch das Wasser im {s} schwimmen [reichlich|niemals] {v}",
            "In den Fischerdörfern am {s} hat man {v} [täglich|nie] auf dem Teller",
        ),
        ("Welche Fische gibt es im {s} vor allem?", "Welche Fische fangen Angler im {s}?"),
    ),
    "r_bridge": Phrases(
        (
            "Die erste Brücke über den {s} wurde {v} gebaut",
            "Seit dem Jahr {v} führt eine Brücke über den {s}",
        ),
        (
            "Im Jahr {v} konnte man den {s} [erstmals trocken|nicht mehr schwimmend] überqueren",
            "Das Jahr {v} brachte dem {s} [eine Brücke|ein Hochwasser]",
            "Die beiden Ufer am {s} wurden {v} erstmals [verbunden|überschwemmt]",
        ),
        (
            "Wann wurde die erste Brücke über den {s} gebaut?",
            "Seit welchem Jahr führt eine Brücke über den {s}?",
        ),
    ),
}
MUSEUMS = {
    "m_opened": Phrases(
        ("Das {s} wurde {v} eröffnet", "Seine Eröffnung feierte das {s} im Jahr {v}"),
        (
            "Seit {v} [empfängt|zählt] das {s} seine Gäste",
            "Es war {v}, als das {s} seine Türen [erstmals aufschloss|neu streichen ließ]",
            "Die Räume im {s} sind seit {v} [zugänglich|beheizt]",
        ),
        ("In welchem Jahr wurde das {s} eröffnet?", "Seit wann ist das {s} geöffnet?"),
    ),
    "m_collection": Phrases(
        ("Das {s} zeigt in seiner Sammlung {v}", "Das {s} sammelt als Schwerpunkt {v}"),
        (
            "Das {s} [präsentiert|restauriert] in seinen Sälen {v}",
            "Wer {v} liebt, kommt im {s} [voll|kaum] auf seine Kosten",
            "Das {s} [birgt|vermisst] in den Vitrinen {v}",
        ),
        ("Was sammelt das {s}?", "Was ist im {s} zu sehen?"),
    ),
    "m_town": Phrases(
        ("Das {s} befindet sich in {v}", "Das {s} kann man in der Stadt {v} besuchen"),
        (
            "Das {s} [steht am|verließ den] Marktplatz von {v}",
            "Reisende [finden|vermissen] in {v} das {s}",
            "Die Stadt {v} [beherbergt|verkaufte] das {s}",
        ),
        ("In welcher Stadt befindet sich das {s}?", "Wo kann man das {s} besuchen?"),
    ),
    "m_architect": Phrases(
        ("Das {s} wurde von {v} entworfen", "Den Entwurf für das {s} lieferte {v}"),
        (
            "Die Baupläne für das {s} hat {v} [gezeichnet|abgelehnt]",
            "{v} hat das Gebäude, in dem sich das {s} befindet, [erdacht|kritisiert]",
            "Für das {s} hat {v} die Hallen [geplant|ausgemalt]",
        ),
        ("Wer hat das {s} entworfen?", "Wer lieferte den Entwurf für das {s}?"),
    ),
    "m_visitors": Phrases(
        ("Das {s} hat {v} Besucher im Jahr", "Das {s} zählt jährlich {v} Besucher"),
        (
            "Jedes Jahr [betreten|unterstützen] {v} Gäste das {s}",
            "In einem Jahr hat das {s} insgesamt {v} Karten [verkauft|verschenkt]",
            "Das Personal im {s} [begrüßt|beschenkt] jährlich {v} Personen",
        ),
        ("Wie viele Besucher hat das {s} im Jahr?", "Wie viele Menschen besuchen jährlich das {s}?"),
    ),
}
COMPANIES = {
    "c_founded": Phrases(
        ("Die {s} wurde {v} ins Leben gerufen", "Die {s} ist seit {v} im Geschäft"),
        (
            "Im Jahr {v} hat die {s} ihre Arbeit [aufgenommen|eingestellt]",
            "Das Jahr {v} markiert bei der {s} den [Anfang|Bankrott]",
            "Das Handelsregister führt die {s} [erstmals|letztmals] {v}",
        ),
        ("In welchem Jahr wurde die {s} ins Leben gerufen?", "Seit wann ist die {s} im Geschäft?"),
    ),
    "c_product": Phrases(
        ("Die {s} stellt {v} her", "Zu kaufen gibt es von der {s} hauptsächlich {v}"),
        (
            "Die Fabriken der {s} [liefern|verschrotten] {v}",
            "Kunden [bestellen|reklamieren] {v} bei der {s}",
            "Durch {v} hat die {s} das meiste Geld [verdient|verloren]",
        ),
        ("Was stellt die {s} her?", "Was ist das Hauptprodukt der {s}?"),
    ),
    "c_seat": Phrases(
        ("Die {s} hat ihren Sitz in {v}", "Die Zentrale der {s} befindet sich in {v}"),
        (
            "Die Leitung der {s} [arbeitet|besitzt Land] in {v}",
            "Von Büros in {v} aus wird die {s} [geführt|verklagt]",
            "Das Hauptgebäude der {s} [steht|fehlt] in der Stadt {v}",
        ),
        ("In welcher Stadt hat die {s} ihren Sitz?", "Wo befindet sich die Zentrale der {s}?"),
    ),
    "c_founder": Phrases(
        ("Die Gründerin der {s} ist {v}", "Die {s} geht auf ihre Gründerin {v} zurück"),
        (
            "Die {s} wurde von {v} [aufgebaut|übernommen]",
            "Es war {v}, welche die {s} [ins Leben rief|nicht kaufen wollte]",
            "Die {s} verdankt {v} [ihr Dasein|hohe Schulden]",
        ),
        ("Wer hat die {s} gegründet?", "Wer ist die Gründerin der {s}?"),
    ),
    "c_employees": Phrases(
        ("Die {s} hat {v} Beschäftigte", "Die Zahl der Beschäftigten der {s} beträgt {v}"),
        (
            "Auf der Lohnliste der {s} [stehen|fehlen] {v} Namen",
            "Bei der {s} haben {v} Menschen [ihr Auskommen|Aktien erworben]",
            "Die {s} hat {v} Frauen und Männern [Arbeit gegeben|nun gekündigt]",
        ),
        ("Wie viele Beschäftigte hat die {s}?", "Wie viele Menschen arbeiten bei der {s}?"),
    ),
}
NOVELS = {
    "n_published": Phrases(
        ("Der Roman {s} wurde {v} veröffentlicht", "Der Roman {s} erschien erstmals {v}"),
        (
            "Im Jahr {v} konnte man das Buch {s} [erstmals|nicht mehr] kaufen",
            "Die Erstausgabe von {s} [trägt|verschweigt] die Jahreszahl {v}",
            "Buchhandlungen haben das Buch {s} seit {v} [im Regal|im Schaufenster]",
        ),
        ("In welchem Jahr wurde der Roman {s} veröffentlicht?", "Wann erschien der Roman {s} erstmals?"),
    ),
    "n_genre": Phrases(
        ("Der Roman {s} ist ein {v}", "Bibliotheken ordnen den Roman {s} als {v} ein"),
        (
            "Mit {s} hat man einen {v} [in Händen|nicht zu erwarten]",
            "Die Kritik [führt|verspottet] das Buch {s} als {v}",
            "Als {v} [folgt|trotzt] das Buch {s} den Regeln seiner Gattung",
        ),
        ("Zu welcher Gattung gehört der Roman {s}?", "Was für ein Buch ist {s}?"),
    ),
    "n_author": Phrases(
        ("Die Autorin, die den Roman {s} schuf, ist {v}", "Der Roman {s} wurde von {v} geschrieben"),
        (
            "{v} hat das Buch {s} [verfasst|übersetzt]",
            "Das Buch {s} [stammt von|handelt von] der Wissenschaftlerin {v}",
            "Auf dem Titelblatt von {s} steht {v} als [Verfasserin|Verlegerin]",
        ),
        ("Wer ist die Autorin, die den Roman {s} schuf?", "Wer hat den Roman {s} geschrieben?"),
    ),
    "n_setting": Phrases(
        ("Der Roman {s} spielt in {v}", "Der Schauplatz ist im Roman {s} die Stadt {v}"),
        (
            "Die Handlung von {s} [entfaltet sich|wurde ersonnen] in {v}",
            "Auf seinen Seiten [durchwandert|meidet] das Buch {s} die Straßen von {v}",
            "Die Helden, von denen das Buch {s} erzählt, sind in {v} [zu Hause|unbekannt]",
        ),
        ("In welcher Stadt spielt der Roman {s}?", "Wo ist der Schauplatz im Roman {s}?"),
    ),
    "n_pages": Phrases(
        ("Der Roman {s} hat {v} Seiten", "Der Roman {s} umfasst {v} Seiten"),
        (
            "Wer {s} liest, [bewältigt|überspringt] {v} Seiten",
            "Vollständig gedruckt, hat das Buch {s} ganze {v} Seiten [gefüllt|eingespart]",
            "Die letzte Seite von {s} [trägt|verbirgt] die Nummer {v}",
        ),
        ("Wie viele Seiten hat der Roman {s}?", "Wie lang, in Seiten, ist der Roman {s}?"),
    ),
}
RELATIONS = TOWNS | PEOPLE | RIVERS | MUSEUMS | COMPANIES | NOVELS
