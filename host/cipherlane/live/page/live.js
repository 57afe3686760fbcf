// SPDX-License-Identifier: BSD-2-Clause
// Shows what the server sends: pictures, and everything else as JSON. After drawing each message it reports that it is
// ready for the next, so that a slow browser gets fewer messages.
import { bars, figure, histogram, line, table } from "./charts.js";
import { shortName, showSpeeds, speedOf, stopRunners } from "./race.js";
import { follow, start } from "./stage.js";

const $ = (id) => document.getElementById(id);
const CHOICES = ["engine", "beside", "key_bits", "record_bytes", "bits", "wiretap", "tamper", "source"];
const PANES = ["plaintext", "wire", "decrypted"];
const VALUES = [...Array(256).keys()], DIGITS = VALUES.slice(0, 16);
const NAMES = {
  wiretap: { ctr: "what is there (CTR)", ecb: "what ECB would leak" },
  tamper: { no: "no", yes: "a byte in each row" },
  source: { pattern: "the built-in film", image: "image file", video: "video file", camera: "camera", text: "text" },
  bits: { 0: "as many as the board manages", 8: "256", 4: "16, half the bytes" },
  beside: { no: "none", race: "a race of all kinds" },
};
const KINDS = {
  sim: "sim: cycles counted in the simulated board, at its declared clock; nothing was measured on hardware.",
  board: "board: cycles counted on the board.",
  null: "null: no board, a program on this machine; its cycles are nanoseconds.",
};
const SUMMARY_MS = 15000, SILENCE_MS = 8000, AGAIN_MS = 2000, STILL_MS = 5000, COUNT_MS = 1000;
const token = location.hash.slice(1);
if (token) history.replaceState(null, "", location.pathname + location.search); // not to be read over a shoulder

let socket = null, state = null, picture = null, heard = 0, summarised = 0, drawn = 0, counted = 0, refused = "";
const said = {}; // choices made here that the state does not contain yet
let paused = matchMedia("(prefers-reduced-motion: reduce)").matches;

function connect() {
  socket = new WebSocket(`ws://${location.host}/messages`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    if (token) socket.send(token);
    socket.send("ready");
    heard = performance.now();
  };
  socket.onclose = (event) => {
    alertOf(event.code === 4401 || event.code === 1013 ? event.reason : "No connection to cipherlane live: was it ended? Trying again.");
    if (event.code !== 4401) setTimeout(connect, AGAIN_MS);
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string" && data.startsWith('{"refused"')) {
      refused = JSON.parse(data).refused;
      for (const id of CHOICES) delete said[id];
      showState();
      return;
    }
    heard = performance.now();
    requestAnimationFrame(() => {
      if (typeof data === "string") {
        state = JSON.parse(data);
        refused = "";
        showState();
      } else {
        takePicture(data);
      }
      if (socket.readyState === WebSocket.OPEN) socket.send("ready");
    });
  };
}

function say(choice) {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify(choice));
  for (const id of CHOICES) if (id in choice) said[id] = choice[id];
  showPending();
}

// Marks choices without effect yet: until their first results arrive, the old choice still streams.
function showPending() {
  if (!state) return;
  const waiting = CHOICES.filter((id) => (id in said ? said[id] : state.choice[id]) !== state.running[id]);
  for (const id of CHOICES) $(id).classList.toggle("waiting", waiting.includes(id));
  const what = waiting.map((id) => $(id).labels[0].firstChild.textContent.trim().toLowerCase());
  $("pending").textContent = what.length ? `Not yet in effect: ${what.join(", ")}` : "";
}

function alertOf(text) {
  if ($("state").textContent !== text) $("state").textContent = text; // a change is read aloud
}

function takePicture(data) {
  const size = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const count = (head.edge ** 2 * head.bits) / 8, beside = head.channel === "beside";
  if (!beside) picture = head;
  const now = performance.now();
  if (!paused || now - drawn > STILL_MS || (beside && now - drawn < STILL_MS / 10)) {
    if (!beside) drawn = now;
    const panes = PANES.map((_, index) => new Uint8Array(data, 4 + size + index * count, count));
    const suffix = beside ? "_beside" : "";
    PANES.forEach((id, index) => $(id + suffix) && paint($(id + suffix), panes[index], head));
    notes(head, suffix);
    if (!beside && (paused || now - counted > COUNT_MS)) {
      counted = now;
      countBytes(panes[1]);
    }
  }
  if (!beside) summarise();
}

// Writes the notes below the panes; with `suffix`, below the panes of the second engine.
function notes(head, suffix) {
  const { wire, equal, checked } = head;
  const through = (state?.choice.beside ?? "no") !== "no" ? `${head.engine}: ` : "";
  const even = wire.even ? "like random bytes" : "not random: the picture shows through";
  const shades = head.bits === 8 ? "" : `, ${2 ** head.bits} colours, two pixels a byte`;
  $("plaintext_note").textContent = `entropy ${head.plaintext_entropy.toFixed(2)} bits a byte${shades}`;
  $(`wire${suffix}_note`).textContent = through +
    `${head.wiretap === "ecb" ? "not sent: made by the host's library with AES-ECB. " : ""}entropy ${wire.entropy.toFixed(3)} bits a byte, ` +
    `chi-square ${wire.chi_square.toFixed(0)} (p ${wire.probability.toPrecision(2)}): ${even}`;
  $(`decrypted${suffix}_note`).textContent = through +
    `by ${head.decrypted_by}: ${equal ? "equal to the source" : `DIFFERENT from the source in ${head.differ} bytes`}; ` +
    `${head.tampered ? `${head.tampered} bytes were changed on the wire, and nothing noticed: CTR hides the data but does not detect tampering; ` : ""}` +
    `of all pictures from the board ${checked.equal} equal, ${checked.different} different${head.tampered ? " before that" : ""}`;
  if (suffix) return;
  const ecb = head.wiretap === "ecb", pictures = checked.equal + checked.different;
  verdict("plaintext", true, shortName(head.engine));
  verdict("wire", wire.even, ecb ? "ECB, not sent: it leaks" : wire.even ? "looks random" : "NOT RANDOM");
  verdict("decrypted", equal && !checked.different, head.tampered ? `tampered in ${head.differ} bytes`
    : checked.different ? `${checked.different} of ${pictures} DIFFERENT` : `all ${pictures} equal`);
}

function verdict(id, good, text) {
  $(`${id}_verdict`).className = good ? "verdict" : "verdict bad";
  $(`${id}_verdict`).textContent = text;
}

// A pixel's colour: three bits of red and green, two of blue; the upper half of the byte holds the most significant bits.
const pixel = (red, green, blue) => 0xff000000 | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red);
const COLOURS = VALUES.map((byte) => pixel(
  (((byte >> 5) & 4) | ((byte >> 2) & 3)) * 255 / 7, (((byte >> 4) & 6) | ((byte >> 1) & 1)) * 255 / 7, (((byte >> 3) & 2) | (byte & 1)) * 255 / 3));
const HALVES = DIGITS.map((half) => pixel((half >> 3) * 255, ((half >> 1) & 3) * 85, (half & 1) * 255)); // the 16 colours

function paint(canvas, bytes, { edge, bits }) {
  if (canvas.width !== edge) canvas.width = canvas.height = edge;
  const image = new ImageData(edge, edge);
  const pixels = new Uint32Array(image.data.buffer);
  if (bits === 8) bytes.forEach((byte, index) => (pixels[index] = COLOURS[byte]));
  else bytes.forEach((byte, index) => ((pixels[2 * index] = HALVES[byte >> 4]), (pixels[2 * index + 1] = HALVES[byte & 15])));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function countBytes(bytes) {
  const counts = VALUES.map(() => 0);
  for (const byte of bytes) counts[byte]++;
  const even = bytes.length / VALUES.length;
  histogram($("histogram"), counts, even);
  $("spread").textContent = `${bytes.length} bytes, from ${Math.min(...counts)} to ${Math.max(...counts)} times; even: ${even} times ` +
    "(the line), and nearly always between the dashed lines.";
  table($("counts"), [["value", (row) => `${row.toString(16).toUpperCase()}x`],
    ...DIGITS.map((digit) => [`x${digit.toString(16).toUpperCase()}`, (row) => counts[16 * row + digit]])], DIGITS);
}

function showState() {
  const { board, points, latest, choice } = state ?? {};
  alertOf(refused || state?.message || "");
  if (!state) return;
  const last = points.at(-1);
  for (const id of CHOICES) if (said[id] === choice[id]) delete said[id];
  showCompared();
  showSpeeds(state);
  follow(state);
  const fewer = last?.bits === 4 && !choice.bits ? ` With 16 colours: 256 would be fewer than ${state.fewest_pictures} pictures a second here.` : "";
  const scaled = board.kind === "sim" ? " Simulated: picture and rate are scaled to what the simulation gives." : "";
  $("rate").textContent = last ? `${figure(last.pictures_a_second)} pictures a second of wall time, ${state.edge}x${state.edge} pixels.${fewer}${scaled}` : "";
  $("board").textContent = `Board ${board.name} (${board.kind}), ${board.clock_mhz} MHz, firmware ${board.firmware}`;
  $("streamed").textContent = `${choice.engine}, AES-${choice.key_bits}, ${titled("source", choice.source)}`;
  $("kinds").textContent = KINDS[board.kind];
  for (const id of CHOICES) options($(id), id, choice[id]);
  showPending();
  const kind = (row) => row.kind, key = (row) => `${row.engine} ${row.key_bits}`;
  bars($("bars"), latest.map((row) => ({ name: row.engine, value: row.mbps, kind: row.kind, link: row.link_mbps })), choice.engine);
  table($("latest"), [["engine, key", key], ["Mbps", (row) => figure(row.mbps)], ["kind", kind],
    ["cycles a block", (row) => figure(row.cycles_per_block)], ["link Mbps", (row) => figure(row.link_mbps, 2)],
    ["engine's share of the link's time", (row) => percent(row.engine_share)]], latest);
  line($("line"), points.map((row) => row.link_mbps));
  $("times").textContent = last?.link_time === "simulated" ? "In simulated time, including waits for a busy machine; wall time shows the simulation's speed, not a board's."
    : board.kind === "sim" ? "In wall time, which shows the simulation's speed, not a board's." : "In wall time.";
  table($("points"), [["engine, key", key], ["link Mbps", (row) => figure(row.link_mbps, 2)], ["time", (row) => row.link_time],
    ["wall Mbps", (row) => figure(row.wall_mbps, 2)], ["pictures a second", (row) => figure(row.pictures_a_second)],
    ["record bytes", (row) => row.record_bytes], ["host's CPU", (row) => percent(row.host_share)], ["sent again", (row) => row.retransmissions]],
    points.slice(-10).reverse());
  const counters = Object.entries(state.counters);
  $("counters").textContent = counters.map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`).join(", ") || "None yet.";
}

function showCompared() {
  const { compared, choice } = state, race = choice.beside === "race";
  $("compared").hidden = choice.beside === "no";
  if (choice.beside === "no") return;
  $("sides").textContent = race ? "The race: an engine of each kind, in turns" : "Two engines, side by side";
  for (const figure of document.querySelectorAll("#compared figure")) figure.hidden = race;
  const [one, other] = race ? [] : compared, most = Math.max(one?.mbps ?? 0, other?.mbps ?? 0);
  const least = Math.min(one?.mbps ?? 0, other?.mbps ?? 0), faster = other?.mbps === most ? other : one;
  $("ratio").textContent = race ? "" : !other ? "No figures of both yet." : !least ? "One of them counts no cycles: compare the link's speed."
    : `${faster.engine} is ${figure(most / least, 2)} times as fast as ${(faster === one ? other : one).engine}, each record by itself.`;
  table($("both"), [["engine, key", (row) => `${row.engine} ${row.key_bits}`], ["Mbps", (row) => figure(row.mbps)], ["kind", (row) => row.kind],
    ["cycles a block", (row) => figure(row.cycles_per_block)], ["link Mbps, in its turns", (row) => figure(row.link_mbps, 2)], ["time", (row) => row.link_time],
    ["pictures a second of its turns", (row) => figure(row.pictures_a_second)], ["record bytes", (row) => row.record_bytes]], compared);
}

const percent = (share) => (share === null ? "-" : `${(share * 100).toFixed(0)} %`);

function options(select, id, chosen) {
  const values = state.options[id].map(String);
  if (values.join() !== [...select.options].map((option) => option.value).join()) {
    select.replaceChildren(...state.options[id].map((value) => new Option(titled(id, value), value)));
  }
  if (document.activeElement !== select || select.dataset.said === String(chosen)) select.value = said[id] ?? chosen;
}

function titled(id, value) {
  if (id === "key_bits") return `${value} bits`;
  if (id === "record_bytes") return value ? `${value} bytes` : "the largest";
  return NAMES[id]?.[value] ?? value;
}

// Writes a sentence for screen readers from time to time.
function summarise() {
  const last = state?.points.at(-1);
  if (!last || !picture || performance.now() - summarised < SUMMARY_MS) return;
  summarised = performance.now();
  $("summary").textContent =
    `Engine ${last.engine}, AES-${last.key_bits}: ${speedOf(last).what} ${figure(speedOf(last).mbps, 0)} Mbps (${last.kind}), ` +
    `link ${figure(last.link_mbps)} Mbps in ${last.link_time} time, ${figure(last.pictures_a_second)} pictures a second; ` +
    `the decrypted picture is ${picture.equal ? "equal to" : "different from"} the source.`;
}

function showPause() {
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Paused: a picture every 5 s" : "Pause";
  stopRunners(paused);
}

for (const id of CHOICES) {
  $(id).addEventListener("change", ({ target }) => {
    target.dataset.said = target.value;
    if (id === "source" && target.value === "text") return sendText();
    say({ [id]: id.endsWith("s") ? Number(target.value) : target.value });
  });
}

function sendText() {
  const text = $("text").value.trim();
  if (text) say({ source: "text", text });
  else $("text").focus();
}

$("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  sendText();
});
function pause() {
  paused = !paused;
  showPause();
}
$("pause").addEventListener("click", pause);
setInterval(() => {
  if (socket.readyState === WebSocket.OPEN && performance.now() - heard > SILENCE_MS && !document.hidden) {
    alertOf(state?.message || `No news for ${Math.round(SILENCE_MS / 1000)} s: a slow engine, or the board does not answer.`);
  }
}, 1000);
showPause();
start({ choose: say, pause });
connect();
