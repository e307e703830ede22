// Findings, boards, history and source, and what is chosen among them.

const MOST_ROWS = 500;
const MOST_NAMED = 8; // devices of a finding
const byId = (id) => document.getElementById(id);
let mode = "writer";

// ---- colours ----

// Told apart with any colour vision, after Okabe and Ito; more programs than these get a ramp from dark to light.
const FEW = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"];
const RAMP = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

function programColour(number) {
  if (programsInLog.length <= FEW.length) return FEW[number];
  const at = (number / (programsInLog.length - 1)) * (RAMP.length - 1), i = Math.min(Math.floor(at), RAMP.length - 2);
  const mixed = RAMP[i].map((c, k) => Math.round(c + (RAMP[i + 1][k] - c) * (at - i)));
  return "#" + mixed.map((c) => c.toString(16).padStart(2, "0")).join("");
}

// Black or white, whichever is read on that colour.
function inkOn(fill) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(fill.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000000" : "#ffffff";
}

const countColour = (writers) => colour(`ramp-${Math.min(writers, 4)}`);

function valueText(memory, element, size) {
  if (size < 30) return "";
  const value = memory.roles.includes("output") ? contentOf(memory, element, "after") : contentOf(memory, element, "before");
  if (value === null || value === "undefined") return "";
  const short = value.length > 5 && !isNaN(value) ? String(+Number(value).toPrecision(3)) : value;
  return short.length > 6 ? "" : short;
}

// Of several elements the one of which there is most to tell.
function paintElements(memory, elements, size) {
  const summary = summaryOf(memory);
  let element = elements[0], state = summary.state[element];
  for (const e of elements) {
    const better = mode === "count" ? summary.writers[e] > summary.writers[element] : mode === "writer" ? state < ONE && summary.state[e] >= ONE : summary.state[e] > state;
    if (better) state = summary.state[(element = e)];
  }
  const isUntouched = state === UNTOUCHED;
  let fill = colour(STATES[state]);
  if (mode === "writer" && summary.last[element] >= 0) fill = programColour(summary.last[element]);
  if (mode === "count" && !isUntouched && state !== ONLY_READ) fill = countColour(summary.writers[element]);
  const text = elements.length === 1 && !isUntouched ? valueText(memory, element, size) : "";
  return { fill, hatched: isUntouched, crossed: state === RACED, dotted: state === UNDEFINED, text, ink: inkOn(fill) };
}

const programsOf = (finding) =>
  (isHere(finding) ? [finding, ...finding.related] : []).filter((f) => f.program).map((f) => numberOf(f.program, gridShape));
const foundPrograms = new Set(data.findings.flatMap(programsOf));

function paintProgram(orders, size) {
  const order = mode === "state" ? orders.find((o) => foundPrograms.has(o)) ?? orders[0] : orders[0];
  const isKnown = numberOfProgram.has(order);
  let fill = colour(isKnown ? "one" : "untouched");
  if (isKnown && mode === "state" && foundPrograms.has(order)) fill = colour("raced");
  if (isKnown && mode === "writer") fill = programColour(numberOfProgram.get(order));
  const text = size >= 20 && orders.length === 1 && gridShape.length < 2 ? String(order) : "";
  return { fill, hatched: !isKnown, text, ink: inkOn(fill) };
}

function drawLegend() {
  const rows = mode === "state"
    ? [["one", "written by one program"], ["several", "by several"], ["raced", "raced; program in a finding", "crossed"], ["undefined", "undefined", "dotted"], ["read", "only read"], ["untouched", "never written or read", "hatched"]]
    : mode === "count" ? [[1, "1"], [2, "2"], [3, "3"], [4, "4 or more"]].map(([n, text]) => [`ramp-${n}`, text]).concat([["read", "only read"], ["untouched", "never written or read", "hatched"]])
      : [["read", "only read"], ["untouched", "never written or read", "hatched"]];
  byId("legend").replaceChildren(...rows.map(([name, text, sign]) => {
    const canvas = make("canvas", { width: 14, height: 14, "aria-hidden": "true" });
    drawSquare(canvas.getContext("2d"), 0, 0, 14, { fill: colour(name), [sign]: true });
    return make("li", {}, canvas, text);
  }));
  if (mode === "writer" && programsInLog.length) {
    const many = programsInLog.length > FEW.length;
    const shown = many ? [0, programsInLog.length - 1] : programsInLog.map((_, i) => i);
    byId("legend").prepend(...shown.map((number, i) => {
      const canvas = make("canvas", { width: 14, height: 14, "aria-hidden": "true" });
      drawSquare(canvas.getContext("2d"), 0, 0, 14, { fill: programColour(number) });
      return make("li", {}, canvas, (many && i ? "to " : "") + `program ${programText(programsInLog[number])}`);
    }));
  }
}

// ---- boards ----

const STATE_TEXT = ["never written or read", "only read", "written by one program", "written by several programs that are ordered", "undefined", "raced"];

function describeElement(memory, element) {
  const summary = summaryOf(memory), last = summary.last[element];
  const text = `${elementText(memory, element)}: ${STATE_TEXT[summary.state[element]]}`;
  return last >= 0 ? `${text}, last by ${programText(programsInLog[last])}` : text;
}

function arrayBoard(memory) {
  const params = memory.params, other = params.length > 1 ? " share memory" : "";
  return new Board({
    name: params.map((p) => p.name).join("/"), title: memory.names.join(" / "),
    detail: `${params.map((p) => p.role).join(" / ")}${other}, ${params[0].dtype}[${memory.shape.join(", ")}]`,
    shape: memory.shape, axisNames: memory.shape.map((_, d) => `dimension ${d}`),
    paint: (elements, size) => paintElements(memory, elements, size),
    describe: (element) => describeElement(memory, element),
    choose: (element) => choose({ memory, element }), hover: () => {},
  });
}

const gridBoard = new Board({
  name: "grid", title: "Grid", detail: data.grid.length ? data.grid.map((a) => `${a.name ? a.name + ": " : ""}${a.size}${a.thread ? " threads" : a.parallel ? "" : " in order"}`).join(" × ") + (data.programs === 1 ? " program" : " programs") : "one program",
  shape: gridShape, axisNames: data.grid.map((axis, a) => axis.name || `axis ${a}`),
  paint: paintProgram, describe: (order) => `program ${programText(order)}: ${numberOfProgram.has(order) ? "" : "no access is logged"}`,
  choose: (order) => choose({ program: order }), hover: (order) => preview(order === null ? null : { program: order }),
});

const shownMemories = memories.filter((m) => m.params.length && m.size > 0 && (m.roles[0] !== "scratch" || m.entries.length) && summaryOf(m));
const boards = new Map(shownMemories.map((memory) => [memory, arrayBoard(memory)]));
const allBoards = () => [gridBoard, ...boards.values()];

// ---- what is chosen ----

let chosen = null;

// The accesses that a choice is about.
function entriesOf(choice) {
  if (choice.program !== undefined) return log.filter((entry) => entry.program === choice.program);
  if (choice.line !== undefined) return log.filter((entry) => entry.place.line === choice.line && entry.place.file === choice.file);
  const { program, line, file } = choice.finding; // that is about no element
  if (!program || !isHere(choice.finding)) return [];
  return log.filter((entry) => entry.program === numberOf(program, gridShape) && (!line || (entry.place.line === line && entry.place.file === file)));
}

function markPrograms(entries) {
  const marks = new Map();
  for (const entry of entries) marks.set(entry.program, (marks.get(entry.program) || 0) | (entry.kind === "r" ? READ : WRITTEN));
  return (order) => marks.get(order) || 0;
}

const only = (orders) => (order) => (orders.includes(order) ? WRITTEN : 0);
const rangeMarks = ([first, last]) => (element) => (first <= element && element <= last ? WRITTEN : 0);

function mark(choice) {
  for (const board of allBoards()) board.marks = null;
  if (choice && choice.memory) {
    gridBoard.marks = markPrograms(historyOf(choice.memory, choice.element).rows.map((row) => row.entry));
  } else if (choice) {
    const entries = entriesOf(choice);
    for (const [memory, board] of boards) board.marks = entries.length ? marksOf(memory, entries) : null;
    gridBoard.marks = choice.program !== undefined ? only([choice.program]) : markPrograms(entries);
  }
  if (choice && choice.finding) {
    const programs = programsOf(choice.finding);
    if (programs.length) gridBoard.marks = only(programs);
    if (choice.memory) boards.get(choice.memory).marks = rangeMarks(elementsHere(choice.finding));
  }
  for (const board of allBoards()) board.draw();
}

const preview = (choice) => mark(choice || chosen);

function choose(choice) {
  chosen = choice;
  for (const board of allBoards()) board.chosen = -1;
  if (choice.memory) {
    const board = boards.get(choice.memory);
    board.chosen = choice.element;
    board.pick(choice.element, false);
    const programs = choice.finding ? programsOf(choice.finding) : historyOf(choice.memory, choice.element).rows.map((row) => row.entry.program);
    if (programs.length && !programs.some((order) => gridBoard.isShown(order))) gridBoard.show(programs[0]);
  }
  if (choice.program !== undefined) {
    gridBoard.chosen = choice.program;
    gridBoard.pick(choice.program, false);
    showProgram(choice.program);
  }
  if (choice.finding) showFinding(choice.finding);
  mark(choice);
  inspect(choice);
  document.querySelectorAll(".finding").forEach((item, i) => item.classList.toggle("chosen", choice.finding === data.findings[i]));
  document.querySelectorAll(".row").forEach((row) => row.classList.toggle("chosen", choice.line !== undefined && row.dataset.line === String(choice.line) && row.dataset.file === choice.file));
}

function chooseFinding(finding) {
  const there = isHere(finding) ? undefined : devices.find((device) => isOn(finding, device));
  if (there) return showDevice(there.id, data.findings.indexOf(finding));
  const param = data.params.findIndex((p) => p.name === finding.param);
  const memory = param >= 0 ? memories[data.params[param].memory] : null;
  const elements = elementsHere(finding);
  if (memory && elements && boards.has(memory)) return choose({ finding, memory, element: elements[0] });
  return choose({ finding });
}

// ---- inspector ----

const KIND = { r: "read", w: "write", a: "atomic" };
const link = (text, action) => make("button", { class: "link", type: "button", onclick: action }, text);
const programLink = (order) => link(programText(order), () => choose({ program: order }));
const placeLink = (place) => (place.line ? link(`${place.file.split("/").pop()}:${place.line}`, () => showLine(place.file, place.line)) : "");

function table(head, rows) {
  byId("history").replaceChildren(
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.slice(0, MOST_ROWS).map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))))));
}

const note = (list, rest) => {
  const lines = list.length > MOST_ROWS ? [`The first ${MOST_ROWS} of ${list.length} are listed.`, ...rest] : rest;
  byId("inspector-note").textContent = lines.join(" ");
};

const known = (value) => (value === null ? "not kept" : value);

function inspectElement(memory, element) {
  const { rows, gap } = historyOf(memory, element), end = contentOf(memory, element, "after");
  byId("inspector-title").textContent = `History of ${elementText(memory, element)}`;
  byId("inspector-summary").textContent = describeElement(memory, element).split(": ").slice(1).join(": ") +
    `; before the run: ${known(contentOf(memory, element, "before"))}` + (memory.roles.includes("output") ? `, after it: ${known(end)}` : "");
  table(["step", "program", "access", "operation", "line", "value"], rows.map(({ step, entry, times, before, after }) => [
    String(step), programLink(entry.program), KIND[entry.kind] + (entry.isPart ? " of a part" : "") + (times > 1 ? `, ${times} times` : ""), entry.op,
    placeLink(entry.place), entry.kind === "r" ? known(after ?? before) : `${known(before)} → ${known(after)}`]));
  note(rows, [rows.length ? "" : "No access to it is logged.", gap < Infinity ? `From step ${gap} on accesses to it may be missing here.` : "",
    isScratch(memory) ? "Each chain of programs has scratch of its own, undefined at first." : ""].filter(Boolean));
}

function inspectEntries(title, summary, entries) {
  byId("inspector-title").textContent = title;
  byId("inspector-summary").textContent = summary;
  table(["step", "program", "access", "operation", "line", "elements"], entries.map((entry) => [
    String(entry.step), programLink(entry.program), KIND[entry.kind], entry.op, placeLink(entry.place),
    boards.has(memories[entry.memory]) ? link(boxText(entry), () => choose({ memory: memories[entry.memory], element: entry.first })) : boxText(entry)]));
  note(entries, entries.length ? ["Dashed: read.  Thick line: written."] : ["No access is logged."]);
}

function inspect(choice) {
  if (choice.memory) inspectElement(choice.memory, choice.element);
  else if (choice.program !== undefined) {
    const entries = entriesOf(choice), writes = entries.filter((entry) => entry.kind !== "r").length;
    inspectEntries(`Program ${programText(choice.program)}`, `reads: ${entries.length - writes}, writes and atomics: ${writes}`, entries);
  } else if (choice.line !== undefined) {
    const entries = entriesOf(choice), programs = new Set(entries.map((entry) => entry.program)).size;
    inspectEntries(`Line ${choice.line} of ${choice.file.split("/").pop()}`, `accesses: ${entries.length}, by ${programs} ${programs === 1 ? "program" : "programs"}`, entries);
  } else {
    inspectEntries(choice.finding.kind, choice.finding.message, entriesOf(choice));
  }
}

// ---- findings ----

const sourceLine = (file, line) => {
  const source = data.sources.find((s) => s.file === file);
  return source ? source.lines[line - source.first] : undefined;
};

function placeOf(at, rank) {
  const parts = [];
  if (at.role) parts.push(`${at.role} `);
  if (at.op) parts.push(at.op + (at.role && at.param ? ` of ${at.param}` : "") + (at.program && rank ? ", " : ""));
  if (at.program && rank) parts.push("program ", programLink(numberOf(at.program, gridShape)));
  if (at.file && at.line) parts.push(parts.length ? ", " : "", link(`${at.file}:${at.line}`, () => showLine(at.file, at.line)));
  const text = at.file ? sourceLine(at.file, at.line) : undefined;
  return [make("div", { class: "where" }, ...parts), text === undefined ? null : make("pre", {}, text.trim())];
}

// "on device 0 (x=0), device 1 (x=1)": those whose runs are here are links.
function devicesOf(finding, i) {
  if (!finding.devices) return null;
  const names = finding.devices.slice(0, MOST_NAMED).map((id) => {
    const known = devices.find((device) => device.id === id);
    return known ? link(known.name, () => showDevice(id, i)) : `device ${id}`;
  });
  const left = finding.devices.length - names.length;
  return make("div", { class: "where" }, "on ", ...names.flatMap((name, n) => (n ? [", ", name] : [name])), left ? ` and ${left} others` : "");
}

function findingItem(finding, i) {
  const repeat = data.repeats[i], rank = gridShape.length;
  const again = make("div", { class: "again" }, make("code", {}, repeat), make("button", { class: "copy", type: "button", onclick: (event) => {
    navigator.clipboard?.writeText(repeat).then(() => (event.target.textContent = "copied"));
  } }, "copy"));
  return make("li", { class: `finding ${finding.level}` },
    make("button", { class: "open", type: "button", onclick: () => chooseFinding(finding) }, make("span", { class: "kind" }, `${finding.level}: ${finding.kind}`), ` ${finding.message}`),
    devicesOf(finding, i), ...placeOf({ ...finding, role: "" }, rank), ...finding.related.flatMap((other) => placeOf(other, rank)),
    finding.advice ? make("div", { class: "where" }, `advice: ${finding.advice}`) : null,
    finding.hint ? make("div", { class: "where" }, `hint: ${finding.hint}`) : null, again);
}

// ---- source ----

function sourceBlock(source) {
  const touched = new Set(log.filter((e) => e.place.file === source.file).map((e) => e.place.line));
  const found = new Set(data.findings.flatMap((f) => [f, ...f.related]).filter((f) => f.file === source.file).map((f) => f.line));
  const rows = source.lines.map((text, i) => {
    const line = source.first + i, body = touched.has(line)
      ? make("button", { type: "button", class: "touched", onclick: () => choose({ file: source.file, line }) }, text)
      : make("span", {}, text);
    return make("div", { class: `row${found.has(line) ? " found" : ""}`, "data-line": line, "data-file": source.file }, make("span", { class: "at" }, String(line)), body);
  });
  return [make("p", { class: "file" }, source.file), make("pre", {}, ...rows)];
}

function showLine(file, line) {
  choose({ file, line });
  const row = [...document.querySelectorAll(".row")].find((r) => r.dataset.line === String(line) && r.dataset.file === file);
  if (row) row.scrollIntoView({ block: "nearest" });
}

// ---- the page ----

function fillHeader() {
  const count = data.findings.length, isBad = data.findings.some((finding) => finding.level !== "advice");
  document.title = `${data.kernel} – Tilegrind`;
  byId("kernel").textContent = data.kernel;
  byId("verdict").textContent = count ? `${count} ${count === 1 ? "finding" : "findings"}` : "clean: no findings";
  byId("verdict").classList.toggle("bad", isBad);
  const facts = [["order", data.order + (data.is_check ? ", then others" : "")], ["checks", data.checks], ["programs", data.programs], ["instruction set", data.isa],
    ...(saved.mesh ? [["devices", `${saved.mesh.devices}, ${saved.mesh.device_order}`]] : []), ["profile", data.profile], ["Tilegrind", data.tilegrind], ["repeat with", data.repeat]];
  byId("run").replaceChildren(...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
}

// The choice of the device whose run is shown.
function fillDevices() {
  byId("device-label").hidden = !shownDevice;
  if (!shownDevice) return;
  const options = devices.map((device) => make("option", { value: device.id }, device.name));
  byId("device").replaceChildren(...options);
  byId("device").value = shownDevice.id;
  byId("device").addEventListener("change", (event) => showDevice(event.target.value));
}

function deviceLimits() {
  if (!shownDevice) return [];
  const text = `${devices.length} of ${saved.mesh.devices} devices are recorded, those of findings first; all but the findings is of ${shownDevice.name}.`;
  return [text, "Elements of replicas-differ are those of the whole array, and are not marked in that of a device."];
}

function fillLimits() {
  const lines = [...deviceLimits(), `${data.accesses.toLocaleString("en")} accesses in order ${data.order}; a step is the number of an access.`];
  if (data.order.startsWith("parallel")) lines.push("Threads ran at the same time: steps are in the order in which they were logged.");
  data.params.forEach((param, p) => {
    if (param.accesses_left_out) lines.push(`${param.name}: ${param.accesses_left_out.toLocaleString("en")} accesses are left out for want of room; elements of findings come first.`);
    if (param.values_left_out) lines.push(`${param.name}: ${param.values_left_out.toLocaleString("en")} values that were written are left out for want of room.`);
    if (param.memory === p && memories[p].size > MOST_COLOURED) lines.push(`${param.name} has ${memories[p].size.toLocaleString("en")} elements, too many to be drawn.`);
  });
  lines.push(`${data.timeline.steps.toLocaleString("en")} steps in the timeline: instructions of programs, and moments of copies and products.`);
  if (data.timeline.left_out) lines.push(leftOutText());
  for (const memory of boards.keys())
    if (summaryOf(memory).skipped) lines.push(`${memory.names.join(" / ")}: ${summaryOf(memory).skipped} accesses are not in its colours, as there are too many.`);
  byId("limits").replaceChildren(...lines.map((line) => make("li", {}, line)));
}

function redrawAll() {
  drawLegend();
  for (const board of allBoards()) board.redraw();
  drawTimelineLegend();
  drawTimeline();
}

function start() {
  fillHeader();
  byId("findings").replaceChildren(...(data.findings.length ? data.findings.map(findingItem) : [make("li", { class: "quiet" }, "None.")]));
  byId("source").replaceChildren(...(data.sources.length ? data.sources.flatMap(sourceBlock) : [make("p", { class: "quiet" }, "The source could not be read.")]));
  byId("boards").replaceChildren(...allBoards().map((board) => board.root));
  mode = data.findings.some(elementsHere) ? "state" : "writer";
  byId("mode").value = mode;
  byId("mode").addEventListener("change", (event) => {
    mode = event.target.value;
    redrawAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  fillDevices();
  fillCosts();
  fillLimits();
  startTimeline();
  redrawAll();
  const first = data.findings[inAddress("finding")] || data.findings.find(isHere);
  if (first) chooseFinding(first);
  else byId("inspector-note").textContent = "Choose an element or a program: by a click, or with the arrow keys and Enter.";
}

start();
