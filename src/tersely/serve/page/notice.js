/** Says what went wrong, and offers what helps. */

import { useToken } from "./api.js";

const $ = (id) => document.getElementById(id);

/** `retry` asks the server again. */
export function prepareNotice(retry) {
  $("retry").addEventListener("click", retry);
  $("ask-token").addEventListener("submit", (event) => {
    event.preventDefault();
    useToken($("token").value.trim());
    $("token").value = "";
    retry();
  });
}

export function showProblem({ status, message }) {
  const locked = status === 401;
  const gone = status === 0 ? " Your text is still here." : "";
  $("problem").textContent = (locked ? "This server asks for a token." : message) + gone;
  $("ask-token").hidden = !locked;
  $("retry").hidden = locked || (status >= 400 && status < 500 && status !== 408 && status !== 429);
  $("notice").hidden = false;
}

export function hideProblem() {
  $("notice").hidden = true;
}
