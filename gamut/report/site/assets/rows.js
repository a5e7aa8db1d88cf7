// What the search stands on: data that lies in script files beside the page, loaded when it is needed; cards of pictures.
"use strict";

// Load a script of the folder, once; it sets window[name].
const underWay = new Map();
function loaded(name) {
  if (!underWay.has(name)) {
    underWay.set(name, new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = `${name}.js`;
      script.onload = () => done(window[name]);
      script.onerror = () => failed(new Error(`${name}.js cannot be read`));
      document.head.append(script);
    }));
  }
  return underWay.get(name);
}

function pageOf(row) {
  return String(Math.floor(row / window.facets.perPage) + 1).padStart(4, "0");
}

// Make the card of a row: thumbnail, id, the beginning of its prompt, why it was left out. All of it is text.
async function cardOf(row) {
  const page = pageOf(row);
  const [id, path, width, height, beginning, why] = (await loaded(`cards/${page}`))[row % window.facets.perPage];
  const card = document.createElement("article");
  card.className = "card";
  const link = document.createElement("a");
  link.href = `rows/${page}.html#${encodeURIComponent(id)}`;
  link.textContent = id;
  const heading = document.createElement("h2");
  heading.append(link);
  card.append(heading);
  if (path) {
    const image = document.createElement("img");
    Object.assign(image, { src: path, width, height, alt: `the picture painted of ${id}`, loading: "lazy" });
    card.append(image);
  }
  const words = document.createElement("p");
  words.className = "words";
  words.dir = "auto";
  words.textContent = beginning;
  card.append(words);
  if (why) {
    const reason = document.createElement("p");
    reason.className = "bad";
    reason.textContent = `left out: ${why}`;
    card.append(reason);
  }
  return card;
}
