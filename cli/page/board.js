// A board shows a grid or an array as squares: two axes of it, the others chosen by sliders.  What one axis has is wrapped into rows.

const MOST_WIDTH = 330, MOST_HEIGHT = 300, LARGEST = 34, SMALLEST = 2, MARGIN = 12, EDGE = 2;

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

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function hatch(context, x, y, size) {
  context.strokeStyle = colour("hatch");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y + size);
  context.lineTo(x + size, y);
  context.stroke();
}

// One square.  `paint` is {fill, hatched, crossed, dotted, text}: colours alone tell nothing to some people.
function drawSquare(context, x, y, size, paint) {
  context.fillStyle = paint.fill;
  context.fillRect(x, y, size, size);
  if (size < 7) return;
  if (paint.hatched) hatch(context, x, y, size);
  context.fillStyle = context.strokeStyle = colour("ground");
  if (paint.crossed) {
    const [a, b] = paint.text ? [size - 7, size - 3] : [size * 0.3, size * 0.7], up = paint.text ? size - 10 : 0;
    context.lineWidth = Math.max(1, size / 14);
    context.beginPath();
    context.moveTo(x + a, y + a - up);
    context.lineTo(x + b, y + b - up);
    context.moveTo(x + b, y + a - up);
    context.lineTo(x + a, y + b - up);
    context.stroke();
  }
  if (paint.dotted) context.fillRect(x + size - 6, y + 3, 3, 3);
  if (!paint.text) return;
  context.fillStyle = paint.ink;
  context.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(paint.text, x + size / 2, y + size / 2 + 0.5, size - 4);
}

class Board {
  // `marks`: element -> READ | WRITTEN bits, or null.  Options: name, title, detail, shape, axisNames, paint(elements, size), describe(element), choose(element), hover(element or null)
  constructor(options) {
    Object.assign(this, options);
    this.rank = this.shape.length;
    this.axes = this.rank > 1 ? [this.rank - 2, this.rank - 1] : [];
    this.fixed = new Array(this.rank).fill(0);
    this.marks = null;
    this.cursor = 0;
    this.chosen = -1;
    this.build();
  }

  build() {
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": `${this.title}: squares; arrows move, Enter chooses` });
    this.hint = make("output", { class: "hint" });
    this.go = make("input", { class: "go", type: "text", placeholder: this.shape.map(() => "0").join(", ") || "0", "aria-label": `Go to an index of ${this.title}` });
    this.controls = make("div", { class: "axes" });
    this.scale = make("span", { class: "quiet" });
    this.root = make("figure", { "data-name": this.name, class: this.rank > 2 ? "wide" : "" },
      make("figcaption", {}, this.title, make("span", { class: "quiet" }, this.detail)),
      this.controls, make("div", { class: "board" }, this.canvas), this.hint);
    this.fillControls();
    this.canvas.addEventListener("click", (event) => this.pick(this.at(event), true));
    this.canvas.addEventListener("mousemove", (event) => this.point(this.at(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(-1));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
    this.go.addEventListener("change", () => this.goTo(this.go.value));
  }

  fillControls() {
    this.controls.replaceChildren();
    if (this.rank > 2) {
      const select = (which, label) => make("label", {}, `${label} `, make("select", { onchange: (event) => this.setAxis(which, +event.target.value) },
        ...this.shape.map((size, d) => {
          const option = make("option", { value: d }, `${this.axisNames[d]} (${size})`);
          option.selected = this.axes[which] === d;
          return option;
        })));
      this.controls.append(select(0, "down"), select(1, "across"));
    }
    this.sliders = new Map();
    for (let d = 0; this.rank > 2 && d < this.rank; d++) {
      if (this.axes.includes(d) || this.shape[d] < 2) continue;
      const number = make("span", {}, String(this.fixed[d]));
      const slider = make("input", { type: "range", min: 0, max: this.shape[d] - 1, value: this.fixed[d], oninput: (event) => {
        this.fixed[d] = +event.target.value;
        number.textContent = event.target.value;
        this.redraw();
      } });
      this.sliders.set(d, { slider, number });
      this.controls.append(make("label", {}, `${this.axisNames[d]} `, slider, " ", number));
    }
    if (productOf(this.shape) > 64) this.controls.append(make("label", {}, "go to ", this.go));
    this.controls.append(this.scale);
  }

  setAxis(which, d) {
    if (this.axes[1 - which] === d) this.axes[1 - which] = this.axes[which];
    this.axes[which] = d;
    this.fillControls();
    this.redraw();
  }

  goTo(text) {
    const index = text.split(/[\s,]+/).filter(Boolean).map(Number);
    const isLegal = index.length === this.rank && index.every((i, d) => Number.isInteger(i) && i >= 0 && i < this.shape[d]);
    this.go.setCustomValidity(isLegal ? "" : `${this.rank} numbers, each less than the size of its dimension`);
    this.go.reportValidity();
    if (isLegal) this.pick(numberOf(index, this.shape), true);
  }

  // ---- squares ----

  measure() {
    if (this.rank > 1) [this.rows, this.columns] = this.axes.map((d) => this.shape[d]);
    else {
      const n = this.rank ? this.shape[0] : 1;
      this.columns = Math.max(1, n <= 8 ? n : n <= 64 ? 8 : Math.min(512, 2 ** Math.ceil(Math.log2(Math.sqrt(n * 2)))));
      this.rows = Math.ceil(n / this.columns);
    }
    this.factor = Math.max(1, Math.ceil((this.columns * SMALLEST) / MOST_WIDTH), Math.ceil((this.rows * SMALLEST) / MOST_HEIGHT));
    this.across = Math.ceil(this.columns / this.factor);
    this.down = Math.ceil(this.rows / this.factor);
    this.size = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(MOST_WIDTH / this.across), Math.floor(MOST_HEIGHT / this.down)));
    this.gap = this.size >= 8 ? 2 : this.size >= 5 ? 1 : 0;
    this.left = this.rank && this.rows > 1 ? 30 : EDGE;
    this.top = this.rank && this.columns > 1 ? 15 : EDGE;
  }

  elementAt(row, column) {
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns) return -1;
    if (this.rank < 2) {
      const element = row * this.columns + column;
      return element < productOf(this.shape) ? element : -1;
    }
    const index = this.fixed.slice();
    index[this.axes[0]] = row;
    index[this.axes[1]] = column;
    return numberOf(index, this.shape);
  }

  // Row and column; the others of a board with sliders need not be those that are shown.
  placeOf(element) {
    if (this.rank < 2) return [Math.floor(element / this.columns), element % this.columns];
    const index = coordinatesOf(element, this.shape);
    return this.axes.map((d) => index[d]);
  }

  isShown(element) {
    return this.rank < 3 || coordinatesOf(element, this.shape).every((c, d) => this.axes.includes(d) || c === this.fixed[d]);
  }

  elementsOf(row, column) {
    const list = [];
    for (let i = 0; i < this.factor; i++)
      for (let j = 0; j < this.factor; j++) {
        const element = this.elementAt(row * this.factor + i, column * this.factor + j);
        if (element >= 0) list.push(element);
      }
    return list;
  }

  // ---- drawing ----

  redraw() {
    this.measure();
    const width = this.left + this.across * this.size + (this.columns > 16 ? MARGIN : EDGE), height = this.top + this.down * this.size + EDGE, scale = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, (this.base = this.base || document.createElement("canvas"))]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    Object.assign(this.canvas.dataset, { left: this.left, top: this.top, size: this.size, factor: this.factor, columns: this.columns });
    this.scale.textContent = this.factor > 1 ? `1 square = ${this.rank > 1 ? `${this.factor} × ` : ""}${this.factor} elements${this.rank > 1 ? "" : " of as many rows"}` : "";
    const context = this.base.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    this.drawLabels(context);
    for (let row = 0; row < this.down; row++)
      for (let column = 0; column < this.across; column++) {
        const elements = this.factor > 1 ? this.elementsOf(row, column) : [this.elementAt(row, column)];
        if (!elements.length || elements[0] < 0) continue;
        const size = this.size - this.gap;
        drawSquare(context, this.left + column * this.size, this.top + row * this.size, size, this.paint(elements, size));
      }
    this.draw();
  }

  drawLabels(context) {
    context.fillStyle = colour("quiet");
    context.font = "10px ui-monospace, 'DejaVu Sans Mono', monospace";
    context.textBaseline = "alphabetic";
    const every = (count, room) => {
      let step = 1;
      while ((step * this.size) / this.factor < room) step *= step === 1 || String(step)[0] === "1" ? 2 : String(step)[0] === "2" ? 2.5 : 2;
      return Math.min(step, count);
    };
    context.textAlign = "center";
    if (this.top > EDGE)
      for (let c = 0, step = every(this.columns, 26); c < this.columns; c += step)
        context.fillText(String(c), this.left + (Math.floor(c / this.factor) + 0.5) * this.size - this.gap / 2, 10);
    context.textAlign = "right";
    context.textBaseline = "middle";
    if (this.left > EDGE)
      for (let r = 0, step = every(this.rows, 16); r < this.rows; r += step)
        context.fillText(String(this.rank < 2 ? r * this.columns : r), this.left - 5, this.top + (Math.floor(r / this.factor) + 0.5) * this.size - this.gap / 2);
  }

  outline(context, element, name, width) {
    if (element < 0 || !this.isShown(element)) return;
    const [row, column] = this.placeOf(element).map((at) => Math.floor(at / this.factor)), size = this.size - this.gap;
    context.strokeStyle = colour(name);
    context.lineWidth = width;
    context.strokeRect(this.left + column * this.size, this.top + row * this.size, size, size);
  }

  // What is marked stays as it is, with a line for what was read and a thick one for what was written; the rest fades.
  drawMarks(context) {
    const size = this.size - this.gap, thick = size >= 10 ? 2.5 : 1.5;
    for (let row = 0; row < this.down; row++)
      for (let column = 0; column < this.across; column++) {
        const elements = this.factor > 1 ? this.elementsOf(row, column) : [this.elementAt(row, column)];
        const bits = elements.reduce((all, e) => all | this.marks(e), 0);
        const x = this.left + column * this.size, y = this.top + row * this.size;
        if (elements[0] === -1 || !elements.length) continue;
        if (!bits) {
          context.globalAlpha = 0.66;
          context.fillStyle = colour("panel");
          context.fillRect(x - 1, y - 1, size + 2, size + 2);
          context.globalAlpha = 1;
        } else if (size >= 5) {
          const width = bits & WRITTEN ? thick : 1;
          context.strokeStyle = colour("mark");
          context.lineWidth = width;
          context.setLineDash(bits & WRITTEN ? [] : [2, 2]);
          context.strokeRect(x + width / 2, y + width / 2, size - width, size - width);
          context.setLineDash([]);
        }
      }
  }

  draw() {
    const scale = window.devicePixelRatio || 1, context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.base.width && this.base.height) context.drawImage(this.base, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    if (this.marks) this.drawMarks(context);
    this.outline(context, this.chosen, "mark", 3);
    if (document.activeElement === this.canvas) this.outline(context, this.cursor, "link", 2);
  }

  // ---- pointing ----

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - this.left) / this.size), row = Math.floor((event.clientY - box.top - this.top) / this.size);
    return row < 0 || column < 0 ? -1 : this.elementAt(row * this.factor, column * this.factor);
  }

  point(element) {
    if (this.pointed === element) return;
    this.pointed = element;
    this.hint.textContent = element >= 0 ? this.describe(element) : "";
    this.hover(element >= 0 ? element : null);
  }

  pick(element, isByHand) {
    if (element < 0) return;
    this.cursor = element;
    this.show(element);
    if (isByHand) this.choose(element);
  }

  // Turns the sliders so that the element is on the board.
  show(element) {
    if (this.isShown(element)) return;
    coordinatesOf(element, this.shape).forEach((c, d) => {
      if (!this.axes.includes(d)) this.fixed[d] = c;
    });
    this.fillControls();
    this.redraw();
  }

  key(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.pick(this.cursor, true);
    } else if (steps[event.key]) {
      event.preventDefault();
      if (!this.isShown(this.cursor)) this.cursor = this.elementAt(0, 0);
      const [row, column] = this.placeOf(this.cursor), [down, right] = steps[event.key];
      const next = this.elementAt(row + down * this.factor, column + right * this.factor);
      if (next < 0) return;
      this.cursor = next;
      this.hint.textContent = this.describe(next);
      this.draw();
    }
  }
}
