"""How a task ended and what it taught, in the member's words; what only says that it ended teaches nothing."""

import pytest

from memory.extraction import outcomes

TEACHES = {
    "部署终于修好了，原因是证书过期，下次先看有效期": [
        ("worked", "部署终于修好了"), ("decisive", "证书过期"), ("change", "先看有效期")],
    "搞定了！换成清华的镜像之后就装上了": [
        ("worked", "搞定了"), ("decisive", "换成清华的镜像之后就装上了")],
    "搞定了，关键是把缓存清掉": [("worked", "搞定了"), ("decisive", "把缓存清掉")],
    "活动报批没通过，因为少了主管签字。下次提前一周交": [
        ("failed", "活动报批没通过"), ("decisive", "少了主管签字"), ("change", "提前一周交")],
    "问题解决了，多亏先看日志，这个办法很管用": [
        ("worked", "问题解决了"), ("decisive", "先看日志"), ("keep", "这个办法很管用")],
    "It finally worked after I renewed the certificate. Next time I'll check the expiry date first.": [
        ("worked", "It finally worked after I renewed the certificate"), ("change", "I'll check the expiry date first")],
    "The deploy failed because the certificate had expired.": [
        ("failed", "The deploy failed"), ("decisive", "the certificate had expired")],
    "I finally fixed the import; it turned out the file was in UTF-16.": [
        ("worked", "I finally fixed the import"), ("decisive", "the file was in UTF-16")],
    "The grant was rejected because we sent it too late, we should have called Ann in March": [
        ("failed", "The grant was rejected"), ("decisive", "we sent it too late"), ("change", "called Ann in March")],
}  # fmt: skip


@pytest.mark.parametrize("text", TEACHES)
def test_it_reads_how_it_ended_and_why(text: str) -> None:
    found = outcomes.read(text)
    assert found is not None and list(found.parts) == TEACHES[text]
    assert found.teaches


@pytest.mark.parametrize("text", ["搞定了！", "It works now, thanks!", "解决了，谢谢", "fixed it by luck", "成功了，因为运气好", "It finally worked."])
def test_an_end_alone_teaches_nothing(text: str) -> None:
    found = outcomes.read(text)
    assert found is None or not found.teaches


@pytest.mark.parametrize(
    "text",
    ["怎么才算搞定了？因为我不确定", "Did it work after I renewed it?", "如果搞定了，原因是什么", "If it worked after I renewed it, great",
     "小明说部署修好了，原因是证书过期", "Tom said it worked after he renewed the certificate", "还没搞定，因为证书过期",
     "It still fails because the certificate expired", "It didn't", "I like tea because it is warm", "我喜欢茶，因为香",
     "搞定了，密码是 hunter2secret，原因是证书过期", "假装部署修好了，原因是证书过期", "Maybe it worked because of the cache"],
)  # fmt: skip
def test_what_is_asked_supposed_reported_unfinished_or_secret_is_no_outcome(text: str) -> None:
    found = outcomes.read(text)
    assert found is None or not found.teaches
