// Starts the page and changes between its tabs.

import { ask } from "./parts.js";
import { startInspecting } from "./inspect.js";
import { startPlaying } from "./play.js";

const started = new Set();

async function show(tab, setup) {
  for (const each of ["inspect", "play"]) {
    document.getElementById(each).hidden = each !== tab;
    document.getElementById(`tab-${each}`).setAttribute("aria-pressed", String(each === tab));
  }
  if (started.has(tab)) return;
  started.add(tab);
  await (tab === "inspect" ? startInspecting(setup) : startPlaying((history) => inspectAt(history, setup)));
}

async function inspectAt(history, setup) {
  started.delete("inspect");
  await show("inspect", { ...setup, history });
}

const setup = await ask("setup");
if (setup !== null) {
  document.title = `${setup.game} - nash-ismcts`;
  document.getElementById("game").textContent = setup.game;
  document.getElementById("about").textContent = `${setup.bot}, models: ${setup.models}`;
  document.getElementById("tab-inspect").onclick = () => show("inspect", setup);
  document.getElementById("tab-play").onclick = () => show("play", setup);
  await show(setup.tab, setup);
  document.body.dataset.ready = "yes";
}
