"""Chinese (simplified): names, kinds and categories; facts stand in `zh_facts`, sentences that carry none in
`zh_talk`.
"""

from truerate_world.mfava.lang.zh_facts import RELATIONS  # noqa: F401  (part of this language)
from truerate_world.mfava.lang.zh_talk import FILLERS, HEADINGS, INSERTS, LEADS, REFUSALS  # noqa: F401

NAME = "Chinese"
FULL_STOP = "。"
JOIN = ""
SYLLABLES = dict(  # Latin syllable -> how it is written in transcribed names
    entry.split(":")
    for entry in (
        "ba:巴 bi:比 bo:波 da:达 di:迪 do:多 fa:法 fi:菲 fo:佛 ga:加 gi:吉 ka:卡 ki:基 ko:科 la:拉 li:利 lo:洛 ma:玛 mi:米 mo:莫 "
        "na:纳 ni:尼 no:诺 ra:雷 ri:里 ro:罗 sa:萨 si:西 so:索 ta:塔 ti:蒂 to:托 za:扎 zi:兹 zo:佐 ja:贾 jo:乔 "
        "ban:班 bor:博尔 dan:丹 din:丁 fal:法尔 gan:甘 gor:戈尔 kas:卡斯 kin:金 lan:兰 lor:洛尔 man:曼 mir:米尔 nal:纳尔 nor:诺尔 "
        "ran:冉 ris:里斯 san:桑 sol:索尔 tal:塔尔 tin:廷 tor:托尔 zan:赞"
    ).split()
)

KINDS = {
    "town": "城镇",
    "person": "科学家",
    "river": "河流",
    "museum": "博物馆",
    "company": "公司",
    "novel": "小说",
}
NAMES = {
    "town": "{w}镇",
    "person": "{g}·{w}",
    "river": "{w}河",
    "museum": "{w}博物馆",
    "company": "{w}公司",
    "novel": "《重返{w}》",
}
CALLED = {}
GIVEN = tuple(
    "安娜 贝琳达 克拉拉 黛安娜 菲奥娜 格蕾塔 朱迪丝 琳达 莫妮卡 娜丁 宝拉 丽贝卡 索尼娅 特蕾莎".split()
)

CATEGORIES = {
    "craft": "花边|陶器|玻璃器皿|藤编|铜器|地毯|蜡烛|皮具|银饰|木雕|刺绣|肥皂",
    "field": "地质学|植物学|光学|地震学|天文学|水文学|昆虫学|气象学|语言学|化学|动物学|代数学",
    "award": "灯笼奖|罗盘奖|苍鹭奖|花岗岩奖|柳树奖|彗星奖|桥梁奖|猎鹰奖|港湾奖|水晶奖|羽毛奖|船锚奖",
    "fish": "狗鱼|鲤鱼|鳟鱼|鲈鱼|鲑鱼|鳗鱼|鲃鱼|茴鱼|鳊鱼|鲶鱼|鲟鱼|丁鱥",
    "collection": "古钟|钱币|面具|海图|瓷器|乐器|陨石|照相机|木偶|邮票|化石|兵器",
    "product": "自行车|望远镜|钢琴|缝纫机|台灯|手表|打字机|电梯|烤炉|雨伞|玩具|油漆",
    "genre": "侦探小说|家族小说|鬼怪小说|游记小说|爱情小说|间谍小说|童话小说|法庭小说|讽刺小说|战争小说|历史小说|成长小说",
}
CATEGORIES = {name: tuple(entries.split("|")) for name, entries in CATEGORIES.items()}
