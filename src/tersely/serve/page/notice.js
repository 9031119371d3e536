/** Says what went wrong and offers a remedy, or what was done and offers to undo it. */

import { useToken } from "./api.js";
import { say } from "./speech.js";

const $ = (id) => document.getElementById(id);
let sent = false; // whether a token was sent

/** `retry` asks the server again. */
export function prepareNotice(retry) {
  $("retry").addEventListener("click", retry);
  $("dismiss").addEventListener("click", hideProblem);
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
  const gone = status === 0 ? say("stillHere") : "";
  $("problem").textContent = (locked ? say(sent ? "unknownToken" : "wantsToken") : message) + gone;
  $("ask-token").hidden = !locked;
  $("retry").hidden = locked || (status >= 400 && status < 500 && status !== 408 && status !== 429);
  $("dismiss").hidden = locked;
  $("notice").hidden = false;
  if (locked && sent) $("token").focus();
}

export function hideProblem() {
  if ($("notice").contains(document.activeElement)) $("slider").focus({ preventScroll: true }); // so that the focus is not lost
  $("notice").hidden = true;
}

/** Say what was done, and offer to undo it if that is possible. */
export function toast(line, undoable = false) {
  $("toast-line").textContent = line;
  $("toast-undo").hidden = !undoable;
  $("toast").hidden = false;
  $("status").textContent = line;
}

export function hideToast() {
  if ($("toast").contains(document.activeElement)) $("slider").focus({ preventScroll: true });
  $("toast").hidden = true;
}
