// Maps: the elements of an output as a picture, with the grid of tiles on it.

const LARGEST = 26, LEAST_LINES = 4, HATCHED_FROM = 5, SQUARE_FROM = 6, MOST_RATIO = 4;
const WITHIN = [[0, "exact"], [2 ** -6, "within-0"], [2 ** -4, "within-1"], [2 ** -2, "within-2"], [2 ** -1, "within-3"], [1, "within-4"]];
const OUTSIDE = [[2, "outside-0"], [16, "outside-1"], [Number.MAX_VALUE, "outside-2"]];
const LEGEND = [["exact", "exact"], ["within-0", "up to 2^-6"], ["within-1", "up to 2^-4"], ["within-2", "up to 2^-2"], ["within-3", "up to 2^-1"],
  ["within-4", "up to 1"], ["outside-0", "up to 2, outside"], ["outside-1", "up to 16, outside"], ["outside-2", "above 16, outside"],
  ["special", "NaN, infinite, or not exact where it must be"], ["none", "no bound"]];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const colours = new Map(); // of the theme: asking the style for each cell is slow

function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return colours.get(name);
}

// The name of the colour of an error over its bound.
function errorColour(fraction) {
  if (fraction === NO_BOUND) return "none";
  if (fraction === Infinity) return "special";
  return [...WITHIN, ...OUTSIDE].find(([most]) => fraction <= most)[1];
}

const partsOf = (name) => [1, 3, 5].map((i) => parseInt(colour(name).slice(i, i + 2), 16));

// Blue below zero, orange above; the square root lets small values be seen beside large ones.
function valueColour(value, largest) {
  if (value === null) return colour("panel");
  if (!Number.isFinite(value)) return colour("special");
  const share = largest > 0 ? Math.sqrt(Math.min(1, Math.abs(value) / largest)) : 0;
  const [from, to] = [partsOf("zero"), partsOf(value < 0 ? "negative" : "positive")];
  return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * share)).join(", ")})`;
}

function hatch(context, x, y, width, height) {
  context.strokeStyle = colour("hatch");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}

function drawError(context, fraction, x, y, width, height) {
  const name = errorColour(fraction);
  context.fillStyle = name === "none" ? colour("soft") : colour(name);
  context.fillRect(x, y, width, height);
  if (name === "none") hatch(context, x, y, width, height);
  if (!(fraction > 1) || Math.min(width, height) < HATCHED_FROM) return;
  context.strokeStyle = colour("panel"); // a sign besides the colour
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [a, b] of [[0.25, 0.75], [0.75, 0.25]]) {
    context.moveTo(x + width * 0.25, y + height * a);
    context.lineTo(x + width * 0.75, y + height * b);
  }
  context.stroke();
}

class ElementMap {
  // Options: output, title, detail, room (pixels), draw(context, cell, x, y, width, height), describe(element), hint(text), choose(element)
  constructor(options) {
    Object.assign(this, options);
    this.cells = this.output.cells;
    this.cursor = 0;
    this.chosen = -1;
    const [w, h] = [this.cells.columns, this.cells.rows].map((n) => Math.max(1, Math.min(LARGEST, Math.floor(this.room / Math.max(1, n)))));
    const ratio = Math.min(w, h) < SQUARE_FROM ? MOST_RATIO : 1;
    this.width = Math.min(w, ratio * h);
    this.height = Math.min(h, ratio * w);
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": `${this.title}: a cell for each element or block of elements; arrows move, Enter chooses` });
    Object.assign(this.canvas.dataset, { width: this.width, height: this.height });
    this.root = make("figure", { "data-name": this.name }, make("figcaption", {}, this.title, make("span", { class: "quiet" }, this.detail)), this.canvas);
    this.canvas.addEventListener("click", (event) => this.pick(this.cellAt(event)));
    this.canvas.addEventListener("mousemove", (event) => this.point(this.cellAt(event)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    for (const name of ["focus", "blur"]) this.canvas.addEventListener(name, () => this.outlines());
    this.redraw();
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.width), row = Math.floor((event.clientY - box.top) / this.height);
    return row >= 0 && column >= 0 && row < this.cells.rows && column < this.cells.columns ? row * this.cells.columns + column : -1;
  }

  isThere(cell) {
    return cell >= 0 && cell < this.output.most.length && this.output.most[cell] !== NO_ELEMENT;
  }

  pick(cell) {
    if (!this.isThere(cell)) return;
    this.cursor = cell;
    this.choose(this.output.at[cell]);
  }

  point(cell) {
    if (this.isThere(cell)) this.hint(this.describe(this.output.at[cell]));
  }

  key(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.pick(this.cursor);
    } else if (steps[event.key]) {
      event.preventDefault();
      const { rows, columns } = this.cells, [down, right] = steps[event.key];
      const row = Math.floor(this.cursor / columns) + down, column = (this.cursor % columns) + right;
      if (row < 0 || column < 0 || row >= rows || column >= columns || !this.isThere(row * columns + column)) return;
      this.cursor = row * columns + column;
      this.point(this.cursor);
      this.outlines();
    }
  }

  redraw() {
    const { rows, columns } = this.cells, scale = window.devicePixelRatio || 1;
    const [width, height] = [columns * this.width + 1, rows * this.height + 1];
    this.base = document.createElement("canvas");
    for (const canvas of [this.base, this.canvas]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = this.base.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const gap = Math.min(this.width, this.height) >= 8 ? 1 : 0;
    for (let cell = 0; cell < rows * columns; cell++)
      if (this.isThere(cell))
        this.draw(context, cell, (cell % columns) * this.width, Math.floor(cell / columns) * this.height, this.width - gap, this.height - gap);
    this.drawTiles(context, width, height);
    this.outlines();
  }

  // Whether there is room for the lines between tiles.
  hasLines() {
    const { row_lines: down, column_lines: across } = this.output.layout;
    return down !== null && linesFit(down, this.height / this.cells.height) && linesFit(across, this.width / this.cells.width);
  }

  drawTiles(context, width, height) {
    if (!this.hasLines()) return;
    const { row_lines: down, column_lines: across } = this.output.layout;
    context.strokeStyle = colour("tile");
    context.lineWidth = 1;
    context.beginPath();
    for (const line of [0, ...down, this.output.layout.rows]) {
      const y = Math.round((line / this.cells.height) * this.height) + 0.5;
      context.moveTo(0, Math.min(y, height - 0.5));
      context.lineTo(width, Math.min(y, height - 0.5));
    }
    for (const line of [0, ...across, this.output.layout.columns]) {
      const x = Math.round((line / this.cells.width) * this.width) + 0.5;
      context.moveTo(Math.min(x, width - 0.5), 0);
      context.lineTo(Math.min(x, width - 0.5), height);
    }
    context.stroke();
  }

  outlines() {
    const context = this.canvas.getContext("2d"), scale = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.base.width && this.base.height) context.drawImage(this.base, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const outline = (cell, name) => {
      context.strokeStyle = colour(name);
      context.lineWidth = 2;
      context.strokeRect((cell % this.cells.columns) * this.width, Math.floor(cell / this.cells.columns) * this.height, this.width, this.height);
    };
    if (this.chosen >= 0) outline(this.chosen, "mark");
    if (document.activeElement === this.canvas) outline(this.cursor, "link");
  }

  mark(element) {
    this.chosen = this.cursor = this.output.cellOf(element);
    this.outlines();
  }
}

// Whether lines at these positions are far enough from each other.
const linesFit = (lines, pixels) => lines.every((line, i) => (line - (i ? lines[i - 1] : 0)) * pixels >= LEAST_LINES);
