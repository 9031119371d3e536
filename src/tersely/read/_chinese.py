"""Reading Chinese: anaphora and connectives at the start, dropped subjects, quotations, lists, turns; web noise."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from tersely.read import ALONE, LOST, Reading
from tersely.read._chinese_noise import WEIGHT, chinese_noise
from tersely.read._other import paragraph_starts, quotations
from tersely.text.document import Document
from tersely.text.language import HAN

# Traditional characters in the words below, and their simplified forms.
_SIMPLER = str.maketrans(
    "這該個們後與為於對隨據並還將會議報導說稱認訴問兩雙國時間點當從經過標題來責編輯記圖攝關擊閱讀轉載權聲發實"
    "現種條項總結論應須讓僅雖儘無"
    "進處類調專員團隊組師數顯規協緊則卻曾陸續強調開審長書費訟執據審讀請證辦結歲舊點週節幾貼熱",
    "这该个们后与为于对随据并还将会议报导说称认诉问两双国时间点当从经过标题来责编辑记图摄关击阅读转载权声发实"
    "现种条项总结论应须让仅虽尽无"
    "进处类调专员团队组师数显规协紧则却曾陆续强调开审长书费讼执据审读请证办结岁旧点周节几贴热",
)
_STANDS = (ALONE, "")
_REACH = 12  # how many sentences back a mention or the first item of a list is looked for

# Words that join a sentence to the one before.
_CONNECTIVE = re.compile(
    "但|然而|不过|可是|只是，|而(?!立|今|言)|同时|与此同时|此外|另外|另一|除此|因此|所以|因而|于是|由此|据此|"
    "正因|随后|随即|"
    "之后|此后|后来|然后|接着|紧接着|接下来|事后|很快|不久(?!前)|第二天|次日|翌日|当时|当天|当日|当晚|当场|"
    "同日|同年|同月|同期|"
    "同一天|届时|期间|其间|至此|最终|最后|其次|再次，|再者|再有|再加上|加之|并(?!购|轨|列|网|非所有)|而且|"
    "况且|何况|甚至|反之|"
    "相反|反而|否则|不然|也就是说|换句话说|换言之|例如|比如|譬如|尤其|特别是|更(?!多|名|新|换)|当然|其实|"
    "事实上|实际上|即便如此|"
    "尽管如此|虽然如此|即使如此|不仅如此|如此|总之|总的来说|总而言之|同样|类似|那么|原来，|可见|显然|果然|"
    "结果，|至于|还有|"
    "有的|一方面|同理|果不其然|无独有偶|除了这|就这样|就是说|是的|是啊|不是|没错|"
    "故(?!宫|事|乡|意|障|人|居|里|土|城)|且(?!末)|遂(?!宁|昌|溪)|然(?!乌)|理由[为是：]|事实[和与及]理由"
)
# Occasions that the text has named before: at the meeting, after the talks.
_OCCASION = re.compile(
    "会上|会前|会谈中|会见中|座谈会上|庭审中|采访中|活动中|调研期间|访问期间|"
    f"(?!改革|新中国|春节|节|雨|今|震|战|近代|婚|产|术)[{HAN}]{{1,6}}后，"
)
_TIME_NOUN = (
    "春节|假期|假日|冬|夏|秋|春|周|星期|月|季|年|天|新年|暑|寒|时代|时节|长假|国庆|五一|端午|中秋|清明|元旦|"
    "小长假|双|段时间|阵子"
)
_PERSON = "他们|她们|它们|他(?!国|乡|山)|她|它|俩人|两人|二人|两者|前者|后者|双方|彼此"
_ANAPHOR = re.compile(
    f"(?P<word>(?P<person>{_PERSON})|其(?!实)|该|此(?!致|前)|上述|以上(?!是|就)|对方|"
    f"这(?!个?(?:{_TIME_NOUN})|[一二两三四五六七八九十几些多\\d]{{1,3}}个?(?:{_TIME_NOUN}))|"
    f"那(?!么|个?(?:{_TIME_NOUN}))|两国|两地|两省)"
)
_PREPOSITION = re.compile(
    "在|对于|对|从|面对|随着|针对|根据|按照|经过|经|通过|作为|除了|除|当|如果|因为|因|由于|与|和|给|向|把|被|"
    "让|由|为了|为|以|"
    "正是|只有|只要|无论|不论|关于|就|比起|正如|正像|据|到|自|于|直到|即使|尽管|虽然|既然|一旦|若|连|围绕"
)
# What may stand before the subject: a time, a place, a circumstance, a source.
_TIME = (
    "今天|今年|目前|如今|现在|近日|日前|昨天|昨日|去年|近年来|眼下|当前|此前|截至目前|最近|近期|今日|最初|起初|一开始"
)
_LEAD = re.compile(
    f"(?:(?:{_TIME})(?:[^，。：？！“”的是]{{0,10}}，)?|\\d{{1,4}}[年月日时点][^，。：？！“”的是]{{0,16}}，|"
    f"[一二两三四五十几多数\\d]{{1,5}}[年天月][^，。：？！“”的是]{{0,5}}，|"
    "(?:在|从|随着|为了?|经过?|通过|作为|根据|按照|面对|针对|对于?|围绕|除了?|截至|自|到|据|综上(?:所述)?(?=，))"
    "[^，。：？！“”]{0,30}(?<!的)，)"
)
# An opening that has no subject: it goes on with the subject of the sentence before.
_SUBJECTLESS = re.compile(
    "(?:已(?!故|有[^经])|将(?!军|士|领|近|来)|共(?!产|同|青|和|建|享|赢|有|识|和国)|累计|还(?!款|原|本|贷)|"
    "也|又|却|则|仍|均(?!衡)|都(?!市|江|匀|会)|先后|"
    "陆续|曾(?!经沧|[一-鿿]{1,2}(?:说|表示|称))|即将|使|令|并|要(?!闻|是|知|么|素|塞|案|求|约|点)|"
    "希望(?!小学|工程)|必须|"
    "请求(?!权)|强调|指出|表示|认为|称(?!号|职|霸)|说(?!明|法|唱|到底)|坦言|补充|呼吁|建议(?!书)|透露|介绍(?!信)|"
    "是(?!否|的|非|日)|同比|环比|占(?!领|地|卜)|较[上去]|比[上去]|感谢|欢迎(?!仪式)|勉励|寄语|祝愿|愿(?!景|"
    "望|意)|期待|达\\d|"
    "(?:听取|审议|讨论|举行|召开|会见|考察|研究|完成|获得|造成|引发|导致)了)"
)
# What is to be done, without who: a measure after the sentence that names who takes it.
_MEASURE = re.compile(
    "(?:实施|落实|强化|完善|加强|推进|推动|加快|健全|深化|优化|提高|提升|扩大|鼓励|引导|规范|严格|大力|深入|"
    "切实|坚持|加大|着力|努力|"
    "探索|建立|构建|确保|防止|避免|做好|抓好|发挥|善于)[^，。；是让成为使正已了]{2,30}[，。；]"
)
# A person or a party that only an earlier sentence can have named.
_ROLE = re.compile(
    "(?:老人|男子|女子|男孩|女孩|小伙|司机|(?:犯罪)?嫌疑人|死者|伤者|受害[人者]|被害人|被困[一-鿿]{2,4}|"
    "救援人员|施工方|校方|园方|店家|"
    "考察队|救援队|消防队|球队|[一-鿿]{0,2}部队|专家组|调查组|工作组|专案组|乘组|代表团|"
    "[一-鿿]{0,2}团队)(?!们|的|长|员|成员)"
)
# A common noun in place of the full name: "the meeting said", "when the project is finished".
_SHORT_NAME = re.compile(
    "(?:会议|全会|大会|文章|报道|报告|决议|贺信|贺电|通知|通报|公报|公告|声明|讲话|白皮书|意见|方案|规划|"
    "条例|办法|决定|工程|项目|活动|论坛|展会|"
    "考察队|调查组|专案组|工作组|该片|影片|节目|新规|标准|协议|电站|线路|大桥|隧道|事故|案件|公司|交易员|"
    "律师|法官|民警|警方|"
    "视频中?|书中|文中|信中|片中|图中)"
    "(?:还|也|并|同时|最后|在[^，。]{1,12}中|方面)?"
    "(?:指出|强调|认为|要求|称|说|提出|明确|决定|表示|写道|显示|介绍|建成|全长|总投资|投产|通车|建设(?:工期|"
    "内容|周期)|由|旨在|将|共有?|于|已|现场|，)"
)
_ITEM = re.compile(
    "(?:第(?P<a>[一二三四五六七八九十])(?:[，、：]|是|个)|其(?P<b>[一二三四五六七八九])[，、是]|"
    "(?P<c>[一二三四五六七八九十])(?:是|要|、|，)|"
    "[（(](?P<d>[一二三四五六七八九十])[）)]|[（(]?(?P<e>[1-9]\\d?)[）)、．.](?!\\d)|(?P<f>[①②③④⑤⑥⑦⑧⑨])|(?P<g>首先|其次|再次|再者|最后)[，、])"
)
_FIRSTS = {"a": ("第一", "首先"), "b": ("其一",), "c": ("一是", "一要", "一、", "一，"), "d": ("（一）", "(一)")}
_FIRSTS |= {"e": ("1、", "1.", "1．", "（1）", "(1)", "1）", "1)"), "f": ("①",), "g": ("首先，", "第一，")}
_FIRST_NUMBER = frozenset(("一", "1", "①", "首先"))
_HEAD = re.compile("如下|以下|[几两三四五六七八九多][个大]?(?:方面|特点|特征|原因|问题|要求|倡议|建议|条|点|项|步)|：$")
_DEFINITE = re.compile(
    "(?:(?<![应不本活理是也都])该[笔项名起家所片批]?|上述|以上(?=[两三四五几])|"
    "(?:^|(?<=[，；：、在对从将把被与和于让使为到受以给按因果是了用照据破成认]))[这那](?:\\d{1,6}[余多]?)?[一两三几]?[个项种名位条座把件份支款笔套批家所亩])"
    f"(?!{_TIME_NOUN}|重要|关键|怎|如|有|是|不|由|来|去)(?P<noun>[{HAN}]{{2}})"
)
_SPEECH = re.compile("说|表示|称|指出|强调|认为|坦言|介绍|回应|问|答|透露|告诉|写道|解释|补充|回忆|感叹|喊|呼吁|：")
_FIRST_PERSON = re.compile("(?<![自唯忘让])我(?!国|省|市|县|区|军|党|校|院|方|们党|会|社|台|州)|咱")
_QUOTED = re.compile('“[^“”]{0,2000}(?:”|$)|「[^「」]{0,2000}(?:」|$)|"[^"]{0,2000}(?:"|$)')
_ADDRESS = re.compile("[您你]们?(?:刚才?)?(?:提到|说|刚|讲|认为的|指的)")
_ASKS = re.compile('[？?][”」"]?$')
_TURN = re.compile(r"[“]?(?P<who>[^，。：:？！；“”《》（）\s\d]{1,16})[：:](?=\S)")
_PARTY = re.compile("原告|被告|上诉人|申请人")
_COURT = re.compile(
    "(?:据此，)?(?:本院|经审理|经查|依照|依据|综上(?!.{0,4}请求)|原告|被告|上诉人|公诉机关)|.{0,300}(?:判决|裁定)如下"
)


def chinese(document: Document) -> Reading:
    """Return what the sentences of a Chinese document need, and which are noise.

    >>> chinese(Document.from_text("王芳是一名医生。她在北京工作。但是她想回家。"))
    Reading(needs=(-1, 0, 1), why=('', 'pronoun', 'connective'), noise=('', '', ''))
    """
    reader = _Reader(document)
    for number, noise in enumerate(reader.noise):
        if not noise:
            target, why = reader.need(number)
            # Noise explains nothing; what stands before it may.
            reader.needs[number] = reader.before if target >= 0 and reader.noise[target] else target
            reader.why[number] = why
            reader.before = number
    return Reading(tuple(reader.needs), tuple(reader.why), tuple(reader.noise))


class _Reader:
    """Reads sentence by sentence: what is known of the earlier ones helps with the next."""

    def __init__(self, document: Document) -> None:
        self.texts = [text.strip().translate(_SIMPLER) for text in document.texts]
        self.starts = paragraph_starts(document)
        self.inside = quotations(document)
        self.turns = _turns(self.texts, self.starts)
        spoken = [first != ALONE or turn != ALONE for first, turn in zip(self.inside, self.turns, strict=True)]
        self.noise = chinese_noise(self.texts, self.starts, spoken)
        self.needs = [ALONE] * len(document)
        self.why = [""] * len(document)
        self.before = LOST  # the nearest earlier sentence that is not noise
        self.plain = [_QUOTED.sub("“”", text) for text in self.texts]
        # Where many sentences say "I", the whole text has one speaker.
        self.one_speaker = sum(bool(_FIRST_PERSON.search(text)) for text in self.plain) * 5 > len(document)

    def need(self, number: int) -> tuple[int, str]:
        """Return what a sentence needs and why, by form, then by its opening, then by what it leaves out."""
        text = self.texts[number]
        if self.inside[number] != ALONE:
            return self.inside[number], "quotation"
        if self.turns[number] != ALONE:
            return self._turn(number)
        if item := _ITEM.match(text):
            return self._item(number, item)
        if text.startswith(("“", "「", '"')) and len(WEIGHT.findall(self.plain[number])) < 3:
            named = self.before >= 0 and _SPEECH.search(self.texts[self.before])
            return self.before if named else LOST, "speaker"
        opening = text.lstrip('“「『"‘—-\u3000 ')
        if _COURT.match(opening):
            return _STANDS
        if _CONNECTIVE.match(opening) or self._explains(number, opening):
            return self.before, "connective"
        rest = _without_lead(opening)
        if found := _anaphor(opening) or _ANAPHOR.match(rest):
            return self._refer(number, found)
        # A first sentence may leave out more, since the headline has said it.
        return _STANDS if self.before == LOST else self._left_out(number, opening, rest)

    def _left_out(self, number: int, opening: str, rest: str) -> tuple[int, str]:
        """Return what a sentence needs that takes a name, a subject, a question or a speaker for granted."""
        start = self.starts[number]
        if _OCCASION.match(opening):
            return self.before, "occasion"
        if _SHORT_NAME.match(opening) or (not start and _ROLE.match(rest)):
            return self._share(number, "name")
        if _SUBJECTLESS.match(rest) or (not start and _MEASURE.match(opening)):
            return self._share(number, "subject")
        if noun := _definite(opening):
            return self._mention(number, noun), "mention"
        if not start and self._answers(opening):
            return self.before, "answer"
        if not self.one_speaker and _speaks(self.plain[number]):
            return self.before, "speaker"
        return _STANDS

    def _explains(self, number: int, opening: str) -> bool:
        """Whether a sentence gives the cause of what the sentence before tells."""
        return opening.startswith(("因为", "由于")) and not self.starts[number] and not _PARTY.search(opening)

    def _answers(self, text: str) -> bool:
        return len(text) < 50 and bool(_ASKS.search(self.texts[self.before])) and not _ASKS.search(text)

    def _share(self, number: int, why: str) -> tuple[int, str]:
        """Return the sentence before, or what that one needs for the same reason."""
        same = self.before >= 0 and self.why[self.before] == why and not self.starts[number]
        return self.needs[self.before] if same else self.before, why

    def _refer(self, number: int, found: re.Match[str]) -> tuple[int, str]:
        if found["word"] in ("该", "上述"):
            return self._mention(number, found.string[found.end() : found.end() + 2]), "mention"
        return self._share(number, "pronoun" if found["person"] else "demonstrative")

    def _mention(self, number: int, noun: str) -> int:
        """Return the nearest earlier sentence that has a noun; else the one before."""
        for earlier in range(number - 1, max(-1, number - _REACH), -1):
            if noun in self.texts[earlier] and not self.noise[earlier]:
                return earlier
        return self.before

    def _item(self, number: int, item: re.Match[str]) -> tuple[int, str]:
        """Return what an item of a list needs: what the list is about, or else the first item."""
        kind = item.lastgroup or ""
        if item[kind] in _FIRST_NUMBER:
            announced = self.before >= 0 and _HEAD.search(self.texts[self.before])
            return (self.before, "list") if announced or item[0] in ("一是", "一要") else _STANDS
        for earlier in range(number - 1, max(-1, number - 3 * _REACH), -1):
            if any(first in self.texts[earlier] for first in _FIRSTS[kind]) and not self.noise[earlier]:
                return self.needs[earlier] if self.why[earlier] == "list" else earlier, "list"
        return self.before, "list"

    def _turn(self, number: int) -> tuple[int, str]:
        """Return what a turn needs: the question before it; within a turn, its start, which names the speaker."""
        if self.turns[number] != number:
            return self.turns[number], "turn"
        if self.before >= 0 and self.turns[self.before] != ALONE:
            said = _TURN.sub("", self.texts[number], count=1)
            if _ASKS.search(self.texts[self.before]):
                return self.before, "answer"
            if _CONNECTIVE.match(said) or _ANAPHOR.match(said) or _ADDRESS.match(said):
                return self.before, "turn"
        return _STANDS


def _anaphor(opening: str) -> re.Match[str] | None:
    """Return the word at the start, or after a preposition at the start, that refers to something before."""
    preposition = _PREPOSITION.match(opening)
    return _ANAPHOR.match(opening) or _ANAPHOR.match(opening, preposition.end() if preposition else 0)


def _without_lead(opening: str) -> str:
    for _ in range(2):
        lead = _LEAD.match(opening)
        opening = opening[lead.end() :] if lead else opening
    return opening


def _definite(opening: str) -> str:
    """Return the first noun that is said to be known and that nothing earlier in the sentence explains."""
    for found in islice(_DEFINITE.finditer(opening), 3):
        if found["noun"][0] not in opening[: found.start()]:
            return found["noun"]
    return ""


def _speaks(plain: str) -> bool:
    me = _FIRST_PERSON.search(plain)
    return bool(me and not _SPEECH.search(plain, 0, me.start()))


def _turns(texts: Sequence[str], starts: Sequence[bool]) -> list[int]:
    """Return for each sentence the first of its turn in a conversation; `ALONE` outside of one.

    A conversation has two speakers or more, who speak in turn, each named at the start of a line at least twice.
    """
    labels = [_TURN.match(text) if start else None for text, start in zip(texts, starts, strict=True)]
    names = Counter(label["who"] for label in labels if label)
    speakers = {name for name, times in names.items() if times > 1}
    result, first = [ALONE] * len(texts), ALONE
    if len(speakers) < 2:
        return result
    for number, label in enumerate(labels):
        if label:
            first = number if label["who"] in speakers else ALONE
        elif starts[number]:
            first = ALONE
        result[number] = first
    return result
