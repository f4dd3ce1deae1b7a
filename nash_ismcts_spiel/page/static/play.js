// A person against the bot.

import { ask, bar, beliefTable, button, cell, drawing, el, fill, note, percent, table } from "./parts.js";

let inspectAt = null; // opens the inspector at a position of a hand that is over
let busy = false;

export async function startPlaying(inspect) {
  inspectAt = inspect;
  await act("table");
}

async function act(question, given = {}) {
  if (busy) return;
  busy = true;
  for (const each of document.querySelectorAll("#table button")) each.disabled = true;
  const view = await ask(question, given);
  // After a refusal the table is shown as it stands.
  const shown = view ?? (await ask("table"));
  busy = false;
  if (shown !== null) show(shown);
}

function show(view) {
  document.getElementById("table-title").textContent = `Hand ${view.number}: you are player ${view.seat} of ${view.players}`;
  const moves = view.moves.map(([action, name]) => button(name, () => act("move", { action }), "move"));
  const parts = [drawing(view.drawing), el("details", {}, el("summary", { textContent: "as the game writes it" }), el("pre", { className: "small", textContent: view.text }))];
  if (view.over) {
    parts.push(el("p", { id: "won", textContent: `the hand is over, you won ${view.won >= 0 ? "+" : ""}${view.won}` }));
    parts.push(button("next hand", () => act("deal"), "move"));
  } else {
    parts.push(el("div", { id: "moves" }, ...moves));
  }
  const undo = button("undo", () => act("undo"), "move");
  undo.disabled = !view.can_undo;
  parts.push(undo);
  if (view.taken_back) parts.push(note("a move was taken back, so this hand does not count"));
  fill("table", ...parts);
  fill("score", el("p", { id: "words", textContent: view.words }));
  fill("afterwards", view.over ? button("tell me", tell) : note("told when the hand is over"));
  document.body.dataset.hand = JSON.stringify([view.number, view.over, view.moves.length]);
}

async function tell() {
  const told = await ask("afterwards");
  if (told === null) return;
  const decisions = told.decisions.map((decision) => {
    const rows = decision.mix.map(([name, share]) => el("tr", {}, cell(name), cell(percent(share), "number"), cell(bar(share, "search"))));
    return el("div", { className: "decision" },
      el("p", { textContent: `player ${decision.seat} saw` }), drawing(decision.drawing),
      el("p", { textContent: `its mix, from which it drew ${decision.chose}:` }), table(["move", "share", ""], rows),
      el("p", { textContent: "its beliefs of what was hidden:" }), beliefTable(decision.beliefs),
      button("inspect this search", () => inspectAt(decision.history)));
  });
  fill("afterwards", el("p", { id: "events", textContent: `what happened: ${told.events.join(", ")}` }), ...decisions);
}
