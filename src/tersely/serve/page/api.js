/** Calls to the server. */

let token = ""; // in memory only

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

async function call(path, { body, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`; // as UTF-8
  const how = body ? { method: "POST", body: JSON.stringify(body) } : {};
  let response;
  try {
    response = await fetch(path, { ...how, headers, signal, cache: "no-store", credentials: "omit" });
    if (response.ok) return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The server does not respond.");
  }
  throw await explained(response);
}

async function explained(response) {
  try {
    const { title, detail, errors = [] } = await response.json();
    return new Problem(response.status, sentence(detail ?? title), errors.map(({ field }) => field));
  } catch {
    return new Problem(response.status, `The server answered with status ${response.status}.`);
  }
}

function sentence(line) {
  return `${line[0].toUpperCase()}${line.slice(1)}.`;
}

export const askFrontier = (body, signal) => call("v1/frontier", { body, signal });
export const askSummary = (body, signal) => call("v1/summarize", { body, signal });
export const askModels = () => call("v1/models");
export async function askExample(name) {
  const response = await fetch(`static/${name}`).catch(() => null);
  if (!response?.ok) throw new Problem(response?.status ?? 0, "The server does not respond.");
  return response.text();
}
