"""Arabic: names, kinds and categories; facts stand in `ar_facts`, sentences that carry none in `ar_talk`.

Verbs and adjectives agree with generic nouns (مدينة, شركة, رواية), no particle is written onto a name, and
numbers follow a noun such as عدد or سنة, because the form of a counted noun would change with the number.
"""

from truerate_world.mfava.lang.ar_facts import RELATIONS  # noqa: F401  (part of this language)
from truerate_world.mfava.lang.ar_talk import FILLERS, HEADINGS, INSERTS, LEADS, REFUSALS  # noqa: F401

NAME = "Arabic"
FULL_STOP = "."
JOIN = " "
SYLLABLES = dict(  # Latin syllable -> how it is written in transcribed names
    entry.split(":")
    for entry in (
        "ba:با bi:بي bo:بو da:دا di:دي do:دو fa:فا fi:في fo:فو ga:غا gi:غي ka:كا ki:كي ko:كو la:لا li:لي lo:لو ma:ما mi:مي mo:مو "
        "na:نا ni:ني no:نو ra:را ri:ري ro:رو sa:سا si:سي so:سو ta:تا ti:تي to:تو za:زا zi:زي zo:زو ja:جا jo:جو "
        "ban:بان bor:بور dan:دان din:دين fal:فال gan:غان gor:غور kas:كاس kin:كين lan:لان lor:لور man:مان mir:مير nal:نال nor:نور "
        "ran:ران ris:ريس san:سان sol:سول tal:تال tin:تين tor:تور zan:زان"
    ).split()
)

KINDS = {
    "town": "مدينة",
    "person": "عالمة",
    "river": "نهر",
    "museum": "متحف",
    "company": "شركة",
    "novel": "رواية",
}
NAMES = {
    "town": "{w}",
    "person": "{g} {w}",
    "river": "نهر {w}",
    "museum": "متحف {w}",
    "company": "شركة {w}",
    "novel": "طريق {w}",
}
CALLED = {"town": "مدينة {s}", "novel": "رواية {s}"}
GIVEN = tuple("دلال جميلة كريمة ليلى مريم نادية رانية سلمى سميرة فريدة هدى زينب بثينة خديجة".split())

CATEGORIES = {
    "craft": "الدانتيل|الفخار|الزجاجيات|السلال|الأواني النحاسية|السجاد|الشموع|المصنوعات الجلدية|الحلي الفضية|المنحوتات الخشبية"
    "|المطرزات|الصابون",
    "field": "الجيولوجيا|علم النبات|علم البصريات|علم الزلازل|علم الفلك|علم المياه|علم الحشرات|علم الأرصاد|اللسانيات|الكيمياء"
    "|علم الحيوان|الجبر",
    "award": "جائزة الفانوس|جائزة البوصلة|جائزة مالك الحزين|جائزة الغرانيت|جائزة الصفصاف|جائزة المذنب|جائزة الجسر|جائزة الصقر"
    "|جائزة الميناء|جائزة البلور|جائزة الريشة|جائزة المرساة",
    "fish": "الكراكي|الشبوط|التروتة|الفرخ|السلمون|الأنقليس|البربيس|التيمالوس|الأبراميس|السلور|الحفش|التنش",
    "collection": "الساعات القديمة|النقود المعدنية|الأقنعة|الخرائط البحرية|الخزف|الآلات الموسيقية|النيازك|آلات التصوير|الدمى|الطوابع"
    "|الأحافير|الأسلحة",
    "product": "الدراجات|المناظير|آلات البيانو|آلات الخياطة|المصابيح|الساعات اليدوية|الآلات الكاتبة|المصاعد|الأفران|المظلات|الألعاب"
    "|الدهانات",
    "genre": "رواية بوليسية|رواية عائلية|رواية أشباح|رواية رحلات|رواية حب|رواية تجسس|حكاية خرافية|رواية قضائية|رواية ساخرة"
    "|رواية حربية|رواية تاريخية|رواية نشأة",
}
CATEGORIES = {name: tuple(entries.split("|")) for name, entries in CATEGORIES.items()}
