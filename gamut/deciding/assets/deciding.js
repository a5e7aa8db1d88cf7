// Cards one by one. What is said is kept by the server before the next is shown.
"use strict";

const main = document.querySelector("main");
const stage = document.querySelector("#card");
const finished = document.querySelector(".done");
const told = document.querySelector("[data-told]");
const total = Number(main.dataset.count);
const said = new Map(); // by the card's number: its decision, as it was kept
const drafts = new Map(); // by the card's number: what was typed and not kept
const made = []; // of this visit, in order: number and when
let current = null; // the card that is shown
let place = 0; // where one is, also where its card could not be shown
let busy = true;
let unfolded = true; // whether what a question says at length is shown

// Who keeps what is said. A card is a fragment of the page; `keep` fails with words where nothing was kept.

async function asked(address, options) {
  let reply;
  try {
    reply = await fetch(address, options);
  } catch {
    throw new Error("Nobody answers: the command that serves this page has ended. What was shown as decided is kept.");
  }
  if (!reply.ok) throw new Error(await reply.text());
  return reply;
}

const keeper = {
  async card(number) {
    const around = document.createElement("template");
    around.innerHTML = await (await asked(`/cards/${number}`)).text(); // escaped by the server, but for its own tags
    return around.content;
  },
  async keep(number, decision) {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ card: number, ...decision });
    const { mistakes } = await (await asked("/decisions", { method: "POST", headers, body })).json();
    if (mistakes.length) throw new Error(mistakes.join("\n"));
  },
};
for (const [number, one] of Object.entries(JSON.parse(main.dataset.said))) said.set(Number(number), one);
history.replaceState(null, "", "/"); // without the token, which opens nothing any more

// What is shown.

function tell(words) {
  (stage.querySelector(".say") ?? main).prepend(told);
  told.replaceChildren(
    ...words.split("\n").filter(Boolean).map((line) => {
      const shown = document.createElement("p");
      shown.textContent = line;
      return shown;
    }),
  );
}

function progress() {
  document.querySelector("progress").value = said.size;
  const gaps = made.slice(1).map((one, n) => one.at - made[n].at).filter((gap) => gap < 120_000); // pauses are none
  const words = [`${said.size.toLocaleString("en")} of ${total.toLocaleString("en")}`];
  if (gaps.length && said.size < total) {
    const each = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / 60_000;
    words.push(`${(1 / each).toFixed(each > 0.1 ? 1 : 0)} a minute`);
    words.push(`${Math.ceil((total - said.size) * each).toLocaleString("en")} min left`);
  }
  document.querySelector("[data-progress]").textContent = words.join(" · ");
  document.querySelector("[data-where]").textContent = current === null ? "" : `card ${current + 1}`;
}

function disable(on) {
  busy = on;
  main.setAttribute("aria-busy", String(on));
}

function remember() {
  const fields = [...stage.querySelectorAll("[data-remark], [data-text], [data-number]")];
  if (fields.every((one) => one.value === one.defaultValue)) drafts.delete(current);
  else drafts.set(current, fields.map((one) => one.value));
}

function recall(number) {
  for (const [n, typed] of (drafts.get(number) ?? []).entries()) {
    const field = stage.querySelectorAll("[data-remark], [data-text], [data-number]")[n];
    if (field.dataset.text && field.value !== typed) stage.querySelector(".rewrite").hidden = false;
    field.value = typed;
  }
}

async function show(number) {
  disable(true);
  if (current !== null) remember();
  place = number;
  try {
    const card = await keeper.card(number);
    stage.replaceChildren(card);
    current = number;
    mark();
    recall(number);
    for (const one of stage.querySelectorAll("details")) {
      one.open = unfolded;
      one.addEventListener("toggle", () => (unfolded = one.open));
    }
    finished.hidden = true;
    progress();
    const seen = [...stage.querySelectorAll("img")].map((one) => one.decode().catch(() => one));
    if ((await Promise.all(seen)).some(Boolean)) tell("A picture of this card cannot be shown.");
    (stage.querySelector("[data-number]") ?? stage.querySelector("h2")).focus({ preventScroll: true });
    scrollTo(0, 0);
  } catch (error) {
    current = null;
    stage.replaceChildren();
    tell(error.message);
  }
  stage.dataset.shown = current ?? "";
  disable(false);
}

function mark() {
  const earlier = said.get(current)?.decision ?? "";
  for (const one of stage.querySelectorAll("[data-decision], [data-rewrite]")) {
    one.setAttribute("aria-pressed", String((one.dataset.decision ?? "rewrite") === earlier));
  }
}

function open(from) {
  for (let n = 0; n < total; n += 1) if (!said.has((from + n) % total)) return (from + n) % total;
  return null;
}

async function onwards(from) {
  const next = open(from);
  if (next !== null) {
    await show(next);
    return;
  }
  if (current !== null) remember();
  stage.replaceChildren();
  current = null;
  finished.hidden = false;
  progress();
  place = total;
  finished.querySelector("h2").focus();
  disable(false);
}

// What is said.

async function keep(number, decision) {
  disable(true);
  tell("");
  try {
    await keeper.keep(number, decision);
  } catch (error) {
    tell(`Not saved. ${error.message}`);
    disable(false);
    return false;
  }
  if (decision.decision) said.set(number, decision);
  else said.delete(number);
  return true;
}

async function decide(decision, texts = {}) {
  if (busy || current === null) return;
  const number = current;
  const { about } = stage.querySelector(".decide").dataset;
  const remark = stage.querySelector("[data-remark]").value.trim();
  if (!(await keep(number, { about, decision, texts, remark }))) return;
  made.push({ number, at: Date.now() });
  drafts.delete(number);
  current = null; // what was typed is kept
  await onwards(number + 1);
}

async function undo() {
  if (busy) return;
  const number = said.has(current) ? current : made.findLast((one) => said.has(one.number))?.number;
  if (number === undefined) return;
  if (!(await keep(number, { about: said.get(number).about, decision: "", texts: {}, remark: "" }))) return;
  drafts.delete(number);
  if (current === number) current = null;
  await show(number);
}

function rewrite() {
  const form = stage.querySelector(".rewrite");
  const button = stage.querySelector("[data-rewrite]");
  form.hidden = !form.hidden;
  button.setAttribute("aria-expanded", String(!form.hidden));
  (form.hidden ? button : form.querySelector("textarea")).focus();
}

function save() {
  const texts = {};
  for (const one of stage.querySelectorAll("[data-text]")) {
    const holds = stage.querySelector(`[data-holds="${CSS.escape(one.dataset.text)}"]`).checked;
    if (one.value !== one.dataset.proposed.replace(/\r\n?/g, "\n") || holds) texts[one.dataset.text] = one.value;
  }
  decide("rewrite", texts);
}

function say() {
  const typed = stage.querySelector("[data-number]").value.trim();
  if (typed) decide(typed);
}

function whole() {
  const button = document.querySelector("[data-whole]");
  button.setAttribute("aria-pressed", String(stage.classList.toggle("whole")));
}

function go(by) {
  if (busy) return;
  tell("");
  if (place + by >= 0 && place + by < total) show(place + by);
}

document.addEventListener("click", (event) => {
  const one = event.target.closest("button");
  if (!one || busy) return;
  if (one.dataset.decision !== undefined) decide(one.dataset.decision);
  else if (one.dataset.go) go(Number(one.dataset.go));
  else if (one.dataset.undo !== undefined) undo();
  else if (one.dataset.open !== undefined) onwards(place + 1);
  else if (one.dataset.whole !== undefined) whole();
  else if (one.dataset.rewrite !== undefined) rewrite();
  else if (one.dataset.save !== undefined) save();
  else if (one.dataset.say !== undefined) say();
});

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || event.repeat) return;
  const field = event.target.closest("input, textarea");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    if (stage.querySelector(".rewrite:not([hidden])")) save();
    return;
  }
  if (event.ctrlKey || event.metaKey) return;
  if (field) {
    if (event.key === "Escape") {
      if (field.closest(".rewrite")) rewrite();
      else stage.querySelector("h2").focus();
    } else if (event.key === "Enter" && field.dataset.number !== undefined) say();
    return;
  }
  const plain = /^[ -~]+$/.test(event.key); // or the key that stands there on other keyboards
  const key = plain ? event.key.toLowerCase() : event.code.replace(/^(Key|Digit)/, "").toLowerCase();
  const choice = [...stage.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (choice) choice.click();
  else if (event.key === "ArrowLeft") go(-1);
  else if (event.key === "ArrowRight") go(1);
  else if (key === "u") undo();
  else if (key === "o" && !busy) onwards(place + 1);
  else if (key === "z") whole();
  else if (key === "m") stage.querySelector("[data-remark]")?.focus();
  else return;
  event.preventDefault();
});

addEventListener("beforeunload", (event) => {
  if (current !== null) remember();
  if (drafts.size) event.preventDefault();
});

disable(true);
onwards(0);
