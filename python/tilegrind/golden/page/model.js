// What the page knows: goldens, their input sets and outputs, and the values of elements.

const data = JSON.parse(document.getElementById("data").textContent);
const NO_BOUND = -1, NO_ELEMENT = -2; // in the place of an error over its bound
const ARRAYS = { u1: Uint8Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };
const DIGITS = { float64: 17, float32: 9, float16: 5, bfloat16: 4 }; // that tell all values of a dtype apart
const FEW_DIGITS = 3, OF_EXACT = 17, OF_BOUND = 4;

// Numbers of base64, which are little-endian, as all browsers have them.
function unpacked(text, kind) {
  if (text === null || text === undefined) return null;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new ARRAYS[kind](bytes.buffer);
}

function numberText(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : String(Number(value.toPrecision(digits)));
}

function coordinatesOf(order, shape) {
  const out = new Array(shape.length);
  for (let d = shape.length - 1; d >= 0; d--) {
    out[d] = order % shape[d];
    order = Math.floor(order / shape[d]);
  }
  return out;
}

// An output on an input set.  `names` are those of the columns side by side.
class Output {
  constructor(json, names, golden) {
    Object.assign(this, json);
    this.names = names;
    this.golden = golden;
    this.index = unpacked(json.elements.index, "u4");
    this.columns = json.elements.columns.map((c) => c && { value: unpacked(c.value, "f8"), bits: unpacked(c.bits, "u1") });
    for (const name of ["exact", "bound", "fraction", "steps"]) this[name] = unpacked(json.elements[name], "f8");
    for (const name of ["program", "location"]) this[name] = unpacked(json.elements[name], "i4");
    this.most = unpacked(json.cells.most, "f8");
    this.at = unpacked(json.cells.at, "u4");
    this.values = json.cells.values && json.cells.values.map((text) => unpacked(text, "f4"));
    this.kept = json.elements.count;
    this.size = json.shape.reduce((a, b) => a * b, 1);
  }

  // Where the values of an element are kept, or -1.
  place(element) {
    if (!this.index) return element;
    let low = 0, high = this.index.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.index[middle] === element) return middle;
      if (this.index[middle] < element) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  indexText(element) {
    return `[${coordinatesOf(element, this.shape).join(", ")}]`;
  }

  valueText(column, place) {
    const found = this.columns[column];
    if (!found) return "none";
    if (this.dtype === "bool") return found.value[place] ? "true" : "false";
    if (/^u?int64$/.test(this.dtype)) {
      const view = new DataView(found.bits.buffer);
      return String(this.dtype === "int64" ? view.getBigInt64(place * 8, true) : view.getBigUint64(place * 8, true));
    }
    return numberText(found.value[place], /^u?int/.test(this.dtype) ? OF_EXACT : DIGITS[this.dtype] || FEW_DIGITS);
  }

  bitsText(column, place) {
    const found = this.columns[column];
    if (!found) return "";
    const bytes = [...found.bits.slice(place * this.bytes, (place + 1) * this.bytes)].reverse();
    return "0x" + bytes.map((b) => b.toString(16).padStart(2, "0")).join("");
  }

  exactText(place) {
    return this.exact ? numberText(this.exact[place], OF_EXACT) : this.valueText(Math.max(0, this.names.indexOf("interpreter")), place);
  }

  boundText(place) {
    if (!this.bound) return "0";
    return this.bound[place] < Infinity ? numberText(this.bound[place], OF_BOUND) : "none";
  }

  fractionText(place) {
    if (!this.is_judged) return "";
    return this.bound && !(this.bound[place] < Infinity) ? "no bound" : numberText(this.fraction[place], OF_BOUND);
  }

  stepsText(place) {
    return this.steps ? (this.steps[place] === Infinity ? "NaN" : String(this.steps[place])) : "";
  }

  programText(place) {
    if (!this.program) return "not known";
    const number = this.program[place];
    return number < 0 ? "nobody stored it" : `(${coordinatesOf(number, this.golden.grid).join(", ")})`;
  }

  lineText(place) {
    if (!this.location) return "not known";
    const found = this.golden.locations[this.location[place] - 1];
    if (!found) return this.location[place] < 0 ? "" : "not known";
    return `${found.file}:${found.line}${found.function ? ` in ${found.function}` : ""}`;
  }

  // The value of a column at the element that a cell stands for, to be drawn; the column after the last one is R.
  drawn(column, cell) {
    if (this.values) return this.values[column] ? this.values[column][cell] : null;
    const array = column < this.columns.length ? this.columns[column] && this.columns[column].value : this.exact;
    return array ? array[this.at[cell]] : null;
  }

  // The cell that an element lies in.
  cellOf(element) {
    const { columns, width, height } = this.cells;
    return Math.floor(element / this.layout.columns / height) * columns + Math.floor((element % this.layout.columns) / width);
  }
}
