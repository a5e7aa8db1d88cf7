// Items: filtered on the page of all, walked through in an order on the page of one.
"use strict";

// Controls of class "filters" keep the rows of the list that they name: all words, a group, a setting, one contestant
// good and another bad. What is chosen stands in the address. Scores, and what contestants answered, are in
// window.answers (items/answers.js).
const drawn = new WeakMap();
for (const filters of document.querySelectorAll("[data-filters]")) {
  const rows = [...document.querySelector(filters.dataset.filters).rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const count = filters.querySelector('[role="status"]');
  const controls = [...filters.querySelectorAll("input, select")];
  const initial = controls.map((one) => one.value);
  const control = (name) => controls.find((one) => one.name === name);
  const chosen = (name) => control(name)?.value ?? "";
  const names = [...control("good").options].slice(1).map((one) => one.value);

  // The setting that is shown of an item: the chosen one, else the first with answers.
  const settingOf = (n) => {
    const there = window.answers?.items[n] ?? {};
    const { settings } = window.answers ?? { settings: [] };
    const asked = settings.findIndex(([name]) => name === chosen("setting"));
    return settings.findIndex((_, place) => place in there && (asked < 0 || place === asked));
  };
  const scoreOf = (n, name) => {
    const place = names.indexOf(name);
    const answer = window.answers?.items[n][settingOf(n)]?.[place];
    return answer ? answer[3][Math.max(0, window.answers.judges.indexOf(chosen("judge")))] : null;
  };
  const number = (n, cell) => Number(rows[n].cells[rows[n].cells.length - cell].textContent) || 0;
  const passes = (n) => {
    const words = chosen("words").toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.every((word) => texts[n].includes(word))) return false;
    if (chosen("group") && !rows[n].dataset.in.includes(`|${chosen("group")}|`)) return false;
    if (chosen("setting") && window.answers && settingOf(n) < 0) return false;
    if (chosen("apart") && number(n, 2) < Number(chosen("apart"))) return false;
    if (control("missing")?.checked && !number(n, 1)) return false;
    const good = chosen("good") ? scoreOf(n, chosen("good")) : Infinity;
    const bad = chosen("bad") ? scoreOf(n, chosen("bad")) : -Infinity;
    return good !== null && bad !== null && good >= Number(chosen("least")) && bad <= Number(chosen("most"));
  };

  // Answers side by side, those of the choice first; drawn when they come into view.
  const draw = (row) => {
    const n = rows.indexOf(row);
    const setting = settingOf(n);
    const cell = row.cells[2];
    cell.replaceChildren();
    if (setting < 0) return;
    const { contestants, settings, items, judges } = window.answers;
    const judge = Math.max(0, judges.indexOf(chosen("judge")));
    const first = [chosen("good"), chosen("bad")];
    const order = [...contestants.keys()].sort((a, b) => first.includes(contestants[b][0]) - first.includes(contestants[a][0]));
    for (const place of order) {
      const answer = items[n][setting][place];
      if (!answer) continue;
      const [name, address] = contestants[place];
      const [path, words, there, scores] = answer;
      const figure = document.createElement("figure");
      figure.className = "answer";
      figure.dataset.contestant = name;
      const link = document.createElement("a");
      link.href = `${row.querySelector("a").getAttribute("href")}#${settings[setting][2]}--${address}`;
      if (path) {
        const image = document.createElement("img");
        Object.assign(image, { src: path, alt: `answer of ${name}`, loading: "lazy", decoding: "async" });
        link.append(image);
      } else {
        const said = document.createElement("span");
        said.className = there ? "said" : "said missing";
        said.dir = "auto";
        said.textContent = words.replaceAll("_", there ? "_" : " ") || "no words";
        link.append(said);
      }
      const caption = document.createElement("figcaption");
      const score = document.createElement("b");
      score.textContent = scores[judge] === null ? "no score" : scores[judge].toFixed(1);
      caption.append(`${name} `, score);
      figure.append(link, caption);
      cell.append(figure);
    }
    window.showPicked?.(cell);
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || drawn.get(target) === drawn.get(filters)) continue;
      drawn.set(target, drawn.get(filters));
      draw(target);
    }
  }, { rootMargin: "600px" });

  const apply = () => {
    let shown = 0;
    for (const [n, row] of rows.entries()) {
      row.hidden = !passes(n);
      shown += !row.hidden;
    }
    count.textContent = `${shown.toLocaleString("en")} items`;
    if (!window.answers) return;
    drawn.set(filters, {}); // all that was drawn before is old
    for (const row of rows) {
      seen.unobserve(row);
      seen.observe(row);
    }
  };
  const remember = () => {
    const values = controls
      .map((one, n) => [one.name, one.type === "checkbox" ? (one.checked ? "yes" : "") : one.value === initial[n] ? "" : one.value])
      .filter(([, value]) => value);
    history.replaceState(null, "", values.length ? `#${new URLSearchParams(values)}` : location.pathname + location.search);
  };
  const recall = () => {
    const values = new URLSearchParams(location.hash.slice(1));
    for (const [n, one] of controls.entries()) {
      if (one.type === "checkbox") one.checked = values.has(one.name);
      else one.value = values.get(one.name) ?? initial[n];
      if (one.value === "" && one.tagName === "SELECT" && initial[n] !== "") one.value = initial[n];
    }
    apply();
  };
  for (const one of controls) {
    one.addEventListener("input", () => {
      remember();
      apply();
    });
  }
  window.addEventListener("hashchange", recall);
  recall();
  document.querySelector('script[src$="answers.js"]')?.addEventListener("load", apply);
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
