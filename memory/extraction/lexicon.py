"""Word lists that tell a name from a mood, and a trade from a joke."""

import re

import rjieba

from memory.extraction.places import is_place
from memory.wording import HAN, shadow

_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌"
    "马苗凤花方俞任袁柳鲍史唐费廉岑薛"
    "雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅"
    "庞熊纪舒屈项祝董梁杜阮蓝闵席季麻"
    "强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘缪干解应宗丁宣邓郁单杭洪包诸左"
    "石崔吉龚程邢裴陆荣翁荀羊甄曲封芮储"
    "靳段富巫乌焦巴弓牧隗山谷车侯宓全郗班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶黎薄印宿白怀蒲台从"
    "鄂索咸籍赖卓蔺屠蒙池乔阴胥能苍双闻莘"
    "党翟谭贡劳逄姬申扶堵冉宰郦雍桑桂濮牛寿通边扈燕冀浦尚农温别庄晏柴瞿阎充慕连茹习艾鱼容向古易慎戈廖庾终暨"
    "居衡步都耿满弘匡国文寇广禄阙东欧沃利"
    "蔚越隆师巩聂晁敖融冷辛阚那简饶空曾沙养鞠须丰巢关相查荆红游竺权盖益桓公肖付闫涂"
)
_FAMOUS = frozenset(
    """
    秦始皇 孙悟空 猪八戒 诸葛亮 任正非 马化腾 马斯克 奥特曼 钢铁侠 蜘蛛侠 蝙蝠侠 武则天 刘德华 周杰伦 李小龙 王思聪 董明珠 刘强东 张一鸣 灰太狼
    白素贞 林黛玉 贾宝玉 白羊座 金牛座 双鱼座 处女座 高富帅 白富美 白骨精 赵本山 郭德纲
    """.split()  # noqa: SIM905
)
_JOB_ZH = re.compile(
    rf"[{HAN}A-Za-z0-9+#./ ]{{0,14}}?(?:工程师|设计师|[教老医律厨药技会理导造景魔]师|摄影师|咨询师|分析师"
    r"|架构师|培训师|理财师|评估师|会计师?|程序员|公务员|飞行员"
    r"|营业员|服务员|快递员|外卖员|保安员|管理员|研究员|销售员|消防员|演员|教练员|驾驶员|质检员|采购员|经理"
    r"|总监|主管|主任|店长|校长|院长|厂长|部长|处长|科长|班主任"
    r"|律师|医生|大夫|护士|教授|讲师|学生|研究生|大学生|高中生|博士生?|硕士生?|实习生|本科生|记者|编辑|作家"
    r"|作者|译者|翻译|画家|插画家|音乐家|科学家|艺术家|企业家"
    r"|导演|编剧|歌手|主播|博主|模特|顾问|助理|秘书|文员|前台|客服|销售|采购|出纳|财务|审计|人事|法务|行政"
    r"|运营|产品|开发者?|前端|后端|全栈|测试|运维|算法|美工|司机"
    r"|电工|木工|焊工|厨子|农民|渔民|工人|军人|警察|民警|法官|检察官|保安|保姆|月嫂|教练|导游|店主|老板"
    r"|创始人|合伙人|创业者|自由职业者?|个体户|投资人|交易员"
    r"|CEO|CTO|CFO|COO|HR|HRBP|DBA|PM|UP主)",
    re.IGNORECASE,
)
_NO_JOB_ZH = re.compile(
    r"^(?:好|坏|大(?!学|客|数|模)|小(?!学)|新(?!媒|能|东)|假|真|个?人的?|你们?的?|他们?的?|最|第|什么|某"
    r"|一直|不|没|很|太|做|去|给|跟|在|马上|要|想)|的$|老板的|秦始皇|皇帝|总统|上帝|外星|会员"
)
_JOB_EN = re.compile(
    r"(?:[\w.+#/&-]+ ){0,4}?(?:engineer|developer|programmer|designer|architect|analyst|scientist"
    r"|researcher|teacher|professor"
    r"|lecturer|tutor|instructor|doctor|physician|nurse|dentist|surgeon|pharmacist|vet|veterinarian"
    r"|psychologist|lawyer|attorney"
    r"|solicitor|barrister|paralegal|judge|accountant|auditor|bookkeeper|banker|trader|broker|economist"
    r"|manager|director|executive"
    r"|officer|founder|co-?founder|entrepreneur|owner|consultant|advisor|adviser|administrator|admin"
    r"|assistant|secretary"
    r"|receptionist|recruiter|marketer|salesperson|salesman|buyer|writer|author|editor|journalist|reporter"
    r"|blogger|translator"
    r"|interpreter|copywriter|photographer|videographer|filmmaker|artist|illustrator|animator|musician"
    r"|singer|composer|dancer"
    r"|actor|actress|chef|cook|baker|barista|bartender|waiter|waitress|driver|pilot|mechanic|electrician"
    r"|plumber|carpenter"
    r"|welder|builder|contractor|farmer|gardener|fisherman|firefighter|paramedic|policeman|police officer"
    r"|detective|soldier"
    r"|librarian|archivist|curator|historian|physicist|chemist|biologist|mathematician|statistician"
    r"|geologist|astronomer"
    r"|linguist|philosopher|student|undergrad|undergraduate|postgrad|postdoc|phd candidate|intern"
    r"|apprentice|freelancer|coach"
    r"|trainer|therapist|counsell?or|social worker|technician|tester|sysadmin|devops|dba|sre|pm"
    r"|product owner|scrum master"
    r"|tech lead|team lead|head of [\w ]{2,20}|vp of [\w ]{2,20}|ceo|cto|cfo|coo|hr|streamer|youtuber|homemaker|nanny"
    r"|hairdresser|barber|tailor|florist|shopkeeper|cashier|clerk|courier|postman|janitor|cleaner|security guard"
    r"|flight attendant|realtor|planner|producer|strategist|specialist|operator|representative|generalist)",
    re.IGNORECASE,
)
_NO_JOB_EN = re.compile(
    r"\b(?:good|bad|great|terrible|better|big|huge|slow|fast|quick|my own|your|his|her|best|worst|not|never"
    r"|dog|cat|account|group"
    r"|server|home|car|pet|house|proud|happy|former|ex-?|looking|having|using|trying|calling|asking|with"
    r"|for|like|as|if|just|seeing)\b",
    re.IGNORECASE,
)
_NO_NAME_EN = frozenset(
    """
    sorry fine happy sad tired sure not here back ready glad afraid ok okay good well new done late busy free sick ill hungry
    thirsty bored lost stuck confused curious grateful thankful interested excited worried aware able unable looking trying
    going working using thinking wondering hoping still just also really very so too only now from in at on with about into
    out off up down over under chinese english american british german french spanish italian russian japanese korean indian
    canadian australian irish scottish dutch swedish norwegian danish finnish polish greek turkish brazilian mexican european
    asian african taiwanese singaporean vietnamese thai female male human vegan vegetarian christian muslim jewish buddhist
    catholic atheist gay straight single married divorced engaged pregnant retired unemployed employed awake asleep alive dead
    serious kidding joking right wrong correct true false old young tall short alone home away available online offline
    the a an my your his her this that it there team lead senior junior head chief vp ceo cto cfo hr pm qa python java rust
    javascript django linux windows mac android iphone batman superman god jesus satan everyone nobody somebody someone anyone
    today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december damn super totally absolutely quite pretty no yes please thanks hello hi all
    beginner expert novice newbie intermediate great awesome amazing terrible awful certain positive proud sleepy cold hot
    broke rich poor smart stupid dumb mad angry upset annoyed against for of mostly currently based born located probably
    urgent important weird strange wonderful perfect interesting maybe what why how who when where if because and or but when back later once tonight me you him them us again soon
    """.split()  # noqa: SIM905
)
_NO_NAME_ZH = re.compile(
    r"^(?:了|他|她|它|你|您|我|大家|谁|什么|外卖|车|滴滴|人|快递|救护|网约|出租|不|没|这|那|哪|一个|一声|号"
    r"|停|板|好|卖|做|过|来|去|的|上|下|起|醒|客服|妈|爸|如何|怎)"
    r"|(?:了|的|吗|呢|过来|一下|起来|怎么办)$"
)
_NICK = re.compile(rf"(?:小|阿|老|大)[{HAN}]")
_NO_NICK = frozenset(
    """
    小白 小号 小编 小孩 小学 小偷 小鬼 小妹 小弟 小人 小众 小班 老师 老板 老手 老人 老外 老大 老二 老铁 老乡 老公 老婆 老总 老粉 老年 大神 大佬
    大人 大爷 大学 大师 大牛 大叔 大妈 大三 大四 大二 大一 大厂 大哥 大姐 大众 阿姨 小资 小时 小姐 小心 小气 大概 大约 老实 大方 大意 小声 老样
    """.split()  # noqa: SIM905
)


def is_job(text: str) -> bool:
    """Whether it reads as somebody's trade: 后端工程师, a landscape architect; never 秦始皇."""
    plain = shadow(text).strip()
    if re.search(f"[{HAN}]", plain):
        return bool(_JOB_ZH.fullmatch(plain)) and not _NO_JOB_ZH.search(plain)
    return bool(_JOB_EN.fullmatch(plain)) and not _NO_JOB_EN.search(plain)


def is_name(text: str) -> bool:
    """Whether a word after "I am called" can be a name at all."""
    plain = shadow(text).strip()
    if re.search(f"[{HAN}]", plain):
        return bool(re.fullmatch(rf"[{HAN}·A-Za-z]{{1,10}}", plain)) and not _NO_NAME_ZH.search(plain)
    words = plain.split()
    return 1 <= len(words) <= 4 and all(_name_word(word) for word in words)


def is_surely_name(text: str) -> bool:
    """Whether the bare "I am X" shows that X is a name: capitals without other sense, or a surname and a given name."""
    plain = shadow(text).strip()
    if not re.search(f"[{HAN}]", plain):
        words = plain.split()
        sure = 1 <= len(words) <= 3 and all(_capital_name(word) for word in words)
        return sure and not is_job(plain) and not is_place(plain)
    if not is_name(plain) or is_job(plain) or is_place(plain) or plain.endswith("人"):
        return False
    if _NICK.fullmatch(plain):
        return plain not in _NO_NICK
    tagged = rjieba.tag(plain)
    alone = len(tagged) == 1 and (tagged[0][1].startswith("nr") or not rjieba.has_word(plain))
    sure = alone or (tagged[0][0] == plain[0] and len(plain) == 3)
    return (
        2 <= len(plain) <= 3
        and plain[0] in _SURNAMES
        and plain not in _FAMOUS
        and sure
        and not (len(plain) == 2 and rjieba.has_word(plain))
    )


def _capital_name(word: str) -> bool:
    low = word.lower()
    built = re.fullmatch(
        r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]+(?:[-'][A-Z]?[a-z]+)?|[A-Z][a-z]*[A-Z][a-z]+|O'[A-Z][a-z]+", word
    )
    return bool(built) and low not in _NO_NAME_EN and not low.endswith(("ing", "ese", "ish", "less", "ful"))


def _name_word(word: str) -> bool:
    return bool(re.fullmatch(r"[^\W\d_][\w'.-]*", word)) and word.lower() not in _NO_NAME_EN
