// Pieces of a page, made without markup: every text that comes from a game is set as text.

const SVG = "http://www.w3.org/2000/svg";

// An element with properties, and children that are elements or texts.
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("aria-")) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function fill(id, ...children) {
  document.getElementById(id).replaceChildren(...children.filter((child) => child !== null));
}

export function button(text, act, className = "") {
  return el("button", { type: "button", textContent: text, onclick: act, className });
}

export function note(text) {
  return el("p", { className: "note", textContent: text });
}

export function drawing(lines) {
  return el("pre", { textContent: lines.join("\n") });
}

export const percent = (share) => `${(100 * share).toFixed(1)}%`;
export const signed = (value) => (value >= 0 ? "+" : "") + value.toFixed(3);

// A horizontal bar of a share from 0 to 1; an outline shows another share behind it.
export function bar(share, kind, outline = null, width = 110) {
  const shapes = [svg("rect", { class: kind, x: 0, y: 3, width: Math.max(0, share * width), height: 10 })];
  if (outline !== null) {
    shapes.push(svg("rect", { class: "outline", x: 0.5, y: 2.5, width: Math.max(0, outline * width - 1), height: 11 }));
  }
  return svg("svg", { width, height: 16, role: "img", "aria-label": percent(share) }, ...shapes);
}

export function table(heads, rows) {
  const head = el("tr", {}, ...heads.map((text) => el("th", { textContent: text })));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
}

export function cell(content, className = "") {
  return el("td", { className }, content);
}

// Beliefs by H, and by exact Bayes where that is known.
export function beliefTable(beliefs) {
  if (beliefs.kind === "none") return note("nothing is hidden from this player");
  if (beliefs.kind === "pool") return note("worlds are drawn whole from a pool; there are no pieces to list");
  if (beliefs.kind === "unknown") return note("no world was found that agrees with what the player has seen");
  const exact = beliefs.rows.some((row) => row.bayes !== null);
  const heads = [beliefs.kind === "piece" ? "next piece" : "hidden", "H", ""];
  if (exact) heads.push("Bayes", "");
  const rows = beliefs.rows.map((row) => {
    const cells = [cell(row.name), cell(percent(row.h), "number"), cell(bar(row.h, "search", null, 80))];
    if (exact) cells.push(cell(percent(row.bayes), "number"), cell(bar(row.bayes, "bayes", null, 80)));
    return el("tr", {}, ...cells);
  });
  return table(heads, rows);
}

export function showError(text) {
  const box = document.getElementById("error");
  box.textContent = text;
  box.hidden = text === "";
}

// Asks the server; an answer, or null after the reason was shown.
export async function ask(question, given = {}) {
  try {
    const response = await fetch(`api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(given),
    });
    const answer = await response.json();
    if (response.ok) {
      showError("");
      return answer;
    }
    showError(answer.error);
  } catch {
    showError("the server does not answer; was it ended?");
  }
  return null;
}
