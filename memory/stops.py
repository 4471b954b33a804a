"""Words that say nothing about what is looked for."""

EN = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being but by can
    could did do does doing done down for from further get got had has have having he her here hers him
    his how i if in into is it its just let like made make me mine more most my myself no nor not now
    of off ok okay on once only or other our ours out over own please she should so some such tell than
    thank thanks that the their them then there these they this those to too under until up us very was
    we were what when where which while who whom whose why will with would yes yet you your yours s t d
    ll m re ve don doesn didn isn wasn aren won know remember anything something
    """.split()  # noqa: SIM905 - a list of words reads as words
)
ZH = frozenset(
    """
    的 了 着 过 是 在 有 和 与 及 或 也 都 就 还 又 很 太 更 最 不 没 没有 我 你 您 他 她 它 我们 你们
    他们 她们 咱们 自己 这 那 这个 那个 这些 那些 这里 那里 什么 哪 哪个 哪些 哪里 哪儿 谁 怎么 怎么样
    怎样 如何 为什么 多少 几 吗 呢 吧 啊 呀 哦 嗯 啦 嘛 哈 把 被 给 对 从 到 向 往 跟 为 以 于 而 但
    但是 所以 因为 如果 虽然 然后 一 个 一个 一下 一些 一点 请 请问 帮 帮我 想 要 能 会 可以 可能 应该
    知道 告诉 觉得 说 看 让 做 去 来 上 下 里 中 之 其 每 吗？ 还是 或者 以及 关于 有没有 是不是 记得
    现在 怎么办 咋办 咋 怎么做 怎么弄 该 应 不能 不要 能不能 要不要 可不可以 是否 一直 已经
    """.split()  # noqa: SIM905 - a list of words reads as words
)
EN_ASKING = frozenset(
    "want need like get know tell time kind thing way possible allow case may might must work".split()  # noqa: SIM905
)
"""Words by which a question is put, and which do not change what it asks."""
ZH_ASKING = frozenset("需要 想要 东西 时候 几点 多少钱 的话 什么样 钱 弄 才".split())  # noqa: SIM905
EN_TOPIC = frozenset(
    """
    need want help use using used way thing things good best better great problem question someone
    people really much many new lot try trying work working works give show find think sure today
    tomorrow yesterday week month year time day days love enjoy hate prefer live one two first last
    next hello hi hey bit call called come going go goes went see say said ask different difference
    between write explain recommend mean
    """.split()  # noqa: SIM905 - a list of words reads as words
)
ZH_TOPIC = frozenset(
    """
    问题 东西 时候 时间 方法 办法 推荐 需要 想要 喜欢 讨厌 谢谢 你好 您好 今天 明天 昨天 最近 区别
    有什么 好 好的 大家 情况 事情 地方 感觉 样子 意思 人 写 用 学 买 吃 喝 住 叫 找 聊 讲 一点儿 哪家
    哪种 上周 下周 解释
    """.split()  # noqa: SIM905 - a list of words reads as words
)
