"""What Chinese sentences need, and which are noise: one made-up example or more for each rule."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import texts
from tersely.read import ALONE, LOST, Reading
from tersely.read._chinese import chinese
from tersely.text.document import Document

FIRST = "青山县新建的图书馆昨天正式开放，第一天就接待了三千名读者。"


def reading(*sentences: str) -> Reading:
    """Read sentences that stand in one paragraph; one that begins with a line break begins a new one."""
    text, spans = "", []
    for sentence in sentences:
        text += "\n" * sentence.startswith("\n")
        spans.append((len(text), len(text) + len(sentence.strip())))
        text += sentence.strip()
    document = Document.from_text(text, "zh")
    return chinese(Document(text, "zh", tuple(type(document.sentences[0])(*span) for span in spans)))


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("但是停车位不够。", "connective"),
        ("与此同时，另一座图书馆也在建设。", "connective"),
        ("此外，馆内还设有儿童阅览室。", "connective"),
        ("對此，讀者們都很高興。", "demonstrative"),
        ("由于读者太多，门口排起了长队。", "connective"),
        ("故馆方决定延长开放时间。", "connective"),
        ("综上，请求驳回对方的全部请求。", "subject"),
        ("她每天来这里看书。", "pronoun"),
        ("昨天下午，他们参观了书库。", "pronoun"),
        ("在他看来，读书是最好的休息。", "pronoun"),
        ("双方签署了合作协议。", "pronoun"),
        ("其中，儿童读者占了一半。", "demonstrative"),
        ("这让附近居民十分高兴。", "demonstrative"),
        ("面对这些问题，馆方增加了人手。", "demonstrative"),
        ("该图书馆共有五层。", "mention"),
        ("目前，我国南方仍有缺口，这项工程将缓解压力。", "mention"),
        ("会上，馆长介绍了借阅办法。", "occasion"),
        ("建成后，周边三个镇的居民都能借书。", "occasion"),
        ("会议指出，要让更多人读书。", "name"),
        ("工程总投资两亿元。", "name"),
        ("经过一小时的抢修，被困老人走出了电梯。", "name"),
        ("截至年底，已累计借出图书十万册。", "subject"),
        ("要加强基层文化建设，让群众有书读。", "subject"),
        ("推动城乡文化融合，缩小差距。", "subject"),
        ("使这里成为县城的新地标。", "subject"),
        ("另据报道，邻县也在修建图书馆。", "connective"),
        ("毕竟县里的孩子等了十年。", "connective"),
        ("没想到第一天就坐满了人。", "connective"),
        ("看到有人进来，他连忙站起身。", "pronoun"),
        ("在当天举行的仪式上，馆长剪了彩。", "demonstrative"),
        ("本次开放得到了居民的欢迎。", "mention"),
        ("不少网友对此观点表示赞同。", "mention"),
        ("事发地点位于县城南面。", "occasion"),
        ("当地投入了两千多名志愿者。", "name"),
        ("今年，当地还要新建两座书店。", "name"),
        ("大家表示，要把图书馆办得更好。", "name"),
        ("老方愿同中方加强文化交流。", "name"),
        ("县长王明出席并讲话。", "name"),
        ("民警赶到现场，维持了秩序。", "name"),
        ("有助于改善县里的文化生活。", "subject"),
        ("积极推进文化下乡，服务更多居民。", "subject"),
        ("第一步解决停车的问题。", "list"),
    ],
)
def test_a_sentence_that_points_back_needs_the_one_before(sentence: str, why: str) -> None:
    read = reading(FIRST, sentence)
    assert (read.needs, read.why, read.noise) == ((ALONE, 0), ("", why), ("", ""))


@pytest.mark.parametrize(
    "sentence",
    [
        "据介绍，青山县今年还将新建两座文化馆。",
        "今年50岁的李明，从小就爱读书，他每周都来借书。",
        "这个春节，青山县的博物馆同样人流不断。",
        "这几天，青山县的气温明显回升。",
        "2024年是青山县建县六十周年，是重要的一年。",
        "借助世界杯这项体育盛事，甲公司扩大了知名度。",
        "因老馆长已经去世，其藏书由县里接收。",
        "本院认为，原告的请求于法有据。",
        "据此，依照有关法律规定，判决如下：被告偿还借款一万元。",
        "我国公共图书馆数量去年继续增长。",
        "朱明认为，未成年人上网应该受到严格限制。",
        "“十四五”期间，青山县新建图书馆五座。",
        "自治区人民医院昨天开设了阅览室，确保病人有书可读。",
        "当地时间昨天下午，北山县也发生了地震。",
        "在青山县，当地居民每天都来借书。",
        "用户扫描单车上的二维码就能打开车锁。",
    ],
)
def test_a_sentence_that_explains_itself_stands_alone(sentence: str) -> None:
    assert reading(FIRST, sentence) == Reading((ALONE, ALONE), ("", ""), ("", ""))


def test_what_nothing_supplies_is_lost() -> None:
    assert reading("但是他没有来参加昨天的开放仪式。").needs == (LOST,)
    assert reading("会议指出，要让更多的人读书，读好书。").needs == (ALONE,)


def test_later_parts_of_a_quotation_need_the_first() -> None:
    read = reading("馆长王明说：“我们等了十年。", "现在终于开放了。", "读者都很高兴。”", "青山县共有八万人口。")
    assert read.needs == (ALONE, 0, 0, ALONE)
    assert read.why[1:3] == ("quotation", "quotation")


def test_a_quotation_without_its_speaker_needs_who_speaks() -> None:
    read = reading(
        "馆长王明接受了采访，他说自己很高兴。",
        "\n“我们等了整整十年。”",
        "\n青山县共有八万人口。",
        "\n“太好了，真的太好了！”",
    )
    assert read.needs[1:] == (0, ALONE, LOST)


def test_the_first_person_outside_a_quotation_needs_its_speaker_where_others_do_not_use_it() -> None:
    facts = ["原告青山银行与被告王明借款一案，本院已经审结。", *["被告至今未还借款。"] * 5]
    assert reading(*facts, "我行已多次催收，请求判令归还借款。").why[-1] == "speaker"
    assert not any(reading("我昨天去了青山县。", "我在路上遇到了王明。").why)


def test_items_need_what_the_list_is_about() -> None:
    read = reading(
        "新办法有如下三个特点：", "一是借书时间更长。", "这样读者更方便。", "二是手续更简单。", "三是费用更低。"
    )
    assert read.needs == (ALONE, 0, 1, 0, 0)


def test_first_second_and_last_make_a_list() -> None:
    read = reading("好的图书馆有三大特征。", "首先，藏书要多。", "其次，环境要好。", "最后，服务要周到。")
    assert read.needs == (ALONE, 0, 0, 0)


def test_a_line_before_the_photographer_is_a_caption() -> None:
    read = reading("读者在图书馆里看书。", "\n本报记者王明摄", "\n青山县图书馆昨天正式开放了。")
    assert read.noise == ("caption", "caption", "")


def test_the_points_of_an_order_need_the_first() -> None:
    read = reading("依照有关规定，判决如下：一、被告偿还借款。", "二、驳回其他请求。", "三、费用由被告承担。")
    assert read.needs == (ALONE, 0, 0)


def test_a_definite_noun_needs_the_nearest_mention() -> None:
    read = reading(
        "甲公司昨天发布了年报。", "乙银行昨天也发布了年报。", "青山县昨天下了一场大雨。", "该银行去年盈利两亿元。"
    )
    assert read.needs == (ALONE, ALONE, ALONE, 1)


def test_pronouns_in_a_row_share_what_they_refer_to() -> None:
    assert reading("王芳是青山县的医生。", "她今年四十岁。", "她在北京读过书。").needs == (ALONE, 0, 0)


def test_answers_need_questions_and_turns_need_their_start() -> None:
    read = reading(
        "记者：图书馆什么时候开放？",
        "\n王明：明年。",
        "工程还有三个月。",
        "\n记者：您提到工程还没有完成。",
        "\n王明：比较困难的部分已经完成。",
    )
    assert read.needs == (ALONE, 0, 1, 2, ALONE)
    assert read.noise == ("",) * 5
    assert reading("图书馆何时开放？", "馆长说还要等三个月。").needs == (ALONE, 0)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("（来源：青山日报）", "credit"),
        ("（记者 王明）", "credit"),
        ("责任编辑：李芳", "credit"),
        ("原标题：青山县图书馆开放了", "credit"),
        ("图为读者在图书馆看书。", "caption"),
        ("▲读者在图书馆门口排队。", "caption"),
        ("点击下方链接，查看更多内容。", "boilerplate"),
        ("欢迎关注我们的微信公众号。", "boilerplate"),
        ("王明、李芳等参加会见。", "boilerplate"),
        ("如不服本判决，可在判决书送达之日起十五日内向本院递交上诉状。", "boilerplate"),
        ("如果未按本判决指定的期间履行给付金钱义务，应当加倍支付迟延履行期间的债务利息。", "boilerplate"),
        ("案件受理费50元，由被告负担。", "boilerplate"),
        ("青山县图书馆正式开放", "heading"),
        ("加快发展文化产业。", "slogan"),
        ("春风送暖，草木生辉。", "slogan"),
        ("真好！", "fragment"),
        ("下面我们来看看借书的办法。", "boilerplate"),
        ("赶紧转给身边的人都看看！", "boilerplate"),
        ("对此，你怎么看？", "boilerplate"),
        ("扫码关注，获取借书指南。", "boilerplate"),
        ("被上诉人（原审原告）：王明，男，1957年10月28日出生，汉族。", "boilerplate"),
        ("委托诉讼代理人：李芳，青山律师事务所律师。", "boilerplate"),
        ("案件受理费50元，由被告承担。", "boilerplate"),
        ("为读者借书“铺路搭桥”。", "slogan"),
    ],
)
def test_noise_is_named_and_needed_by_nothing(sentence: str, kind: str) -> None:
    read = reading(FIRST, "\n" + sentence, "\n但是停车位仍然不够用。")
    assert read.noise == ("", kind, "")
    assert read.needs == (ALONE, ALONE, 0)


def test_a_text_without_closing_marks_is_not_all_headings() -> None:
    assert not any(reading("今天天气很好我们去公园", "\n公园里有很多人在唱歌", "\n我们玩得十分高兴").noise)


def test_a_heading_may_have_a_mark_inside() -> None:
    read = reading("青山县图书馆今天正式开放！", "最新消息来了", "\n" + FIRST)
    assert read.noise == ("heading", "fragment", "")


def test_a_long_line_that_lacks_its_last_mark_is_no_heading() -> None:
    line = "据了解，青山县图书馆藏书三十万册，分为五层，每层都有阅览室，读者可以凭身份证免费借阅，每次最多十册"
    assert reading(FIRST, "\n" + line, "\n" + FIRST).noise == ("", "", "")


def test_a_claim_about_costs_is_no_form() -> None:
    claim = "原告王明提出诉讼请求：一、判令被告偿还借款；二、本案诉讼费由被告承担。"
    assert reading(FIRST, claim).noise == ("", "")


def test_the_topic_is_where_the_text_first_names_it() -> None:
    read = reading("第四届读书大会昨天开幕。", "八百人参加了大会。", "本届大会的主题是阅读。")
    assert read.needs == (ALONE, ALONE, 0)


_PIECES = [
    "他说",
    "“",
    "”",
    "。",
    "？",
    "但是",
    "该公司",
    "一、",
    "二、",
    "记者：",
    "王明：",
    "\n",
    "，",
    "（",
    "）",
    "这",
    "我",
    "2024年",
]


@given(st.one_of(texts, st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)))
@example("")
def test_needs_point_back_and_never_to_noise(text: str) -> None:
    document = Document.from_text(text, "zh")
    read = chinese(document)
    assert len(read.needs) == len(read.why) == len(read.noise) == len(document)
    for number, (need, why, noise) in enumerate(zip(*vars(read).values(), strict=True)):
        assert need in (ALONE, LOST) or 0 <= need < number
        assert need < 0 or not read.noise[need]
        assert bool(why) == (need != ALONE)
        assert not (why and noise)


@given(st.lists(st.text("他但。“”\n ", max_size=8), max_size=8))
def test_any_list_of_sentences_can_be_read(sentences: list[str]) -> None:
    assert len(chinese(Document.from_sentences(sentences, "zh")).needs) == len(sentences)


@pytest.mark.parametrize(
    "piece",
    [
        "“",
        "他说：“",
        "一、二、",
        "该公司，",
        "这个",
        "（",
        "今年，在",
        "记者：？\n",
        "案件受理费",
        "不代表",
        "\n",
        "二、好。",
        "本届大会。",
        "被告，男，",
        "中方愿",
        "手段二：",
        "当地",
    ],
)
def test_time_is_linear(piece: str) -> None:
    assert_linear(chinese, lambda size: Document.from_text(piece * (size // len(piece)), "zh"), 50_000)
