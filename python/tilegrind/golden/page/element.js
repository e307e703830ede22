// One output on an input set: maps, the element that is chosen, histograms and the worst elements.

const ROOM = 440, ROOM_OF_VALUES = 220, NEIGHBOURS = 4;

const cell = (text, kind) => make("td", { class: kind }, text);
const link = (text, action) => make("button", { class: "link", type: "button", onclick: action }, text);

function table(head, rows, attributes = {}) {
  return make("table", attributes, make("thead", {}, make("tr", {}, ...head.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)))),
    make("tbody", {}, ...rows));
}

class OutputView {
  constructor(output, set) {
    this.output = output;
    this.set = set;
    this.maps = [];
    this.hint = make("output", { class: "hint" }, "Choose an element: by a click, or with the arrow keys and Enter.");
    this.inspector = make("div", { class: "inspector" });
    this.root = make("div", {}, ...this.heading(), ...this.pictures(), this.hint, this.inspector,
      make("div", { class: "columns" }, this.histogram("Errors, as a share of their bounds", output.histograms.fractions, "fractions"),
        output.steps ? this.histogram("Values of the dtype away from R rounded (ULP)", output.histograms.steps, "steps") : null),
      this.worstTable(), ...this.limits());
    this.choose(output.worst.length ? output.worst[0] : 0);
  }

  heading() {
    const { output, set } = this, verdict = set.verdicts[output.name], tile = output.tile.length ? `, tiles of ${output.tile.join(" × ")}` : "";
    const lines = [make("p", { class: "about" }, make("strong", {}, `${output.name}: ${output.dtype}[${output.shape.join(", ")}]`), tile)];
    if (verdict) lines.push(make("p", { class: "about" }, make("span", { class: verdict.failed ? "bad" : "good", id: "output-verdict" }, verdict.text)));
    for (const [name, count] of output.differing)
      lines.push(make("p", { class: "about differing" }, count ? `${count.toLocaleString("en")} of ${output.size.toLocaleString("en")} elements differ from ${name}` : `the same bits as ${name}`));
    if (set.like) lines.push(make("p", { class: "about", id: "like" }, set.like));
    return lines;
  }

  pictures() {
    const { output } = this, { width, height } = output.cells;
    if (!output.size) return [make("p", { class: "quiet" }, "It has no elements.")];
    const detail = width * height > 1 ? `a cell is the worst of ${height} × ${width} elements` : "";
    const add = (name, title, room, draw, more) => {
      this.maps.push(new ElementMap({ output, name, title, detail: more, room, draw, describe: (e) => this.describe(e),
        hint: (text) => (this.hint.textContent = text), choose: (e) => this.choose(e) }));
    };
    if (output.is_judged) add("error", "Error over bound", ROOM, (context, c, ...box) => drawError(context, output.most[c], ...box), detail);
    const names = [...output.names, ...(output.exact ? ["R"] : [])];
    names.forEach((name, i) => {
      if (name !== "R" && !output.columns[i]) return;
      add(name, name, ROOM_OF_VALUES, (context, c, x, y, w, h) => {
        context.fillStyle = valueColour(output.drawn(i, c), output.largest);
        context.fillRect(x, y, w, h);
      }, "");
    });
    const hidden = this.maps.every((map) => map.hasLines()) ? null : make("p", { class: "quiet" }, "Where tiles are too fine, no lines are drawn between them.");
    return [make("div", { class: "maps" }, ...this.maps.map((map) => map.root)), hidden, output.is_judged ? legend() : null].filter(Boolean);
  }

  redraw() {
    for (const map of this.maps) map.redraw();
  }

  // One line on an element.
  describe(element) {
    const { output } = this, place = output.place(element);
    if (place < 0) return `${output.indexText(element)}: its values are not on this page`;
    const values = output.names.map((name, i) => `${name} ${output.valueText(i, place)}`);
    return `${output.indexText(element)}: ${[...values, `R ${output.exactText(place)}`, `B ${output.boundText(place)}`].join(", ")}`
      + (output.is_judged ? `, error / B ${output.fractionText(place)}` : "");
  }

  choose(element) {
    if (!this.output.size) return;
    for (const map of this.maps) map.mark(element);
    this.hint.textContent = this.describe(element);
    this.inspector.replaceChildren(make("h3", { id: "element" }, `${this.output.name}${this.output.indexText(element)}`), ...this.facts(element),
      this.goTo(), ...this.neighbours(element));
  }

  facts(element) {
    const { output } = this, place = output.place(element), stands = output.at[output.cellOf(element)];
    if (place < 0) {
      const fraction = stands === element ? ` Its error over its bound is ${numberText(output.most[output.cellOf(element)], OF_BOUND)}.` : "";
      return [make("p", { class: "quiet" }, `Its values are not on this page.${fraction}`)];
    }
    const rows = output.names.flatMap((name, i) => [[name, output.valueText(i, place)], [`${name} bits`, output.bitsText(i, place)]]);
    rows.push(["R", output.exactText(place)], ["B", output.boundText(place)]);
    if (output.is_judged) rows.push(["error / B", output.fractionText(place)]);
    if (output.steps) rows.push(["ULP from R", output.stepsText(place)]);
    rows.push(["stored last by program", output.programText(place)], ["at", output.lineText(place)]);
    return [make("dl", {}, ...rows.filter(([, text]) => text !== "").map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", { "data-fact": name }, text))))];
  }

  goTo() {
    const { output } = this, input = make("input", { type: "text", id: "go", placeholder: output.shape.map(() => "0").join(", "), "aria-label": "Go to an index" });
    input.addEventListener("change", () => {
      const index = input.value.split(/[\s,]+/).filter(Boolean).map(Number);
      const isLegal = index.length === output.shape.length && index.every((i, d) => Number.isInteger(i) && i >= 0 && i < output.shape[d]);
      input.setCustomValidity(isLegal ? "" : `${output.shape.length} numbers, each less than the size of its dimension`);
      input.reportValidity();
      if (isLegal) this.choose(index.reduce((at, i, d) => at * output.shape[d] + i, 0));
    });
    return make("label", { class: "quiet" }, "go to ", input);
  }

  // ---- tables ----

  head() {
    const { output } = this;
    return [["element"], ...output.names.map((name) => [name, "number"]), ["R", "number"], ["B", "number"], ["error / B", "number"],
      ...(output.steps ? [["ULP", "number"]] : []), ["program"], ["line"]];
  }

  row(element, chosen) {
    const { output } = this, place = output.place(element), open = link(output.indexText(element), () => this.choose(element));
    if (place < 0) return make("tr", {}, make("td", {}, open), make("td", { colspan: this.head().length - 1 }, "not on this page"));
    return make("tr", { class: chosen ? "chosen" : undefined }, make("td", {}, open), ...output.names.map((_, i) => cell(output.valueText(i, place), "number")),
      cell(output.exactText(place), "number"), cell(output.boundText(place), "number"),
      cell(output.fractionText(place), output.fraction[place] > 1 ? "number passes" : "number"), ...(output.steps ? [cell(output.stepsText(place), "number")] : []),
      cell(output.programText(place)), cell(output.lineText(place)));
  }

  neighbours(element) {
    const { output } = this, columns = output.layout.columns, first = element - (element % columns);
    const from = Math.max(first, element - NEIGHBOURS), to = Math.min(first + columns, output.size, element + NEIGHBOURS + 1);
    const near = [...Array(to - from).keys()].map((i) => from + i);
    return [make("div", { class: "table" }, table(this.head(), near.map((e) => this.row(e, e === element)), { id: "neighbours" }))];
  }

  worstTable() {
    const { output } = this;
    if (!output.is_judged) return null;
    if (!output.worst.length) return make("p", { class: "about" }, "Every element is exact.");
    return make("div", { class: "table" }, make("h3", {}, `The ${output.worst.length} worst elements`), table(this.head(), output.worst.map((e) => this.row(e)), { id: "worst" }));
  }

  histogram(title, rows, name) {
    if (!rows.length) return null;
    const most = Math.max(...rows.map(([, count]) => count), 1);
    return make("div", {}, make("h3", {}, title), table([["", ""], ["elements", ""]], rows.map(([text, count]) => make("tr", {}, cell(text),
      make("td", {}, make("span", { class: "count", style: `width: ${Math.round((160 * count) / most)}px`, "aria-hidden": "true" }), count.toLocaleString("en")))),
      { "data-histogram": name }));
  }

  limits() {
    const { output } = this;
    if (output.kept === output.size) return [];
    return [make("p", { class: "quiet limits" }, `The page has exact values of ${output.kept.toLocaleString("en")} of ${output.size.toLocaleString("en")} elements: ` +
      "those of the tiles with the worst errors, and of cells of the maps. The maps and histograms are of all.")];
  }
}

function legend() {
  return make("ul", { class: "legend", "aria-label": "Colours of error over bound" }, ...LEGEND.map(([name, text]) => {
    const canvas = make("canvas", { width: 14, height: 14, "aria-hidden": "true" }), context = canvas.getContext("2d");
    const fraction = { none: NO_BOUND, special: Infinity }[name] ?? [...WITHIN, ...OUTSIDE].find(([, other]) => other === name)[0];
    drawError(context, fraction, 0, 0, 14, 14);
    return make("li", {}, canvas, text);
  }));
}
