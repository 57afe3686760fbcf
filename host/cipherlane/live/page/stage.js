// SPDX-License-Identifier: BSD-2-Clause
// The stage, the keys, and the buttons with the functions of keys. `choose` sends a choice, `pause` stops the pictures.
const $ = (id) => document.getElementById(id);
const root = document.documentElement;
let state = null;

const KEYS = [
  ["s", "show the stage, or the whole page", () => stage(!root.classList.contains("stage"))],
  ["f", "full screen on or off", fullScreen],
  ["t", "tampering on the wire on or off", () => toggle("tamper", "yes", "no")],
  ["e", "show what ECB would leak, or CTR", () => toggle("wiretap", "ecb", "ctr")],
  ["r", "race of the engines, or one engine", () => state?.options.beside.includes("race") && toggle("beside", "race", "no")],
  ["1", "the fastest engine in hardware", () => engine(0)],
  ["2", "the instructions", () => engine(1)],
  ["3", "C", () => engine(2)],
  ["k", "the next key length", () => next("key_bits")],
  ["n", "the next source", () => next("source")],
  ["p", "pause or continue the pictures", () => pause()],
  ["d", "dark or light", theme],
  ["?", "show these keys", () => ($("help").open ? $("help").close() : $("help").showModal())],
  ["Escape", "leave the stage", () => stage(false)],
];
let choose = () => {}, pause = () => {};

export function start(actions) {
  ({ choose, pause } = actions);
  for (const [key, what] of KEYS) {
    const row = $("help_keys").tBodies[0].insertRow(), mark = document.createElement("kbd");
    mark.textContent = key === "Escape" ? "Esc" : key;
    row.insertCell().append(mark);
    row.insertCell().textContent = what;
  }
  for (const button of document.querySelectorAll("#quick [aria-keyshortcuts]")) {
    if (button.id !== "pause") button.addEventListener("click", () => press(button.getAttribute("aria-keyshortcuts")));
  }
  $("help_close").addEventListener("click", () => $("help").close());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.matches("select, input:not([type=checkbox])") && event.key !== "Escape") return;
    if ($("help").open && event.key !== "?") return; // the dialog closes by Escape itself
    if ($("keys_on").checked || event.key === "?") press(event.key) && event.preventDefault();
  });
  $("fold").open = !matchMedia("(max-width: 40rem)").matches;
  if (new URLSearchParams(location.search).has("stage")) stage(true);
}

// Shows a new state in the buttons.
export function follow(newest) {
  state = newest;
  const { choice, options } = state;
  for (const [id, on] of [["do_tamper", choice.tamper === "yes"], ["do_ecb", choice.wiretap === "ecb"], ["do_race", choice.beside === "race"]]) {
    $(id).setAttribute("aria-pressed", on);
  }
  $("do_race").hidden = !options.beside.includes("race");
}

function press(key) {
  const found = KEYS.find(([name]) => name === key);
  found?.[2]();
  return Boolean(found);
}

function toggle(field, on, off) {
  if (state) choose({ [field]: state.choice[field] === on ? off : on });
}

function engine(number) {
  const name = state?.racers[number];
  if (name) choose({ engine: name, beside: "no" });
}

function next(field) {
  const values = state?.options[field].filter((value) => value !== "text") ?? [];
  if (values.length) choose({ [field]: values[(values.indexOf(state.choice[field]) + 1) % values.length] });
}

function stage(on) {
  root.classList.toggle("stage", on);
  $("do_stage").setAttribute("aria-pressed", on);
  scrollTo(0, 0);
  if (!on && document.fullscreenElement) document.exitFullscreen();
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.().catch(() => {}); // a browser may refuse
}

function theme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}
