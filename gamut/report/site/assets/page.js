// What pages do beyond being read: tables are sorted and filtered, contestants picked, items walked through by keyboard.
"use strict";

// A table of class "sortable": a click on a heading sorts by its column, a second one the other way.
function valueOf(cell) {
  const exact = cell.dataset.sort ?? cell.querySelector("data")?.value;
  const text = exact ?? cell.textContent.trim();
  const number = Number(text);
  return text === "" || text === "–" ? null : Number.isNaN(number) ? text : number;
}

function compare(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other));
}

function sortBy(table, column, downwards) {
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => [valueOf(row.cells[column]), row]);
    // What has no value stands last either way.
    rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : downwards ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
  }
  for (const [n, heading] of [...table.tHead.rows[0].cells].entries()) {
    if (n === column) heading.setAttribute("aria-sort", downwards ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  }
}

function makeSortable(within) {
  for (const table of within.querySelectorAll("table.sortable")) {
    for (const [column, heading] of [...table.tHead.rows[0].cells].entries()) {
      if (heading.dataset.fixed !== undefined) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const first = heading.classList.contains("number"); // of numbers the highest first
        const sorted = heading.getAttribute("aria-sort");
        sortBy(table, column, sorted ? sorted === "ascending" : first);
      });
    }
  }
}
makeSortable(document);

// An <input data-filter="#id"> keeps the rows or cards in that element whose text has all its words.
for (const input of document.querySelectorAll("input[data-filter]")) {
  const places = [...document.querySelectorAll(`${input.dataset.filter} > *`)];
  const texts = places.map((place) => place.textContent.toLowerCase());
  const count = document.querySelector(`[data-count="${input.dataset.filter}"]`);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [n, place] of places.entries()) {
      place.hidden = !words.every((word) => texts[n].includes(word));
      shown += !place.hidden;
    }
    if (count) count.textContent = `${shown.toLocaleString("en")} shown`;
  });
}

// Contestants that are not picked are hidden on all pages of the benchmark; what cannot be remembered is not.
const remembered = `gamut.hidden.${document.body.dataset.benchmark ?? ""}`;
let hidden = new Set();
try {
  const kept = JSON.parse(localStorage.getItem(remembered) ?? "[]");
  hidden = new Set(Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : []);
} catch {
  // no storage for pages from disk, or another's content in it
}

function showPicked(within = document) {
  for (const place of within.querySelectorAll("[data-contestant]")) {
    place.hidden = hidden.has(place.dataset.contestant);
  }
}

for (const box of document.querySelectorAll("input[data-pick]")) {
  box.checked = !hidden.has(box.dataset.pick);
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(box.dataset.pick);
    else hidden.add(box.dataset.pick);
    try {
      localStorage.setItem(remembered, JSON.stringify([...hidden]));
    } catch {
      // see above
    }
    showPicked();
  });
}
if (hidden.size) showPicked();
window.showPicked = showPicked; // for what is drawn later

// Of boards one is in view, the one that the address names, else the first: the chooser says which.
const choosers = [...document.querySelectorAll("nav.chooser a")];
function markChosen() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const board = target && target.closest(".one");
  const link = choosers.find((one) => board && one.hash === `#${board.id}`) ?? choosers[0];
  for (const one of choosers) {
    if (one === link) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
}
if (choosers.length) {
  window.addEventListener("hashchange", markChosen);
  markChosen();
}

// What stands in <noscript class="later"> is text until the page has been painted, unless its address asks for it.
function showLater() {
  for (const later of document.querySelectorAll("noscript.later")) {
    const holder = document.createElement("template");
    holder.innerHTML = later.textContent;
    makeSortable(holder.content);
    showPicked(holder.content);
    later.replaceWith(holder.content);
  }
  if (location.hash) location.replace(location.hash); // it is there only now
  markChosen();
}
if (document.querySelector("noscript.later")) {
  if (location.hash) showLater();
  else new PerformanceObserver((_, own) => { own.disconnect(); showLater(); }).observe({ type: "paint", buffered: true });
}

// Pages that have a next and a previous one (<a rel="next">, <a rel="prev">): arrow keys, or n and p.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, .wide")) return;
  const rel = { ArrowRight: "next", n: "next", ArrowLeft: "prev", p: "prev" }[event.key];
  const link = rel && document.querySelector(`a[rel="${rel}"][href]`);
  if (link) location.assign(link.href);
});
