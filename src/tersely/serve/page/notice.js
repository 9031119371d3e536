/** Says what went wrong and offers a remedy. */

import { useToken } from "./api.js";

const $ = (id) => document.getElementById(id);
let sent = false; // whether a token was sent

/** `retry` asks the server again. */
export function prepareNotice(retry) {
  $("retry").addEventListener("click", retry);
  $("ask-token").addEventListener("submit", (event) => {
    event.preventDefault();
    sent = true;
    useToken($("token").value.trim());
    $("token").value = "";
    retry();
  });
}

export function showProblem({ status, message }) {
  const locked = status === 401;
  const gone = status === 0 ? " Your text is still here." : "";
  const wanted = sent ? "This server does not know that token." : "This server requires a token.";
  $("problem").textContent = (locked ? wanted : message) + gone;
  $("ask-token").hidden = !locked;
  $("retry").hidden = locked || (status >= 400 && status < 500 && status !== 408 && status !== 429);
  $("notice").hidden = false;
  if (locked && sent) $("token").focus();
}

export function hideProblem() {
  if ($("notice").contains(document.activeElement)) $("slider").focus({ preventScroll: true }); // so that the focus is not lost
  $("notice").hidden = true;
}
