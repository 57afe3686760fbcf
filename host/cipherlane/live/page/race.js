// SPDX-License-Identifier: BSD-2-Clause
// The large number, and a lane for each kind of engine: bars and runners are in proportion to the measured speeds.
const $ = (id) => document.getElementById(id);
const LAP_MS = 1500; // time of the fastest engine for a lap
const STRETCHES = 24; // latest stretches considered
const SHORT = { fastpath: "fast path", accelerator: "accelerator", table: "C with tables", byte: "C by bytes", zkn: "scalar instructions" };
const still = matchMedia("(prefers-reduced-motion: reduce)");
let lanes = [], before = 0, stopped = false;

export const three = (value) => (value >= 1000 ? Math.round(value).toString() : value.toPrecision(3));
export const shortName = (engine) => SHORT[engine] ?? (engine.startsWith("ise") ? "instructions" : engine);

// Returns the speed that viewers see: the link's in the board's own time if the board counts that (over Ethernet),
// otherwise the engine's own in records.
export function speedOf(row) {
  const link = row.picture_cycles !== null || row.mbps === null;
  return { mbps: link ? row.link_mbps : row.mbps, what: link ? "link speed" : "record speed" };
}

// A simulated board still counts cycles while it waits for a busy machine. Of the last stretches, the one that waited
// least is nearest to the board's own speed.
function leastWaiting(row, points) {
  if (row.link_time !== "simulated") return row;
  const same = points.slice(-STRETCHES).filter((point) => ["engine", "key_bits", "record_bytes"].every((name) => point[name] === row[name]));
  return same.reduce((best, point) => (point.link_mbps > best.link_mbps ? point : best), row);
}

export function showSpeeds({ latest: last, points, choice, racers, titles, board }) {
  const latest = last.map((row) => leastWaiting(row, points));
  const now = latest.find((row) => row.engine === choice.engine);
  $("kind").textContent = now ? now.kind : "";
  $("number").textContent = now ? three(speedOf(now).mbps) : "-";
  $("number_note").textContent = now
    ? `${speedOf(now).what} of ${titles[now.engine] ?? now.engine}, AES-${now.key_bits}` : "No figures yet.";
  const rows = latest.filter((row) => racers.includes(row.engine) || row.engine === choice.engine);
  const most = Math.max(...rows.map((row) => speedOf(row).mbps), 1e-9), least = Math.min(...rows.map((row) => speedOf(row).mbps));
  if (lanes.map((lane) => lane.engine).join() !== rows.map((row) => row.engine).join()) {
    lanes = rows.map((row) => makeLane(row.engine));
    $("lanes").replaceChildren(...lanes.map((lane) => lane.node));
  }
  rows.forEach((row, index) => {
    const lane = lanes[index], { mbps } = speedOf(row);
    lane.pace = mbps / most;
    lane.node.className = row.engine === choice.engine ? "lane now" : "lane";
    lane.name.textContent = `${row.engine === choice.engine ? "▸ " : ""}${shortName(row.engine)}`;
    lane.value.textContent = `${three(mbps)} Mbps`;
    lane.fill.style.width = `${lane.pace * 100}%`;
  });
  const times = rows.length > 1 && least > 0 ? ` The fastest is ${three(most / least)} times as fast as the slowest.` : "";
  $("lanes_note").textContent = rows.length
    ? `${speedOf(rows[0]).what}, ${rows[0].kind}, from the latest measurements; runners move in proportion.${times}` : `${board.name}: no figures yet.`;
}

function makeLane(engine) {
  const make = (name, kind = "span") => Object.assign(document.createElement(kind), { className: name });
  const lane = { engine, pace: 0, at: 0, node: make("lane", "li"), name: make("name"), value: make("value"), fill: make("fill"), runner: make("runner") };
  const track = make("track");
  track.append(lane.fill, lane.runner);
  lane.node.append(lane.name, lane.value, track);
  return lane;
}

export const stopRunners = (value) => (stopped = value);

function run(now) {
  const passed = Math.min(now - before, 100);
  before = now;
  for (const lane of lanes) {
    lane.runner.hidden = still.matches || stopped;
    if (lane.runner.hidden) continue;
    lane.at = (lane.at + (passed / LAP_MS) * lane.pace) % 1;
    lane.runner.style.left = `${lane.at * 100}%`;
  }
  requestAnimationFrame(run);
}
requestAnimationFrame(run);
