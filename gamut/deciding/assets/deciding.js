// Cards one by one. The server saves each decision before the next card is shown.
"use strict";

const main = document.querySelector("main");
const stage = document.querySelector("#card");
const start = document.querySelector(".paused");
const walk = document.querySelector("nav");
const finished = document.querySelector(".done");
const told = document.querySelector("[data-told]");
const large = document.querySelector("dialog");
const total = Number(main.dataset.count);
const said = new Map(); // by the card's number: its decision, as it was kept
const drafts = new Map(); // by the card's number: what was typed and not kept
const made = []; // of this visit, in order: the numbers of cards
const times = []; // of this visit: milliseconds that a card took, without pauses
let current = null; // the card that is shown
let place = 0; // where one is, also where its card could not be shown
let busy = true;
let paused = true;
let since = null; // when the clock of the card began to run; it stands in a pause
let spent = 0; // what it had run before
let unseen = new Set(); // parts of the card that have not come or were not in view yet: nothing can be said before
let remarked = Promise.resolve(); // when a changed remark is kept
let unfolded = false; // whether what a question says at length is shown

// Who keeps what is said. A card is a fragment of the page; `keep` fails with words where nothing was kept.

async function asked(address, options) {
  let reply;
  try {
    reply = await fetch(address, options);
  } catch {
    throw new Error("No answer: the command that serves this page has ended. What was shown as decided is saved.");
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

function left() {
  const each = times.length ? times.reduce((sum, one) => sum + one, 0) / times.length : main.dataset.seconds * 1000;
  const minutes = Math.ceil(((total - said.size) * each) / 60_000);
  const long = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return { long, pace: times.length ? `at your pace, ${Math.round(each / 1000)} s each` : `if each takes ${main.dataset.seconds} s` };
}

function progress() {
  const { long, pace } = left();
  document.querySelector("progress").value = said.size;
  const count = `${said.size.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  document.querySelector("[data-progress]").textContent = said.size < total ? `${count} · ${long} left` : count;
  document.querySelector("[data-left]").textContent = `${count} decided; the rest takes about ${long} ${pace}.`;
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
  stage.dataset.shown = "";
  place = number;
  try {
    const card = await keeper.card(number);
    stage.replaceChildren(card);
    current = number;
    stage.dataset.card = number;
    mark();
    recall(number);
    for (const one of stage.querySelectorAll("details")) {
      one.open = unfolded;
      one.addEventListener("toggle", () => (unfolded = one.open));
    }
    finished.hidden = true;
    progress();
    (stage.querySelector("[data-number]") ?? stage.querySelector("h2")).focus({ preventScroll: true });
    scrollTo(0, 0);
    watch();
  } catch (error) {
    current = null;
    stage.replaceChildren();
    tell(error.message);
  }
  disable(false);
}

// Nothing can be said of a card before all its pictures are there and every part of what is judged was in view.

const eye = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, intersectionRatio, intersectionRect, rootBounds } of entries) {
      const enough = target.tagName !== "FIGURE" || intersectionRatio >= 0.5 || intersectionRect.height > rootBounds.height / 3;
      if (isIntersecting && enough) arrived(target);
    }
  },
  { threshold: [0, 0.5] },
);

function watch() {
  eye.disconnect();
  spent = 0;
  since = paused ? null : performance.now();
  const parts = new Set(stage.querySelectorAll("[data-part]"));
  unseen = parts;
  for (const one of parts) {
    const image = one.querySelector("img");
    const there = image ? image.decode().catch(() => tell("A picture of this card cannot be shown.")) : Promise.resolve();
    there.then(() => {
      if (unseen !== parts) return;
      one.dataset.there = "";
      if (one.closest(".judged, [data-judged]")) eye.observe(one);
      else arrived(one);
    });
  }
  arrived(null);
}

function arrived(part) {
  eye.unobserve(part ?? stage);
  unseen.delete(part);
  if (unseen.size) return;
  if (stage.querySelector(".early")) tell("Not counted; now you have seen all of it: decide again.");
  for (const one of stage.querySelectorAll("[aria-disabled]")) one.removeAttribute("aria-disabled");
  stage.dataset.shown = current;
}

function early() {
  const out = [...unseen].find((one) => one.dataset.there !== undefined && one.closest(".judged, [data-judged]"));
  out?.scrollIntoView({ block: "center", behavior: "instant" });
  tell(out ? "Not counted: you have not seen this yet." : "Not counted: the card, or one of its pictures, is still loading.");
  for (const one of told.children) one.className = "early";
}

function pause() {
  if (large.open || !finished.hidden) return;
  if (!paused && since !== null) spent += performance.now() - since;
  paused = !paused;
  since = paused ? null : performance.now();
  for (const one of [stage, walk]) one.hidden = paused;
  start.hidden = !paused;
  progress();
  if (paused) {
    document.querySelector("#paused").textContent = "Paused";
    const button = start.querySelector("button");
    button.firstChild.data = "continue ";
    button.focus();
  } else if (current === null) onwards(place);
  else (stage.querySelector("[data-number]") ?? stage.querySelector("h2")).focus({ preventScroll: true });
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
  [paused, start.hidden, stage.hidden, walk.hidden] = [false, true, false, false];
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

async function changeRemark() { // of a card that is decided already: a line of its own in the log
  const earlier = said.get(current);
  const remark = stage.querySelector("[data-remark]").value.trim();
  if (busy || !earlier || remark === (earlier.remark ?? "")) return;
  if (await keep(current, { ...earlier, remark })) disable(false);
}

async function decide(decision, texts = {}) {
  await remarked;
  if (busy || paused || current === null || unseen.size) {
    early();
    return;
  }
  const number = current;
  const took = spent + performance.now() - since;
  const { about } = stage.querySelector(".decide").dataset;
  const remark = stage.querySelector("[data-remark]").value.trim();
  if (!(await keep(number, { about, decision, texts, remark }))) return;
  made.push(number);
  if (took < 120_000) times.push(took); // who was away did not pause
  drafts.delete(number);
  current = null; // what was typed is kept
  await onwards(number + 1);
}

async function undo() {
  if (busy) return;
  const number = said.has(current) ? current : made.findLast((one) => said.has(one));
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

function enlarge(which) {
  const all = stage.querySelectorAll("img");
  const one = all[(which + all.length) % all.length];
  if (!one) return;
  large.className = "";
  large.dataset.which = [...all].indexOf(one);
  Object.assign(large.querySelector("img"), { src: one.src, alt: one.alt });
  large.querySelector("[data-alt]").textContent = `${one.alt}: ${one.naturalWidth} × ${one.naturalHeight}`;
  if (!large.open) large.showModal();
}

function larger() {
  const image = large.querySelector("img");
  const more = image.naturalWidth > image.clientWidth || image.naturalHeight > image.clientHeight;
  if (large.classList.contains("pixels") || !more) large.close();
  else large.classList.add("pixels");
}

function judged() {
  return [...stage.querySelectorAll("img")].findIndex((one) => one.closest(".judged"));
}

function go(by) {
  if (busy) return;
  tell("");
  if (place + by >= 0 && place + by < total) show(place + by);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("dialog img")) larger();
  const one = event.target.closest("button");
  if (!one) return;
  if (one.dataset.decision !== undefined) decide(one.dataset.decision);
  else if (one.dataset.save !== undefined) save();
  else if (one.dataset.say !== undefined) say();
  else if (one.dataset.pause !== undefined) pause();
  else if (one.dataset.large !== undefined) enlarge(one.dataset.large === "" ? Math.max(judged(), 0) : Number(one.dataset.large));
  else if (one.dataset.close !== undefined) large.close();
  else if (busy) return;
  else if (one.dataset.go) go(Number(one.dataset.go));
  else if (one.dataset.undo !== undefined) undo();
  else if (one.dataset.open !== undefined) onwards(place + 1);
  else if (one.dataset.rewrite !== undefined) rewrite();
});

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || (event.repeat && !large.open)) return;
  if (large.open) {
    if (event.code === "KeyZ" || event.key === "z") larger();
    else if (!large.className && event.key === "ArrowLeft") enlarge(Number(large.dataset.which) - 1);
    else if (!large.className && event.key === "ArrowRight") enlarge(Number(large.dataset.which) + 1);
    return;
  }
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
    else if (event.key === "Enter" && field.dataset.remark !== undefined) stage.querySelector("h2").focus();
    return;
  }
  const plain = /^[ -~]+$/.test(event.key); // or the key that stands there on other keyboards
  const key = plain ? event.key.toLowerCase() : event.code.replace(/^(Key|Digit)/, "").toLowerCase();
  if (paused && key !== "p") return;
  const choice = [...stage.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (choice) choice.click();
  else if (event.key === "ArrowLeft") go(-1);
  else if (event.key === "ArrowRight") go(1);
  else if (key === "u") undo();
  else if (key === "o" && !busy) onwards(place + 1);
  else if (key === "p") pause();
  else if (key === "z") enlarge(Math.max(judged(), 0));
  else if (key === "m") stage.querySelector("[data-remark]")?.focus();
  else return;
  event.preventDefault();
});

stage.addEventListener("change", (event) => {
  if (event.target.dataset.remark !== undefined) remarked = changeRemark();
});

addEventListener("beforeunload", (event) => {
  if (current !== null) remember();
  if (drafts.size) event.preventDefault();
});

disable(false);
progress();
if (open(0) === null) onwards(0);
else start.querySelector("button").focus();
