"""Reading by form alone: paragraphs, quotation marks and, for some languages, the words that open a sentence."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from tersely.read import ALONE, LOST, Reading
from tersely.text.document import Document

_MARKS = re.compile('[“”„"«»‹›「」『』]')
_CLOSERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』", '"': '"'}
_LONGEST_QUOTATION = 12  # sentences; a mark that stays open longer was most likely never meant to pair
_QUOTED = re.compile('[“„«»‹›「『"][^“”„"«»‹›「」『』]{0,2000}[”“»«›‹」』"]?')
_CLOSED = re.compile("[.!?…。！？।؟۔:;：；︒][\"'”’“»«›)\\]）」』】]{0,4}$")
_BRACKETED = re.compile(r"[(\[（【][^()\[\]（）【】]{0,80}[)\]）】][.。]?")
_WEB = re.compile(r"https?:|www\.|©|\(c\) \d{4}")
_WORD = re.compile(r"[^\W\d_]+")
_DENSE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts in which few characters say much
_SAMPLE = 20_000

# Words so common that they tell languages of one script apart.
_COMMON = {
    "de": "der die das und ist nicht den von mit dem des ein eine auf für im sich auch",
    "fr": "le la les des et est une du dans que pour qui sur au pas plus par avec",
    "es": "el la los las de y que en un una es por con del se para su al",
    "it": "il la di che e è un una per con del della non sono i gli nel alla",
    "pt": "o a os as de e que em um uma do da não com para no na ao",
    "nl": "de het een en van is op te dat met voor niet zijn in aan door er",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi en ne var olduğu",
    "id": "yang dan di dengan untuk dari ini itu pada tidak ke dalam akan telah oleh",
    "vi": "của và là các có được cho trong một những với không người này đã để",
    "ru": "и в не на что с по это как к из у за от для о",
    "ar": "في من على إلى أن التي الذي عن مع هذا هذه ما لا كان",
    "hi": "के में है की और का से को पर ने हैं कि यह",
}
# Connectives, pronouns and demonstratives that point back from the start of a sentence; "_" stands for a space.
_OPENERS = {
    "de": "aber doch jedoch denn deshalb daher darum deswegen dennoch trotzdem außerdem zudem ferner dagegen "
    "hingegen "
    "allerdings dadurch dabei daraufhin danach dann anschließend sondern somit folglich und oder auch "
    "zum_beispiel er "
    "sie dies diese dieser dieses diesen diesem jene jener jenes ihr ihre ihren ihrem ihrer sein seine "
    "seiner seinen "
    "seinem dessen deren beide letzterer letztere dort dazu davon daran darauf darin daraus dafür darüber "
    "darunter",
    "fr": "mais or donc car pourtant cependant toutefois néanmoins ainsi en_effet de_plus par_conséquent "
    "ensuite puis "
    "c'est_pourquoi par_ailleurs en_outre en_revanche au_contraire par_exemple et enfin alors il elle ils "
    "elles celui-ci "
    "celle-ci ceux-ci celles-ci ce cet cette ces cela ça c'est c’est son sa ses leur leurs lui",
    "es": "pero sino sin_embargo no_obstante además asimismo también por_eso por_tanto por_lo_tanto "
    "por_consiguiente "
    "así entonces luego después en_cambio por_ejemplo es_decir y o él ella ellos ellas este esta estos estas "
    "ese esa "
    "esos esas aquel aquella aquellos aquellas esto eso su sus dicho dicha ambos ambas",
    "it": "ma però tuttavia inoltre quindi perciò dunque infatti invece poi anche così per_questo ad_esempio "
    "per_esempio e o egli lui lei ella esso essa loro essi esse questo questa questi queste quello quella "
    "quelli "
    "quelle ciò il_suo la_sua i_suoi le_sue entrambi entrambe",
    "pt": "mas porém contudo entretanto todavia no_entanto além_disso portanto por_isso assim então depois "
    "também "
    "por_exemplo e ou ele ela eles elas este esta estes estas esse essa esses essas aquele aquela isto isso "
    "aquilo "
    "seu sua seus suas ambos ambas",
    "nl": "maar echter daarom daardoor daarnaast bovendien toch dus dan daarna vervolgens ook want en of "
    "bijvoorbeeld "
    "hij zij ze dit dat deze die hun haar beide",
    "tr": "ama fakat ancak ayrıca çünkü bu_nedenle bu_yüzden böylece sonra daha_sonra öte_yandan "
    "bununla_birlikte "
    "üstelik yine örneğin ve veya o onlar onun bu şu bunlar bunun buna bunu bunların",
    "id": "tetapi tapi namun akan_tetapi oleh_karena_itu oleh_sebab_itu karena_itu selain_itu sementara_itu "
    "kemudian "
    "lalu bahkan sehingga dan atau dengan_demikian di_samping_itu sebaliknya misalnya meski_demikian "
    "setelah_itu "
    "meskipun_demikian hal_ini hal_itu hal_tersebut dia ia mereka beliau ini itu keduanya",
    "vi": "nhưng tuy_nhiên vì_vậy vì_thế do_đó ngoài_ra bên_cạnh_đó trong_khi_đó đồng_thời sau_đó hơn_nữa "
    "mặt_khác "
    "ví_dụ và hoặc anh_ấy cô_ấy ông_ấy bà_ấy ông_này bà_này họ nó đây điều_này việc_này đó",
    "ru": "но однако а и поэтому кроме_того также тоже затем потом зато итак например при_этом в_то_же_время "
    "тем_не_менее таким_образом в_результате тогда он она оно они его её ее их это этот эта эти этого этой "
    "тот та те "
    "такой такая такие оба обе",
    "ar": "لكن ولكن لذلك ولذلك ثم أيضا ومع_ذلك في_المقابل من_جهته من_جانبه هو هي هم وهو وهي وهم هذا هذه ذلك "
    "تلك هؤلاء وأضاف",
    "hi": "लेकिन परंतु परन्तु किन्तु मगर इसलिए इसके_अलावा हालांकि वहीं फिर साथ_ही इसके_बाद और या तथा वह वे यह ये उन्होंने "
    "उसने उनका उनकी "
    "उनके उसका उसकी उसके इस इन इसका इसकी इसके",
    "ko": "그러나 하지만 그런데 그리고 그래서 따라서 또한 또 게다가 그러므로 한편 이어 이에 즉 예를_들어 "
    "그는 그가 그의 그녀는 그녀가 그녀의 "
    "그들은 그들이 이는 이것은 이를 이런 이러한 그런 그것은 이 그",
    "ja": "しかし だが でも、 ただし ところが けれども それでも そのため したがって だから よって、 また、 "
    "さらに そして それから その後 次に 一方 "
    "なお、 つまり すなわち 例えば たとえば 同時に このため そこで すると 彼は 彼が 彼の 彼ら 彼女 これ それ "
    "あれ この その あの ここ そこ こうした "
    "そうした 同社 同氏 両者",
}
_KANA, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\uac00-\ud7af]")
_NO_OPENER = re.compile(r"(?!)")


def paragraph_starts(document: Document) -> list[bool]:
    """Return for each sentence whether it is the first of a line."""
    gaps = (document.text[left.end : right.start] for left, right in pairwise(document.sentences))
    return [True, *("\n" in gap for gap in gaps)][: len(document)]


def quotations(document: Document) -> list[int]:
    """Return for each sentence that begins inside a quotation the sentence in which it opens; else `ALONE`.

    A quotation counts once it is closed. One that runs over paragraphs may open again at the start of each.
    """
    inside, starts = [ALONE] * len(document), paragraph_starts(document)
    mark, first = "", 0
    for number, text in enumerate(document.texts):
        # Straight marks look alike, so one that is missing must not turn all that follow around.
        if number - first > _LONGEST_QUOTATION or (starts[number] and mark == '"'):
            mark = ""
        for match in _MARKS.finditer(text):
            found = match[0]
            if mark and found in _CLOSERS[mark]:
                inside[first + 1 : number + 1] = [first] * (number - first)
                mark = ""
            elif found in _CLOSERS and not (mark and (found != mark or (starts[number] and not match.start()))):
                mark, first = found, number
    return inside


def other(document: Document) -> Reading:
    """Return what the sentences of a document need, and which are noise, in any language, by their form.

    >>> other(Document.from_text("Anna wohnt in Bonn und ist Ärztin. Aber die Praxis ist in Köln.")).why
    ('', 'opening')
    """
    texts, starts, inside = [text.strip() for text in document.texts], paragraph_starts(document), quotations(document)
    noise = _scraps(texts, starts, inside)
    language = _language(document.text[:_SAMPLE])
    opener, leans = _opener(language), [False] * len(texts) if language else _leaning(document)
    # In a text without capitals, a small letter at the start says nothing.
    cased = sum(text[:1].islower() for text in texts) * 4 < len(texts)
    needs, why, before = [ALONE] * len(texts), [""] * len(texts), LOST
    for number, text in enumerate(texts):
        if noise[number]:
            continue
        if inside[number] != ALONE:
            needs[number], why[number] = inside[number], "quotation"
        elif opener.match(text.lstrip("“„«»\"'-–—¿¡「『 ").lower()):
            needs[number], why[number] = before, "opening"
        elif not starts[number] and cased and text[:1].islower():
            needs[number], why[number] = before, "fragment"
        elif not starts[number] and text[:1] in _CLOSERS and not _WORD.search(_QUOTED.sub("", text)):
            needs[number], why[number] = before, "speaker"
        elif leans[number] and not starts[number]:
            needs[number], why[number] = before, "opening"
        if needs[number] >= 0 and noise[needs[number]]:
            needs[number] = before
        before = number
    return Reading(tuple(needs), tuple(why), tuple(noise))


def _leaning(document: Document) -> list[bool]:
    """Tell of each sentence in an unknown language whether it looks unlike the first sentence of a text."""
    from tersely.read._openings import load_openings

    model = load_openings("other")
    return [probability > model.threshold for probability in model.probabilities(document)]


def _scraps(texts: Sequence[str], starts: Sequence[bool], inside: Sequence[int]) -> list[str]:
    """Return for each sentence what kind of noise it is, or nothing."""
    # Some texts, and some languages, have no closing marks.
    marked = sum(bool(_CLOSED.search(text)) for text in texts) * 2 > len(texts)
    kinds = []
    for text, start, first in zip(texts, starts, inside, strict=True):
        letters = sum(map(len, _WORD.findall(text))) + 2 * len(_DENSE.findall(text))
        if _BRACKETED.fullmatch(text):
            kinds.append("credit")
        elif len(text) < 120 and _WEB.search(text):
            kinds.append("boilerplate")
        elif first == ALONE and marked and not _CLOSED.search(text):
            kinds.append("heading" if start else "fragment")
        else:
            kinds.append("fragment" if first == ALONE and letters < 10 else "")
    return kinds


def _language(sample: str) -> str:
    """Return the language of a text if its openers are known, else nothing."""
    if len(_KANA.findall(sample)) * 10 > len(sample):
        return "ja"
    if len(_HANGUL.findall(sample)) * 5 > len(sample):
        return "ko"
    tokens = [token.strip(".,;:!?()\"'“”«»") for token in sample.lower().split()]
    counts = {name: sum(map(frozenset(common.split()).__contains__, tokens)) for name, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] * 10 > len(tokens) else ""


@cache
def _opener(language: str) -> re.Pattern[str]:
    """Return a pattern that matches the openers of a language at the start of a sentence in lowercase."""
    if language not in _OPENERS:
        return _NO_OPENER
    # "Il" of what there is, must be or seems to be refers to nothing.
    impersonal = "(?!il (?:y|faut|est|semble|existe|reste|s['’]agit))" if language == "fr" else ""
    words = sorted(_OPENERS[language].split(), key=len, reverse=True)
    pattern = "|".join(re.escape(word).replace("_", " ") for word in words)
    # Japanese has no spaces; elsewhere a word must end where the opener does.
    return re.compile(pattern if language == "ja" else rf"{impersonal}(?:{pattern})(?=[\s,،;:]|$)")
