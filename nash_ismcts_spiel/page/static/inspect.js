// Shows one search: the position, beliefs, intervals, and the way through the trees.

import { ask, bar, beliefTable, button, cell, drawing, el, fill, note, percent, signed, svg, table } from "./parts.js";

const WIDTH = 260;
const CHANCE = -1;

let asked = null; // what is asked of the server
let most = 1;
let busy = false;
let again = false;

// The slider of visits is logarithmic.
const toVisits = (slider) => Math.max(1, Math.round(most ** (slider / 100)));
const toSlider = (visits) => Math.round((100 * Math.log(visits)) / Math.log(most));

export async function startInspecting(setup) {
  most = setup.most_visits;
  asked = { history: setup.history, visits: setup.visits, radius: setup.radius, seed: setup.seed, steps: [] };
  const visits = document.getElementById("visits");
  const radius = document.getElementById("radius");
  const seed = document.getElementById("seed");
  radius.max = String(Math.max(1, setup.radius));
  visits.value = String(toSlider(setup.visits));
  radius.value = String(setup.radius);
  seed.value = String(setup.seed);
  visits.oninput = () => change({ visits: toVisits(Number(visits.value)) });
  radius.oninput = () => change({ radius: Number(radius.value) });
  seed.oninput = () => change({ seed: Math.max(0, Math.trunc(Number(seed.value))) });
  document.getElementById("sweep").onclick = sweep;
  await change({});
}

// Searches again with something changed. While a search runs, only the last change is kept.
async function change(changes) {
  asked = { ...asked, ...changes };
  document.getElementById("visits-value").textContent = String(asked.visits);
  document.getElementById("radius-value").textContent = asked.radius.toFixed(2);
  if (!("steps" in changes)) document.getElementById("sweep-section").hidden = true;
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  do {
    again = false;
    const began = performance.now();
    const answer = await ask("inspect", asked);
    if (answer !== null && !again) show(answer, performance.now() - began);
  } while (again);
  busy = false;
}

const goTo = (history) => change({ history, steps: [] });
const step = (kind, number) => change({ steps: [...asked.steps, [kind, number]] });
const who = (player) => (player === CHANCE ? "chance" : `player ${player}`);

function show(answer, milliseconds) {
  showPosition(answer.position);
  const search = answer.search;
  if (search === null) {
    const over = answer.position.over;
    const words = over ? `the game is over: ${answer.position.returns.map(signed).join(", ")}` : "chance is to move; choose what happens";
    document.getElementById("cost").textContent = "";
    for (const id of ["sight", "beliefs", "way"]) fill(id);
    fill("place", note(words));
    return;
  }
  const ended = search.stopped_by === "visits" ? "" : `, stopped by the limit of ${search.stopped_by}`;
  document.getElementById("cost").textContent =
    `${search.visits} visits, ${search.simulations} simulations in ${search.trees} trees${ended}, ${Math.round(milliseconds)} ms`;
  document.body.dataset.shown = JSON.stringify([asked.visits, asked.radius, asked.steps.length]);
  asked.steps = search.steps;
  showWay(search);
  showPlace(search);
}

function showPosition(position) {
  const chips = position.events.map((event, index) =>
    button(event.name, () => goTo(asked.history.slice(0, index)), "chip"));
  const parts = [el("div", {}, ...chips)];
  if (chips.length > 0) parts.push(note("choose an event to go back to before it"));
  if (!position.over) {
    const choices = position.options.map((option) =>
      el("option", { value: String(option.action), textContent: option.probability === null ? option.name : `${option.name} (${percent(option.probability)})` }));
    const select = el("select", { id: "next-event" }, ...choices);
    select.setAttribute("aria-label", "what happens next");
    const random = () => select.options[Math.floor(Math.random() * select.options.length)].value;
    parts.push(el("div", {}, `${who(position.mover)}: `, select, " ",
      button("go on", () => goTo([...asked.history, Number(select.value)])), " ",
      button("at random", () => goTo([...asked.history, Number(random())]))));
  }
  fill("position", ...parts);
}

// Which tree we are in, and how we came there.
function showWay(search) {
  const crumbs = search.way.map((place, index) => {
    const entered = place.kind === "act" && place.player !== search.way[0].player && index > 0 && place.owner !== search.way[index - 1].owner;
    const words = { act: `${who(place.player)} acts`, sample: "hidden pieces", chance: "chance", opponent: `${who(place.player)} moves`, over: "end" }[place.kind];
    const made = button(entered ? `tree of ${who(place.owner)}: ${words}` : words, () => change({ steps: asked.steps.slice(0, index) }), "chip");
    if (index === search.way.length - 1) made.setAttribute("aria-pressed", "true");
    return made;
  });
  const owner = search.way[search.way.length - 1].owner;
  fill("way", el("div", { className: "crumbs" }, ...crumbs),
    note(`in the tree of ${who(owner)}` + (search.way.length === 1 ? "; choose an action below to step into the tree" : "")),
    search.left_out === null ? null : note(`the way ended early: ${search.left_out}`));
}

function showPlace(search) {
  const place = search.place;
  const title = { act: `${who(place.player)} searches`, sample: `what is hidden after ${place.action}`, chance: "chance decides", opponent: `${who(place.mover)} moves in the imagined world`, over: "the end" }[place.kind];
  document.getElementById("place-title").textContent = title;
  if (place.kind === "act") {
    document.getElementById("sight-title").textContent = `What player ${place.player} sees`;
    const log = place.log.map((entry) => (entry.did === null ? "" : `${entry.did}\n`) + entry.shown).join("\n\n");
    fill("sight", drawing(place.drawing), el("details", {}, el("summary", { textContent: "as the game writes it" }), el("pre", { className: "small", textContent: log || place.text })));
    fill("beliefs", beliefTable(place.beliefs));
  }
  fill("place", ...{ act: actParts, sample: sampleParts, chance: chanceParts, opponent: opponentParts, over: overParts }[place.kind](place, search));
}

function actParts(place, search) {
  const found = place.found;
  if (found === null) {
    const rows = place.names.map((name, index) => el("tr", {}, cell(stepButton("action", place, index, name)),
      cell(percent(place.prior[index]), "number"), cell(bar(place.prior[index], "prior"))));
    return [note("the search did not come here; P alone is known"), table(["action", "P", ""], rows)];
  }
  const scale = scaleOf(found);
  const rows = place.names.map((name, index) => actionRow(place, found, index, name, scale));
  const total = found.pure_count + found.mixed_count;
  const dropped = place.names.filter((_, index) => !found.kept[index]);
  const filter = !found.filters ? `the policy is P with a certain step (${search.rule})`
    : dropped.length > 0 ? `the root filter drops ${dropped.join(", ")}` : "the root filter drops nothing";
  return [
    table(["action", "P", "", "policy", "", "visits", "pure", "mixed", "Q, PUCT"], rows),
    axis(scale),
    keyLine(),
    note(`${found.pure_count} pure and ${found.mixed_count} mixed choices` + (total > 0 ? ` (${percent(found.mixed_count / total)} mixed)` : "") +
      `; value ${signed(found.value[0])} to ${signed(found.value[1])}; ${filter}`),
  ];
}

function keyLine() {
  return el("p", { className: "key" },
    el("b", { className: "prior", textContent: "P" }), " prior, ",
    el("b", { className: "search", textContent: "policy" }), " of the search (outline: visits before the filter), ",
    el("b", { className: "search", textContent: "Q" }), " interval with its confidence (line), ",
    el("b", { className: "bonus", textContent: "PUCT" }), " interval below it");
}

const stepButton = (kind, place, index, name) => button(name, () => step(kind, place.numbers[index]), "chip");

function actionRow(place, found, index, name, scale) {
  const kept = found.kept[index];
  const mixed = found.mean_mixing[index] * found.mixed_count;
  return el("tr", { className: kept ? "" : "dropped" },
    cell(stepButton("action", place, index, name)),
    cell(percent(place.prior[index]), "number"), cell(bar(place.prior[index], "prior", null, 80)),
    cell(percent(found.policy[index]), "number"), cell(bar(found.policy[index], kept ? "search" : "gone", found.before_filter[index], 80)),
    cell(String(found.visits[index]), "number"), cell(String(found.pure_visits[index]), "number"), cell(mixed.toFixed(0), "number"),
    cell(intervals(found, index, scale)));
}

// Where utilities stand on the common axis of all actions.
function scaleOf(found) {
  const ends = [...found.q.flat(), ...found.puct.filter((each) => each !== null).flat()];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const margin = (high - low || 1) * 0.05;
  return { low: low - margin, high: high + margin, at: (value) => (WIDTH * (Math.min(Math.max(value, low - margin), high + margin) - low + margin)) / (high - low + 2 * margin) };
}

function intervals(found, index, scale) {
  const [low, high] = found.q[index];
  const shapes = [];
  const rect = ([from, to], y, kind) => svg("rect", { class: kind, x: scale.at(from), y, width: Math.max(2, scale.at(to) - scale.at(from)), height: 8 });
  if (scale.low < 0 && scale.high > 0) shapes.push(svg("line", { class: "axis", x1: scale.at(0), x2: scale.at(0), y1: 0, y2: 26 }));
  shapes.push(rect([low, high], 3, found.kept[index] ? "search" : "gone"));
  if (found.sigma[index] !== null) {
    shapes.push(svg("line", { class: "whisker", x1: scale.at(low - found.sigma[index]), x2: scale.at(high + found.sigma[index]), y1: 7, y2: 7 }));
  }
  if (found.puct[index] !== null) shapes.push(rect(found.puct[index], 15, "bonus"));
  const words = `Q ${signed(low)} to ${signed(high)}` + (found.puct[index] === null ? "" : `, PUCT ${found.puct[index].map(signed).join(" to ")}`);
  return svg("svg", { width: WIDTH, height: 26, role: "img", "aria-label": words }, svg("title", {}, words), ...shapes);
}

const axis = (scale) => note(`Q and PUCT from ${signed(scale.low)} to ${signed(scale.high)}, in the game's utility units`);

function sampleParts(place) {
  const draw = button("draw the rest from the beliefs", () => step("draw", Math.floor(Math.random() * 1e9)));
  if (place.pool) return [note("worlds are drawn whole, from a pool"), draw];
  const exact = place.pieces.some((piece) => piece.bayes !== null);
  const heads = ["piece", "H", "", "value by the models"];
  if (exact) heads.splice(3, 0, "Bayes", "");
  const rows = place.pieces.map((piece) => {
    const cells = [cell(button(piece.name, () => step("piece", piece.number), "chip")), cell(percent(piece.h), "number"), cell(bar(piece.h, "search"))];
    if (exact) cells.push(cell(percent(piece.bayes), "number"), cell(bar(piece.bayes, "bayes")));
    return el("tr", {}, ...cells, cell(signed(piece.value), "number"));
  });
  return [note("choose what is hidden in the world that is imagined"), table(heads, rows), draw];
}

function chanceParts(place) {
  const rows = place.names.map((name, index) => el("tr", {}, cell(stepButton("event", place, index, name)),
    cell(percent(place.chances[index]), "number"), cell(bar(place.chances[index], "search"))));
  return [table(["outcome", "probability", ""], rows)];
}

function opponentParts(place) {
  const heads = ["move", "P", ""];
  if (place.policy !== null) heads.push("in its tree", "");
  const rows = place.names.map((name, index) => {
    const cells = [cell(stepButton("event", place, index, name)), cell(percent(place.prior[index]), "number"), cell(bar(place.prior[index], "prior"))];
    if (place.policy !== null) cells.push(cell(percent(place.policy[index]), "number"), cell(bar(place.policy[index], "search")));
    return el("tr", {}, ...cells);
  });
  const enter = button(`step into the tree of player ${place.mover}`, () => step("enter", 0));
  enter.id = "enter";
  const known = place.visits === null ? "no tree was spawned for it" : `its own tree has ${place.visits} visits`;
  return [el("p", {}, enter, ` ${known}`), note("or choose its move and go on in this tree"), table(heads, rows)];
}

const overParts = (place) => [note(`utilities: ${place.utilities.map(signed).join(", ")}`)];

// The root's policy at several radii.
async function sweep() {
  document.getElementById("sweep-section").hidden = false;
  fill("swept", note("searching"));
  const answer = await ask("sweep", asked);
  if (answer === null) return fill("swept");
  const row = (label, policy, kind, choices) => el("tr", {}, cell(label, "number"),
    ...policy.flatMap((share) => [cell(percent(share), "number"), cell(bar(share, kind, null, 80))]), cell(choices, "number"));
  const rows = answer.rows.map((each) => row(each.radius.toFixed(2), each.policy, "search", `${each.pure} / ${each.mixed}`));
  fill("swept", table(["radius", ...answer.names.flatMap((name) => [name, ""]), "pure / mixed"], [row("P", answer.prior, "prior", ""), ...rows]),
    note("at radius 0 intervals are points, choices are pure but for exact ties, and a policy that should stay mixed may collapse; above it intervals overlap, and ties are broken by P"));
}
