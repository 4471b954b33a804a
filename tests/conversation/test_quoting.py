"""Without a model: what a member hears when they tell, repeat, correct, forget and ask."""

import uuid

import pytest

from assistant import tasks
from assistant.conversation.models import Turn
from memory.models import Document, Episode, Memory, Overview, Passage
from memory.retrieval.text import query_terms, terms
from memory.terms import Status
from profiles.access import Reader, scoped
from tests.conversation.test_turn import ask, frames
from tests.people import World


class Talk:
    """One conversation; each `say` returns the answer."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.id = reader, uuid.uuid4()

    def say(self, text: str) -> str:
        tasks.embed()
        ask(self.reader, text, self.id)
        return str(frames(self.reader, self.id)[-1]["text"])


@pytest.mark.parametrize(
    ("says", "question", "right"),
    [
        ("我住在杭州", "我住哪里？", "杭州"), ("I live in Oslo.", "Where do I live?", "Oslo"),
        ("我在星河科技上班", "我在哪家公司工作？", "星河科技"), ("I work at Xinghe.", "who do I work for?", "Xinghe"),
        ("我家的狗叫饼干，记住", "我的宠物叫什么？", "饼干"), ("My dog is called Biscuit.", "What's my pet's name?", "Biscuit"),
    ],
)  # fmt: skip
def test_what_was_told_is_said_when_asked_for(world: World, says: str, question: str, right: str) -> None:
    Talk(world.alice).say(says)
    answer = Talk(world.alice).say(question)
    assert right in answer
    assert "[m1]" in answer
    assert right not in Talk(world.bob).say(question)


@pytest.mark.parametrize(
    ("before", "now", "questions", "old", "new"),
    [
        ("我住在杭州", "不对，我不在杭州了，在苏州",
         ("我住哪里？", "我家在哪", "我现在住在哪个城市", "我住在杭州吗？", "我在哪里住"), "住在杭州", "苏州"),
        ("I live in Hangzhou.", "No, that's wrong, I don't live in Hangzhou any more, I live in Suzhou.",
         ("Where do I live?", "Which city do I live in?", "what's my city", "where am I based?"), "Lives in Hangzhou", "Suzhou"),
    ],
)  # fmt: skip
def test_a_corrected_claim_is_not_heard_again(
    world: World, before: str, now: str, questions: tuple[str, ...], old: str, new: str
) -> None:
    Talk(world.alice).say(before)
    assert new in Talk(world.alice).say(now)
    for question in questions:
        answer = Talk(world.alice).say(question)
        assert new in answer, question
        assert old not in answer, question
        assert before.rstrip(".") not in answer, question


@pytest.mark.parametrize(
    ("says", "again"), [("我喜欢川菜", "这我已经知道"), ("I prefer short answers.", "I know that already")]
)
def test_what_is_known_already_is_said_to_be_known(world: World, says: str, again: str) -> None:
    talk = Talk(world.alice)
    assert again not in talk.say(says)
    assert again in talk.say(says)


@pytest.mark.parametrize(
    ("says", "question", "wrong", "heard"),
    [
        ("我住在杭州", "我住哪里？", "你记错了", "不再使用"),
        ("I live in Oslo.", "Where do I live?", "That's wrong.", "not use this any more"),
    ],
)
def test_thats_wrong_doubts_what_was_just_said(world: World, says: str, question: str, wrong: str, heard: str) -> None:
    talk = Talk(world.alice)
    talk.say("我喜欢川菜" if question.endswith("？") else "I like chess.")
    talk.say(says)
    talk.say(question)
    assert heard in talk.say(wrong)
    with scoped(world.alice):
        stand = dict(Memory.objects.filter(owner_id=world.alice.member).values_list("attribute", "status"))
    assert stand == {"residence": Status.UNDER_REVIEW, "likes": Status.ACTIVE}


@pytest.mark.parametrize(
    ("says", "order", "heard", "word"),
    [("我喜欢川菜", "忘掉我喜欢川菜", "忘掉了（1 条）", "川菜"), ("I like chess.", "Forget that I like chess.", "Forgotten (1)", "chess")],
)  # fmt: skip
def test_forgetting_is_confirmed_without_its_words(world: World, says: str, order: str, heard: str, word: str) -> None:
    talk = Talk(world.alice)
    talk.say(says)
    answer = talk.say(order)
    assert heard in answer
    assert word not in answer
    assert word not in Talk(world.alice).say("我喜欢什么？" if word == "川菜" else "What do I like?")


@pytest.mark.parametrize(
    ("order", "heard"), [("忘掉我喜欢滑雪", "没有什么可忘的"), ("Forget that I like skiing.", "nothing to forget")]
)
def test_forgetting_what_is_not_there_is_said(world: World, order: str, heard: str) -> None:
    assert heard in Talk(world.alice).say(order)


@pytest.mark.parametrize(
    ("says", "heard", "explicit"),
    [("我对花生过敏", "只有你说“记住”", "记住：我对花生过敏"), ("I am allergic to peanuts.", "only if you say", "Remember: I am allergic to peanuts.")],
)  # fmt: skip
def test_what_is_delicate_is_kept_on_an_explicit_word_only(world: World, says: str, heard: str, explicit: str) -> None:
    talk = Talk(world.alice)
    assert heard in talk.say(says)
    with scoped(world.alice):
        assert not Memory.objects.filter(owner_id=world.alice.member).exists()
    talk.say(explicit)
    with scoped(world.alice):
        assert Memory.objects.filter(owner_id=world.alice.member).count() == 1


@pytest.mark.parametrize(("question", "heard"), [("我在哪家公司上班？", "还没有告诉过我"), ("Where do I work?", "not told me")])
def test_what_was_never_told_is_said_so(world: World, question: str, heard: str) -> None:
    assert heard in Talk(world.alice).say(question)


@pytest.mark.parametrize("says", ["我对花生过敏", "忘掉我喜欢滑雪", "你记得我什么？", "I am allergic to peanuts.", "What do you remember about me?"])
def test_orders_and_delicate_words_are_no_past_exchange(world: World, says: str) -> None:
    Talk(world.alice).say("你好，会费是多少？")
    Talk(world.alice).say(says)
    tasks.remember()
    with scoped(world.alice):
        assert [row.question for row in Episode.objects.filter(owner_id=world.alice.member)] == ["你好，会费是多少？"]
        assert says not in str(list(Overview.objects.filter(owner_id=world.alice.member).values_list("last", "topics")))


@pytest.mark.parametrize(
    ("question", "more", "heard"),
    [("会费是多少？", "再详细一点", "没法展开讲"), ("What is the fee?", "more details please", "can't go into more detail")],
)
def test_going_on_without_a_model_says_that_it_can_only_quote(world: World, question: str, more: str, heard: str) -> None:
    with scoped(world.mei):
        document = Document.objects.create(community_id=world.mei.community, title="Fee", key="fee")
        Passage.objects.create(
            document=document, community_id=world.mei.community, title="会费 fee", text="120 元 yuan", language="zh",
            terms=terms("会费 fee 120 元 yuan"),
        )  # fmt: skip
    talk = Talk(world.alice)
    first = talk.say(question)
    assert "120" in first
    again = talk.say(more)
    assert heard in again
    assert "120" in again


@pytest.mark.parametrize(
    ("question", "word"), [("退款怎么办", "退款"), ("要不要带电脑", "电脑"), ("能不能退款", "退款"), ("要怎么报名", "报名")]
)
def test_words_of_asking_find_nothing(question: str, word: str) -> None:
    assert query_terms(question)[0] == word
    assert all(set(term) <= set(word) | set("带退") for term in query_terms(question))


@pytest.mark.parametrize(
    ("before", "after", "past", "now", "over", "old"),
    [("I work at Acme.", "I just joined Xinghe.", "Where did I work before?", "Where do I work?", "(until 20", "Acme"),
     ("我在携程上班", "我跳槽到小红书了", "我以前在哪上班？", "我在哪上班？", "（至 20", "携程")],
)  # fmt: skip
def test_what_is_over_is_said_with_its_date_and_only_when_asked_for(
    world: World, before: str, after: str, past: str, now: str, over: str, old: str
) -> None:
    Talk(world.alice).say(before)
    Talk(world.alice).say(after)
    answer = Talk(world.alice).say(past)
    assert old in answer
    assert over in answer
    assert old not in Talk(world.alice).say(now)


@pytest.mark.parametrize(("says", "once", "own"), [
    ("我喜欢橡木。工具间几点开门？", "橡木", "我住在苏州。我住在哪里？"),
    ("I like oak. When does the workshop open?", "oak", "I live in Oslo. Where do I live?"),
])  # fmt: skip
def test_what_was_said_with_the_question_is_acknowledged_once(world: World, says: str, once: str, own: str) -> None:
    assert Talk(world.alice).say(says).count(once) == 1
    assert "[m1]" in Talk(world.alice).say(own), "unless it is what was asked for"


@pytest.mark.parametrize(("said", "asked", "question", "heard"), [
    ("我喜欢橡木。", "会费是多少？", "今天我们聊了什么？", "那时我们聊到"),
    ("I like oak.", "What is the fee?", "What did we talk about today?", "what we talked about then"),
])  # fmt: skip
def test_a_day_s_talk_holds_what_was_asked_too(world: World, said: str, asked: str, question: str, heard: str) -> None:
    for text in (said, asked):
        Talk(world.alice).say(text)
    answer = Talk(world.alice).say(question)
    assert [words in answer for words in (heard, said, asked)] == [True, True, True]
    assert said not in Talk(world.bob).say(question)


@pytest.mark.parametrize(
    ("told", "asked", "says"),
    [("大窑一个月380元，找王小雨登记。", ("大窑多少钱？", "大窑要多少钱？", "大窑一个月多少钱？", "大窑多少钱？", "大窑多少钱？"), "380"),
     ("The big kiln costs 380 euros, ask Lena.", ("What does the big kiln cost?", "How much is the big kiln?",
      "What is the price of the big kiln?", "What does the big kiln cost?", "What does the big kiln cost?"), "380")],
)  # fmt: skip
@pytest.mark.parametrize("embedded", [True, False])
def test_a_question_that_was_asked_before_does_not_hide_what_answers_it(
    world: World, told: str, asked: tuple[str, ...], says: str, embedded: bool
) -> None:
    for question in (told, *asked):
        turn = ask(world.alice, question, uuid.uuid4())
        if embedded:
            tasks.embed()
        with scoped(world.alice):
            answer = Turn.objects.get(id=turn).answer
        assert says in answer or question == told, question


@pytest.mark.parametrize(
    ("told", "asked", "says", "beside"),
    [("Please remember: I live in Oslo, and I bring my own lathe tools.", "Where do I live?", "Oslo", "lathe"),
     ("记住：我住在苏州，而且车床的刀具我自己带", "我住在哪里？", "苏州", "车床")],
)  # fmt: skip
def test_what_was_only_said_beside_it_is_no_answer(world: World, told: str, asked: str, says: str, beside: str) -> None:
    ask(world.alice, told, uuid.uuid4())
    tasks.embed()
    turn = ask(world.alice, asked, uuid.uuid4())
    with scoped(world.alice):
        answer = Turn.objects.get(id=turn).answer
    assert says in answer
    assert beside not in answer
