// The search over pictures: words by an index in script files (gamut/report/dataset/word_index.py), filters by facets.
"use strict";
{
  const { facets } = window;
  const AT_A_TIME = 24;
  const WAIT = 60; // milliseconds after a key
  const DENSE = "\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const PIECE = new RegExp(`[${DENSE}]+|(?:(?![${DENSE}])[\\p{L}\\p{N}])+`, "gu");
  const IS_DENSE = new RegExp(`^[${DENSE}]`, "u");
  const LONGEST_WORD = 32;
  const DENSE_FILES = 1024;

  const form = document.getElementById("search");
  const found = document.getElementById("found");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  const { wave, outcome, category, scores } = facets;

  // What to look for: [word, whether more may follow].
  function wordsOf(text) {
    const plain = text.normalize("NFKC").toLowerCase();
    const pieces = plain.match(PIECE) ?? [];
    const open = /[\p{L}\p{N}]$/u.test(plain); // the last word may not be at its end
    return pieces.flatMap((piece, place) => {
      const signs = Array.from(piece);
      if (!IS_DENSE.test(piece)) {
        return [[signs.slice(0, LONGEST_WORD).join(""), open && place === pieces.length - 1 && signs.length > 1]];
      }
      if (signs.length === 1) return [[piece, false]];
      return signs.slice(1).map((sign, n) => [signs[n] + sign, false]);
    });
  }

  function bucketOf(word) {
    const two = Array.from(word).slice(0, 2).join("");
    if (/^[a-z0-9]{1,2}$/.test(two)) return two;
    const [first, second] = Array.from(word, (sign) => sign.codePointAt(0));
    if (!IS_DENSE.test(word)) return `u${first.toString(16)}`;
    return `d${((31 * first + (second ?? 0)) % DENSE_FILES).toString(16).padStart(3, "0")}`;
  }

  // Mark the rows of a word: each stands as how far it is behind the one before.
  function mark(rows, steps) {
    let row = -1;
    for (const step of steps) rows[(row += step)] = 1;
  }

  async function rowsOf(word, open) {
    const rows = new Uint8Array(facets.rows);
    const bucket = bucketOf(word);
    if (!Object.hasOwn(facets.buckets, bucket)) return rows;
    const there = await loaded(`index/${facets.buckets[bucket]}`);
    for (const part of there) {
      for (const name of open ? Object.keys(part).filter((one) => one.startsWith(word)) : [word]) {
        if (Object.hasOwn(part, name)) mark(rows, part[name]);
      }
    }
    return rows;
  }

  function chosen() {
    const values = new FormData(form);
    const bound = (name, usual) => (values.get(name) === "" ? usual : Number(values.get(name)));
    const number = (names, name) => (values.get(name) ? names.indexOf(values.get(name)) : null);
    const kind = number(facets.categories, "category");
    return {
      wave: number(facets.waves, "wave"),
      outcome: number(facets.outcomes, "outcome"),
      category: kind === null ? null : 1 << kind,
      score: Object.hasOwn(scores, values.get("score")) ? scores[values.get("score")] : null,
      from: bound("from", 0),
      to: bound("to", 10),
    };
  }

  function passing(marks) {
    const { wave: inWave, outcome: ended, category: kind, score, from, to } = chosen();
    const rows = [];
    for (let row = 0; row < facets.rows; row += 1) {
      if (inWave !== null && wave[row] !== inWave) continue;
      if (ended !== null && outcome[row] !== ended) continue;
      if (kind !== null && !(category[row] & kind)) continue;
      if (score !== null && (score[row] === null || score[row] < from || score[row] > to)) continue;
      if (marks.every((rowsOfWord) => rowsOfWord[row])) rows.push(row);
    }
    return rows;
  }

  let latest = 0;
  let rows = [];
  let shown = 0;

  async function showMore(asked = latest) {
    const cards = await Promise.all(rows.slice(shown, shown + AT_A_TIME).map(cardOf));
    if (asked !== latest) return; // another search has begun
    if (shown === 0) found.replaceChildren();
    found.append(...cards);
    shown += cards.length;
    more.hidden = shown >= rows.length;
  }

  async function search() {
    latest += 1;
    const asked = latest;
    try {
      const words = wordsOf(form.elements.words.value);
      const marks = await Promise.all(words.map(([word, open]) => rowsOf(word, open)));
      if (asked !== latest) return;
      rows = passing(marks);
      shown = 0;
      await showMore(asked);
      if (asked !== latest) return;
      count.textContent = `${rows.length.toLocaleString("en")} of ${facets.rows.toLocaleString("en")} pictures`;
      count.dataset.searched = form.elements.words.value;
    } catch (error) {
      count.textContent = error.message;
    }
  }

  // What is searched for stands in the address, so that it can be kept and sent.
  function remember() {
    const values = [...new FormData(form)].filter(([name, value]) => value !== form.elements[name].dataset.usual);
    history.replaceState(null, "", `#${new URLSearchParams(values)}`);
  }

  function recall() {
    const values = new URLSearchParams(location.hash.slice(1));
    for (const field of form.elements) {
      if (field.name) field.value = values.get(field.name) ?? field.dataset.usual;
    }
    search();
  }

  for (const field of form.elements) field.dataset.usual = field.value;
  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      remember();
      search();
    }, WAIT);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    remember();
    search();
  });
  more.addEventListener("click", () => showMore());
  window.addEventListener("hashchange", recall);
  recall();
}
