/** What the page says, in English and Chinese. */

const EN = {
  skip: "Skip to the length", tagline: "Fits any text to any length, in the text’s own words.",
  history: "History", undo: "Undo", redo: "Redo", more: "More", token: "Token", send: "Send", retry: "Try again", dismiss: "Close",
  text: "Text", unpin: "Clear pins", done: "Done", edit: "Edit", add: "Add a text", new: "New text", documents: "Texts",
  isExample: "An example. Paste or drop your own text, or", open: "Open files…",
  examples: "Examples:", exampleQuestion: "three texts",
  alone: "This page works without a server, so it shows only these examples. Run “tersely serve” for your own texts.",
  paste: "Paste a text, or drop files here.",
  hint: "Click a sentence to keep it, again to leave it out, once more to release it. Fainter ones matter less.",
  lengthAndSummary: "Length and summary", length: "Length", atMost: "At most", unit: "Unit",
  "unit.chars": "characters", "unit.words": "words", "unit.sentences": "sentences", "unit.bytes": "bytes", "unit.tokens": "tokens",
  axis: "Main words covered", sliderName: "Length of the summary", keys: "Use the arrow keys to step from one summary to the next.",
  wishes: "What to choose", question: "Question", askSomething: "A question to answer (optional)",
  steady: "Keep every sentence as it grows", steadyLong: "A longer summary has every sentence of a shorter one, and some more. It reads more steadily and chooses a little less well.",
  steadyMost: "This text is too long to keep every sentence as it grows: that works for up to 1,000 sentences.",
  presets: "Presets", "preset.message": "Message", "preset.post": "Post", "preset.abstract": "Abstract", "preset.prompt": "Prompt", "preset.sections": "One sentence per section · {number}", "preset.texts": "One sentence per text · {number}",
  bullets: "As a list", listed: "Copied as a list. With its marks it has {amount}.", nothingAnswers: "Nothing here answers this. The nearest sentences:",
  grow: "Make it {amount}", lacks: "Sentences that lack another", lacksLine: "“{quote}” lacks “{needed}” ({cause}).", addIt: "Add it", addedIt: "Added. The length is {amount} now.",
  "take.html": "Download a page to print", bookmarklet: "Shorten it", bookmarkletLong: "To shorten what you select on any page, drag this into your bookmarks:",
  bookmarkletCopied: "Copied. Make a bookmark with it as the address, or drag the link into your bookmarks.",
  summary: "Summary", waiting: "Choosing…", compare: "Compare", copy: "Copy", copied: "Copied", takeAway: "More…",
  "take.markdown": "Copy as Markdown", "take.quotations": "Copy quotations with positions", "take.curl": "Copy the curl command",
  "take.python": "Copy the Python program", "take.link": "Copy a link with the text in it", "take.json": "Download JSON",
  secondSummary: "Second summary", how: "How it works", "how.1": "Paste a text, drop files, or see an example.",
  "how.2": "Move the slider. The most important sentences that fit are marked as you move.",
  "how.3": "Click a sentence to keep it or to leave it out. Then copy the summary.",
  model: "Model", privacy: "Your text goes to this server and nowhere else. A draft stays in this tab until you close it.",
  used: "{used} of {amount}.", share: "{percent} % covered", covered: "{percent} % of the main words at {amount}",
  mainWords: "Main words: ", kept: "kept", leftOut: "left out", document: "Text {number}", remove: "Remove {name}", show: "Show {name}",
  replaced: "The text was replaced.", added: "Added {name}.", removed: "{name} was removed.", cleared: "The text was cleared.",
  linkSize: "Copied a link of {size} characters. The text is in the link itself: no server sees it.", linkBad: "The text in this link cannot be read.",
  restored: "Your draft from before is here.",
  noServer: "The server does not respond.", stillHere: " Your text is still here.", status: "The server answered with status {status}.",
  unknownToken: "This server does not know that token.", wantsToken: "This server requires a token.",
  "file.unread": "“{name}” cannot be read.", "file.empty": "“{name}” has no text.", "file.kind": "“{name}” is not plain text, and this server reads no other files.",
  "file.is": "“{name}” {notes}", "file.noted": "“{name}”: {notes}", "file.reading": "Reading “{name}”…",
  "length.empty": "The text has no sentences.", "length.pins": "The sentences you keep need {amount}.", "length.whole": "The whole text fits.",
  "length.closer": "Looking closer…", "length.gain": "More would fit, but would add too little.", "length.steady": "More would fit, but the next step comes later.",
  "length.all": "Every sentence that you did not leave out is in.", "length.none": "Every sentence is left out.",
  "length.short": "No sentence is short enough: the shortest needs {amount}.", "length.full": "Filled to the last {unit}.",
  "length.rest": "Nothing else fits: the shortest needs {more} more.",
  whyIn: "Why this one?", whyOut: "Why not this one?",
  "why.kept": "You keep it.", "why.out": "You left it out.", "why.rank": "{ordinal} of {all} in importance.",
  "why.words": "It has words that the text keeps coming back to: {words}.", "why.noWords": "It has none of the words that the text keeps coming back to.",
  "why.first": "It opens the text.", "why.opens": "It opens a paragraph.", "why.last": "It ends the text.", "why.place": "It stands {percent} % into the text.",
  "why.query": "Importance here is how well it helps to answer “{query}”.",
  "why.needs": "It cannot be understood without “{quote}” ({cause}), which is in the summary.", "why.needsOut": "It cannot be understood without “{quote}” ({cause}), which is not in the summary.",
  "why.alone": "It is hard to understand by itself ({cause}).",
  "role.main": "It is a main point.", "role.support": "It supports a main point.", "role.background": "It is background.", "role.quotation": "It is a quotation.",
  "role.procedure": "It is about procedure.", "role.noise": "It is probably no proper sentence.",
  "why.serves": "“{quote}” cannot be understood without it.",
  "why.from": "It is in from {amount} on.", "why.spans": "It is in {spans}.", "why.between": "from {from} to {to}", "why.on": "from {amount} on", "why.and": ", ", "why.list": ", ",
  "why.displaced": "At {amount}, it took the place of “{quote}”.", "why.later": "It comes in at {amount}.", "why.notHere": "At this length, others together are worth more.", "why.little": "It would fit, but adds too little.",
  "why.never": "No shorter summary than the whole text has room for it.", "why.noise": "It is no proper sentence ({noise}).", "why.repeats": "It nearly repeats another sentence.",
  "rest.title": "Left out: {amount}", "rest.from": "in from {number}", "rest.never": "never in", "rest.more": "and {number} more",
};

const ZH = {
  skip: "跳到长度", tagline: "用原文的句子，把任何文章缩到任意长度。",
  history: "历史", undo: "撤销", redo: "重做", more: "更多", token: "令牌", send: "发送", retry: "重试", dismiss: "关闭",
  text: "原文", unpin: "清除标记", done: "完成", edit: "编辑", add: "添加文章", new: "新文章", documents: "文章列表",
  isExample: "这是示例。请粘贴或拖入您的文章，或", open: "打开文件…",
  examples: "示例：", exampleQuestion: "三篇文章",
  alone: "此页面没有服务器，只显示这些示例。要处理自己的文章，请运行 tersely serve。",
  paste: "在此粘贴文章，或拖入文件。",
  hint: "点击句子可保留，再点排除，第三次点击恢复。越淡越次要。",
  lengthAndSummary: "长度和摘要", length: "长度", atMost: "最多", unit: "单位",
  "unit.chars": "字符", "unit.words": "词", "unit.sentences": "句", "unit.bytes": "字节", "unit.tokens": "词元",
  axis: "覆盖的主要词语", sliderName: "摘要长度", keys: "用方向键逐个查看摘要。",
  wishes: "选句方式", question: "问题", askSomething: "想让摘要回答的问题（可不填）",
  steady: "变长时保留已有的句子", steadyLong: "较长的摘要包含较短摘要的每一句，再加几句：变化更平稳，选句略逊。",
  steadyMost: "这篇文章太长，变长时无法保留已有的句子：最多 1,000 句。",
  presets: "常用长度", "preset.message": "短信", "preset.post": "微博", "preset.abstract": "文摘", "preset.prompt": "提示词", "preset.sections": "每节一句 · {number}", "preset.texts": "每篇一句 · {number}",
  bullets: "列表", listed: "已复制为列表，连同符号共 {amount}。", nothingAnswers: "文中没有答案。最接近的句子：",
  grow: "放宽到 {amount}", lacks: "缺少上文的句子", lacksLine: "“{quote}”缺少“{needed}”（{cause}）。", addIt: "加上", addedIt: "已加上，长度现为 {amount}。",
  "take.html": "下载可打印的网页", bookmarklet: "缩短选中的文字", bookmarkletLong: "要缩短任何网页上选中的文字，把它拖到书签栏：",
  bookmarkletCopied: "已复制。请新建书签，以它为网址；或把链接拖到书签栏。",
  summary: "摘要", waiting: "正在选句…", compare: "对比", copy: "复制", copied: "已复制", takeAway: "更多…",
  "take.markdown": "复制为 Markdown", "take.quotations": "复制引文及位置", "take.curl": "复制 curl 命令",
  "take.python": "复制 Python 程序", "take.link": "复制带原文的链接", "take.json": "下载 JSON",
  secondSummary: "第二份摘要", how: "使用方法", "how.1": "粘贴文章、拖入文件，或看示例。",
  "how.2": "移动滑块，放得下的最重要的句子会随之高亮。", "how.3": "点击句子可保留或排除，然后复制摘要。",
  model: "模型", privacy: "文章只发送到这台服务器。草稿保存在此标签页中，关闭后即消失。",
  used: "{used} / {amount}。", share: "覆盖 {percent}%", covered: "{amount}，覆盖主要词语的 {percent}%",
  mainWords: "主要词语：", kept: "已保留", leftOut: "已排除", document: "文章 {number}", remove: "移除“{name}”", show: "显示“{name}”",
  replaced: "原文已替换。", added: "已添加“{name}”。", removed: "已移除“{name}”。", cleared: "原文已清空。",
  linkSize: "已复制链接，共 {size} 个字符。原文就在链接里，服务器看不到。", linkBad: "无法读取链接中的文章。",
  restored: "已恢复之前的草稿。",
  noServer: "服务器没有响应。", stillHere: "文章还在这里。", status: "服务器返回状态 {status}。",
  unknownToken: "服务器不认识这个令牌。", wantsToken: "服务器需要令牌。",
  "file.unread": "无法读取“{name}”。", "file.empty": "“{name}”里没有文字。", "file.kind": "“{name}”不是纯文本，而此服务器不读取其他文件。",
  "file.is": "“{name}” {notes}", "file.noted": "“{name}”：{notes}", "file.reading": "正在读取“{name}”…",
  "length.empty": "文章里没有句子。", "length.pins": "您保留的句子需要 {amount}。", "length.whole": "全文都放得下。",
  "length.closer": "正在细看…", "length.gain": "还放得下，但再加意义不大。", "length.steady": "还放得下，但下一步要更长。",
  "length.all": "未排除的句子都在摘要中。", "length.none": "所有句子都被排除了。",
  "length.short": "没有足够短的句子：最短的需要 {amount}。", "length.full": "恰好用满。",
  "length.rest": "再也放不下别的：最短的还需要 {more}。",
  whyIn: "为什么选这句？", whyOut: "为什么不选这句？",
  "why.kept": "您保留了它。", "why.out": "您排除了它。", "why.rank": "重要性在 {all} 句中排第 {ordinal}。",
  "why.words": "含有文中反复出现的词语：{words}。", "why.noWords": "不含文中反复出现的词语。",
  "why.first": "它是全文第一句。", "why.opens": "它是段落的第一句。", "why.last": "它是全文最后一句。", "why.place": "位于全文 {percent}% 处。",
  "why.query": "这里的重要性，是指对回答“{query}”有多大帮助。",
  "why.needs": "离开“{quote}”就无法理解（{cause}），那句也在摘要中。", "why.needsOut": "离开“{quote}”就无法理解（{cause}），而那句不在摘要中。",
  "why.alone": "单看这句难以理解（{cause}）。",
  "role.main": "它是要点。", "role.support": "它支持要点。", "role.background": "它是背景。", "role.quotation": "它是引语。",
  "role.procedure": "它只讲程序。", "role.noise": "它很可能不是正常的句子。",
  "why.serves": "离开它，“{quote}”就无法理解。",
  "why.from": "从 {amount}起入选。", "why.spans": "入选范围：{spans}。", "why.between": "{from} 至 {to}", "why.on": "{amount}以上", "why.and": "，", "why.list": "、",
  "why.displaced": "在 {amount}处，它取代了“{quote}”。", "why.later": "到 {amount}时入选。", "why.notHere": "在这个长度，其他句子合起来更有价值。", "why.little": "放得下，但意义不大。",
  "why.never": "除非放下全文，否则没有它的位置。", "why.noise": "它不是正常的句子（{noise}）。", "why.repeats": "它与另一句几乎重复。",
  "rest.title": "未选：{amount}", "rest.from": "{number} 起入选", "rest.never": "从不入选", "rest.more": "另有 {number} 句",
};

const LINES = { en: EN, zh: ZH };
const UNITS_EN = { chars: "character", words: "word", sentences: "sentence", bytes: "byte", tokens: "token" };
const UNITS_ZH = { chars: " 个字符", words: " 个词", sentences: " 句", bytes: " 字节", tokens: " 个词元" };
const KINDS_EN = { row: "row of a table", glued: "glued lines", link: "link or reference", other: "not prose" };
const KINDS_ZH = {
  caption: "图注", credit: "署名", heading: "标题", dateline: "电头", greeting: "问候", signature: "落款", boilerplate: "套话", link: "链接",
  row: "表格行", fragment: "残句", glued: "粘连的文字", repetition: "重复", other: "非正文", call: "引导语", list: "列表", table: "表格", code: "代码",
};
const CAUSES_EN = {
  pronoun: "a pronoun", definite: "it speaks of something known", demonstrative: "this or that", name: "only part of a name", acronym: "an unexplained abbreviation",
  connective: "a word such as “but”", quotation: "part of a quotation", speaker: "who speaks", answer: "an answer", question: "a question", list: "an item of a list",
  time: "a time such as “then”", ellipsis: "words that are left out", scope: "what it applies to", other: "what it is about",
};
const CAUSES_ZH = {
  pronoun: "代词", definite: "指前文的事物", demonstrative: "指示词", name: "简称的名字", acronym: "未解释的缩写", connective: "连接词", quotation: "引文的一部分",
  speaker: "说话人", answer: "回答", question: "提问", list: "列举项", time: "时间", ellipsis: "省略", scope: "适用范围", other: "上下文",
};
export const UNITS = Object.keys(UNITS_EN);

export let spoken = "en";

/** The best of the languages that the reader knows. */
export function preferred(languages = navigator.languages) {
  const known = languages.map((tag) => tag.toLowerCase().split("-")[0]).find((code) => code in LINES);
  return known ?? "en";
}

/** Say everything in a language: "en" or "zh". */
export function speak(code) {
  spoken = code in LINES ? code : "en";
  document.documentElement.lang = spoken === "zh" ? "zh-Hans" : "en";
  for (const [attribute, name] of [["data-say-label", "aria-label"], ["data-say-placeholder", "placeholder"], ["data-say-title", "title"]]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) element.setAttribute(name, say(element.getAttribute(attribute)));
  }
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
  const [other, name, line] = spoken === "zh" ? ["en", "English", "Read this page in English"] : ["zh", "中文", "用中文阅读本页"];
  Object.assign(document.getElementById("language"), { lang: other, textContent: name, ariaLabel: `${name}: ${line}` });
}

/** A line with its values: say("used", { used: 3, amount: "5 words" }). */
export function say(line, values = {}) {
  return LINES[spoken][line].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** "1 word", "1,280 characters", "1,280 个字符". */
export function amount(number, unit) {
  if (spoken === "zh") return `${grouped(number)}${UNITS_ZH[unit]}`;
  return `${grouped(number)} ${UNITS_EN[unit]}${number === 1 ? "" : "s"}`;
}

/** The name of a kind of line that is no sentence, such as "heading". */
export const kindName = (kind) => (spoken === "zh" ? KINDS_ZH : KINDS_EN)[kind] ?? kind;

/** Why a sentence cannot be understood alone, such as "a pronoun". */
export const causeName = (cause) => (spoken === "zh" ? CAUSES_ZH : CAUSES_EN)[cause] ?? cause;

// What the server says in English about files and requests.
const TOLD_ZH = [
  [/^read as (\S+)$/i, "按 $1 编码读取"], [/^named like an? (.+), but read as plain text$/i, "名称像 $1，但按纯文本读取"], [/^read its (?:column|field) '(.+)'$/i, "读取了其中的“$1”"],
  [/^(\d+) of (\d+) pages have no text, page (\d+) first$/i, "共 $2 页，其中 $1 页没有文字，最前是第 $3 页"],
  [/is a picture: .*/i, "是图片：请先识别文字（OCR）。"], [/is a recording: .*/i, "是录音：请先转成文字。"], [/is (?:compressed|an archive): .*/i, "是压缩文件：请先解压。"], [/is encrypted: .*/i, "已加密：请先去掉密码。"],
  [/is an old Office file: .*/i, "是旧版 Office 文件：请先另存为 DOCX。"], [/is a spreadsheet: .*/i, "是电子表格：请先另存为 CSV。"], [/(?:has no text|is empty)\b.*/i, "里没有文字。"], [/is (?:a broken|no readable) .*/i, "已损坏，无法读取。"],
  [/^the text has too many sentences: a request may have ([\d,]+).*/i, "文章的句子太多：最多 $1 句。"], [/^the text has ([\d,]+) lines: a request may have ([\d,]+).*/i, "文章有 $1 行，太多了：最多 $2 行。"],
  [/^the body is larger than the ([\d,]+) bytes.*/i, "太大了：最多 $1 字节。"], [/.*\b(?:busy|queue is full)\b.*/i, "服务器正忙，请稍后再试。"], [/.*\bnot ready (?:in time|within).*/i, "服务器未能及时完成，请缩短文章再试。"],
];

/** A line of the server in the reader's language, if it is a known one. */
export function told(line) {
  const known = spoken === "zh" && TOLD_ZH.find(([pattern]) => pattern.test(line));
  return known ? line.replace(...known) : line;
}

/** What a sentence is in its text; nothing if that is not known. */
export const roleLine = (role) => (role ? LINES[spoken][`role.${role}`] : null);

export const one = (unit) => UNITS_EN[unit];

export function grouped(number) {
  return number.toLocaleString("en");
}

/** "1st", "22nd"; plain in Chinese. */
export function ordinal(number) {
  if (spoken === "zh") return grouped(number);
  const ending = { one: "st", two: "nd", few: "rd", other: "th" }[new Intl.PluralRules("en", { type: "ordinal" }).select(number)];
  return `${grouped(number)}${ending}`;
}
