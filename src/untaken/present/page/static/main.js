// The page: which view an address asks for, the slider that both share, and what stands around.
import { h } from "./dom.js";
import { source } from "./data.js";
import { addressOf, readAddress } from "./address.js";
import { cohortView } from "./cohort.js";
import { episodeView } from "./episode.js";

const main = document.getElementById("main");
const app = { source: source(), cohort: null, k: 0 };
let view = null;
let viewed;
let turn = 0;

async function start() {
  try {
    app.cohort = await app.source.cohort();
  } catch (error) {
    return complain(error);
  }
  addEventListener("hashchange", arrive);
  addEventListener(
    "resize",
    soon(() => view?.update(app.k)),
  );
  addEventListener("beforeprint", () => view?.print?.());
  addEventListener("afterprint", () => view?.screen?.());
  return arrive();
}

async function arrive() {
  const asked = readAddress(location.hash, app.cohort.k);
  app.k = asked.k;
  if (view && viewed === asked.id) return turnTo(asked.k);
  const mine = ++turn;
  main.setAttribute("aria-busy", "true");
  try {
    const next = await viewOf(asked.id);
    if (mine === turn) show(next, asked.id);
  } catch (error) {
    if (mine === turn) complain(error, asked.id);
  }
  return undefined;
}

function viewOf(id) {
  if (id === null) return cohortView(app);
  const place = app.cohort.rows.id.indexOf(id);
  if (place < 0) throw new Error(`This study has no episode called ${id}.`);
  return episodeView(app, place);
}

function show(next, id) {
  const moved = view !== null;
  view = next;
  viewed = id;
  document.title =
    id === null ? `${app.cohort.title}: untaken` : `${id}: ${app.cohort.title}: untaken`;
  main.replaceChildren(
    h("h1", {}, view.heading),
    h("p", { class: "lead" }, view.lead),
    budgetBar(),
    ...view.body,
  );
  main.setAttribute("aria-busy", "false");
  view.update(app.k);
  scrollTo(0, 0);
  if (moved) main.focus({ preventScroll: true });
}

function budgetBar() {
  const most = app.cohort.k;
  const value = h("output", { for: "budget", id: "budget-value" }, String(app.k));
  const slider = h("input", {
    type: "range",
    id: "budget",
    min: 0,
    max: most,
    step: 1,
    value: app.k,
    disabled: most === 0,
    oninput: () => turnTo(Number(slider.value)),
  });
  const links = h(
    "nav",
    { class: "turn", "aria-label": "Episodes" },
    view.links.map(([text, id]) => {
      const link = h("a", { href: addressOf(id, app.k) }, text);
      link.leadsTo = id;
      return link;
    }),
  );
  return h(
    "div",
    { class: "budget" },
    h("label", { for: "budget" }, "Changed actions, at most"),
    value,
    slider,
    view.links.length ? links : null,
  );
}

// Everything at another budget: the address, the slider, the links, the view.
function turnTo(k) {
  app.k = k;
  history.replaceState(null, "", addressOf(viewed, k));
  document.getElementById("budget").value = String(k);
  document.getElementById("budget-value").textContent = String(k);
  for (const link of document.querySelectorAll(".turn a")) link.href = addressOf(link.leadsTo, k);
  view.update(k);
}

function complain(error, id = null) {
  const back = app.cohort
    ? h("p", {}, h("a", { href: addressOf(null, app.k) }, "All episodes"))
    : null;
  view = null;
  viewed = id;
  main.setAttribute("aria-busy", "false");
  main.replaceChildren(
    h("h1", {}, "This cannot be shown"),
    h("p", { class: "problem", role: "alert" }, String(error.message ?? error)),
    back,
  );
}

function soon(act) {
  let waiting = null;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(act, 120);
  };
}

const THEMES = ["auto", "light", "dark"];

function theme() {
  const button = document.getElementById("theme");
  const chosen = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = `Theme: ${name}`;
  };
  let now = remembered() ?? "auto";
  chosen(now);
  button.addEventListener("click", () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    chosen(now);
    remember(now);
  });
}

// A browser may forbid a file from disk to remember anything.
function remembered() {
  try {
    const name = localStorage.getItem("untaken-theme");
    return THEMES.includes(name) ? name : null;
  } catch {
    return null;
  }
}

function remember(name) {
  try {
    localStorage.setItem("untaken-theme", name);
  } catch {
    // then it is forgotten
  }
}

function dialog() {
  const words = document.getElementById("words");
  document.getElementById("open-words").addEventListener("click", () => words.showModal());
  document.getElementById("close-words").addEventListener("click", () => words.close());
}

// Its own address would take the place of the view's.
function skip() {
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
}

theme();
dialog();
skip();
start();
