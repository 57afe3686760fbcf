// Shows what the server sends: JSON of everything but pictures, and pictures. It says that it is ready after each
// message, when that is drawn, so that a slow browser gets fewer.
import { bars, figure, line, table } from "./charts.js";

const $ = (id) => document.getElementById(id);
const CHOICES = ["engine", "key_bits", "record_bytes", "wiretap", "tamper", "source"];
const PANES = ["plaintext", "wire", "decrypted"];
const NAMES = {
  wiretap: { ctr: "what is there (CTR)", ecb: "what ECB would leak" },
  tamper: { no: "no", yes: "a byte in each row" },
  source: { pattern: "moving pattern", image: "image file", text: "text" },
};
const KINDS = {
  sim: "sim: cycles counted in the simulated board, at its declared clock; nothing was measured on hardware.",
  board: "board: cycles counted on the board.",
  null: "null: no board, a program on this machine; its cycles are nanoseconds.",
};
const SUMMARY_MS = 15000, SILENCE_MS = 8000, AGAIN_MS = 2000, STILL_MS = 5000;
const token = location.hash.slice(1);
if (token) history.replaceState(null, "", location.pathname); // not to be read over a shoulder

let socket = null, state = null, picture = null, heard = 0, summarised = 0, drawn = 0, refused = "";
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

const say = (choice) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(choice));

function alertOf(text) {
  if ($("state").textContent !== text) $("state").textContent = text; // a change is read aloud
}

function takePicture(data) {
  const size = new DataView(data).getUint32(0, true);
  picture = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const count = picture.edge ** 2;
  if (!paused || performance.now() - drawn > STILL_MS) {
    drawn = performance.now();
    PANES.forEach((id, index) => paint($(id), new Uint8Array(data, 4 + size + index * count, count), picture.edge));
    const { wire, equal, shown } = picture;
    const even = wire.even ? "as of random bytes" : "not random: the picture shows through";
    $("plaintext_note").textContent = `entropy ${picture.plaintext_entropy.toFixed(2)} bits a byte`;
    $("wire_note").textContent =
      `${picture.wiretap === "ecb" ? "not sent: made by the host's library with AES-ECB. " : ""}entropy ${wire.entropy.toFixed(3)} bits a byte, ` +
      `chi-square ${wire.chi_square.toFixed(0)} (p ${wire.probability.toPrecision(2)}): ${even}`;
    $("decrypted_note").textContent =
      `by ${picture.decrypted_by}: ${equal ? "equal to the source" : `DIFFERENT from the source in ${picture.differ} pixels`}; ` +
      `${picture.tampered ? `${picture.tampered} bytes were changed on the wire, and nothing noticed: CTR keeps secret, not whole; ` : ""}` +
      `${shown.equal} pictures equal, ${shown.different} different${picture.tampered ? " before that" : ""}`;
  }
  summarise();
}

function paint(canvas, bytes, edge) {
  if (canvas.width !== edge) canvas.width = canvas.height = edge;
  const image = new ImageData(edge, edge);
  const pixels = new Uint32Array(image.data.buffer);
  bytes.forEach((byte, index) => (pixels[index] = 0xff000000 | (byte * 0x010101)));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function showState() {
  const { board, points, latest, choice } = state ?? {};
  alertOf(refused || state?.message || "");
  if (!state) return;
  const last = points.at(-1);
  const rate = last ? ` ${figure(last.pictures_a_second)} pictures a second of wall time, ${state.edge}x${state.edge} pixels.` : "";
  const scaled = board.kind === "sim" ? " Simulated: picture and rate are scaled to what the simulation gives." : "";
  $("board").textContent = `Board ${board.name} (${board.kind}), ${board.clock_mhz} MHz, firmware ${board.firmware}.${rate}${scaled}`;
  $("kinds").textContent = KINDS[board.kind];
  for (const id of CHOICES) options($(id), id, choice[id]);
  const kind = (row) => row.kind, key = (row) => `${row.engine} ${row.key_bits}`;
  bars($("bars"), latest.map((row) => ({ name: row.engine, value: row.mbps, kind: row.kind })), choice.engine);
  table($("latest"), [["engine, key", key], ["Mbps", (row) => figure(row.mbps)], ["kind", kind],
    ["cycles a block", (row) => figure(row.cycles_per_block)], ["link Mbps", (row) => figure(row.link_mbps, 2)],
    ["engine's part of the link's time", (row) => percent(row.engine_share)]], latest);
  line($("line"), points.map((row) => row.link_mbps));
  $("times").textContent = last?.link_time === "simulated" ? "In simulated time; wall time is the simulation's speed, not a board's."
    : board.kind === "sim" ? "In wall time: that is the simulation's speed, not a board's." : "In wall time.";
  table($("points"), [["engine, key", key], ["link Mbps", (row) => figure(row.link_mbps, 2)], ["time", (row) => row.link_time],
    ["wall Mbps", (row) => figure(row.wall_mbps, 2)], ["pictures a second", (row) => figure(row.pictures_a_second)],
    ["record bytes", (row) => row.record_bytes], ["host's CPU", (row) => percent(row.host_share)], ["sent again", (row) => row.retransmissions]],
    points.slice(-10).reverse());
  const counters = Object.entries(state.counters);
  $("counters").textContent = counters.map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`).join(", ") || "None yet.";
}

const percent = (share) => (share === null ? "-" : `${(share * 100).toFixed(0)} %`);

function options(select, id, chosen) {
  const values = state.options[id].map(String);
  if (values.join() !== [...select.options].map((option) => option.value).join()) {
    select.replaceChildren(...state.options[id].map((value) => new Option(titled(id, value), value)));
  }
  if (document.activeElement !== select || select.dataset.said === String(chosen)) select.value = chosen;
}

function titled(id, value) {
  if (id === "key_bits") return `${value} bits`;
  if (id === "record_bytes") return value ? `${value} bytes` : "the largest";
  return NAMES[id]?.[value] ?? value;
}

// A sentence for those who listen, now and then.
function summarise() {
  const last = state?.points.at(-1);
  if (!last || !picture || performance.now() - summarised < SUMMARY_MS) return;
  summarised = performance.now();
  $("summary").textContent =
    `Engine ${last.engine}, AES-${last.key_bits}: ${last.mbps === null ? "" : `${figure(last.mbps, 0)} Mbps (${last.kind}), `}` +
    `link ${figure(last.link_mbps)} Mbps in ${last.link_time} time, ${figure(last.pictures_a_second)} pictures a second; ` +
    `the decrypted picture is ${picture.equal ? "equal to" : "different from"} the source.`;
}

function showPause() {
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Paused: a picture every 5 s" : "Pause pictures";
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
$("pause").addEventListener("click", () => {
  paused = !paused;
  showPause();
});
setInterval(() => {
  if (socket.readyState === WebSocket.OPEN && performance.now() - heard > SILENCE_MS && !document.hidden) {
    alertOf(state?.message || `No news for ${Math.round(SILENCE_MS / 1000)} s: a slow engine, or the board does not answer.`);
  }
}, 1000);
showPause();
connect();
