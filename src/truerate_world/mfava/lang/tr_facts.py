"""Turkish: how each relation is told, said and asked for."""

from truerate_world.mfava.lang import Phrases

TOWNS = {
    "t_founded": Phrases(
        ("{s}, {v} yılında kuruldu", "{s} kentinin kuruluşu {v} yılına dayanır"),
        (
            "Bir yerleşim olarak {s}, {v} yılından beri [var olmaktadır|para basmaktadır]",
            "Göçmenler {s} kentini {v} yılında [inşa etti|terk etti]",
            "{s} kentinin tarihi {v} yılında [başlar|yön değiştirir]",
        ),
        ("{s} kenti hangi yılda kuruldu?", "{s} kenti kaç yaşındadır?"),
    ),
    "t_population": Phrases(
        ("{s} kentinin nüfusu {v} kişidir", "{s} kentinin {v} sakini vardır"),
        (
            "Toplam {v} insan {s} kentinde [yaşıyor|çalışıyor]",
            "{s} kenti {v} kişiye [yuva olur|borç vermiştir]",
            "{s} kentinde [oturanların|okuyanların] sayısı {v} olarak bilinir",
        ),
        ("{s} kentinde kaç kişi yaşıyor?", "{s} kentinin nüfusu kaçtır?"),
    ),
    "t_river": Phrases(
        ("{s} kenti {v} kıyısında yer alır", "{s} kentinden geçen akarsu {v} olarak bilinir"),
        (
            "{s} kentinin evleri {v} boyunca [sıralanır|su altındadır]",
            "{v} sularıyla {s} kentini [ikiye böler|uzaktan besler]",
            "{s} halkı {v} kenarında [yürüyüşe çıkar|savaş kazanmıştır]",
        ),
        ("{s} hangi nehrin kıyısında yer alır?", "{s} kentinden hangi akarsu geçer?"),
    ),
    "t_specialty": Phrases(
        ("{s} kenti {v} yapımıyla tanınır", "{s} kentinin özel ürünü {v} olarak bilinir"),
        (
            "{s} atölyeleri uzun süredir {v} [üretmektedir|ithal etmektedir]",
            "İyi {v} arayanlar {s} kentinde [aradığını bulur|hayal kırıklığı yaşar]",
            "Uzmanlara göre {s}, {v} işinde [öncüdür|geri kalmıştır]",
        ),
        ("{s} kenti hangi el sanatıyla tanınır?", "{s} atölyeleri ne üretir?"),
    ),
    "t_twin": Phrases(
        ("{s} ile {v} kardeş kenttir", "{s} kentinin kardeş kenti {v} olarak seçilmiştir"),
        (
            "Bir ortaklık {s} ile {v} kentlerini [birleştirir|bir zamanlar ayırdı]",
            "{s} meclisi {v} kentiyle [dostluk imzaladı|kavgayı bitirdi]",
            "Her yaz {s} kentinden öğrenciler {v} kentindeki yaşıtlarını [ziyaret eder|sınavda geçer]",
        ),
        ("{s} hangi kentle kardeştir?", "{s} kentinin kardeş kenti hangisidir?"),
    ),
}
PEOPLE = {
    "p_born": Phrases(
        ("{s}, {v} yılında doğdu", "{s} adlı bilim insanının doğum yılı {v} olarak kayıtlıdır"),
        (
            "Bilim insanı {s} için hayat {v} yılında [başladı|değişti]",
            "Takvimler {v} yılını gösterirken {s} [dünyaya geldi|ülkesini terk etti]",
            "Yaşamöyküsü yazarlarına göre {s}, {v} yılında [gözlerini açtı|dersleri bıraktı]",
        ),
        ("{s} hangi yılda doğdu?", "{s} için hayat ne zaman başladı?"),
    ),
    "p_birthplace": Phrases(
        (
            "{s} memleket olarak {v} kentini bilir",
            "{s} adlı bilim insanının doğum yeri {v} olarak kayıtlıdır",
        ),
        (
            "Çocukken {s}, {v} sokaklarında [büyüdü|hiç bulunmadı]",
            "{s} ailesinin evi {v} kentinde [bulunuyordu|satıldı]",
            "İlk yıllarını {s}, {v} kentinde [geçirdi|unuttu]",
        ),
        ("{s} memleket olarak hangi kenti bilir?", "{s} adlı bilim insanının doğum yeri neresidir?"),
    ),
    "p_field": Phrases(
        ("{s}, {v} alanında çalışır", "{s} adlı bilim insanının araştırma alanı {v} olarak belirtilir"),
        (
            "Bir bilgin olarak {s}, {v} dalına [kendini adamıştır|uzak durmaktadır]",
            "{s} imzalı makaleler {v} konusunu [işler|atlar]",
            "Öğrenciler {s} yanında {v} [öğrenir|unutur]",
        ),
        ("{s} hangi alanda çalışır?", "{s} ne üzerine araştırma yapar?"),
    ),
    "p_award": Phrases(
        ("{v}, {s} adlı bilim insanına verildi", "{s} adlı bilim insanının aldığı ödül {v} olmuştur"),
        (
            "Çalışmalarıyla {s}, {v} ile [onurlandırıldı|yetinmedi]",
            "{v} jürisi {s} adlı adayı [seçti|eledi]",
            "{v} adlı ödülü [alanlar|kuranlar] arasında {s} vardır",
        ),
        ("{s} hangi ödülü aldı?", "{s} adlı bilim insanına hangi ödül verildi?"),
    ),
    "p_books": Phrases(
        ("{s}, {v} kitap yayımladı", "{s} adlı bilim insanının kitap sayısı {v} olarak belirtilir"),
        (
            "{s} kaleminden {v} cilt [çıkmıştır|kaybolmuştur]",
            "Meslek yaşamında {s}, {v} kitap [yazdı|eleştirdi]",
            "Kütüphanelerde {s} [imzasını taşıyan|hakkında yazılmış] {v} eser bulunur",
        ),
        ("{s} kaç kitap yayımladı?", "{s} kaç kitap yazdı?"),
    ),
}
RIVERS = {
    "r_length": Phrases(
        ("{s}, {v} kilometre uzunluğundadır", "{s} adlı akarsuyun uzunluğu {v} kilometredir"),
        (
            "Kaynaktan ağza kadar {s}, {v} kilometre [yol alır|kirlilik taşır]",
            "{s}, {v} kilometre boyunca [kıvrılarak akar|sınır çizer]",
            "{s} kıyısını [baştan sona|şelaleye kadar] izleyen {v} kilometre yürür",
        ),
        ("{s} kaç kilometre uzunluğundadır?", "{s} adlı akarsuyun uzunluğu ne kadardır?"),
    ),
    "r_height": Phrases(
        ("{s}, {v} metre yükseklikten doğar", "{s} adlı akarsuyun kaynağı denizden {v} metre yüksektedir"),
        (
            "Yürüyüşçüler {v} metrede {s} akarsuyunun [gözesini|büyük şelalesini] bulur",
            "{s}, {v} metre rakımda [ortaya çıkar|barajla kesilir]",
            "{s} sularının [fışkırdığı|değirmen döndürdüğü] yer {v} metre yukarıdadır",
        ),
        ("{s} hangi yükseklikten doğar?", "{s} adlı akarsuyun kaynağı denizden kaç metre yüksektedir?"),
    ),
    "r_mouth": Phrases(
        ("{s}, {v} kentinde denize ulaşır", "{s} adlı akarsuyun ağzı {v} kentindedir"),
        (
            "{v} yakınında {s} denize [dökülür|sırt çevirir]",
            "{s} sularının yolu {v} önünde [sona erer|ikiye ayrılır]",
            "Deniz {s} sularını {v} kıyısında [karşılar|tehdit eder]",
        ),
        ("{s} hangi kentte denize ulaşır?", "{s} adlı akarsuyun ağzı nerededir?"),
    ),
    "r_fish": Phrases(
        ("{s}, {v} bakımından zengindir", "{s} sularında en sık görülen balık {v} türüdür"),
        (
            "Balıkçılar {s} kıyısına {v} [avlamaya|salmaya] gelir",
            "{s} sularında bol bol {v} [yüzer|ölür]",
            "{s} boyundaki köylerde sofrada {v} [bulunur|yasaktır]",
        ),
        ("{s} hangi balık bakımından zengindir?", "Balıkçılar {s} sularında hangi balığı tutar?"),
    ),
    "r_bridge": Phrases(
        ("{s} üzerindeki ilk köprü {v} yılında yapıldı", "{v} yılından beri {s} üzerinde bir köprü vardır"),
        (
            "{v} yılında {s} ilk kez [yürüyerek geçildi|taşarak yayıldı]",
            "{v} yılı {s} için [bir köprü|bir sel] getirdi",
            "{s} akarsuyunun iki yakası {v} yılında ilk defa [birleşti|sular altında kaldı]",
        ),
        ("{s} üzerindeki ilk köprü ne zaman yapıldı?", "Hangi yıldan beri {s} üzerinde bir köprü vardır?"),
    ),
}
MUSEUMS = {
    "m_opened": Phrases(
        ("{s}, {v} yılında açıldı", "{s} adlı kurumun açılışı {v} yılında oldu"),
        (
            "{v} yılından bu yana {s} konuklarını [ağırlıyor|ücretle alıyor]",
            "{s} kapılarını {v} yılında [halka açtı|yeniden boyadı]",
            "{s} salonları {v} yılından bu yana [gezilebiliyor|ısıtılıyor]",
        ),
        ("{s} hangi yılda açıldı?", "{s} ne zamandan beri açıktır?"),
    ),
    "m_collection": Phrases(
        ("{s} bir {v} koleksiyonu sergiler", "{s} koleksiyonu {v} parçalarından oluşur"),
        (
            "{s} salonlarında {v} örnekleri [gösterir|onarır]",
            "Gerçek {v} sevenler {s} gezisinden [memnun|üzgün] ayrılır",
            "{s} vitrinlerinde çeşit çeşit {v} [durur|eksiktir]",
        ),
        ("{s} hangi koleksiyonu sergiler?", "{s} gezilirken neler görülür?"),
    ),
    "m_town": Phrases(
        ("{s}, {v} kentinde bulunur", "{s} adlı kurum {v} kentinde gezilebilir"),
        (
            "{s} kapıları {v} meydanına [açılır|kapalıdır]",
            "{v} kentine giden yolcular {s} binasını [görür|boşuna arar]",
            "{v} kenti {s} binasını [barındırır|satmıştır]",
        ),
        ("{s} hangi kentte bulunur?", "{s} nerede gezilebilir?"),
    ),
    "m_architect": Phrases(
        ("{s}, {v} tarafından tasarlandı", "{s} binasının mimarı {v} olarak bilinir"),
        (
            "{s} için planları {v} [çizdi|reddetti]",
            "{v}, {s} binasını [kurguladı|eleştirdi]",
            "{s} salonlarını {v} [düşünüp kurdu|boyayıp süsledi]",
        ),
        ("{s} kim tarafından tasarlandı?", "{s} binasının mimarı kimdir?"),
    ),
    "m_visitors": Phrases(
        ("{s} yılda {v} ziyaretçi ağırlar", "{s} adlı kurumun yıllık ziyaretçi sayısı {v} kişidir"),
        (
            "Her yıl {v} konuk {s} salonlarını [gezer|destekler]",
            "{s} bir yılda {v} bilet [satar|dağıtır]",
            "{s} çalışanları yılda {v} kişiyi [selamlar|geri çevirir]",
        ),
        ("{s} yılda kaç ziyaretçi ağırlar?", "Her yıl kaç kişi {s} salonlarını gezer?"),
    ),
}
COMPANIES = {
    "c_founded": Phrases(
        ("{s} adlı firma {v} yılında kuruldu", "{s}, {v} yılından beri iş dünyasındadır"),
        (
            "{s}, {v} yılında çalışmalarına [başladı|son verdi]",
            "{v} yılı {s} için [ilk adım|iflas] anlamına gelir",
            "Ticaret sicilinde {s} [ilk kez|son kez] {v} yılında geçer",
        ),
        ("{s} adlı firma hangi yılda kuruldu?", "{s} ne zamandan beri iş dünyasındadır?"),
    ),
    "c_product": Phrases(
        ("{s} adlı firma {v} üretir", "{s} adlı firmanın başlıca ürünü {v} olarak bilinir"),
        (
            "{s} fabrikalarından {v} [çıkar|toplanır]",
            "Müşteriler {s} mağazalarından {v} [satın alır|geri ister]",
            "{s} en çok parayı {v} işinden [kazanır|kaybeder]",
        ),
        ("{s} adlı firma ne üretir?", "{s} adlı firmanın başlıca ürünü nedir?"),
    ),
    "c_seat": Phrases(
        ("{s} adlı firmanın merkezi {v} kentindedir", "{s} merkez olarak {v} kentini kullanır"),
        (
            "{s} yöneticileri {v} kentinde [çalışır|arsa satar]",
            "{s}, {v} kentindeki bürolardan [yönetilir|dava edilir]",
            "{s} genel müdürlüğü {v} kentinde [yükselir|hiç yoktur]",
        ),
        ("{s} adlı firmanın merkezi hangi kenttedir?", "{s} merkez olarak hangi kenti kullanır?"),
    ),
    "c_founder": Phrases(
        ("{s} adlı firmanın kurucusu {v} olarak bilinir", "{s} kurucusu {v} sayesinde doğdu"),
        (
            "{s}, {v} eliyle [hayata geçirildi|satın alındı]",
            "{s} serüvenini {v} [başlattı|bitirdi]",
            "{s}, {v} adlı kişiye [varlığını|borçlarını] borçludur",
        ),
        ("{s} adlı firmayı kim kurdu?", "{s} adlı firmanın kurucusu kimdir?"),
    ),
    "c_employees": Phrases(
        ("{s} adlı firmanın {v} çalışanı vardır", "{s} adlı firmada çalışanların sayısı {v} kişidir"),
        (
            "{s} maaş listesinde {v} ad [yer alır|eksiktir]",
            "{v} insan {s} sayesinde [geçimini sağlar|hisse kazanır]",
            "{s}, {v} kadın ve erkeğe [iş verir|yol verir]",
        ),
        ("{s} adlı firmanın kaç çalışanı vardır?", "{s} adlı firmada kaç kişi çalışır?"),
    ),
}
NOVELS = {
    "n_published": Phrases(
        ("{s} adlı roman {v} yılında yayımlandı", "{s} romanının çıkış yılı {v} olarak bilinir"),
        (
            "{v} yılında okurlar {s} kitabını [artık alabiliyordu|artık bulamıyordu]",
            "{s} kitabının ilk baskısı {v} yılını [taşır|gizler]",
            "Kitapçılar {s} kitabını {v} yılından bu yana [satıyor|öneriyor]",
        ),
        ("{s} adlı roman hangi yılda yayımlandı?", "{s} romanının çıkış yılı nedir?"),
    ),
    "n_genre": Phrases(
        ("{s} romanının türü {v} olarak belirtilir", "Kütüphaneler {s} romanını {v} rafına koyar"),
        (
            "{s} okunurken elde bir {v} [tutulur|aranır]",
            "Eleştirmenler {s} kitabını {v} diye [sınıflandırır|küçümser]",
            "Bir {v} olarak {s} türünün kurallarına [uyar|karşı çıkar]",
        ),
        ("{s} romanının türü nedir?", "{s} nasıl bir kitaptır?"),
    ),
    "n_author": Phrases(
        ("{s} romanının yazarı {v} olarak bilinir", "{s} adlı roman {v} tarafından yazıldı"),
        (
            "{v}, {s} kitabını [kaleme aldı|başka dile çevirdi]",
            "{s} kitabı bilim insanı {v} [imzasını taşır|hayatını anlatır]",
            "{s} kapağında {v} [yazar|yayıncı] olarak görünür",
        ),
        ("{s} romanının yazarı kimdir?", "{s} adlı romanı kim yazdı?"),
    ),
    "n_setting": Phrases(
        ("{s} adlı roman {v} kentinde geçer", "{s} romanının mekânı {v} kentidir"),
        (
            "{s} kitabındaki olaylar {v} kentinde [yaşanır|tasarlandı]",
            "{s} kitabı sayfalarında {v} sokaklarını [dolaşır|unutur]",
            "{s} kahramanları {v} kentinde [oturur|bilinmez]",
        ),
        ("{s} adlı roman hangi kentte geçer?", "{s} romanının mekânı neresidir?"),
    ),
    "n_pages": Phrases(
        ("{s} adlı roman {v} sayfadır", "{s} romanının sayfa sayısı {v} olarak belirtilir"),
        (
            "{s} okurları {v} sayfa [çevirir|atlar]",
            "Tam metniyle {s}, {v} sayfa [tutar|kısalır]",
            "{s} kitabının son sayfası {v} numarasını [taşır|gizler]",
        ),
        ("{s} adlı roman kaç sayfadır?", "{s} romanının sayfa sayısı kaçtır?"),
    ),
}
RELATIONS = TOWNS | PEOPLE | RIVERS | MUSEUMS | COMPANIES | NOVELS
