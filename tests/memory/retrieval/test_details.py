"""Which two questions differ in a detail that decides."""

import pytest

from memory.retrieval.details import details, differ, exchanged


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("三号楼怎么走", "五号楼怎么走"), ("5月12日有空吗", "12月5日有空吗"), ("二十个人的桌子", "十二个人的桌子"),
        ("星期三开门吗", "星期四开门吗"), ("上周的会开了吗", "下周的会开了吗"), ("张伟在哪", "李雪在哪"),
        ("能退款吗", "不能退款吗"), ("怎么申请退款", "退款要多久"), ("Java 组找谁", "Rust 组找谁"),
        ("Is room 3 free?", "Is room 4 free?"), ("a tent for two", "a tent for six"), ("Is it on Monday?", "Is it on Sunday?"),
        ("Is Ana here?", "Is Ana here with Bo?"), ("Can I park here?", "Can't I park here?"), ("last week's talk", "next week's talk"),
        ("How do I get a refund?", "How long does a refund take?"),
    ],
)  # fmt: skip
def test_one_detail_decides(one: str, other: str) -> None:
    assert differ(one, other) and differ(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3号楼怎么走", "三号楼怎么去"), ("周天开门吗", "星期日开不开门"), ("能不能退款", "可以退款吗"),
        ("要带什么东西", "带哪些东西"), ("王老師在嗎", "王老师在吗"), ("Is it two?", "is it 2"),
        ("Where can I park?", "Where's parking allowed?"), ("Isn’t it open?", "Isn't it open"), ("", "好的"),
    ],
)  # fmt: skip
def test_other_words_for_the_same_do_not(one: str, other: str) -> None:
    assert not differ(one, other), (details(one), details(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("怎么申请退款？", "怎么申请报销？"), ("怎么报名活动", "怎么取消报名活动"), ("什么时候开门", "什么时候关门"), ("谁负责网站", "谁负责食堂"),
     ("How do I join the club?", "How do I leave the club?"),
     ("Where can I park my car?", "Where can I park my bike?"), ("What is the fee?", "What is the late fee?")],
)  # fmt: skip
def test_one_word_in_place_of_another_is_another_question(one: str, other: str) -> None:
    assert exchanged(one, other)
    assert exchanged(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("怎么申请退款？", "退款要怎么办理"), ("停车停在哪儿", "哪里可以停车"), ("图书馆几点关门", "图书馆什么时候关门？"),
     ("忘记密码了怎么办", "密码忘了要怎么找回"), ("How do I get a refund?", "What do I have to do to get my refund?"),
     ("Can I pay in instalments?", "Is it possible to pay in instalments?"), ("same words", "Same words?")],
)  # fmt: skip
def test_the_same_in_other_words_is_not(one: str, other: str) -> None:
    assert not exchanged(one, other)
    assert not exchanged(other, one)
