// SPDX-License-Identifier: BSD-2-Clause
// Three charts in SVG and their tables. A table next to each chart has every figure drawn.
const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 600;

export const figure = (value, digits = 1) => (value === null || value === undefined ? "-" : value.toFixed(digits));

function draw(parent, name, attributes, text) {
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
}

// Draws a bar for each measured engine: `rows` have a name, a value or null, and a kind; `now` names the running engine.
export function bars(svg, rows, now) {
  const high = 34, left = 110, right = 150;
  const most = Math.max(...rows.map((row) => row.value ?? 0), 1e-9);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${Math.max(1, rows.length) * high}`);
  svg.replaceChildren();
  rows.forEach((row, index) => {
    const y = index * high, length = ((row.value ?? 0) / most) * (WIDTH - left - right);
    draw(svg, "text", { x: 0, y: y + 21 }, (row.name === now ? "▸ " : "") + row.name);
    draw(svg, "rect", { x: left, y: y + 5, width: Math.max(1, length), height: high - 10, class: row.name === now ? "bar now" : "bar" });
    const said = row.value === null ? `counts no cycles; link ${figure(row.link)} ${row.kind}` : `${figure(row.value)} ${row.kind}`;
    draw(svg, "text", { x: left + Math.max(1, length) + 6, y: y + 21 }, said);
  });
}

// Draws a curve of values, the oldest first, on an axis from 0.
export function line(svg, values) {
  const high = 220, left = 60, top = 16, bottom = high - 16;
  const most = Math.max(...values, 1e-9), step = (WIDTH - left - 10) / Math.max(1, values.length - 1);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${high}`);
  svg.replaceChildren();
  for (const part of [0, 0.5, 1]) {
    const y = bottom - part * (bottom - top);
    draw(svg, "line", { x1: left, x2: WIDTH, y1: y, y2: y, class: "axis" });
    draw(svg, "text", { x: left - 8, y: y + 5, "text-anchor": "end" }, (most * part).toPrecision(3));
  }
  const places = values.map((value, index) => [left + 5 + index * step, bottom - (value / most) * (bottom - top)]);
  draw(svg, "polyline", { class: "curve", points: places.map((place) => place.join(",")).join(" ") });
  const last = places.at(-1);
  if (last) draw(svg, "circle", { class: "dot", cx: last[0], cy: last[1], r: 5 });
}

// Draws a bar for the count of each byte value. Random bytes have about `even` each, 99.7 % within the dashed lines.
export function histogram(svg, counts, even) {
  const high = 220, left = 60, top = 16, bottom = high - 24, width = (WIDTH - left) / counts.length;
  const most = Math.max(...counts, even + 4 * Math.sqrt(even)), at = (value) => bottom - (value / most) * (bottom - top);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${high}`);
  svg.replaceChildren();
  const path = counts.map((count, value) => `M${left + (value + 0.5) * width} ${bottom}V${at(count)}`).join("");
  draw(svg, "path", { class: "counts", d: path, "stroke-width": width * 0.8 });
  for (const [value, kind] of [[0, "axis"], [even, "even"], [even - 3 * Math.sqrt(even), "bound"], [even + 3 * Math.sqrt(even), "bound"]]) {
    draw(svg, "line", { x1: left, x2: WIDTH, y1: at(Math.max(0, value)), y2: at(Math.max(0, value)), class: kind });
  }
  for (const value of [0, most / 2, most]) draw(svg, "text", { x: left - 8, y: at(value) + 5, "text-anchor": "end" }, value.toFixed(0));
  for (const value of [0, 64, 128, 192, 255]) draw(svg, "text", { x: left + (value + 0.5) * width, y: high - 6, "text-anchor": value > 200 ? "end" : "middle" }, value);
}

// Fills a table with `rows`; each of `columns` has a heading and a function that returns a row's cell.
export function table(node, columns, rows) {
  const cells = (kind, texts) => {
    const row = document.createElement("tr");
    for (const text of texts) {
      const cell = document.createElement(kind);
      if (kind === "th") cell.scope = "col";
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  };
  node.tHead.replaceChildren(cells("th", columns.map(([heading]) => heading)));
  node.tBodies[0].replaceChildren(...rows.map((row) => cells("td", columns.map(([, text]) => text(row)))));
}
