"""Sentences end where a reader would end them, and no text loses a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.text import LANGUAGES, Language, split_sentences


def split(text: str, language: Language) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


def check(marked: str, language: Language) -> None:
    """`¦` marks where one sentence ends and the next begins."""
    pieces = marked.split("¦")
    assert split("".join(pieces), language) == [piece.strip() for piece in pieces]


ENGLISH = {
    "plain": "She likes tea. ¦He likes coffee.",
    "question and exclamation": "Dogs bark! ¦Cats meow? ¦Yes!!! ¦What?! ¦Fine.",
    "no punctuation at all": "words without any mark at the end of them",
    # Tokenized text, with stray apostrophes and back-ticks.
    "back-ticks": "The ` spring fair ' drew people 's praise . ¦It ended late . ¦` we loved it , ' she said .",
    "stray apostrophes": "It 's the dogs ' day . ¦Nobody 's home . ¦The cats ' bowls are full .",
    "tokenized quotes": '" I came . " ¦She left . ¦" I stayed , " he said .',
    "tokenized curly quotes": "Wanted ! ! ! ¦Good people . ¦‘ we need them , ’ he said .",
    "tokenized number and domain": "It cost 3 . 5 dollars at example . Com . ¦It fell .",
    "tokenized list": "1 . First man . ¦2 . Second man .",
    "stray periods": "It ended on March 13.  .¦ Police came. ¦He said 'no.' .¦ Then he left.",
    "periods left by wrapping": "Trade with . the neighbors and . their ports grew. ¦It fell later.",
    # Abbreviations.
    "hour and zone": "The show starts at 5 a.m. Eastern time. ¦Be there.",
    "hour and day": "It opens at 8 p.m. Monday. ¦Come early.",
    "hour and city": "He slept until 10 p.m. Paris time. ¦Then he woke.",
    "hour that ends": "He slept until 10 p.m. ¦Police woke him.",
    "lbs.": "She bought 10 lbs. of flour. ¦It was cheap.",
    "approx.": "It took approx. five hours. ¦We slept.",
    "units and numbers": "He was 6 ft. 2 in. tall. ¦She was not.",
    "initials": "J. K. Rowling wrote it. ¦We read it.",
    "initials without space": "J.K. Rowling wrote it. ¦A.C. Milan lost.",
    "middle initial": "George W. Bush spoke. ¦He smiled.",
    "U.S. before a name": "The U.S. President arrived. ¦Crowds cheered.",
    "U.S. at the end": "She moved to the U.S. ¦The move was hard.",
    "U.S. after a bracket or hyphen": "(AP)U.S. District Judge Jones spoke. ¦The UK-U.S. Trade talks began.",
    "titles": "Mr. Smith met Mrs. Jones and Dr. Who. ¦They left.",
    "military titles": "Ask Lt. Col. Brown. ¦Gov. Green knows.",
    "No.": "Room No. 5 is free. ¦No. ¦It is not.",
    "St. and Mt.": "St. Louis is large. ¦So is Mt. Hood.",
    "e.g. and i.e.": "Bring fruit, e.g. apples, i.e. the red ones. ¦Use tools, e.g. Excel, daily.",
    "companies": "Acme Inc. grew. ¦Acme Inc. CEO Jane Roe spoke. ¦He works at Acme Inc. ¦The firm grew.",
    "Jr.": "The Sam Brown Jr. Day is a holiday. ¦We rest.",
    "months": "On Jan. 5 and Sept. 11, 2001, it rained. ¦Then it stopped.",
    "figures and pages": "See Fig. 3 and pp. 4-5 of Vol. 2. ¦Thanks.",
    "versus": "Roe v. Wade was cited. ¦Ali vs. Frazier too.",
    "names with a mark": "Yahoo! Inc. fell. ¦It rose later.",
    "the pronoun I": "So did I. ¦Police came.",
    "no space after": "Mr.Smith and U.S.A stay whole. ¦So does e.g.this one.",
    # Marks within words.
    "decimals": "It rose 3.5 percent to 12.75. ¦Then it fell.",
    "domain at the end": "She founded Bloom.com. ¦But she left.",
    "e-mail address": "Write to jane.doe@mail.example.com. ¦We answer.",
    "address": "Visit https://example.com/A.b?q=Why.Not today. ¦It is free.",
    "versions and file names": "Version v1.2.3 fixes main.py, ASP.NET and Node.js bugs. ¦Update now.",
    # Run together.
    "run together": "This is the end.¦Start of the next.",
    "run together after a year": "He left in 2015.¦The others stayed.",
    "run together after a question": "Why?¦Because I said so!¦Really.",
    "run together after a quote": '"We won."¦The crowd cheered. ¦He wept.¦"So did I," she said.',
    "dateline": "(CNN)Rain fell, and it grew. ¦That is nice.",
    "a lowercase brand": "He ran. ¦iPhone sales rose. ¦eBay fell.",
    # Ellipses.
    "ellipsis": "Well... maybe not. ¦I am not sure... ¦Then he left.",
    "spaced ellipsis": "The plan . . . was good. ¦It worked . . . ¦Then not.",
    "stutter": '"I... I don\'t know what to do about this at all, and neither does anybody else here," he said.',
    # Quotes and brackets.
    "speech": '"I came," he said. ¦"I saw."',
    "curly quotes": "“The first.” ¦“The second.” ¦He said ‘yes.’ ¦They left.",
    "nested quotes": "He told me, \"She said 'never.'\" ¦Then he left.",
    "question and speaker": '"Really?" she asked. ¦"Are you sure?" Anna Smith asked. ¦He nodded.',
    "question and next speech": "He asked: 'What?' ¦She said: 'Nothing.'",
    "short quote stays whole": '"Go," she said. ¦"Go now. Run!" ¦He went.',
    "bracketed sentence": "He left. ¦(She stayed.) ¦They met later.",
    "bracket within": "He asked (Why? Nobody knows) and left (!) early. ¦End.",
    "note numbers": "The fact is known.[1] ¦Others differ.[23] ¦End.",
    # Lines.
    "blank line": "First paragraph without end\n\n¦Second paragraph",
    "bullets": "Things to buy\n\n¦- milk\n¦- eggs\n¦* bread\n¦• tea\n¦1. First thing. ¦More.\n¦2) Second thing",
    "item that goes on": "- one that\n  continues here\n¦- two",
    "heading": "A Short Heading\n¦The paragraph starts here and goes on for some time. ¦Next.",
    "Markdown heading": "# The Long Way Home From the Sea\n¦the story begins here and goes on for a while.",
    "hard-wrapped prose": (
        "The storm came from the west on Monday morning and hit the coast near\n"
        "Boston, where it stayed for two days and caused damage that the whole\n"
        "city will remember for years. ¦It was worse than all others, said Mr.\n"
        "Smith, who saw it. ¦Then it left.\n¦Aftermath\n¦All was quiet."
    ),
    "wrapped twice only": "The storm came in from the west on Monday and hit the\nBoston area.",
    "tabs": "A line. ¦Another\ttabbed line.",
    "carriage returns": "First.\r\n\r\n¦Second one\r¦Third.",
    "Unicode line ends": "Line one\u2028¦Line two\u2029¦Line three\x85¦Line four",
    "no capitals at all": "he got up. ¦then he ate. ¦it was 3.5 miles. ¦he weighed approx. ten lbs. or so.",
}

CHINESE = {
    "plain": "今天天气很好。¦我们去公园。",
    "marks": "很好！！！¦真的？！¦是的。",
    "question and speaker": "“真的吗？”她问。¦他没有回答。",
    "speech and speaker": "“我很高兴。”村民李大山说。¦他笑了。",
    "speech, speaker, speech": "“有啊！”老人说，“我见过。”¦我们都笑了。",
    "speaker and more": "“为什么？！”他喊道，眼里含着泪。¦她走了。",
    "comma after the quote": "“你好！”，他说。¦她笑了。",
    "speech after a colon ends": "他说：“走吧。”¦然后离开了。",
    "short speech stays whole": "他喊道：“走！快走！”¦大家都跑了。",
    "speech after speech": "“好。”¦“谢谢。”",
    "new statement after speech": "“我们会来的。”¦他说，今年会更好。",
    "long speech is split": f"他说：“{'我们' * 30}走了。¦{'他们' * 30}来了。”¦天黑了。",
    "quote as a noun": "他提出“怎么办？”的问题。¦没有人回答。",
    "Latin marks before a quote": "他问:“为什么没有暖气呢?”¦13日上午，记者来到小区。",
    "straight quotes": '他说:"好的."¦她点头.',
    # An ellipsis within a line is read as a pause: it seldom follows a whole sentence.
    "ellipsis": "我……我不知道。¦真的。",
    "ellipsis between clauses": "他走了……她哭了。",
    "Latin ellipsis": "我...我不知道。",
    "ellipsis at the end of a line": "他走了……\n¦她哭了。",
    "title": "你看过《你好吗？》这本书吗？¦我看过。",
    "bracket within": "这很重要（真的！）我们要记住。¦好。",
    "bracketed sentence": "（他笑了。）¦她走了。¦（完）",
    "semicolons": "价格是3.5元；数量是10个；都卖完了。¦明天再来。",
    "Latin periods": "他来了.¦她走了.¦我还在.",
    "half and full width": "他来了｡¦她走了．¦我还在。",
    "full-width decimals": "３．５公斤不重。¦很好。",
    "Latin words": "我用iPhone X。¦你呢?¦我用Node.js v1.2.",
    "addresses": "访问www.example.com.cn或者发邮件到a.b@c.cn。¦谢谢！",
    "heading": "第一行标题\n¦这是正文的第一句。¦这是第二句。\n¦第三段",
    "lists": "一、总则\n¦（1）适用范围\n¦1. 第一条\n¦2、第二条\n¦- 项目\n¦第三条 附则",
    "numbers without space": "1.苹果很甜。¦2.香蕉不贵。",
    "blank line": "没有标点的一段\n\n¦另一段",
    "wrapped at one width": f"{'春天来了' * 6}\n{'花都开了' * 6}\n{'鸟在唱歌' * 6}\n我们很高兴。¦再见。",
}

OTHER = {
    "German": "Am 3. Oktober 1990 kam Dr. Müller z.B. aus Berlin. ¦Er sagte: „Ich gehe.“ ¦Dann ging er.",
    "French": "« Où va-t-il ? » demanda Mme Blanc. ¦Il dit : « Je pars. » ¦Puis il partit.",
    "Spanish": "¿Dónde está? ¦¡Aquí! ¦El Sr. García vive en EE.UU. desde 1999.",
    "Russian": "А. С. Пушкин родился в Москве. ¦Он жил на ул. Арбат.",
    "Japanese": "今日は雨です。¦「行こう！」と彼は言った。¦でも行かなかった。",
    "Korean": "그는 집에 갔다. ¦그리고 잠을 잤다. ¦왜?",
    "Arabic": "هل أنت بخير؟ ¦نعم، أنا بخير. ¦شكرا لك.",
    "Hindi": "राम घर गया। ¦वह सो गया।",
    "Thai": "ฉันไปตลาด เขาไปโรงเรียน",
}


BY_LANGUAGE: dict[Language, list[str]] = {
    "de": [
        "Der Umsatz stieg auf 8,4 Mio. Euro. ¦Das sind z. B. fünf Prozent mehr als im Vorjahr.",
        "Am 3. Oktober 1990 kam Dr. Müller d. h. der Arzt aus Berlin. ¦Er blieb bis zum 5. Mai.",
        "Die Firma (u. a. in Köln) wuchs usw. ¦Der Chef ist zufrieden.",
        "Er wurde Dritter mit Startnummer 3. ¦Die anderen kamen später.",
        "Im 19. Jh. lebte hier Kaiser Wilhelm II. von Preußen. ¦Um 50 v. Chr. stand hier nichts.",
        "Das gilt gem. § 5 Abs. 2 BGB. ¦Vgl. dazu Nr. 7.",
        "Siehe S. 12. ¦Dort steht es.",
        "„Wer ist da?“, fragte sie. ¦„Ich.“ ¦Dann war es still.",
        "Prof. Dr. med. Anna Berg sprach. ¦Sie ist Ärztin.",
        "Ich mag z. B. Die Ärzte und i. d. R. auch andere. ¦Das ist alles.",
        "Die Kanzlerin sagte am Montag: »Wir schaffen das.« ¦Danach ging sie.",
    ],
    "fr": [
        "M. Le Pen et Mme Blanc sont venus. ¦Ils sont partis à 18 h. ¦La nuit tombe.",
        "« Où va-t-il ? » demanda-t-elle. ¦« À Paris. » ¦Puis il partit.",
        "Le temple date de 50 av. J.-C. environ. ¦Il est grand.",
        "La fin approche.¦À tel point que tout change.¦L'accident a eu lieu hier.",
        "Il a 42 ans et habite au no. 12. ¦Elle en a 40.",
        "Les fruits (p. ex. les pommes, etc.) sont mûrs. ¦Nous en mangeons.",
    ],
    "es": [
        "El Sr. García vive en EE. UU. desde 1999. ¦La Sra. López, no.",
        "¿Dónde está? ¦¡Aquí! ¦Llegó en el año 50 a. C. y se fue. ¦Fin.",
        "Compró frutas, p. ej. Manzanas Golden, en la tienda. ¦Luego se fue.",
        "Tiene 42. ¦Ella tiene 40.",
        "«Vamos», dijo el Dr. Pérez. ¦«Ya es tarde.»",
    ],
    "it": [
        "Il sig. Rossi e la dott.ssa Bianchi lavorano alla Fiat S.p.A. di Torino. ¦Sono amici.",
        "Vedi art. 5 e pag. 12. ¦Poi torna qui.",
        "Pane, vino, ecc. ¦Il resto non serve.",
        "Ha visitato Roma, Milano, ecc. e poi è tornato. ¦È contento.",
    ],
    "pt": [
        "O Sr. Silva e a Dra. Costa chegaram às 10h. ¦Eles moram na Av. Paulista.",
        "Comprou pão, leite, etc. ¦O resto ficou para depois.",
        "Veja o art. 5º da lei. ¦É claro.",
    ],
    "nl": [
        "Dhr. De Vries en mevr. Jansen kwamen o.a. uit Utrecht. ¦Zij bleven.",
        "Hij sliep. ¦'s Avonds at hij brood.",
        "Dat is bijv. Philips N.V. in Eindhoven. ¦Het bedrijf groeit.",
        "Hij is 42. ¦Piet is 40.",
    ],
    "ru": [
        "А. С. Пушкин родился в 1799 г. в Москве, т. е. в столице. ¦Он жил на ул. Арбат.",
        "Цена выросла до 5 тыс. руб. в месяц. ¦Это много.",
        "Яблоки, груши и т. д. ¦Они растут здесь с 1990 г. ¦Это известно.",
        "«Кто там?» — спросил он. ¦«Это я.» ¦Дверь открылась.",
        "В XIX в. Россия выросла. ¦Напр. Москва.",
    ],
    "tr": [
        "Prof. Dr. Ahmet Yılmaz 19. yüzyılda yaşadı. ¦Bu çok eski bir zaman.",
        "Elma, armut vb. meyveler satılıyor. ¦Ucuzlar.",
        "T.C. Sağlık Bakanlığı açıkladı. ¦Karar 3. Ağustos'ta alındı.",
        "Nasılsın? ¦İyiyim. ¦Sen nasılsın?",
    ],
    "ar": [
        "هل أنت بخير؟ ¦نعم، أنا بخير. ¦شكرا لك.",
        "قال د. محمد إن الأمر انتهى. ¦ثم غادر القاعة.",
        "انتهى الاجتماع.¦ثم غادر الوزير!",
    ],
    "hi": [
        "डॉ. शर्मा घर गए। ¦वह सो गए।",
        "ए. पी. जे. अब्दुल कलाम राष्ट्रपति थे। ¦क्या आप जानते हैं? ¦हाँ!",
        "वह घर गया. ¦फिर सो गया.",
    ],
    "bn": [
        "ড. ইউনূস ঢাকায় আসেন। ¦তিনি কি থাকবেন? ¦হ্যাঁ।",
    ],
    "ja": [
        "今日は雨です。¦「行こう！」と彼は言った。¦でも行かなかった。",
        "「本当ですか？」¦彼女は笑った。¦（終わり。）",
        "価格は3.5万円だ。¦安い！¦買おう。",
    ],
    "ko": [
        "그는 2024. 5. 3. 서울에 왔다. ¦그리고 잠을 잤다. ¦왜?",
        '"갑니다."라고 그가 말했다. ¦모두 놀랐다.',
        "그는 집에 갔다.¦그리고 잤다.",
        "3.1 운동은 1919년에 일어났다. ¦약 2.5배 늘었다.",
    ],
    "vi": [
        "TP. Hồ Chí Minh và Th.S. Nguyễn Văn A. đã ký. ¦Họ rất vui.",
        "Ông có sách, vở, v.v. ¦Ông rất giàu.",
        "PGS. TS. Trần Văn B. phát biểu. ¦Mọi người nghe.",
    ],
    "id": [
        "PT. Telkom Tbk. dan Bpk. H. Ahmad hadir. ¦Mereka rapat di Jl. Sudirman No. 5.",
        "Harga Rp. 5.000 per kg. ¦Murah sekali.",
        "Ada apel, jeruk, dll. ¦Mereka membeli semua.",
    ],
}


@pytest.mark.parametrize(
    ("language", "marked"), [(name, case) for name, cases in BY_LANGUAGE.items() for case in cases]
)
def test_each_language_has_its_own_marks_and_abbreviations(language: Language, marked: str) -> None:
    check(marked, language)


def test_a_long_thai_text_is_cut_at_spaces() -> None:
    phrase = "สภาเมืองลงมติเมื่อวันอังคารให้ปิดถนนท่าเรือ เนื่องจากถนนชำรุดมาหลายปีแล้ว ในปี 2567 และจะเปิดอีกครั้ง"
    text = " ".join([phrase] * 50)
    pieces = split(text, "th")
    assert " ".join(pieces) == text
    assert all(20 <= len(piece) <= 300 for piece in pieces)
    # Neither a number nor a word that goes on begins a sentence.
    assert not any(piece.startswith(("2567", "และ")) for piece in pieces)


@pytest.mark.parametrize("marked", ENGLISH.values(), ids=ENGLISH.keys())
def test_english(marked: str) -> None:
    check(marked, "en")


@pytest.mark.parametrize("marked", CHINESE.values(), ids=CHINESE.keys())
def test_chinese(marked: str) -> None:
    check(marked, "zh")


@pytest.mark.parametrize("marked", OTHER.values(), ids=OTHER.keys())
def test_other_languages(marked: str) -> None:
    check(marked, "other")


@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t\u2028\u3000"])
def test_a_text_without_characters_has_no_sentences(text: str) -> None:
    assert split_sentences(text, "en") == []


def test_marks_alone_are_one_sentence() -> None:
    assert split("... !? -- \x00", "en") == ["... !? -- \x00"]


def test_surrogates_and_nul_are_kept() -> None:
    check("One\ud800 fish\x00. ¦Two \udfff.", "en")


def test_a_text_without_sentence_ends_is_one_sentence() -> None:
    assert len(split("no end " * 20_000, "en")) == 1


MARKS = list("....!?…。！？”“’‘\"''``()（）《》「」[]-*•,，;；:：\n\n\r\v\f\x85\u2028\u2029 \t\xa0\u3000")
WORDS = [
    "a",
    "I",
    "Mr",
    "U.S",
    "a.m",
    "The",
    "the",
    "end",
    "3",
    "15",
    "v1",
    "com",
    "他",
    "说",
    "问",
    "的",
    "走了",
    "と",
]
TEXTS = st.text(st.characters()) | st.lists(st.sampled_from(MARKS + WORDS) | st.characters()).map("".join)


@given(TEXTS, st.sampled_from(LANGUAGES))
def test_spans_are_in_order_trimmed_and_cover_every_character(text: str, language: Language) -> None:
    spans = split_sentences(text, language)
    assert spans == split_sentences(text, language)
    reached = 0
    for start, end in spans:
        assert reached <= start < end <= len(text)
        assert not text[reached:start].strip()
        assert text[start:end] == text[start:end].strip()
        reached = end
    assert not text[reached:].strip()


@given(TEXTS.map(lambda text: text.replace("\r", "")), st.sampled_from(LANGUAGES))
def test_line_ends_of_any_system_give_the_same_sentences(text: str, language: Language) -> None:
    sentences = split(text, language)
    assert [each.replace("\r\n", "\n") for each in split(text.replace("\n", "\r\n"), language)] == sentences
    assert len(split(text.replace("\n", "\r"), language)) == len(sentences)


@pytest.mark.parametrize("piece", ["a.", "“a。", "(A. ", "（a！）", "！）", ".)", '. "A ', "a\n", " . ", "x? "])
def test_a_long_hostile_text_is_split_in_linear_time(piece: str) -> None:
    # Quadratic work would take far too long: 30,000 marks, each with the rest of the text to scan.
    text = "（" + piece * 30_000
    spans = split_sentences(text, "en")
    assert sum(len(text[start:end].split()) for start, end in spans) >= len(text.split())
