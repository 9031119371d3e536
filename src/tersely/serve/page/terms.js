/** The words that a text keeps coming back to, and which of them its sentences have. */

const MOST = 30;
const LETTERS = /[\p{L}\p{N}\p{M}’']+/gu;
const DENSE = new Set(["zh", "ja"]);
const COMMON = new Set((
  "about above after again against almost along already also although always among and another any anybody are around asked back became because been before began behind being below between both but "
  + "came can cannot could did does doing done down during each either else enough even ever every everyone few first for from further gave get gets give given goes going gone got had has have having her here hers herself him himself his how however "
  + "into its itself just keep know last later least less let like likely made make makes making many may maybe might more most much must near need never new next nobody none nor not nothing now off often once one only onto other others our ours out over own "
  + "part people per perhaps put quite rather said same saw say says second see seem seen several shall she should since some someone something soon still such take taken than that the their theirs them themselves then there these they thing things this those though through thus "
  + "till time times today together told too took toward two under until upon use used very want was way well went were what when where whether which while who whom whose why will with within without would year years yes yet you your yours "
  + "don didn doesn isn wasn aren couldn won hasn haven wouldn shouldn will three four five six seven eight nine ten eleven twelve nineteen twenty thirty forty fifty sixty ninety hundred thousand million half quarter live lives old "
  + "aber alle als auch auf aus bei das dass dem den der des die durch ein eine einem einen einer eines für hat ist mit nach nicht noch oder sich sie sind und von war werden wird zum zur "
  + "aux avec ces cette dans des donc elle est été les leur mais même nous par pas plus pour que qui sans ses son sont sur une vous "
  + "como con del desde ella entre esta este fue las los más para pero por porque que ser sin sobre son sus una "
  + "一个 一些 一样 一直 不是 不同 不能 不会 之后 之前 之间 人们 什么 他们 她们 我们 你们 它们 以及 以后 但是 他的 其中 其他 其它 再次 分别 别人 包括 即将 只有 只能 可以 可能 因为 因此 同时 所以 所有 所谓 因而 大家 如果 如何 对于 将于 就是 已经 "
  + "并且 成为 或者 所在 才能 按照 是否 最后 最近 有关 有些 有人 本次 来自 根据 正在 此次 此外 没有 然后 然而 现在 由于 的话 目前 相关 第一 自己 虽然 表示 认为 这个 这些 这样 这种 那个 那些 还是 还有 进行 通过 那么 部分 需要 非常 不得 全部 一律 仍将 怎么 原来 今天 昨天 去年 今年 明年 每天 每年 其余 最多 最少 将会 平均"
).split(" "));

export class Terms {
  /** Find the main words of a text, given its sentences: those of most sentences, but no common ones. */
  constructor({ sentences, language }) {
    const words = splitter(language);
    const rows = sentences.map(({ text }) => new Map(words(text).map((word) => [stem(word.toLowerCase()), word])));
    const times = new Map(); // word -> in how many sentences
    const forms = new Map(); // word -> as it is written first; in lowercase if it ever is, since it is no name then
    for (const row of rows) {
      for (const [word, form] of row) {
        times.set(word, (times.get(word) ?? 0) + 1);
        if (!forms.has(word) || (forms.get(word) !== forms.get(word).toLowerCase() && form === form.toLowerCase())) forms.set(word, form);
      }
    }
    const again = [...times].filter(([, count]) => count > 1);
    this.repeats = again.length > 1; // else all words are main words
    const main = (this.repeats ? again : [...times]).sort(([, a], [, b]) => b - a).slice(0, MOST);
    this.words = main.map(([word]) => forms.get(word)); // those of most sentences first
    const numbers = new Map(main.map(([word], number) => [word, number]));
    this.weights = main.map(([, count]) => count);
    this.total = this.weights.reduce((sum, weight) => sum + weight, 0);
    this.rows = rows.map((row) => [...row.keys()].map((word) => numbers.get(word)).filter((number) => number !== undefined).sort((a, b) => a - b));
  }

  /** The main words of a sentence. */
  of(index) {
    return this.rows[index].map((number) => this.words[number]);
  }

  /** The numbers of the main words that these sentences have. */
  covered(chosen) {
    return new Set(chosen.flatMap((index) => this.rows[index]));
  }

  /** What part of the main words these sentences cover, from 0 to 1; a word of more sentences weighs more. */
  share(chosen) {
    if (!this.total) return 0;
    let sum = 0;
    for (const number of this.covered(chosen)) sum += this.weights[number];
    return sum / this.total;
  }
}

function splitter(language) {
  const known = (word) => !COMMON.has(word) && !/^\p{N}+$/u.test(word);
  if (!DENSE.has(language)) return (text) => (text.match(LETTERS) ?? []).map(bare).filter((word) => word.length > 2 && known(word.toLowerCase()));
  if (!globalThis.Intl?.Segmenter) return (text) => Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)).filter((pair) => /^\p{L}{2}$/u.test(pair));
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  const numeral = /^[第一二三四五六七八九十百千万亿多两几]+/u;
  return (text) => [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment).filter((word) => word.length > 1 && known(word) && !numeral.test(word));
}

function bare(word) {
  return word.replace(/[’']s?$/u, "").replace(/^[’']+/u, "");
}

/** So that "pump" and "pumps" are one word. */
function stem(word) {
  if (/[a-z]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /[a-z]{2}[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
