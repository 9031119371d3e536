"""Noise in Chinese texts: credits, captions, headings, slogans, the forms of web pages and of judgments."""

import re
from collections.abc import Sequence

from tersely.text.language import HAN

_CLOSED = re.compile("[。！？!?…；;：:.～~][”’」』）)】》\"'．.]{0,4}$")
_BRACKETED = re.compile(r"[（(【\[][^（）()【】]{0,60}[)）】\]][。.]?")
_CREDIT = re.compile(
    r"(?![^）)]{0,40}[）)].{8})"
    r"[（(【\[*▲△↑■●◆]*\s?(?:原标题|原题|来源|文章来源|图片来源|图源|资料来源|稿源|信源|责任编辑|责编|编辑|"
    r"实习编辑|编审|审核|校对|编发|编译|监制|制作|"
    r"统筹|策划|摄影|摄像|撰文|撰稿|作者|记者|本报记者|通讯员|文[/／]|图[/／]|供稿|综合|出处|声明|特别声明|"
    r"免责声明|版权声明|联系电话|电话|热线|微信号|关键词|标签)\s?[:：/／丨|]"
)
_CAPTION = re.compile(
    "[▲△↑]|[（(]?(?:图为|图[一二三四五六1-9]|上图|下图|左图|右图|资料图|视频截图|配图|图片[:：]|图说)|"
    ".{0,40}(?:资料图|[^拍]摄）?)[。）)]?$"
)
_WEB = re.compile(
    "点击(?:下方|图片|下图|此处|进入|查看|阅读|关注|上方|链接)|扫码(?:关注|下载|报名|加入|添加|阅读|观看|查看|进群|领取|参与)|长按[^。]{0,10}二维码|识别[^。]{0,8}二维码|"
    "扫描?(?:一扫)?(?:下方|上方|下图|图中|文末|以下|右侧)[^。]{0,6}码|微信公众号|公众号[:：]|"
    "关注我们|关注(?:微信|本报|官方)|微信号|版权所有|版权归|"
    "转载(?:请|须|自)|未经(?:授权|许可|允许)|仅代表作者|不代表.{0,10}(?:立场|观点)|返回搜狐|查看更多|"
    "更多精彩|更多(?:资讯|内容|新闻)|阅读原文|"
    "相关阅读|延伸阅读|推荐阅读|下载.{0,8}(?:APP|app|客户端)|进入【|股吧|防抓取|https?:|www\\.|小编|"
    "点赞(?:关注|转发|，)|留言(?:讨论|区)|欢迎.{0,6}(?:留言|订阅|投稿|关注)|"
    "下转第|上接第|敬请(?:关注|期待)|感谢(?:收看|收听|阅读|您的)|请看(?:本台|总台)?记者|来看(?:本台|总台)?记者|"
    "本文(?:来源|来自|转自|系)"
)
_COURT_FORM = re.compile(
    "不服本(?:判决|裁定)|如不服本|加倍支付(?:迟延|延迟)履行|递交上诉状|提交上诉状|本判决为终审|本裁定为终审|"
    "受理费[^。]{0,40}负担|诉讼费[^。]{0,40}负担|限制消费令|申请强制执行"
)
_BENCH = re.compile("审判[长员]|(?:代理)?书记员|人民陪审员|(?:本案)?(?:案件)?(?:受理费|诉讼费)[^。]{0,40}承担")
_ATTENDANCE = re.compile(
    "[^，。]{2,40}(?:参加(?:会见|会谈|上述活动|活动|座谈|调研)|出席(?:会议|上述活动)?|主持(?:会议|座谈会|"
    "闭幕会)|研究了其他事项)。"
)
_SLOGAN = re.compile(
    "(?:加快|完善|推进|加强|推动|坚持|深化|提升|优化|强化|聚焦|扩大|促进|构建|打造|培育|建设|发展|保障|夯实|"
    "筑牢|激发|释放|增强|落实|"
    f"改善|健全|统筹|稳定|拓展|壮大|释放|做好|把握|弘扬|传承|守护)[{HAN}、]{{2,12}}[。！]|"
    f"[{HAN}]{{4}}[，、][{HAN}]{{4}}[。！]|为[{HAN}“”]{{4,18}}[。！]"
)
# What the writer is about to tell, and what a reader is asked to do.
_LEADIN = re.compile(
    "(?:下面|接下来|那么|现在|今天|首先|倒)?，?(?:就?让?我们|咱们|大家|笔者|小编|本文)?(?:先|就|再|也|一起|想)*来?"
    "(?:看看|看一下|一起看|说说|聊聊|谈谈|盘点|了解一下|写写|解读一下)|(?:赶紧|赶快|快|记得|请)(?:转|收藏|分享|转发)|"
    "[^，。]{0,8}[，]?(?:你|你们|您|大家|各位)(?:对此)?[^，。]{0,6}(?:怎么看|看法|怎么想|怎么认为)|本案现已审理终结|特此公告"
)
# Who the parties of a judgment are, and the text of the law after its end.
_PARTY = re.compile(
    "(?:原告|被告|上诉人|被上诉人|申请人|被申请人|第三人|被告人|法定代表人|负责人|委托诉讼代理人|委托代理人|辩护人)"
    "(?:[^，。：:]{0,30}[:：，](?:[^，。]{0,20}，)?(?:男|女)，|[^，。：:]{0,30}[:：，][^，。]{0,30}，?(?:汉族|住所地|户籍地|[^，。]{0,20}律师事务所))|"
    "(?:委托诉讼代理人|委托代理人|法定代表人|辩护人)[:：]|现羁押|附[:：]|附(?:本案|相关)|二[〇○0][一二〇○0-9]{1,2}年"
)
_HEADING = 50  # characters of a heading
_SCRAP = 6  # fewer Chinese characters and digits than this are a scrap
WEIGHTY = f"(?:[^{HAN}0-9A-Za-z]*[{HAN}0-9A-Za-z])"
_ENOUGH = re.compile(f"{WEIGHTY}{{{_SCRAP}}}")


def chinese_noise(texts: Sequence[str], starts: Sequence[bool], spoken: Sequence[bool]) -> list[str]:
    """Return for each sentence what kind of noise it is, or nothing.

    `starts` says which sentences begin a line; `spoken` says which belong to a quotation or a conversation, where
    short answers and sentences without a closing mark are common.
    """
    # Some texts have no closing marks at all.
    closed = [bool(_CLOSED.search(text[-6:])) for text in texts]
    marked = sum(closed) * 3 > len(texts)
    whole = closed if marked else [True] * len(texts)
    kinds = [_kind(*sentence) for sentence in zip(texts, whole, starts, spoken, strict=True)]
    if texts and starts[0] and not whole[0] and len(texts[0]) <= _HEADING:
        kinds[0] = kinds[0] or "heading"
    _mark_headings(kinds, texts, closed, starts)
    for number, text in enumerate(texts[1:]):
        # What stands on a short line before the name of the photographer describes the picture.
        if kinds[number + 1] == "caption" and text.endswith("摄") and starts[number] and len(texts[number]) <= 50:
            kinds[number] = kinds[number] or "caption"
    return kinds


def _kind(text: str, whole: bool, start: bool, spoken: bool) -> str:
    short = len(text) <= 60
    if _BRACKETED.fullmatch(text) or (short and not spoken and _CREDIT.match(text)):
        return "credit"
    if short and _CAPTION.match(text):
        return "caption"
    if (len(text) <= 120 and _WEB.search(text)) or _COURT_FORM.search(text) or _BENCH.match(text):
        return "boilerplate"
    if spoken:
        return ""
    if (len(text) <= 30 and _LEADIN.match(text)) or _PARTY.match(text):
        return "boilerplate"
    # A long line that only lacks its last mark is no heading.
    if not whole and (len(text) <= 40 or "，" not in text):
        return "heading" if start else "fragment"
    if _ATTENDANCE.fullmatch(text):
        return "boilerplate"
    if start and _SLOGAN.fullmatch(text):
        return "slogan"
    return "fragment" if not _ENOUGH.match(text) else ""


def _mark_headings(kinds: list[str], texts: Sequence[str], closed: Sequence[bool], starts: Sequence[bool]) -> None:
    """Mark all parts of a short line that ends without a closing mark: a heading may have one inside."""
    first = 0
    for number, start in enumerate(starts):
        first = number if start else first
        ends = number + 1 == len(starts) or starts[number + 1]
        cut = ends and first < number <= first + 2 and kinds[number] == "fragment" and not closed[number]
        cut = cut and all(texts[part].endswith(("！", "？", "!", "?")) for part in range(first, number))
        if cut and sum(map(len, texts[first : number + 1])) <= _HEADING:
            kinds[first:number] = [kind or "heading" for kind in kinds[first:number]]
