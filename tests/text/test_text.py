"""Languages, lengths, terms, documents."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import texts
from tersely.text import Document, detect_language, measure
from tersely.text.language import HAN, KANA, LANGUAGES, Language, content_words, separator, stop_words
from tersely.text.length import count_words
from tersely.text.words import all_words, stems


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The council voted on Tuesday to close the road.", "en"),
        ("市政府十二日宣布，古城将禁止私家车。", "zh"),
        ("OpenAI 和 Google 发布了新的 AI 模型，性能提升了 30%。", "zh"),
        ("The Chinese word 天气 means weather, and it is used often.", "en"),
        ("El consejo votó el martes cerrar la carretera del puerto.", "es"),
        ("Совет проголосовал за закрытие дороги.", "ru"),
        ("市議会は道路を閉鎖することを決めました。", "ja"),
        ("시의회는 도로를 폐쇄하기로 결정했다.", "ko"),
        ("Council votes to close harbor road", "en"),
        ("Der Rat beschloss am Dienstag, die Straße zu schließen.", "de"),
        ("Le conseil a voté mardi la fermeture de la route.", "fr"),
        ("Il consiglio ha votato martedì la chiusura della strada.", "it"),
        ("O conselho votou na terça-feira pelo fechamento da estrada.", "pt"),
        ("De gemeenteraad heeft dinsdag besloten de weg te sluiten.", "nl"),
        ("Belediye meclisi yolun kapatılmasına karar verdi ve bu karar çok tartışıldı.", "tr"),
        ("Dewan kota memutuskan pada hari Selasa untuk menutup jalan.", "id"),
        ("Hội đồng thành phố đã bỏ phiếu để đóng cửa con đường ở cảng.", "vi"),
        ("صوت المجلس يوم الثلاثاء على إغلاق طريق الميناء.", "ar"),
        ("परिषद ने मंगलवार को बंदरगाह की सड़क बंद करने के लिए मतदान किया।", "hi"),
        ("মঙ্গলবার পরিষদ বন্দরের রাস্তা বন্ধ করার পক্ষে ভোট দিয়েছে।", "bn"),
        ("สภาเมืองลงมติเมื่อวันอังคารให้ปิดถนนท่าเรือ", "th"),
        # Short, and with words that are English as well.
        ("Me gusta el vino", "es"),
        ("Hij is 42. Piet is 40.", "nl"),
        ("He no longer has it", "en"),
        # Languages that we do not know, though they share letters and words with some that we know.
        ("Rada miasta zagłosowała za zamknięciem drogi do portu, ponieważ była ona w złym stanie.", "other"),
        ("Міська рада проголосувала за закриття дороги до порту.", "other"),
        ("شورای شهر روز سه‌شنبه به بستن جاده بندر رای داد.", "other"),
        ("नगर परिषदेने मंगळवारी बंदराचा रस्ता बंद करण्याचा निर्णय घेतला आहे आणि नवीन पूल बांधणार आहे.", "other"),
        ("Общинският съвет гласува за затваряне на пътя, защото беше в лошо състояние. " * 4, "other"),
        ("12345 !!! ---", "other"),
        ("", "other"),
    ],
)
def test_language_is_detected_by_script_and_common_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one two", 2),
        ("  one\n\ttwo - three ", 4),
        ("今天很好", 4),
        ("don't stop", 2),
        ("— … !", 3),
        ("用GPT写代码", 5),
        ("你好，世界。 —— 你好", 7),
        ("東京タワー", 5),
        ("시의회는 도로를", 2),
        ("ฉันไปตลาด เขาไปโรงเรียน", 2),
    ],
)
def test_words_are_counted_as_a_reader_would(text: str, words: int) -> None:
    assert count_words(text) == words


@given(texts.filter(lambda text: not re.search(f"[{HAN}{KANA}]", text)))
def test_words_are_what_white_space_separates(text: str) -> None:
    assert count_words(text) == len(text.split())


@given(
    st.lists(st.sampled_from(["天", "か", "カ", "・", "—", "。", "a", "5", "_", " ", "\u3000", "\xa0", "\U00020000"]))
)
def test_a_budget_in_words_holds_by_any_counter(parts: list[str]) -> None:
    text = "".join(parts)
    dense = len(re.findall(f"[{HAN}{KANA}]", text))
    assert max(dense, len(text.split())) <= count_words(text) <= dense + len(re.findall(f"[^\\s{HAN}{KANA}]+", text))


@pytest.mark.parametrize("piece", ["-", ".", "_", "😀", "a", "天", "天-", "- ", "か_", "'", "’s", "ก", "ि"])
@pytest.mark.soak
def test_words_are_found_in_linear_time(piece: str) -> None:
    assert_linear(count_words, lambda size: piece * size, 100_000)
    for language in ("en", "fr", "ja", "hi", "th"):
        assert_linear(lambda text, language=language: all_words(text, language), lambda size: piece * size, 50_000)


@given(texts, texts)
def test_joining_never_adds_words(one: str, two: str) -> None:
    assert count_words(one + two) <= count_words(one) + count_words(two)
    assert count_words(one + " " + two) == count_words(one) + count_words(two)


@given(texts)
def test_characters_and_bytes_are_exact(text: str) -> None:
    assert measure(text, "chars") == len(text)
    assert measure(text, "bytes") == len(text.encode("utf-8", "surrogatepass"))


def test_a_word_in_two_scripts_is_split() -> None:
    assert all_words("iPhone手机 and 5G", "en") == ["iphone", "and", "5g", "手机"]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("fr", "L'eau d’Évian", ["l", "eau", "d", "évian"]),
        ("tr", "İstanbul'un IŞIĞI", ["istanbul", "un", "ışığı"]),
        ("hi", "हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("ja", "東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("ko", "도서관은 큰", ["도서", "서관", "관은", "큰"]),
        ("th", "ถนน 5G", ["5g", "ถน", "นน"]),
    ],
)
def test_words_of_other_scripts(language: Language, text: str, words: list[str]) -> None:
    assert all_words(text, language) == words


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("de", "Die Flüsse und der Fluss", {"fluss"}),
        ("fr", "Les rivières de la rivière", {"rivi"}),
        ("id", "Pembukaan dan membuka yang", {"buka"}),
        ("ja", "市は道路を", {"市は", "道路", "路を"}),
        ("other", "Die Flüsse am Meer", {"die", "flüsse", "meer"}),
    ],
)
def test_terms_are_stems_of_content_words(language: Language, text: str, terms: set[str]) -> None:
    assert set(stems(content_words(all_words(text, language), language), language)) == terms


def test_every_language_has_what_it_needs() -> None:
    for language in LANGUAGES:
        text = "Ärzte öffnen 3 Häuser. 東京へ行く。"
        assert stems(all_words(text, language), language)
        assert separator(language) == ("" if language in ("zh", "ja") else " ")
    assert all(
        len(stop_words(language)) > 100 for language in LANGUAGES if language not in ("zh", "ja", "ko", "th", "other")
    )


def test_terms_leave_out_words_without_content() -> None:
    terms = Document.from_sentences(["The mayor's plan is here.", "A plan of the mayor."], "en").terms
    assert terms.vocabulary == ("mayor", "plan")
    assert [len(ids) for ids in terms.sentences] == [2, 2]


@given(st.lists(texts.filter(lambda t: "\n" not in t), max_size=5))
def test_given_sentences_are_kept(sentences: list[str]) -> None:
    assert list(Document.from_sentences(sentences).texts) == sentences


@given(texts)
def test_sentences_are_ordered_spans_that_lose_nothing(text: str) -> None:
    document = Document.from_text(text)
    at = 0
    for start, end in document.sentences:
        assert at <= start < end
        assert not text[at:start].strip()
        assert document.text[start:end].strip() == document.text[start:end]
        at = end
    assert not text[at:].strip()
