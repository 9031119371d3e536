/** Calls to the server; a page without one has the answers about its examples beside it. */

import { say, told } from "./speech.js";

let token = ""; // in memory only
const beside = document.querySelector("meta[name=answers]")?.content;
export const alone = Boolean(beside); // no server

export function useToken(value) {
  token = value;
}

/** Why a call failed. */
export class Problem extends Error {
  constructor(status, message, fields = []) {
    super(message);
    this.status = status; // 0 if no server answered
    this.fields = fields; // the wrong fields of the request
  }
}

async function call(path, { content, type = "application/json", signal } = {}) {
  const headers = { Accept: "application/json" };
  if (content) headers["Content-Type"] = type;
  if (token) headers.Authorization = `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`; // as UTF-8
  const how = content ? { method: "POST", body: content } : {};
  let response;
  try {
    response = await fetch(path, { ...how, headers, signal, cache: "no-store", credentials: "omit" });
    if (response.ok) return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, say("noServer"));
  }
  throw await explained(response);
}

async function explained(response) {
  try {
    const { title, detail, errors = [] } = await response.json();
    return new Problem(response.status, sentence(told(detail ?? title)), errors.map(({ field }) => field));
  } catch {
    return new Problem(response.status, say("status", { status: response.status }));
  }
}

function sentence(line) {
  return `${line[0].toUpperCase()}${line.slice(1)}${/[.!?。！？]$/u.test(line) ? "" : "."}`;
}

export async function askFrontier(body, signal) {
  if (!alone) return call("v1/frontier", { content: JSON.stringify(body), signal });
  const answers = await call(beside);
  const { text, query, unit, nested } = body;
  const asked = JSON.stringify([text, query ?? null, unit, nested ?? false]);
  const found = answers.find(({ request }) => JSON.stringify([request.text, request.query ?? null, request.unit, request.nested ?? false]) === asked);
  if (!found) throw new Problem(404, say("alone"));
  return found.answer;
}

export const askSummary = (body, signal) => call("v1/summarize", { content: JSON.stringify(body), signal });
export const askModels = () => call("v1/models");
/** The text of a file of any kind that the server can read. */
export const askExtract = (file) =>
  call(`v1/extract?name=${encodeURIComponent(file.name)}`, { content: file, type: "application/octet-stream" });

/** An example: its texts, and perhaps a question. */
export async function askExample(name) {
  const response = await fetch(`static/${name}.txt`).catch(() => null);
  if (!response?.ok) throw new Problem(response?.status ?? 0, say("noServer"));
  return parsed(await response.text());
}

/** In an example with several texts, "? " comes before the question and "# " before the name of each text. */
function parsed(content) {
  const [opening, ...parts] = content.split(/^# /m);
  if (!parts.length) return { question: "", documents: [{ name: "", text: content }] };
  const question = opening.replace(/^\? /, "").trim();
  return { question, documents: parts.map((part) => ({ name: part.split("\n", 1)[0], text: part.slice(part.indexOf("\n") + 1).trim() })) };
}
