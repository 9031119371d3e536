"""What can be said of sentences by form alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import texts
from tersely.read import ALONE, LOST
from tersely.read._other import other, paragraph_starts, quotations
from tersely.text.document import Document


@pytest.mark.parametrize(
    "text",
    [
        "Die Bibliothek der Stadt ist seit Montag offen. Aber das Café ist noch nicht fertig.",
        "La bibliothèque de la ville est ouverte. Elle est dans le centre et sur la place.",
        "La biblioteca de la ciudad está abierta. Sin embargo, el café de la plaza no.",
        "La biblioteca della città è aperta. Tuttavia il bar della piazza non è pronto.",
        "A biblioteca da cidade está aberta para todos. Além disso, o café da praça abriu.",
        "De bibliotheek van de stad is open voor iedereen. Maar het café is nog niet klaar.",
        "Şehir kütüphanesi bir yıl sonra yeniden açıldı ve çok güzel. Ancak kafe için daha zaman var.",
        "Perpustakaan yang baru di kota itu telah dibuka untuk umum. Namun kafe itu tidak buka.",
        "Thư viện của thành phố đã mở cửa cho người dân. Tuy nhiên, quán cà phê này không có trong đó.",
        "Библиотека в городе открыта для всех и не закроется. Однако кафе в ней не готово.",
        "مكتبة المدينة مفتوحة للجميع في كل يوم من أيام الأسبوع. ولكن المقهى في المبنى ليس جاهزا.",
        "शहर का पुस्तकालय सभी के लिए खुला है। लेकिन चाय की दुकान अभी बंद है।",
        "市の図書館は月曜日に開きました。しかし、カフェはまだ準備中です。",
        "시립 도서관이 월요일에 문을 열었습니다. 그러나 카페는 아직 준비 중입니다.",
        "শহরের গ্রন্থাগার সবার জন্য খোলা আছে। কিন্তু চায়ের দোকান এখনো বন্ধ।",
        "ห้องสมุดของเมืองเปิดให้บริการแล้วตั้งแต่วันจันทร์ที่ผ่านมาสำหรับทุกคน\nแต่ร้านกาแฟยังไม่พร้อมเปิดให้บริการ",
    ],
)
def test_an_opening_that_points_back_needs_the_sentence_before(text: str) -> None:
    for document in (Document.from_text(text), Document.from_text(text, "other")):
        read = other(document)
        assert (read.needs, read.why) == ((ALONE, 0), ("", "opening"))


def test_openers_of_one_language_are_not_taken_for_words_of_another() -> None:
    # "Il" is a pronoun in French, but an article in Italian, and in French it may stand for nothing.
    assert other(Document.from_text("La città è bella e grande. Il sindaco della città è Rossi.")).needs == (
        ALONE,
        ALONE,
    )
    french = Document.from_text("La ville est belle et grande. Il y a des arbres dans les rues. Il a plu sur la ville.")
    assert other(french).needs == (ALONE, ALONE, 1)


@pytest.mark.parametrize(("left", "right"), ["“”", "„“", "„”", "«»", "»«", "「」", "『』", '""'])
def test_later_parts_of_a_quotation_need_the_first(left: str, right: str) -> None:
    sentences = [f"Anna: {left}Das Haus ist groß.", f"Der Garten ist klein.{right}", "Das Wetter ist gut."]
    document = Document.from_sentences(sentences, "other")
    if left != right:
        assert quotations(document) == [ALONE, 0, ALONE]
    joined = Document.from_text(" ".join(sentences), "other")
    assert other(joined).needs[-1] == ALONE


def test_a_quotation_may_open_again_with_each_paragraph() -> None:
    document = Document.from_sentences(
        ["Anna sagt: “Eins ist da.", "“Zwei ist da.", "“Drei ist da.”", "Ende."], "other"
    )
    assert quotations(document) == [ALONE, 0, 0, ALONE]


def test_a_mark_without_a_partner_does_no_harm() -> None:
    document = Document.from_sentences(["Anna sagt: “Eins."] + ["Das ist ein Satz."] * 30 + ["Ende.”"], "other")
    assert quotations(document) == [ALONE] * 32
    document = Document.from_sentences(['Ein 5" Rohr.', 'Er sagt: "Ja."', "Ende."], "other")
    assert quotations(document) == [ALONE] * 3


def test_a_quotation_alone_needs_who_speaks_before_it() -> None:
    text = "Anna Berg ist die Leiterin und mit allem zufrieden. «Alles ist gut gegangen.» Der Rest ist nicht wichtig."
    assert other(Document.from_text(text, "other")).needs == (ALONE, 0, ALONE)


def test_scraps_headings_and_links_are_noise() -> None:
    text = "Neue Bibliothek\nDie Stadt baut eine Bibliothek. Ja!\n(Foto: Anna Berg)\nMehr unter www.stadt.example.\n"
    text += "Der Bau dauert drei Jahre. und das ist lang."
    read = other(Document.from_sentences(text.replace(". ", ".\n").replace("! ", "!\n").split("\n"), "other"))
    assert read.noise == ("heading", "", "fragment", "credit", "boilerplate", "", "")


@pytest.mark.parametrize(
    ("scrap", "kind"),
    [
        ("Foto: Anna Berg/dpa.", "credit"),
        ("Crédit photo : Jean Dupont.", "credit"),
        ("Фото: Иван Петров.", "credit"),
        ("사진=연합뉴스.", "credit"),
        ("Baca juga: Harga beras naik lagi di pasar.", "boilerplate"),
        ("À lire aussi : La ville ouvre une bibliothèque.", "boilerplate"),
        ("Fotos der Stadt zeigen, wie es früher war.", ""),
    ],
)
def test_credits_and_links_are_known_by_their_first_words(scrap: str, kind: str) -> None:
    document = Document.from_sentences(["Die Stadt baut eine neue Bibliothek.", scrap], "other")
    assert other(document).noise == ("", kind)


def test_a_small_letter_continues_the_sentence_before() -> None:
    document = Document.from_text(
        "Xyz abc def ghi 5. jkl mno pqr stu. Vwx yza bcd efg. Hij klm nop qrs. Tuv wxy zab.", "other"
    )
    small = [number for number, text in enumerate(document.texts) if text[0].islower()]
    assert all(other(document).why[number] == "fragment" for number in small)


def test_sentences_that_begin_lines_begin_paragraphs() -> None:
    assert paragraph_starts(Document.from_text("One is here. Two is here.\nThree is here.", "other")) == [
        True,
        False,
        True,
    ]


@given(texts)
def test_needs_point_back_and_never_to_noise(text: str) -> None:
    document = Document.from_text(text, "other")
    read = other(document)
    assert len(read.needs) == len(read.why) == len(read.noise) == len(document)
    for number, (need, why, noise) in enumerate(zip(*vars(read).values(), strict=True)):
        assert need in (ALONE, LOST) or 0 <= need < number
        assert need < 0 or not read.noise[need]
        assert bool(why) == (need != ALONE)
        assert not (why and noise)


@given(st.lists(st.text('«»“”"aB. ', max_size=8), max_size=8))
def test_any_list_of_sentences_can_be_read(sentences: list[str]) -> None:
    assert len(other(Document.from_sentences(sentences, "other")).needs) == len(sentences)


@pytest.mark.parametrize("piece", ["“", '"', "«a", "„“", "(", "aber ", "A. ", "\n", "www", "」「"])
def test_time_is_linear(piece: str) -> None:
    assert_linear(other, lambda size: Document.from_text(piece * (size // len(piece)), "other"), 50_000)
