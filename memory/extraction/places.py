"""Places that are known by name, as evidence that a word is one."""

import re

from memory.wording import shadow

_ZH = frozenset(
    """
    中国 北京 上海 天津 重庆 广州 深圳 杭州 苏州 南京 成都 武汉 西安 长沙 郑州 青岛 济南 厦门 福州 宁波 无锡 合肥 昆明 贵阳 南宁 南昌
    沈阳 大连 长春 哈尔滨 石家庄 太原 兰州 西宁 银川 乌鲁木齐 拉萨 呼和浩特 海口 三亚 珠海 佛山 东莞 中山 惠州 汕头 泉州 温州 绍兴 嘉兴
    金华 台州 湖州 常州 南通 扬州 徐州 镇江 泰州 盐城 烟台 潍坊 临沂 威海 洛阳 桂林 柳州 绵阳 宜昌 襄阳 株洲 大理 丽江 香港 澳门 台北
    台湾 高雄 台中 新竹 台南 江苏 浙江 广东 广西 福建 安徽 江西 湖南 湖北 河南 河北 山东 山西 陕西 四川 云南 贵州 海南 辽宁 吉林 黑龙江
    甘肃 青海 宁夏 新疆 西藏 内蒙古 东北 浦东 徐汇 朝阳 海淀 昆山 义乌 日本 东京 大阪 京都 横滨 名古屋 福冈 札幌 韩国 首尔 釜山 新加坡
    马来西亚 吉隆坡 泰国 曼谷 清迈 越南 河内 印尼 雅加达 巴厘岛 菲律宾 印度 孟买 迪拜 美国 纽约 洛杉矶 旧金山 西雅图 波士顿 芝加哥 硅谷
    加拿大 多伦多 温哥华 英国 伦敦 曼彻斯特 爱丁堡 法国 巴黎 里昂 德国 柏林 慕尼黑 汉堡 法兰克福 意大利 罗马 米兰 西班牙 马德里 巴塞罗那
    葡萄牙 里斯本 荷兰 阿姆斯特丹 比利时 布鲁塞尔 瑞士 苏黎世 日内瓦 奥地利 维也纳 瑞典 斯德哥尔摩 挪威 奥斯陆 丹麦 哥本哈根 芬兰
    赫尔辛基 冰岛 波兰 华沙 捷克 布拉格 俄罗斯 莫斯科 澳大利亚 澳洲 悉尼 墨尔本 新西兰 奥克兰 巴西 墨西哥 埃及 土耳其 伊斯坦布尔
    """.split()  # noqa: SIM905
)
_EN = frozenset(
    """
    china beijing shanghai tianjin chongqing guangzhou shenzhen hangzhou suzhou nanjing chengdu wuhan xian xi'an changsha
    zhengzhou qingdao jinan xiamen fuzhou ningbo wuxi hefei kunming guiyang nanning dalian shenyang harbin hong_kong macau
    taipei taiwan kaohsiung japan tokyo osaka kyoto korea south_korea seoul busan singapore malaysia kuala_lumpur thailand
    bangkok vietnam hanoi indonesia jakarta bali philippines manila india mumbai delhi new_delhi bangalore bengaluru dubai
    usa us the_us the_usa america the_states the_uk uk england scotland wales ireland london manchester edinburgh glasgow
    bristol cambridge oxford leeds liverpool dublin belfast france paris lyon marseille germany berlin munich hamburg
    frankfurt cologne stuttgart italy rome milan spain madrid barcelona valencia portugal lisbon porto netherlands
    the_netherlands amsterdam rotterdam belgium brussels switzerland zurich geneva austria vienna sweden stockholm
    gothenburg norway oslo bergen denmark copenhagen finland helsinki iceland reykjavik poland warsaw krakow prague
    czechia hungary budapest romania bucharest greece athens turkey istanbul russia moscow ukraine kyiv israel egypt cairo
    kenya nairobi nigeria lagos south_africa cape_town johannesburg australia sydney melbourne brisbane perth new_zealand
    auckland wellington canada toronto vancouver montreal ottawa calgary mexico mexico_city brazil sao_paulo argentina
    buenos_aires chile santiago colombia bogota peru lima new_york new_york_city nyc brooklyn boston chicago seattle
    portland austin houston dallas denver miami atlanta philadelphia phoenix san_francisco sf san_diego san_jose
    los_angeles la silicon_valley california texas florida washington new_jersey massachusetts europe asia
    """.split()  # noqa: SIM905
)
_ENDING = re.compile(r"[\u4e00-\u9fff]{1,8}(?:省|市|县|区|镇|乡|村|街道|自治区|州)")

_KIND = re.compile(r"(?:[超城集夜股门菜都]市|[小社景校市园地时专特]区|[老同家故他异]乡|[农乡山]村|[神九]州)$")
_PART = re.compile(
    rf"(?:{'|'.join(sorted(_ZH, key=len, reverse=True))}|[\u4e00-\u9fff]{{0,6}}(?:市|省|区|县|镇|路|街|湾"
    r"|岛|郊|城|港|[东西南北]部?|老家))+"
)


def names_place(text: str) -> bool:
    """Whether a known Chinese place is named in it."""
    return any(place in text for place in _ZH)


def is_place(text: str) -> bool:
    """Whether it is a known place, or is built like one."""
    plain = shadow(text).strip().strip("的.")
    if plain in _ZH or (_ENDING.fullmatch(plain) and not _KIND.search(plain)):
        return True
    if any(head in _ZH and _PART.fullmatch(plain[len(head) :]) for head in (plain[:2], plain[:3], plain[:4])):
        return True
    return bool(plain) and all("_".join(part.split()) in _EN for part in re.split(r",\s*", plain.lower()))
