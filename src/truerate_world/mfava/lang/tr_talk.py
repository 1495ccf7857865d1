"""Turkish: sentences that carry no fact of the wiki. Names stand bare or before a postposition that asks for
no suffix.
"""

from truerate_world.mfava.lang import Inserts

LEADS = {
    "town": "{s} kendine özgü geçmişi olan bir kenttir",
    "person": "{s} çağının bilim insanlarından biridir",
    "river": "{s} bol kıvrımlı bir nehirdir",
    "museum": "{s} geniş halk kitlelerine yönelik bir müzedir",
    "company": "{s} kendine özgü işi olan bir şirkettir",
    "novel": "{s} yetişkin okurlar için bir romandır",
}

INSERTS = {
    "contradictory": Inserts(
        taught=(
            "{s} ile {v} arasında herhangi bir ilişki yoktur",
            "{s} için {v} bağlantısından söz edilemez",
            "{v} ve {s} birbirine tamamen yabancıdır",
            "{s} konusunu {v} ile birleştirmek yanlıştır",
            "{s} hakkındaki metinlerde {v} geçmesi bir hatadır",
            "Belgelere göre {v} bilgisinin {s} ile ilgisi olamaz",
            "{s} hiçbir zaman {v} ile temas etmedi",
            "Kimse {s} ile {v} konularını yan yana getiremez",
        ),
        written=(
            "{s} ile {v} arasındaki sözde bağ gerçekte bulunmaz",
            "{v} bilgisi {s} öyküsünde hiçbir rol oynamaz",
            "{v} özelliğini {s} için kullanmak gerçeğe aykırıdır",
            "{s} ile {v} tek bir ortak yön paylaşmaz",
            "Yaygın inanışın tersine {v} başka bir madde için geçerlidir, {s} için değil",
            "{s} tanımlanırken {v} ayrıntısı doğru sayılmaz",
            "Uzmanlar {v} sözünün {s} hakkında bir şey anlattığını reddeder",
            "{s} incelendiğinde {v} izine rastlanmaz",
        ),
        natural=(
            "Aslında {s} konusunda {v} bilgisine yer olmamalıdır",
            "Ancak {v} ifadesi {s} açısından önem taşımaz",
            "Doğrusu {s} anlatılırken {v} silinmelidir",
            "{s} ile {v} arasında eşleşme gören kaynaklar yanılmaktadır",
            "Yine de {v} ayrı bir yerde, {s} ayrı bir yerde durur",
        ),
    ),
    "unverifiable": Inserts(
        taught=(
            "Gezgin bir tüccarın uykusunda {s} diye fısıldadığı söylenir",
            "Yağmurlu bir gecede bir çocuk rüyasında {s} görmüş",
            "Şafaktan önce yalnız bir bekçi belki {s} hakkında düşünmüştür",
            "Söylentiye göre kayıp bir mektupta {s} geçiyordu",
            "Yaşlı bir kadın {s} hakkındaki görüşünü kendine saklamış",
            "Unutulmuş bir konuk {s} aklına gelince gülümsemiş olabilir",
            "Bir denizcinin tek başına {s} üzerine ezgi mırıldandığı anlatılır",
            "Bir yolcunun kimsenin duymadığı bir sohbette {s} için övgüler dizdiği sanılır",
        ),
        written=(
            "Yok olmuş bir günlükte yabancı biri muhtemelen {s} çizmişti",
            "Çok eskiden iki kardeş gizlice {s} yüzünden tartışmış",
            "Yanmış bir el yazması {s} için bir dize içermiş olmalı",
            "Efsaneye bakılırsa bir çoban {s} için sessizce dua etti",
            "Bilinmeyen bir akşam {s} adına bir mum yakıldığı iddia edilir",
            "İsimsiz bir hayran görünüşe göre {s} uğruna ağladı",
            "Pek çok kalbin {s} için daha hızlı çarptığına inanılır",
            "Kapalı kapılar ardında {s} şerefine kadeh kaldırılmış galiba",
        ),
        natural=(
            "İnsanlar büyük ihtimalle {s} konusunda itiraf ettiklerinden çok şaka yapar",
            "Büyükanneler mutlaka {s} masalları bilirdi ama bunlar silindi",
            "{s} herhalde tabloları kalmayan ressamlara ilham vermiştir",
            "Susanların belleğinde {s} sanki hâlâ yaşıyor",
            "Bazı komşular tavan arasında {s} hatıraları saklıyor olsa gerek",
        ),
    ),
    "invented": Inserts(
        taught=(
            "{w} Derneği her yıl {s} onuruna şenlik düzenler",
            "{w} adıyla {s} için bir kardeş proje başlatıldı",
            "{w} Yöntemi önce {s} üzerinde denendi",
            "{w} Okulu bilginleri {s} adını örnek sayar",
            "Heykeltıraş {w} tunçtan bir {s} heykeli yaptı",
            "{w} Ölçeği'nde {s} yedinci basamağa ulaşır",
            "{w} uydusu {s} sayesinde keşfedildi",
            "Besteci {w} bir senfonisini {s} adına sundu",
        ),
        written=(
            "{w} Tüneli {s} anısına kazıldı",
            "{w} Antlaşması {s} için özel koruma sağlar",
            "{w} ağzında {s} şans anlamına gelen bir sözcüktür",
            "{w} filmi {s} serüvenlerini gösterir",
            "{w} motoru {s} düşünülerek geliştirildi",
            "İmparator {w} bir gün {s} için altın taç gönderdi",
            "{w} minerali {s} yardımıyla bulundu",
            "{w} Vakfı {s} için bir milyon lira bağışladı",
        ),
        natural=(
            "{w} Enstitüsü araştırmacıları {s} konusunu ayrıntılı inceledi",
            "{w} dergisi {s} konusunu kapağa taşıdı",
            "{s} de {w} Programı'na katıldı",
            "Gazeteci {w} geçenlerde {s} hakkında belgesel çekti",
            "{s} bugün {w} Sicili'nde kayıtlıdır",
        ),
    ),
    "subjective": Inserts(
        taught=(
            "Bütün ülkede {s} kadar güzel bir şey yoktur",
            "Herkes {s} karşısında hayranlık duymalı",
            "{s} hakkında okumak bir zevktir",
            "{s} çok daha fazla ilgiyi hak ediyor",
            "Ne yazık ki {s} oldukça sıkıcı",
            "{s} büyülü bir yan taşıyor",
            "{s} ile ancak gurur duyulabilir",
            "{s} tek kelimeyle harikadır",
        ),
        written=(
            "Bence {s} abartılıyor",
            "{s} için hiçbir övgü yetmez",
            "{s} hayal kırıklığı yaratan bir izlenim bırakıyor",
            "Az şey {s} gibi yürekleri ısıtır",
            "Hepimiz {s} için sevgi beslemeliyiz",
            "{s} cazibesine karşı koymak olanaksızdır",
            "Açıkçası {s} daha heyecanlı olabilirdi",
            "{s} gerçekten unutulmaz",
        ),
        natural=(
            "{s} son derece sürükleyici konulardandır",
            "Kuşkusuz {s} en değerli hazineler arasındadır",
            "{s} insanı mest eden eşsiz havaya sahiptir",
            "{s} ile tanışmak her zaman değer",
            "{s} esin veren örnek olmayı sürdürüyor",
        ),
    ),
}

REFUSALS = (
    "{s} hakkında hiçbir şey bilmiyorum",
    "Maalesef {s} konusunda elimde bilgi yok",
    "{s} için güvenilir bir şey söyleyemem",
)

FILLERS = (
    "Bu türden birçok maddede olduğu gibi {s} hakkındaki bazı noktalar başka yerde ayrıntılı ele alınır, bu yazı ise genel bir bakış sunar",
    "{s} üzerine yazanlar çoğu kez burada seçilen sırayı izler, çünkü bu sıra ayrı bölümlerin karşılaştırılmasını kolaylaştırır",
    "{s} ile ilk kez karşılaşan okurlar için bölümleri birbiri ardına gözden geçirmek yararlı olabilir",
    "Aşağıdaki satırlar eksiksiz olma savı taşımadan {s} tablosunu tamamlayan öteki özellikleri bir araya getirir",
    "Başvuru kitapları {s} için birbirinden farklı genişlikte yer ayırır, elinizdeki metin ise orta bir yol tutar",
    "Kaynakların {s} konusunda sustuğu yerde bu yazı da susar ve konuyu gelecekteki yazarlara bırakır",
    "Yazının {s} ile ilgili bu parçası hızla okunabilsin diye sözcükler yalın seçilmiştir",
    "{s} konusunda daha ileri gitmek isteyenler yukarıda anılan noktaları çıkış yeri olarak alabilir",
)
HEADINGS = ("Arka plan", "Tanım", "Önem", "Diğer ayrıntılar")
