"""Words find what they mean, and nothing else."""

import pytest

from memory.retrieval.text import bm25, coverage, normal, query_terms, terms

SCRIPT = "外币汇率换算脚本在 tools/fx.py"
OTHERS = ["我喜欢川菜", "The release notes of v2.3.1", "报销流程需要主管审批", "Lives in Suzhou"]


@pytest.mark.parametrize("question", ["汇率换算", "tools/fx.py", "fx.py 在哪里", "换算脚本", "外幣匯率", "ＦＸ．ＰＹ"])
def test_the_script_is_found_by_words_alone(question: str) -> None:
    weights = bm25(query_terms(question), [terms(text) for text in [SCRIPT, *OTHERS]])
    assert weights[0] > 0
    assert weights[1:] == [0.0] * len(OTHERS)


@pytest.mark.parametrize(
    ("text", "question"),
    [("Ticket ABC-1234 is open", "abc-1234"), ("we run v2.3.1", "v2.3.1"), ("在 node.js 里", "Node.js"), ("I know C++", "c++"),
     ("running the tests", "run test"), ("我养了一只猫", "猫"), ("臺北天氣很好", "台北天气"), ("Docker部署文档", "docker")],
)  # fmt: skip
def test_exact_names_and_inflections_are_found(text: str, question: str) -> None:
    assert coverage(query_terms(question), terms(text)) == 1.0


@pytest.mark.parametrize(
    ("text", "question"), [("we run v2.3.1", "v2.3.2"), ("I know C++", "c#"), ("ABC-1234", "ABC-1299")]
)
def test_other_ids_are_not_the_same(text: str, question: str) -> None:
    assert coverage(query_terms(question), terms(text)) < 1.0


@pytest.mark.parametrize("question", ["是什么", "what is it?", "的了吗", "？！", ""])
def test_words_that_say_nothing_are_dropped(question: str) -> None:
    assert query_terms(question) == []


def test_query_terms_are_unique_and_index_terms_repeat() -> None:
    assert query_terms("docker docker") == ["docker"]
    assert terms("docker docker") == ["docker", "docker"]


def test_a_rare_word_weighs_more_and_a_long_text_less() -> None:
    documents = [terms("docker guide"), terms("docker"), terms("docker " + "padding words here " * 9), terms("guide")]
    rare, common = bm25(["word", "docker"], documents)[2], bm25(["docker"], documents)[2]
    assert rare > common
    first, second, third, _ = bm25(["docker"], documents)
    assert second > first > third > 0


def test_the_figures_of_the_collection_can_be_given() -> None:
    (alone,) = bm25(["docker"], [["docker"]])
    (rare,) = bm25(["docker"], [["docker"]], total=1000, df={"docker": 1}, average=1.0)
    (common,) = bm25(["docker"], [["docker"]], total=1000, df={"docker": 999}, average=1.0)
    assert rare > alone > common > 0


def test_nothing_asked_covers_nothing() -> None:
    assert coverage([], ["a"]) == 0.0
    assert coverage(["a", "b"], ["a"]) == 0.5
    assert bm25([], [["a"]]) == [0.0]
    assert bm25(["a"], []) == []


@pytest.mark.parametrize(
    ("one", "other"), [("Ｄｏｃｋｅｒ！", "docker"), ("喜歡 川菜。", "喜欢川菜"), ("A-B c", "abc")]
)
def test_equal_texts_compare_equal(one: str, other: str) -> None:
    assert normal(one) == normal(other)
    assert normal("川菜") != normal("粤菜")
