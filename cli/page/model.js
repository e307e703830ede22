// What the page knows: the log of accesses, and what it says of each element.  An access is a strided box of elements of one
// memory; parameters that are aliases share one.

const saved = JSON.parse(document.getElementById("data").textContent);
const READ = 1, WRITTEN = 2; // how an element or a program is marked
const MOST_VISITS = 2e8; // elements of accesses that are looked at for the colours of one array
const MOST_COLOURED = 1 << 24; // elements of an array that has colours

// On a mesh the page shows one device at a time: that of its address, "#device=3", else the first with the first finding.  Another
// one is shown by loading the page again.
const inAddress = (key) => {
  const found = new RegExp(`\\b${key}=(\\d+)`).exec(location.hash);
  return found ? +found[1] : -1;
};
const isOn = (finding, device) => !device || finding.devices.includes(device.id);
const devices = saved.devices || [];
const shownDevice = devices.find((d) => d.id === inAddress("device")) || devices.find((d) => saved.findings.length && isOn(saved.findings[0], d)) || devices[0];
const data = { ...saved, ...shownDevice };
const isHere = (finding) => isOn(finding, shownDevice);
// Copies differ in elements of the whole array; others are in those of the device.
const elementsHere = (finding) => (isHere(finding) && !(shownDevice && finding.kind === "replicas-differ") ? finding.elements : undefined);

function showDevice(id, finding) {
  location.hash = `device=${id}` + (finding === undefined ? "" : `,finding=${finding}`);
  location.reload();
}

const productOf = (list) => list.reduce((a, b) => a * b, 1);

function parseEntry(text) {
  const bar = text.indexOf("|"), fields = (bar < 0 ? text : text.slice(0, bar)).split(" ");
  const boxes = fields.slice(8).map((field) => field.split("x").map(Number));
  return bounded({
    step: +fields[0], steps: +fields[1], kind: fields[2][0], isPart: fields[2].length > 1, program: +fields[3],
    op: fields[4], place: data.places[+fields[5]], memory: +fields[6], first: +fields[7],
    count: boxes.map((b) => b[0]), stride: boxes.map((b) => b[1]), text: bar < 0 ? "" : text.slice(bar + 1),
  });
}

// With its least and greatest element.
function bounded(entry) {
  entry.least = entry.most = entry.first;
  entry.count.forEach((n, d) => {
    const span = (n - 1) * entry.stride[d];
    if (span < 0) entry.least += span;
    else entry.most += span;
  });
  return entry;
}

const log = data.log.map(parseEntry);
const memories = data.params.map((param, p) => ({
  index: p, shape: param.shape, size: productOf(param.shape), names: [], roles: [], entries: [], params: [], ranges: [],
}));
data.params.forEach((param, p) => {
  const memory = memories[param.memory];
  memory.names.push(param.name);
  memory.roles.push(param.role);
  memory.params.push(param);
});
for (const entry of log) memories[entry.memory].entries.push(entry);
data.findings.forEach((finding) => {
  const param = data.params.findIndex((p) => p.name === finding.param);
  const elements = elementsHere(finding);
  if (param >= 0 && elements) memories[data.params[param].memory].ranges.push({ first: elements[0], last: elements[1], kind: finding.kind });
});

// ---- programs ----

const gridShape = data.grid.map((axis) => axis.size);

function coordinatesOf(order, shape) {
  const out = new Array(shape.length);
  for (let d = shape.length - 1; d >= 0; d--) {
    out[d] = order % shape[d];
    order = Math.floor(order / shape[d]);
  }
  return out;
}

const numberOf = (coordinates, shape) => coordinates.reduce((number, c, d) => number * shape[d] + c, 0);

// As in plan/program_text.h, of those axes that `wants` takes.
function programText(order, wants = () => true) {
  const at = coordinatesOf(order, gridShape);
  const axes = data.grid.map((axis, a) => ({ ...axis, at: at[a] })).filter(wants);
  const told = axes.filter((axis) => !axis.name || axis.size !== 1);
  return `(${(told.length ? told : axes.slice(-1)).map((axis) => (axis.name ? `${axis.name}=` : "") + axis.at).join(", ")})`;
}

// Programs that one after the other share what no order breaks.
function chainOf(order) {
  return coordinatesOf(order, gridShape).reduce((n, c, a) => (data.grid[a].parallel ? n * data.grid[a].size + c : n), 0);
}

const indexText = (memory, element) =>
  memory.shape.length ? `[${coordinatesOf(element, memory.shape).join(", ")}]` : "";
const elementText = (memory, element) => memory.names.join(" / ") + indexText(memory, element);

// ---- boxes ----

// Where in the box the element is, as {at, times}: its place row-major and how often it occurs; null where it is not.
function find(entry, element) {
  if (element < entry.least || element > entry.most) return null;
  const order = entry.count.map((_, d) => d).sort((a, b) => Math.abs(entry.stride[b]) - Math.abs(entry.stride[a]));
  const inner = new Array(order.length + 1).fill(0).map(() => [0, 0]); // least and greatest sum of the dimensions from there on
  for (let i = order.length - 1; i >= 0; i--) {
    const span = (entry.count[order[i]] - 1) * entry.stride[order[i]];
    inner[i] = [inner[i + 1][0] + Math.min(0, span), inner[i + 1][1] + Math.max(0, span)];
  }
  const at = new Array(order.length).fill(0);
  let times = 1;
  const search = (i, left) => {
    if (i === order.length) return left === 0;
    const d = order[i], stride = entry.stride[d], count = entry.count[d];
    if (stride === 0) {
      times *= count;
      at[d] = count - 1;
      return search(i + 1, left);
    }
    const ends = [(left - inner[i + 1][0]) / stride, (left - inner[i + 1][1]) / stride];
    const from = Math.max(0, Math.ceil(Math.min(...ends))), to = Math.min(count - 1, Math.floor(Math.max(...ends)));
    for (at[d] = from; at[d] <= to; at[d]++) if (search(i + 1, left - at[d] * stride)) return true;
    return false;
  };
  return search(0, element - entry.first) ? { at: numberOf(at, entry.count), times } : null;
}

// Calls each(first, stride, count) for each run of the box along its last dimension.
function visit(entry, each) {
  const last = entry.count.length - 1;
  const go = (d, at) => {
    if (last < 0) each(at, 1, 1);
    else if (d === last) each(at, entry.stride[d], entry.count[d]);
    else for (let i = 0; i < entry.count[d]; i++) go(d + 1, at + i * entry.stride[d]);
  };
  go(0, entry.first);
}

const sizeOf = (entry) => productOf(entry.count);

// "o_ref[0, 3] to o_ref[0, 7], 5 elements"
function boxText(entry) {
  const memory = memories[entry.memory], name = memory.names.join(" / "), count = sizeOf(entry);
  const { least, most } = entry;
  if (least === most) return name + indexText(memory, least) + (count > 1 ? `, ${count} times` : "");
  return `${name}${indexText(memory, least)} to ${indexText(memory, most)}, ${count} elements`;
}

// ---- history ----

const isScratch = (memory) => memory.roles[0] === "scratch";
const split = new Map(); // texts of values, taken apart where they are asked for

function valuesOf(text) {
  if (!split.has(text)) split.set(text, text ? text.split(" ") : []);
  return split.get(text);
}

function contentOf(memory, element, key) {
  const param = memory.params.find((p) => p[key] !== undefined);
  if (!param) return key === "before" ? "undefined" : null;
  const value = valuesOf(param[key])[element];
  return value === undefined ? null : value;
}

// The first step of which the log of the element may lack something.
function gapOf(memory, element) {
  const param = data.params[memory.index];
  const own = data.asked_for.some(([m, first, last]) => m === memory.index && first <= element && element <= last);
  const ends = [param.gap_since_asked_for ?? Infinity];
  if (!own) ends.push(param.gap_since ?? Infinity);
  return Math.min(...ends);
}

// Rows {step, entry, times, before, after}, values null where they are not known.
function historyOf(memory, element) {
  const gap = gapOf(memory, element), rows = [], fresh = contentOf(memory, element, "before");
  const now = new Map(); // per chain for scratch, of which each chain has its own
  for (const entry of memory.entries) {
    const found = find(entry, element);
    if (!found) continue;
    const key = isScratch(memory) ? chainOf(entry.program) : 0;
    const before = entry.step > gap ? null : now.has(key) ? now.get(key) : fresh;
    const value = entry.kind === "r" ? before : valuesOf(entry.text)[found.at];
    const after = value === undefined ? null : value;
    now.set(key, after);
    rows.push({ step: entry.step + (entry.steps > 1 ? found.at : 0), entry, times: found.times, before, after });
  }
  return { rows, gap };
}

// ---- what happened to each element ----

const STATES = ["untouched", "read", "one", "several", "undefined", "raced"];
const [UNTOUCHED, ONLY_READ, ONE, SEVERAL, UNDEFINED, RACED] = STATES.keys();
const UNDEFINED_KINDS = ["undefined-output", "undefined-condition", "undefined-address"];
const programsInLog = [...new Set(log.map((entry) => entry.program))].sort((a, b) => a - b);
const numberOfProgram = new Map(programsInLog.map((program, i) => [program, i]));

// Typed arrays with an entry per element: state, number of writers and last writer (its place in programsInLog).  Null where the array
// is too large.
function summarise(memory) {
  if (memory.size > MOST_COLOURED) return null;
  const n = memory.size, writers = new Uint16Array(n), last = new Int32Array(n).fill(-1), chain = new Float64Array(n).fill(-1);
  const flags = new Uint8Array(n); // 1 read, 2 written, 4 atomic, 8 by several chains
  const bit = { r: 1, w: 2, a: 4 };
  let visits = 0, skipped = 0;
  const take = (entry) => {
    visits += sizeOf(entry);
    if (visits > MOST_VISITS) return skipped++;
    const program = numberOfProgram.get(entry.program), own = chainOf(entry.program), kind = bit[entry.kind];
    return visit(entry, (first, stride, count) => {
      for (let i = 0, e = first; i < count; i++, e += stride) {
        flags[e] |= chain[e] >= 0 && chain[e] !== own ? kind | 8 : kind;
        chain[e] = own;
        if (kind === 1 || last[e] === program) continue;
        if (writers[e] < 65535) writers[e]++;
        last[e] = program;
      }
    });
  };
  memory.entries.filter((entry) => entry.kind !== "r").forEach(take);
  memory.entries.filter((entry) => entry.kind === "r").forEach(take);
  return { state: statesOf(memory, flags, writers), writers, last, skipped };
}

function statesOf(memory, flags, writers) {
  const state = new Uint8Array(flags.length), hasGap = data.params[memory.index].accesses_left_out > 0;
  for (let e = 0; e < flags.length; e++)
    state[e] = flags[e] & 6 ? (writers[e] > 1 ? SEVERAL : ONE) : flags[e] & 1 ? ONLY_READ : UNTOUCHED;
  const inRanges = (kinds, take) => {
    for (const range of memory.ranges.filter((r) => kinds.includes(r.kind)))
      for (let e = range.first; e <= range.last; e++) take(e);
  };
  inRanges(["output-unwritten"], (e) => {
    if (!(flags[e] & 6)) state[e] = UNDEFINED;
  });
  inRanges(UNDEFINED_KINDS, (e) => (state[e] = UNDEFINED));
  inRanges(["race", "race-same-value"], (e) => {
    if (hasGap || (flags[e] & 8 && (flags[e] & 2 || (flags[e] & 5) === 5))) state[e] = RACED;
  });
  return state;
}

const summaries = new Map();
function summaryOf(memory) {
  if (!summaries.has(memory)) summaries.set(memory, summarise(memory));
  return summaries.get(memory);
}

// READ | WRITTEN bits per element of some accesses to a memory.
function marksOf(memory, entries) {
  memory.marks = memory.marks || new Uint8Array(memory.size);
  const marks = memory.marks.fill(0);
  for (const entry of entries) {
    if (entry.memory !== memory.index) continue;
    const bits = entry.kind === "r" ? READ : entry.kind === "w" ? WRITTEN : READ | WRITTEN;
    visit(entry, (first, stride, count) => {
      for (let i = 0, e = first; i < count; i++, e += stride) marks[e] |= bits;
    });
  }
  return (element) => marks[element];
}
