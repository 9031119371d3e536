"""What a text is made of: paragraphs, headings, rows of tables, turns of speakers and more, and its sections."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

from tersely.errors import UsageError

Kind = Literal[
    "prose",
    "heading",
    "item",
    "row",
    "code",
    "caption",
    "turn",
    "quote",
    "reply",
    "signature",
    "header",
    "page",
    "rule",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Kinds that belong in no summary if there is anything else.
NOISE: frozenset[Kind] = frozenset(
    ("heading", "row", "code", "caption", "reply", "signature", "header", "page", "rule")
)
# Kinds whose blocks stand on neighboring lines, as in a list; other blocks have a blank line between them.
_CLOSE: frozenset[Kind] = frozenset(("item", "row", "code", "turn", "signature", "header"))
_UNCOUNTED: frozenset[Kind] = frozenset(("heading", "header", "page", "rule"))

# What a heading says, and the role that it gives to its section. "_" stands for a space.
_ROLES = {
    "abstract": """
        abstract summary executive_summary overview key_points highlights tl;dr 摘要 内容摘要 内容提要 概要 概述
        zusammenfassung kurzfassung résumé resumen riassunto sommario resumo samenvatting abstrak аннотация 要旨
        要約 초록 요약
    """,
    "introduction": """
        introduction background objective objectives aim aims purpose motivation 引言 前言 导言 绪论 序言 背景
        研究背景 目的 einleitung einführung hintergrund contexte introducción introduzione introdução inleiding
        pendahuluan введение はじめに 序論 서론
    """,
    "method": """
        method methods methodology materials_and_methods methods_and_materials patients_and_methods
        experimental_setup study_design design 方法 研究方法 材料与方法 资料与方法 methode methoden methodik méthode
        méthodes método métodos metodología metodologia metodi metode методы 手法 방법
    """,
    "result": """
        result results findings key_findings results_and_discussion experimental_results experiments evaluation 结果
        研究结果 实验结果 结果与分析 结果与讨论 ergebnis ergebnisse résultats resultados risultati resultaten hasil
        результаты 結果 결과
    """,
    "discussion": """
        discussion general_discussion limitations 讨论 diskussion discusión discussione discussão обсуждение 考察
        토의
    """,
    "conclusion": """
        conclusion conclusions concluding_remarks conclusion_and_future_work conclusions_and_future_work
        discussion_and_conclusion discussion_and_conclusions summary_and_conclusion summary_and_conclusions
        interpretation takeaways 结论 结语 结束语 总结 小结 结论与展望 fazit schluss schlussfolgerung
        schlussfolgerungen conclusión conclusiones conclusioni conclusione conclusão conclusões conclusie kesimpulan
        заключение выводы 結論 おわりに 결론
    """,
    "references": """
        references reference_list bibliography works_cited literature_cited cited_references references_cited
        参考文献 参考资料 引用文献 参考書目 literaturverzeichnis einzelnachweise références bibliographie
        referencias bibliografía referências bibliografia riferimenti daftar_pustaka литература список_литературы
        참고문헌
    """,
    "acknowledgment": """
        acknowledgment acknowledgments acknowledgement acknowledgements funding author_contributions
        authors'_contributions competing_interests conflict_of_interest conflicts_of_interest 致谢 鸣谢 danksagung
        remerciements agradecimientos ringraziamenti agradecimentos 謝辞
    """,
    "facts": """
        facts the_facts factual_background statement_of_facts procedural_history 案件事实 基本案情 案情 事实与理由
        审理查明 经审理查明 sachverhalt tatbestand
    """,
    "holding": """
        held holding the_holding 本院认为 法院认为 裁判理由 判决理由
        entscheidungsgründe
    """,
    "order": """
        order orders disposition judgment judgement decree 判决如下 裁定如下 判决结果 裁判结果 判决主文 tenor
    """,
}
# How the sentences of a Chinese judgment open its parts, which have no headings. These patterns are compiled when they
# are first used, so that `import tersely` stays fast.
_JUDGMENT = {
    "facts": "(?:经(?:本院)?审理查明|本院(?:经审理)?查明|(?:本院)?经审理认定|根据.{0,30}认定(?:如下)?事实)",
    "claim": "[^，。；]{0,40}(?:诉称|向本院提出(?:如下)?诉讼请求|指控|上诉请求)",
    "defense": "[^，。；]{0,40}(?:辩称|答辩称|未作答辩|未答辩)",
    "holding": "(?:综上，)?本院(?:经审查|审查后|经审理)?认为",
}
_ORDER = "(?:判决|裁定|判令)如下[：:]?"
_NUMBERING = (
    r"(?:[#*_\s]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[ivxlcIVXLC]{1,6}|[A-Za-z])[.)、．]?\s+|\d{1,3}[.、．]|"
    r"[（(]?[一二三四五六七八九十]{1,3}[）)、.．]|第[一二三四五六七八九十\d]{1,3}[章节]\s*)*"
)
_LONGEST = 60  # characters of a heading that says its role
_MOST_REFERENCES = 0.5  # a larger part of the text is no bibliography


class Block(NamedTuple):
    """A part of a text, `text[start:end]`, and what it is.

    A turn has its `speaker`, if known. A heading has its `level`, 1 for the highest.
    """

    kind: Kind
    start: int
    end: int
    speaker: str = ""
    level: int = 0


class Part(NamedTuple):
    """The text of a block, before it has a place in a document."""

    kind: Kind
    text: str
    speaker: str = ""
    level: int = 0


class Place(NamedTuple):
    """Where a sentence stands: the number of its section, and its own number in it, both from 0.

    Headings, rules and page numbers are not counted: they have the place of the sentence after them.
    """

    section: int
    place: int


def join_parts(parts: Iterable[Part]) -> tuple[str, tuple[Block, ...]]:
    """Join the texts of blocks, and say where each stands; those without a character are left out.

    >>> text, blocks = join_parts([Part("heading", "Fish", level=1), Part("prose", "Two swim.")])
    >>> text, blocks[1]
    ('Fish\\n\\nTwo swim.', Block(kind='prose', start=6, end=15, speaker='', level=0))
    """
    texts: list[str] = []
    blocks: list[Block] = []
    end = 0
    for kind, text, speaker, level in (Part(*part) for part in parts):
        if kind not in KINDS:
            raise UsageError(f"the kind of a block must be one of {', '.join(KINDS)}, not '{kind}'")
        if not (body := text.strip()):
            continue
        if blocks:
            close = kind == blocks[-1].kind and kind in _CLOSE
            texts.append("\n" if close else "\n\n")
            end += len(texts[-1])
        texts.append(body)
        blocks.append(Block(kind, end, end + len(body), speaker, level))
        end += len(body)
    return "".join(texts), tuple(blocks)


@cache
def _table() -> dict[str, str]:
    return {name.replace("_", " "): role for role, names in _ROLES.items() for name in names.split()}


def role_of(heading: str) -> str:
    """Return the role that a heading gives to its section, or nothing.

    >>> role_of("2. Materials and Methods"), role_of("五、结论"), role_of("What the neighbors say")
    ('method', 'conclusion', '')
    """
    if len(heading) > _LONGEST:
        return ""
    start = re.match(_NUMBERING, heading)
    name = heading[start.end() if start else 0 :].strip(" \t*_#:：.。—–-").casefold()
    return _table().get(" ".join(name.split()), "")


def places(kinds: Sequence[Kind]) -> tuple[Place, ...]:
    """Return the place of each sentence; a section begins with a heading.

    >>> [tuple(place) for place in places(("prose", "heading", "prose", "prose"))]
    [(0, 0), (1, 0), (1, 0), (1, 1)]
    """
    found: list[Place] = []
    section = place = 0
    for i, kind in enumerate(kinds):
        if kind == "heading" and i and kinds[i - 1] != "heading":
            section, place = section + 1, 0
        found.append(Place(section, place))
        place += kind not in _UNCOUNTED
    return tuple(found)


def roles(texts: Sequence[str], kinds: Sequence[Kind], starts: Sequence[bool], judgment: bool) -> tuple[str, ...]:
    """Return for each sentence the role of its section, or nothing if no heading says it.

    `starts` says which sentences begin a block, and `judgment` whether the text is a Chinese one.
    """
    found: list[str] = []
    role = own = ""  # of the section, and of the block if it differs, as in "Methods: We asked all swimmers."
    order = False  # whether the decision comes next
    for i, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        if starts[i]:
            colon = text.find(":", 0, _LONGEST)
            own = role_of(text[:colon]) if colon > 0 else ""
        if kind == "heading":
            # "Methods" stays in force below "Methods, in detail", as long as no sentence came between them.
            said = role_of(text)
            role, own = said if said or not (i and kinds[i - 1] == "heading") else role, ""
        elif judgment:
            role = "order" if order else next((name for name, said in _JUDGMENT.items() if re.match(said, text)), role)
            decided = re.search(_ORDER, text)
            order = decided is not None and decided.end() == len(text)
            role = "order" if decided and not order else role
        found.append(own or role)
    listed = found.count("references")
    return tuple("" if role == "references" and listed > _MOST_REFERENCES * len(found) else role for role in found)
