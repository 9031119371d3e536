/** The summary and its marked text as a page to print, with the pages of the file where they are known. */

import { say } from "./speech.js";

const STYLE = `body { font: 11.5pt/1.55 Georgia, "Liberation Serif", "Songti SC", serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; color: #1c1a16; background: #fff }
h1, h2, h3, h4, h5 { font-family: sans-serif; line-height: 1.3; margin: 1.4em 0 .4em } h1 { font-size: 1.5rem } h2 { font-size: 1.25rem } h3 { font-size: 1.1rem } h4, h5 { font-size: 1rem }
p { margin: 0 0 .7em; overflow-wrap: anywhere } mark { background: #ffe49b; color: inherit; -webkit-print-color-adjust: exact; print-color-adjust: exact; border-radius: .15em }
.item { padding-left: 1.4rem; text-indent: -1rem; margin-bottom: .25em } .item::before { content: "• " } .item:not(.bullet)::before { content: "" }
.quote, .reply { border-left: 3px solid #ddd; padding-left: 1rem } .code { font: .85em/1.5 monospace; white-space: pre-wrap; background: #f4f2ec; padding: .2rem .6rem }
.place { font: .75rem sans-serif; color: #68635a; margin-right: .5em } .label { font: .85em sans-serif; color: #68635a } section { border-top: 1px solid #ccc; margin-top: 2rem }
footer { font: .8rem sans-serif; color: #68635a; margin-top: 2rem } @media print { body { margin: 0; max-width: none } mark { text-decoration: underline } }`;

/** The page as HTML; it loads nothing, runs nothing, and what it says is text. */
export function exported(frontier, { chosen }, summary, source, used) {
  const title = frontier.documents.map(({ name }) => name).join(", ");
  const page = document.implementation.createHTMLDocument(title);
  const add = (parent, name, text, how = {}) => Object.assign(parent.appendChild(page.createElement(name)), { textContent: text, ...how });
  page.documentElement.lang = frontier.language === "other" ? "" : frontier.language;
  for (const how of [{ charset: "utf-8" }, { name: "viewport", content: "width=device-width" }, { httpEquiv: "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" }]) add(page.head, "meta", "", how);
  add(page.body, "h1", title);
  if (frontier.query) add(page.body, "p", frontier.query);
  const places = new Map(frontier.sentences.map((_, index) => [index, frontier.placeOf(index)]));
  add(page.body, "h2", say("summary"));
  page.body.append(...shown(page, summary, new Set(), new Map()));
  add(page.body, "p", used, { className: "place" });
  const text = add(page.body, "section", "");
  add(text, "h2", say("text"));
  text.append(...shown(page, source, new Set(chosen), places));
  // As text, since the policy of this page holds for its documents, too, and lets no style in.
  return `<!doctype html>\n${page.documentElement.outerHTML.replace("</head>", () => `<style>${STYLE}</style></head>`)}\n`;
}

/** Blocks of this page for another: the chosen sentences are marked, and a page or a time stands where it begins. */
function shown(page, box, chosen, places) {
  let before = "";
  const nodes = (parent) => [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return [page.createTextNode(node.data)];
    const index = node.dataset.index === undefined ? null : Number(node.dataset.index);
    const name = index === null ? node.localName : chosen.has(index) ? "mark" : "span";
    const copy = page.createElement(name === "p" && node.dataset.level ? `h${Math.min(6, Number(node.dataset.level) + 2)}` : name);
    if (node.className && index === null) copy.className = node.className;
    if (node.dataset.name || node.dataset.from) copy.append(Object.assign(page.createElement(node.dataset.name ? "h3" : "strong"), { textContent: node.dataset.name ?? `${node.dataset.from}: ` }));
    copy.append(...nodes(node));
    const place = places.get(index) ?? "";
    if (!place || place === before) return [copy];
    before = place;
    return [Object.assign(page.createElement("span"), { className: "place", textContent: place }), copy];
  });
  const blocks = nodes(box);
  return box.matches("p") ? [Object.assign(page.createElement("p"), { lang: box.lang })].map((paragraph) => (paragraph.append(...blocks), paragraph)) : blocks;
}
