// Items: filtered on the page of all, walked through in an order on the page of one.
"use strict";

// <input data-words="#id"> and <select data-groups="#id"> keep the rows of #id that have all words and are in the group.
for (const input of document.querySelectorAll("input[data-words]")) {
  const where = input.dataset.words;
  const select = document.querySelector(`select[data-groups="${where}"]`);
  const count = document.querySelector(`[data-count="${where}"]`);
  const rows = [...document.querySelector(where).rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const group = select.value && `|${select.value}|`;
    let shown = 0;
    for (const [n, row] of rows.entries()) {
      row.hidden = !(row.dataset.in.includes(group) && words.every((word) => texts[n].includes(word)));
      shown += !row.hidden;
    }
    count.textContent = `${shown.toLocaleString("en")} items`;
  };
  input.addEventListener("input", filter);
  select.addEventListener("change", filter);
  if (input.value || select.value) filter(); // what a browser fills in again, going back
}

// ?order=lowest: next and previous follow that order (window.orders, items/orders.js) instead of the edition's.
const walk = document.querySelector("nav.walk");
if (walk && window.orders) {
  const { names, titles, orders } = window.orders;
  const place = Number(walk.dataset.place);
  const asked = new URLSearchParams(location.search).get("order");
  const chosen = Object.hasOwn(orders, asked ?? "") ? asked : "edition";
  const order = orders[chosen];
  const query = chosen === "edition" ? "" : `?order=${chosen}`;
  const at = order.indexOf(place);

  // An item that is not in the order has no previous one there; its next one is the first.
  for (const [rel, words, to] of [["prev", "← previous", at - 1], ["next", "next →", at + 1]]) {
    let link = walk.querySelector(`a[rel="${rel}"]`);
    if (order[to] === undefined) {
      link?.remove();
      continue;
    }
    if (!link) {
      link = document.createElement("a");
      link.rel = rel;
      link.textContent = words;
      walk.insertBefore(link, rel === "prev" ? walk.firstChild : walk.querySelector("[data-walked]"));
    }
    link.href = `${names[order[to]]}.html${query}`;
  }
  const told = chosen === "edition" ? "" : ` in the order ${titles[chosen]}`;
  walk.querySelector("[data-walked]").textContent =
    at < 0 ? `not among the ${order.length} of the order ${titles[chosen]}` : `${at + 1} of ${order.length}${told}`;

  const select = walk.querySelector("select[data-order]");
  for (const name of Object.keys(orders)) select.add(new Option(titles[name], name, false, name === chosen));
  select.parentElement.hidden = false;
  select.value = chosen; // also where a browser fills in another choice, going back
  select.addEventListener("change", () => {
    location.assign(`${location.pathname}${select.value === "edition" ? "" : `?order=${select.value}`}`);
  });
}
