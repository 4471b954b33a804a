"""Working memory within its limits: what is folded, what keeps its wording, who writes the summary, and what it forgets."""

import uuid
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from assistant import tasks
from assistant.conversation import folding, speaking, summaries, turn, window
from assistant.conversation.folding import Folded, Round
from assistant.conversation.frames import Edit
from assistant.conversation.models import Conversation, State, Summary, Turn
from assistant.conversation.regions import assemble, tokens
from memory import correct, policy
from memory.extraction import exact
from memory.models import Memory
from memory.recall import Found
from profiles.access import Reader, scoped
from tests.conversation.test_turn import ask
from tests.conversation.test_window import region
from tests.people import World
from tests.scripted import Reply, Scripted

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
HERE = ZoneInfo("Asia/Shanghai")
LONG = policy.WINDOW_ROUNDS + policy.FOLD_ROUNDS + 1
SMALL_TALK = {"en": "Tell me more about glazes, please.", "zh": "再讲讲釉料吧。"}
PRICE = {"en": "The big kiln costs 380 euros a month.", "zh": "大窑一个月要380元。"}
FIRST = {"en": "How do I rent the kiln?", "zh": "窑炉怎么租？"}


@pytest.fixture(autouse=True)
def an_empty_queue(world: World) -> None:
    """What other tests have left waiting is not counted here."""
    Conversation.objects.using("owner").filter(fold=True).update(fold=False)


def rounds(count: int, answer: str = "ok") -> list[Round]:
    return [Round(str(number), f"What about {number}?", answer, NOW) for number in range(count)]


def said(text: str) -> int:
    """Rounds word by word in a region."""
    return sum(line.startswith("member: ") for line in text.splitlines())


def talked(reader: Reader, language: str, count: int = LONG) -> tuple[uuid.UUID, list[uuid.UUID]]:
    """A conversation of so many ended turns; the price stands in the answer to the first."""
    conversation, before, made = uuid.uuid4(), None, []
    with scoped(reader):
        Conversation.objects.create(id=conversation, owner_id=reader.member, community_id=reader.community, title="t")
        for number in range(count):
            first = number == 0
            row = Turn.objects.create(
                conversation_id=conversation, owner_id=reader.member, community_id=reader.community, parent_id=before,
                client_id=uuid.uuid4(), question=FIRST[language] if first else SMALL_TALK[language], runner=uuid.uuid4(),
                answer=PRICE[language] if first else "…", state=State.ANSWERED, alive_at=timezone.now(),
                remembered_at=timezone.now(),
            )  # fmt: skip
            Turn.objects.filter(id=row.id).update(asked_at=timezone.now() - timedelta(minutes=5 * (count - number)))
            made.append(row.id)
            before = row.id
    return conversation, made


@pytest.mark.parametrize(
    "sentence",
    ["会费每年120元。", "老王下周三来。", "小李负责工具室。", "问一下王小雨吧。", "三百块一个月", "链接是 https://kith.example/a 。",
     "It costs 20 euros.", "Ask Anna about it.", "Let's meet next Friday.", "It is in tools/fx.py.", "we met Lena there"],
)  # fmt: skip
def test_what_keeps_its_wording(sentence: str) -> None:
    assert exact.sentences(f"好的。{sentence}", at=NOW, zone=HERE) == [sentence.strip()]


@pytest.mark.parametrize("text", ["我想找个便宜点的窑。", "再详细一点！", "I would like something cheaper.", "Thanks a lot! How is that done?"])
def test_what_may_be_said_in_other_words(text: str) -> None:
    assert exact.sentences(text, at=NOW, zone=HERE) == []


def test_nothing_is_folded_within_the_limits_and_the_last_rounds_never_are() -> None:
    assert folding.due(rounds(policy.WINDOW_ROUNDS)) == 0
    assert folding.due(rounds(policy.WINDOW_ROUNDS + 2)) == 2
    assert folding.due(rounds(policy.WINDOW_ROUNDS + 2), late=policy.FOLD_ROUNDS) == 0
    heavy = rounds(6, "word " * 1500)
    folded = folding.due(heavy)
    assert 0 < folded <= 6 - policy.VERBATIM_ROUNDS
    assert folding.due(rounds(6, "词" * 20_000)) == 6 - policy.VERBATIM_ROUNDS


@pytest.mark.parametrize(("question", "answer"), [("为什么？", "因为。" * 6000), ("Why?", "Because of that. " * 6000)])
def test_the_newest_round_is_in_the_context_however_long_its_answer(question: str, answer: str) -> None:
    context = assemble(message="?", profile="", found=Found(), rounds=[("before", "it"), (question, answer)])
    text = next(one for one in context.regions if one.name == "conversation")
    assert f"member: {question}" in text.text and answer[:30] in text.text
    assert text.tokens <= policy.BUDGETS["conversation"]


def test_a_summary_by_rules_stays_within_its_words_and_keeps_the_newest() -> None:
    folded = Folded()
    for start in range(0, 400, 20):
        many = [Round(str(n), f"What is the story of subject {n} and its many friends?", "", NOW) for n in range(start, start + 20)]
        folded = folding.fold(folded, many, HERE)
    assert folding.words(folded.text) <= policy.SUMMARY_WORDS
    assert "subject 399" in folded.text and "subject 3 " not in folded.text
    assert sum(map(tokens, folded.exact)) <= policy.EXACT_TOKENS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_long_conversation_keeps_its_price_and_its_beginning_without_a_model(world: World, language: str) -> None:
    conversation, made = talked(world.alice, language)
    asked = ask(world.alice, SMALL_TALK[language], conversation)
    before = region(world.alice, asked, "conversation")
    assert said(before) == policy.WINDOW_ROUNDS
    assert PRICE[language].rstrip("。.") in before and FIRST[language].rstrip("？?") in before
    assert tasks.fold() == 1
    with scoped(world.alice):
        kept = Summary.objects.get(conversation=conversation)
        assert (kept.made_by, kept.turn_id) == ("", made[LONG - policy.WINDOW_ROUNDS])
        assert len(window.read(world.alice, asked).rounds) == policy.WINDOW_ROUNDS
    again = region(world.alice, ask(world.alice, SMALL_TALK[language], conversation), "conversation")
    assert PRICE[language].rstrip("。.") in again and FIRST[language].rstrip("？?") in again
    assert tasks.fold() == 0, "not after each message"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_writes_the_summary_from_the_one_before(world: World, script: Scripted, language: str) -> None:
    said = {"en": "The member wants to rent the kiln; 380 was named.", "zh": "成员想租窑炉，提到了380元。"}[language]
    script.step(lambda seen: seen.streamed, "ok", endless=True)
    conversation, _ = talked(world.alice, language)
    ask(world.alice, SMALL_TALK[language], conversation)
    script.step(lambda seen: not seen.streamed and FIRST[language] in seen.user, Reply(f'```json\n{{"summary": "{said}"}}\n```', usage=(50, 7)))
    assert tasks.fold() == 1
    with scoped(world.alice):
        kept = Summary.objects.select_related("turn").get(conversation=conversation)
    assert kept.text == said and kept.made_by.startswith(f"summaries.{language}:")
    assert (kept.turn.usage["folding"]["input"], kept.turn.usage["folding"]["output"]) == (50, 7)
    text = region(world.alice, ask(world.alice, SMALL_TALK[language], conversation), "conversation")
    assert f"summary: {said}" in text and PRICE[language].rstrip("。.") in text
    for _ in range(policy.FOLD_ROUNDS + 2):
        ask(world.alice, SMALL_TALK[language], conversation)
    script.step(lambda seen: not seen.streamed and said in seen.user, '{"summary": "still the kiln"}')
    assert tasks.fold() == 1


@pytest.mark.parametrize(
    "reply",
    [Reply('{"summary": "It costs 999."}'), Reply('{"summary": ""}'), Reply('{"summary": 7}'), Reply("Sorry, no."), Reply(""),
     Reply('{"summary": "' + "word " * 300 + '"}'), Reply('{"summary": "cut o'), Reply(status=500), Reply(status=401),
     Reply('<think>{"summary": "a thought"}'), Reply(refusal="I can't.")],
)  # fmt: skip
def test_what_a_model_says_wrongly_is_replaced_by_rules(world: World, script: Scripted, reply: Reply) -> None:
    script.step(lambda seen: seen.streamed, "ok", endless=True)
    script.step(lambda seen: not seen.streamed, reply, endless=True)
    conversation, _ = talked(world.alice, "en")
    ask(world.alice, SMALL_TALK["en"], conversation)
    assert tasks.fold() == 1
    with scoped(world.alice):
        kept = Summary.objects.get(conversation=conversation)
    assert kept.made_by == "" and kept.text.startswith("Talked about: How do I rent the kiln?")
    assert any("380" in sentence for sentence in kept.exact)


@pytest.mark.parametrize(("says", "value", "other"), [("I live in Suzhou.", "Suzhou", "a city of gardens"), ("我住在苏州。", "苏州", "园林之城")])
def test_a_summary_does_not_outlive_what_was_forgotten(world: World, script: Scripted, says: str, value: str, other: str) -> None:
    script.step(lambda seen: seen.streamed, "ok", endless=True)
    conversation, language = uuid.uuid4(), "en" if says.isascii() else "zh"
    ask(world.alice, says, conversation)
    for _ in range(LONG):
        ask(world.alice, SMALL_TALK[language], conversation)
    script.step(lambda seen: not seen.streamed and '"rounds"' in seen.user, f'{{"summary": "{value} {other}"}}')
    assert tasks.fold() == 1
    assert other in region(world.alice, ask(world.alice, SMALL_TALK[language], conversation), "conversation")
    with scoped(world.alice):
        memory = Memory.objects.live().get(owner_id=world.alice.member)
        change = correct.forget(world.alice, memory.id)
    text = region(world.alice, ask(world.alice, SMALL_TALK[language], conversation), "conversation")
    assert value not in text and other not in text, "neither the words nor another wording of them"
    with scoped(world.alice):
        correct.undo(world.alice, change.id)
        last = Turn.objects.filter(conversation=conversation).latest("asked_at").id
        assert other in window.read(world.alice, last).folded.text, "brought back, it counts again"


def test_a_stored_window_does_not_keep_a_summary_that_outlived_a_forgetting(
    world: World, script: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.step(lambda seen: seen.streamed, "ok", endless=True)
    conversation = uuid.uuid4()
    ask(world.alice, "I live in Suzhou.", conversation)
    for _ in range(LONG):
        ask(world.alice, SMALL_TALK["en"], conversation)
    script.step(lambda seen: not seen.streamed and '"rounds"' in seen.user, '{"summary": "a city of gardens"}')
    assert tasks.fold() == 1
    assert "gardens" in region(world.alice, ask(world.alice, SMALL_TALK["en"], conversation), "conversation")
    with monkeypatch.context() as patch:  # as if the store could not be reached just then
        patch.setattr(window, "drop", lambda member: None)
        with scoped(world.alice):
            correct.forget(world.alice, Memory.objects.live().get(owner_id=world.alice.member).id)
    assert "gardens" not in region(world.alice, ask(world.alice, SMALL_TALK["en"], conversation), "conversation")


def test_what_is_forgotten_while_a_model_writes_is_not_kept(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "I live in Suzhou.", conversation)
    for _ in range(LONG):
        ask(world.alice, SMALL_TALK["en"], conversation)
    job = summaries.begin(world.alice, conversation)
    assert job is not None
    with scoped(world.alice):
        correct.forget(world.alice, Memory.objects.live().get(owner_id=world.alice.member).id)
    assert not summaries.finish(job, summaries.Told("Suzhou it is.", "a model", {}))
    with scoped(world.alice):
        assert not Summary.objects.filter(conversation=conversation).exists()


def test_another_branch_has_another_summary(world: World) -> None:
    conversation, made = talked(world.alice, "en", LONG + 2)
    ask(world.alice, SMALL_TALK["en"], conversation)
    assert tasks.fold() == 1

    async def edit() -> uuid.UUID:
        running = await turn.start(world.alice, conversation, Edit(type="edit", turn=made[1], client_id=uuid.uuid4(), text="And what else?"))
        await turn._tasks[conversation]
        return running.turn

    text = region(world.alice, async_to_sync(edit)(), "conversation")
    assert "summary:" not in text and said(text) == 1
    with scoped(world.alice):
        assert window.read(world.alice, made[-1]).folded, "the first branch still has its own"


def test_results_of_tools_have_a_budget_of_their_own() -> None:
    member = {"role": "user", "content": "word " * 9000}
    messages = [member, *({"role": "tool", "tool_call_id": str(n), "content": f"{n} " + "found " * 800} for n in range(4))]
    speaking._within(messages)
    assert messages[0]["content"] == "word " * 9000
    assert [message["content"] == speaking.LEFT_OUT for message in messages[1:]] == [True, True, False, False]
