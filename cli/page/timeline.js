// The timeline: a lane for each thread of each chain of programs, for each slot that copies and products write, and for each barrier.
// A click on a wait says who has ended it.

const LANE = 20, LABEL = 150, AXIS = 18, MOST_LANES = 60, MOST_CHAINS = 500;
const OPS = { copy: "copy", product: "product", arrival: "arrival behind products" };

function parseEvent([kind, begin, end, program, chain, thread, location, number, op, what, memory, by, byStep, owner, source, second, read, happened, text], index) {
  return { index, kind, begin, end, program, chain, thread, place: data.places[location], number, op: op || "", what: what || "", memory,
    by: by ?? -1, byStep, owner, source, second, read, happened, text };
}

const events = data.timeline.events.map(parseEvent);
const steps = data.timeline.steps;
const endOf = (event) => (event.end < 0 ? steps : event.end);
const isOp = (event) => event.kind in OPS;
const lineOf = (place) => `${place.file}:${place.line}`;
const linesOfWork = new Map([...new Set(events.filter((event) => event.place.line).map((event) => lineOf(event.place)))].map((line, i) => [line, i]));
const shortPlace = (place) => (place.line ? `${place.file.split("/").pop()}:${place.line}` : "");

// ---- who ----

// "(0, 3)" without the axes of threads, and "role 1".
const programName = (program) => programText(program, (axis) => !axis.thread);

function threadName(program) {
  const at = coordinatesOf(program, gridShape);
  return data.grid.map((axis, a) => (axis.thread ? `${axis.name || "thread"} ${at[a]}` : "")).filter(Boolean).join(", ");
}

const whoText = (event) => ["program " + programName(event.program), threadName(event.program)].filter(Boolean).join(", ");

// ---- lanes ----

class Lane {
  constructor(label, kind) {
    Object.assign(this, { label, kind, items: [] });
  }

  add(event, from, to, style) {
    this.items.push({ event, from, to, style });
  }
}

// Lanes by a key, in the order in which they are first asked for.
class Lanes {
  constructor() {
    this.all = new Map();
  }

  get(key, label, kind) {
    if (!this.all.has(key)) this.all.set(key, new Lane(label, kind));
    return this.all.get(key);
  }

  list() {
    return [...this.all.values()];
  }

  sorted() {
    return this.list().sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
  }
}

const eventsOfChain = new Map();
for (const event of events) {
  const chain = event.kind === "phase" || event.kind === "signal" ? event.owner : event.chain;
  for (const number of new Set([event.chain, chain])) {
    if (!eventsOfChain.has(number)) eventsOfChain.set(number, []);
    eventsOfChain.get(number).push(event);
  }
}

function threadLanes(chain, list) {
  const lanes = new Lanes();
  for (const event of list.filter((e) => e.chain === chain && !isOp(e) && e.kind !== "phase").sort((a, b) => a.thread - b.thread)) {
    const name = threadName(event.program), lane = lanes.get(event.thread, name || "program", "thread");
    lane.add(event, event.begin, endOf(event), event.kind);
  }
  return lanes.list();
}

// Copies to a slot of scratch follow each other in one lane; others share lanes where they do not overlap.
function opLanes(chain, list) {
  const lanes = new Lanes(), slots = new Lanes(), ends = new Map(); // ends: of each name the end of each of its lanes
  for (const event of list.filter((e) => e.chain === chain && isOp(e) && e.kind !== "arrival")) {
    const param = data.params[event.memory], isSlot = param && param.role === "scratch";
    if (isSlot) slots.get(event.what, `→ ${event.what}`, "slot").add(event, event.begin, endOf(event), "flight");
    else {
      const name = param ? param.name : "scoped memory", taken = ends.get(name) || [];
      const free = taken.findIndex((end) => end <= event.begin), row = free < 0 ? taken.length : free;
      taken[row] = endOf(event);
      ends.set(name, taken);
      lanes.get(`${row} ${name}`, `→ ${name}`, "op").add(event, event.begin, endOf(event), "flight");
    }
  }
  for (const lane of slots.sorted()) {
    lane.items.sort((a, b) => a.from - b.from);
    lane.items.slice().forEach((item, i, all) => lane.add(item.event, item.to, i + 1 < all.length ? all[i + 1].from : steps, "held"));
  }
  return [...slots.sorted(), ...lanes.list()];
}

// A phase lasts from the end of the one before to its own.
function barrierLanes(chain, list) {
  const lanes = new Lanes();
  for (const event of list.filter((e) => e.kind === "phase" && e.owner === chain)) {
    const lane = lanes.get(event.what, event.what || "scoped barrier", "barrier"), last = lane.items.at(-1);
    lane.add(event, last ? last.to : 0, event.end, "phase");
  }
  return lanes.sorted();
}

function lanesOfChain(chain) {
  const list = eventsOfChain.get(chain), first = list.find((event) => event.chain === chain) || list[0];
  const lanes = [...threadLanes(chain, list), ...opLanes(chain, list), ...barrierLanes(chain, list)];
  if (lanes.length) lanes[0].title = `program ${programName(first.program)}`;
  return lanes;
}

const chainsOfTimeline = [...eventsOfChain.keys()].sort((a, b) => a - b);

// ---- drawing ----

const timeline = { from: 0, to: Math.max(steps, 1), chains: [], lanes: [], chosen: null };

const workColour = (place) => {
  const line = linesOfWork.get(lineOf(place));
  return line === undefined ? colour("untouched") : FEW[line % FEW.length];
};

function styleOf(item) {
  const { event } = item;
  switch (item.style) {
    case "work": return { fill: workColour(event.place), text: shortPlace(event.place) };
    case "wait": return { fill: colour(event.end < 0 ? "raced" : "read"), hatched: true, text: event.what || "wait" };
    case "flight": return { fill: colour(event.kind === "product" ? "product" : "copy"), text: event.source || event.kind };
    case "held": return { fill: colour("soft"), text: "" };
    case "phase": return { fill: colour("untouched"), text: String(event.number), edged: true };
    default: return { mark: true, fill: colour("ink") }; // signal, print
  }
}

const xOf = (step) => LABEL + ((step - timeline.from) / (timeline.to - timeline.from)) * (timeline.width - LABEL);
const stepAt = (x) => timeline.from + ((x - LABEL) / (timeline.width - LABEL)) * (timeline.to - timeline.from);
const topOf = (lane) => AXIS + lane * LANE;

function drawMark(context, x, top, fill) {
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(x, top + 2);
  context.lineTo(x + 4, top + 8);
  context.lineTo(x - 4, top + 8);
  context.fill();
}

function drawText(context, text, x, y, room, ink) {
  if (room < 18 || context.measureText(text).width > room - 4) return;
  context.fillStyle = ink;
  context.fillText(text, x + 3, y);
}

function drawItem(context, item, top) {
  const left = Math.max(LABEL, xOf(item.from)), right = Math.min(timeline.width, xOf(item.to)), style = styleOf(item);
  if (right < LABEL || left > timeline.width || item.to < item.from) return;
  if (style.mark) return drawMark(context, xOf(item.from + 0.5), top, style.fill);
  const width = Math.max(right - left, 1), height = LANE - 6;
  context.fillStyle = style.fill;
  context.fillRect(left, top + 3, width, height);
  if (style.hatched && width > 3) {
    context.save();
    context.beginPath();
    context.rect(left, top + 3, width, height);
    context.clip();
    for (let x = left - height; x < right; x += 7) hatch(context, x, top + 3, height);
    context.restore();
  }
  if (item.style === "flight" && item.event.happened >= 0 && item.event.happened < item.to) {
    const at = xOf(item.event.happened);
    context.fillStyle = colour("ink");
    if (at >= LABEL) context.fillRect(at, top + 3, 2, height);
  }
  if (style.edged && right < timeline.width) {
    context.fillStyle = colour("quiet");
    context.fillRect(right - 1, top + 3, 1, height);
  }
  const isDark = style.fill.startsWith("#") && inkOn(style.fill) === "#ffffff";
  drawText(context, style.text, left, top + LANE / 2 + 4, width, isDark ? "#ffffff" : inkOn(style.fill));
  if (item.event !== timeline.chosen) return;
  context.strokeStyle = colour("mark");
  context.lineWidth = 2;
  context.strokeRect(left + 1, top + 3, Math.max(width - 2, 2), height);
}

function drawAxis(context) {
  const span = timeline.to - timeline.from, rough = span / 8, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) || power;
  context.fillStyle = colour("quiet");
  for (let at = Math.ceil(timeline.from / step) * step; at <= timeline.to; at += step) {
    context.fillText(at.toLocaleString("en"), xOf(at) + 3, 12);
    context.fillRect(xOf(at), 0, 1, AXIS + timeline.lanes.length * LANE);
  }
}

function drawLane(context, lane, i) {
  const top = topOf(i);
  context.fillStyle = colour("line");
  context.fillRect(lane.title ? 0 : LABEL, top, timeline.width, 1);
  context.fillStyle = colour(lane.kind === "thread" ? "ink" : "quiet");
  const text = lane.title ? `${lane.title}${lane.label === "program" ? "" : ", " + lane.label}` : lane.label;
  context.fillText(text, 4, top + LANE / 2 + 4, LABEL - 8);
  for (const isMark of [false, true])
    for (const item of lane.items)
      if (isMark === (item.style === "signal" || item.style === "print")) drawItem(context, item, top);
}

// Where an event is drawn: {lane, step}; null where it is not.
function spotOf(event, step) {
  const lane = timeline.lanes.findIndex((l) => l.items.some((item) => item.event === event));
  return lane < 0 ? null : { x: xOf(step), y: topOf(lane) + LANE / 2 };
}

// From what has ended the chosen wait, or completed the chosen phase.
function drawArrow(context) {
  const { chosen } = timeline;
  if (!chosen || !(chosen.by >= 0)) return;
  const from = spotOf(events[chosen.by], chosen.byStep + 0.5), to = spotOf(chosen, endOf(chosen) - 0.5);
  if (!from || !to) return;
  context.strokeStyle = context.fillStyle = colour("mark");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  context.beginPath();
  context.arc(to.x, to.y, 3.5, 0, 7);
  context.fill();
}

function drawTimeline() {
  const canvas = byId("timeline"), ratio = devicePixelRatio || 1;
  if (!byId("timeline-section").open) return;
  timeline.width = Math.max(canvas.parentElement.clientWidth - 2, LABEL + 200);
  const height = AXIS + timeline.lanes.length * LANE + 2;
  Object.assign(canvas, { width: timeline.width * ratio, height: height * ratio });
  Object.assign(canvas.style, { width: `${timeline.width}px`, height: `${height}px` });
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
  context.globalAlpha = 0.35;
  drawAxis(context);
  context.globalAlpha = 1;
  timeline.lanes.forEach((lane, i) => drawLane(context, lane, i));
  drawArrow(context);
}

// ---- what is chosen ----

function itemAt(event) {
  const box = byId("timeline").getBoundingClientRect(), x = event.clientX - box.left;
  const lane = timeline.lanes[Math.floor((event.clientY - box.top - AXIS) / LANE)];
  if (!lane || x < LABEL) return null;
  const slack = (4 / (timeline.width - LABEL)) * (timeline.to - timeline.from), step = stepAt(x);
  const isMark = (item) => item.style === "signal" || item.style === "print";
  const mark = lane.items.find((item) => isMark(item) && Math.abs(item.from + 0.5 - step) <= slack);
  return mark || lane.items.find((item) => !isMark(item) && item.from <= step && step < Math.max(item.to, item.from + slack)) || null;
}

const stepsText = (event) => (event.end < 0 ? `from step ${event.begin} on` : event.end - event.begin === 1 ? `step ${event.begin}` : `steps ${event.begin} to ${event.end - 1}`);
const eventLink = (event) => link(`${event.op} ${shortPlace(event.place)} of ${whoText(event)}`.replace("  ", " "), () => chooseEvent(event));

function whatText(event) {
  switch (event.kind) {
    case "work": return "Work";
    case "wait": return event.what ? `Wait for ${event.what}` : `Wait by ${event.op}`;
    case "signal": return `${event.op} of ${event.what || "a scoped semaphore"}`;
    case "phase": return `Phase ${event.number} of ${event.what || "a scoped barrier"}`;
    case "print": return "Print";
    default: return `${OPS[event.kind]}${event.what ? ` to ${event.what}` : ""}`;
  }
}

const numberRow = (event) => {
  if (event.kind === "work") return ["instructions", String(event.number)];
  if (isOp(event)) return event.number > 0 && ["bytes", String(event.number)];
  if (event.number < 0) return null;
  return [event.op.startsWith("barrier") || event.kind === "phase" ? "phase" : "amount", String(event.number)];
};

function opRows(event) {
  return [
    event.source && ["from", event.second ? `${event.source} × ${event.second}` : event.source],
    event.read >= 0 && ["has read", `step ${event.read}`],
    ["takes place", event.happened >= 0 ? `step ${event.happened}` : "not in this run"],
    ["is sure from", event.end >= 0 ? `step ${event.end}` : "never: nothing waited for it"],
  ];
}

function rowsOf(event) {
  return [
    ["who", link(whoText(event), () => choose({ program: event.program }))],
    ["when", event.kind === "phase" ? `complete at step ${event.begin}` : stepsText(event)],
    event.place.line && ["line", placeLink(event.place)],
    numberRow(event),
    ...(isOp(event) ? opRows(event) : []),
    event.text !== undefined && event.text !== null && ["text", event.text],
    event.by >= 0 && [event.kind === "phase" ? "completed by" : "ended by", make("span", {}, eventLink(events[event.by]), `, step ${event.byStep}`)],
    event.kind === "wait" && event.end < 0 && ["ended by", "nobody"],
    event.kind === "wait" && event.end >= 0 && !(event.by >= 0) && ["ended by", data.timeline.left_out || data.order.startsWith("parallel") ? "not known" : "nothing: it had nothing to wait for"],
  ].filter(Boolean);
}

function showEvent(event) {
  byId("event-title").textContent = whatText(event);
  byId("event").replaceChildren(...rowsOf(event).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function chooseEvent(event) {
  timeline.chosen = event;
  if (!timeline.lanes.some((lane) => lane.items.some((item) => item.event === event))) {
    showChain(event.chain);
    zoomOut();
  }
  if (endOf(event) < timeline.from || event.begin > timeline.to) zoomTo(event.begin - (timeline.to - timeline.from) / 2, timeline.to - timeline.from);
  showEvent(event);
  drawTimeline();
}

// ---- what is shown ----

function zoomTo(from, span) {
  const wide = Math.min(Math.max(span, 10), Math.max(steps, 10));
  timeline.from = Math.min(Math.max(from, 0), Math.max(steps, 10) - wide);
  timeline.to = timeline.from + wide;
  drawTimeline();
}

function zoomBy(factor, at = (timeline.from + timeline.to) / 2) {
  zoomTo(at - (at - timeline.from) * factor, (timeline.to - timeline.from) * factor);
}

// All that happens in the lanes that are shown.
function zoomOut() {
  const items = timeline.lanes.flatMap((lane) => lane.items).filter((item) => item.style !== "held");
  const first = items.reduce((least, item) => Math.min(least, item.from), steps), last = items.reduce((most, item) => Math.max(most, item.to), 0);
  zoomTo(first, last - first);
}

const panBy = (part) => zoomTo(timeline.from + part * (timeline.to - timeline.from), timeline.to - timeline.from);

function showProgram(program) {
  const event = events.find((e) => e.program === program);
  if (!event || timeline.chains.includes(event.chain)) return;
  showChain(event.chain);
  zoomOut();
}

// The wait that a finding is about: of its program, and nobody has ended it.
function showFinding(finding) {
  if (!finding.program || !isHere(finding)) return;
  const program = numberOf(finding.program, gridShape), wait = events.find((e) => e.kind === "wait" && e.end < 0 && e.program === program);
  if (wait) chooseEvent(wait);
  else showProgram(program);
}

function leftOutText() {
  const { left_out: count, left_since: step, left_program: program, left_location: location } = data.timeline;
  const at = shortPlace(data.places[location]);
  return `${count.toLocaleString("en")} events of the timeline are left out for want of room, the first at step ${step.toLocaleString("en")} of program ${programText(program)}${at ? ", " + at : ""}.`;
}

function showChain(chain) {
  timeline.lanes = [];
  timeline.chains = [];
  let hidden = 0;
  for (const number of chainsOfTimeline.filter((c) => c >= chain)) {
    const lanes = lanesOfChain(number);
    if (timeline.lanes.length && timeline.lanes.length + lanes.length > MOST_LANES) break;
    timeline.lanes.push(...lanes.slice(0, MOST_LANES));
    timeline.chains.push(number);
    hidden = Math.max(0, lanes.length - MOST_LANES);
  }
  byId("chain").value = String(chain);
  const shown = timeline.chains.length, all = chainsOfTimeline.length;
  byId("timeline-note").textContent = [
    shown < all ? `${shown.toLocaleString("en")} of ${all.toLocaleString("en")} chains of programs are shown.` : "",
    hidden ? `${hidden.toLocaleString("en")} lanes are not shown.` : "",
    data.timeline.left_out ? leftOutText() : "",
  ].filter(Boolean).join(" ");
}

function drawTimelineLegend() {
  const rows = [["work, a colour for each line", { fill: FEW[0] }], ["waits", { fill: colour("read"), hatched: true }], ["waits for ever", { fill: colour("raced"), hatched: true }],
    ["copy in flight; bar: it takes place", { fill: colour("copy") }], ["product in flight", { fill: colour("product") }], ["holds what was copied", { fill: colour("soft") }]];
  byId("timeline-legend").replaceChildren(...rows.map(([text, paint]) => {
    const canvas = make("canvas", { width: 14, height: 14, "aria-hidden": "true" });
    drawSquare(canvas.getContext("2d"), 0, 0, 14, paint);
    return make("li", {}, canvas, text);
  }));
}

function listenToTimeline(canvas) {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => (drag = { x: event.clientX, from: timeline.from, moved: false }));
  canvas.addEventListener("pointermove", (event) => {
    if (!drag || Math.abs(event.clientX - drag.x) < 4) return;
    drag.moved = true;
    const span = timeline.to - timeline.from;
    zoomTo(drag.from - ((event.clientX - drag.x) / (timeline.width - LABEL)) * span, span);
  });
  addEventListener("pointerup", (event) => {
    const item = drag && !drag.moved && event.target === canvas ? itemAt(event) : null;
    drag = null;
    if (item) chooseEvent(item.event);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoomBy(event.deltaY > 0 ? 1.25 : 0.8, stepAt(event.clientX - box.left));
  }, { passive: false });
  const keys = { ArrowLeft: () => panBy(-0.2), ArrowRight: () => panBy(0.2), "+": () => zoomBy(0.5), "-": () => zoomBy(2), 0: zoomOut };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function startTimeline() {
  const section = byId("timeline-section");
  section.hidden = !events.length;
  if (!events.length) return;
  section.open = events.some((event) => event.kind === "wait" || isOp(event));
  byId("chain").replaceChildren(...chainsOfTimeline.slice(0, MOST_CHAINS).map((chain) => {
    const first = eventsOfChain.get(chain).find((event) => event.chain === chain) || eventsOfChain.get(chain)[0];
    return make("option", { value: chain }, `program ${programName(first.program)}`);
  }));
  byId("chain-label").hidden = chainsOfTimeline.length < 2;
  byId("chain").addEventListener("change", (event) => {
    showChain(+event.target.value);
    zoomOut();
  });
  byId("zoom-in").addEventListener("click", () => zoomBy(0.5));
  byId("zoom-out").addEventListener("click", () => zoomBy(2));
  byId("zoom-all").addEventListener("click", zoomOut);
  section.addEventListener("toggle", drawTimeline);
  addEventListener("resize", drawTimeline);
  listenToTimeline(byId("timeline"));
  showChain(chainsOfTimeline[0]);
  byId("event-title").textContent = "Choose work, a wait, a copy or a phase.";
  zoomOut();
}
