// The map of prompts: a point a picture, on a canvas; the nearest one is named, a click opens it.
"use strict";
{
  const { facets, map } = window;
  const NEAR = 12; // pixels
  const EDGE = 10;
  const NONE = "none";
  const canvas = document.getElementById("map");
  const pen = canvas.getContext("2d");
  const by = document.querySelector("#map-form select");
  const legend = document.getElementById("legend");
  const pointed = document.getElementById("pointed");
  const places = pairsOf(map.places);
  const x = (row) => EDGE + (places[2 * row] / (map.steps - 1)) * (canvas.width - 2 * EDGE);
  const y = (row) => canvas.height - EDGE - (places[2 * row + 1] / (map.steps - 1)) * (canvas.height - 2 * EDGE);
  const colour = (n, all) => `hsl(${Math.round((360 * n) / all)} 65% 50%)`;
  const first = (bits) => (bits ? Math.log2(bits & -bits) : facets.categories.length);
  const kinds = {
    wave: [facets.waves, Array.from(pairsOf(facets.wave))],
    outcome: [facets.outcomes.map((name) => name.replaceAll("_", " ")), Array.from(pairsOf(facets.outcome))],
    category: [[...facets.categories, NONE], Array.from(pairsOf(facets.category), first)],
  };

  // Points by squares of NEAR pixels, so that the nearest is found among few.
  const across = Math.ceil(canvas.width / NEAR);
  const squareOf = (left, top) => Math.floor(top / NEAR) * across + Math.floor(left / NEAR);
  const squares = new Map();
  for (let row = 0; row < facets.rows; row += 1) {
    const square = squareOf(x(row), y(row));
    if (!squares.has(square)) squares.set(square, []);
    squares.get(square).push(row);
  }

  function draw() {
    const [names, values] = kinds[by.value];
    const size = facets.rows > 5000 ? 2 : 5;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const there = new Set(values);
    for (const n of there) {
      pen.fillStyle = colour(n, names.length);
      for (let row = 0; row < facets.rows; row += 1) {
        if (values[row] === n) pen.fillRect(x(row) - size / 2, y(row) - size / 2, size, size);
      }
    }
    legend.replaceChildren(...names.flatMap((name, n) => {
      if (!there.has(n)) return [];
      const entry = document.createElement("li");
      const spot = document.createElement("span");
      spot.className = "spot";
      spot.style.background = colour(n, names.length);
      entry.append(spot, name);
      return [entry];
    }));
  }

  function nearest(event) {
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / box.width;
    const [left, top] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = null;
    let least = (NEAR * Math.max(1, scale)) ** 2;
    const reach = Math.ceil(Math.max(1, scale));
    for (let down = -reach; down <= reach; down += 1) {
      for (let aside = -reach; aside <= reach; aside += 1) {
        for (const row of squares.get(squareOf(left + aside * NEAR, top + down * NEAR)) ?? []) {
          const far = (x(row) - left) ** 2 + (y(row) - top) ** 2;
          if (far < least) [best, least] = [row, far];
        }
      }
    }
    return best;
  }

  let current = null;
  async function point(event) {
    const row = nearest(event);
    canvas.style.cursor = row === null ? "default" : "pointer";
    if (row === null || row === current) return row;
    current = row;
    const card = await cardOf(row);
    if (current === row) pointed.replaceChildren(card);
    return row;
  }

  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("click", async (event) => {
    const row = nearest(event);
    if (row === null) return;
    const named = current === row; // a finger names a point first, and opens it when it taps again
    const card = await cardOf(row);
    if (named) location.assign(card.querySelector("a").href);
    else await point(event);
  });
  by.addEventListener("change", draw);
  draw();
}
