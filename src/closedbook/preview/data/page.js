"use strict";
// The page asks for the state, shows the chosen card, and looks again when the server says so.
const $ = (id) => document.getElementById(id);
let state = { cards: [], problems: [] };

const make = (tag, text, attributes = {}) => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

const chosen = () => decodeURIComponent(location.hash.slice(1));

function showList() {
  const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const cards = state.cards.filter((card) => {
    const text = `${card.id} ${card.kind} ${card.unit} ${card.place}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  $("list").replaceChildren(
    ...cards.map((card) => {
      const link = make("a", "", { href: `#${encodeURIComponent(card.id)}` });
      if (card.id === chosen()) link.setAttribute("aria-current", "true");
      if (card.problems) link.append(make("span", String(card.problems), { class: "count" }));
      link.append(card.id, make("small", card.kind));
      const item = make("li");
      item.append(link);
      return item;
    }),
  );
  $("list").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function showProblems() {
  const box = $("problems");
  box.hidden = state.problems.length === 0;
  const own = state.problems.filter((problem) => problem.card === chosen());
  const rest = state.problems.filter((problem) => problem.card !== chosen());
  box.replaceChildren(...[...own, ...rest].map((problem) => make("pre", problem.text)));
}

function frame(url, caption) {
  const figure = make("figure");
  const inner = make("iframe", "", { src: url, title: caption, sandbox: "allow-scripts" });
  figure.append(make("figcaption", caption), inner);
  return figure;
}

function showCard() {
  const box = $("card");
  const card = state.cards.find((each) => each.id === chosen()) || state.cards[0];
  box.replaceChildren();
  if (!card) return;
  const about = [card.kind, card.unit, card.place, `difficulty ${card.difficulty}`];
  if (card.draw) about.push(card.draw);
  box.append(make("h2", card.id), make("p", about.join(" · "), { class: "about" }));
  const night = $("night").checked ? "night" : "day";
  card.faces.forEach((name, number) => {
    const face = make("div", "", { class: $("phone").checked ? "face phone" : "face" });
    const at = `/card/${encodeURIComponent(card.id)}/${number}`;
    face.append(
      make("h3", name),
      frame(`${at}/front/${night}?${state.version}`, "Asking side"),
      frame(`${at}/back/${night}?${state.version}`, "Answer side"),
    );
    box.append(face);
  });
  const sheet = make("div", "", { class: "sheet" });
  sheet.append(make("h3", "On paper"));
  if (state.paper) {
    for (const kind of ["paper", "key"]) {
      const button = make("button", kind === "paper" ? "Show the paper" : "Show the key");
      button.addEventListener("click", () => {
        sheet.querySelector("figure")?.remove();
        const figure = make("figure");
        const url = `/${kind}/${encodeURIComponent(card.id)}?${state.version}`;
        figure.append(make("iframe", "", { src: url, title: button.textContent }));
        sheet.append(figure);
      });
      sheet.append(button);
    }
  } else {
    sheet.append(make("p", "Paper is set once every check holds.", { class: "about" }));
  }
  box.append(sheet);
}

async function look() {
  const answer = await fetch("/state");
  state = await answer.json();
  document.title = `${state.title} (preview)`;
  $("title").textContent = state.title;
  $("status").textContent = state.status;
  $("status").classList.toggle("wrong", state.wrong);
  showList();
  showProblems();
  showCard();
}

// A frame tells its height, so that a card stands whole.
addEventListener("message", (event) => {
  for (const inner of document.querySelectorAll("iframe")) {
    if (inner.contentWindow === event.source && Number.isFinite(event.data)) {
      inner.style.height = `${Math.min(Math.max(event.data, 80), 4000) + 2}px`;
    }
  }
});
addEventListener("hashchange", () => {
  showList();
  showProblems();
  showCard();
});
$("filter").addEventListener("input", showList);
$("night").addEventListener("change", showCard);
$("phone").addEventListener("change", showCard);

look();
const events = new EventSource("/events");
events.onmessage = look;
events.onerror = () => {
  $("status").textContent = "The preview has ended: start 'cards preview' again.";
};
