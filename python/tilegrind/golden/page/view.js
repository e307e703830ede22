// The page: which golden, input set and output it shows.

const byId = (id) => document.getElementById(id);
const isReview = data.what === "review";
let view = null; // the OutputView that is shown
const shown = { golden: 0, set: 0, output: "" };

const golden = () => data.goldens[shown.golden];

function show(id, isShown) {
  byId(id).hidden = !isShown;
}

// ---- the head ----

function fillHead() {
  const one = golden(), grid = one.grid.join(" × ") || "1";
  document.title = `${one.name} – Tilegrind`;
  byId("name").textContent = one.name;
  const isGood = one.passed, kind = isReview ? (one.passed ? "pending" : `pending, ${one.kind}`) : one.kind;
  byId("verdict").textContent = kind;
  byId("verdict").className = isGood ? (isReview ? "" : "good") : "bad";
  const facts = [["kernel", one.kernel], ["grid", grid], ["contract", one.contract], ["digest", one.digest], ["Tilegrind", data.tilegrind]];
  byId("facts").replaceChildren(...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function fillProblems() {
  const one = golden(), texts = one.stale.map((text) => `stale: ${text}`);
  if (one.vacuous) texts.push(`vacuous: ${one.vacuous} ${one.vacuous === 1 ? "mutant passes" : "mutants pass"} it, and nobody has said why that is no fault`);
  texts.push(...one.notes);
  byId("problems").replaceChildren(...texts.map((text) => make("li", {}, text)));
  show("problems-section", texts.length > 0);
}

function fillAccept() {
  show("accept-section", isReview);
  if (!isReview) return;
  byId("accept").textContent = `${golden().accept} ${quoted(byId("reason").value.trim() || "REASON")}`;
  byId("copy").textContent = "copy";
}

async function copy() {
  try {
    await navigator.clipboard.writeText(byId("accept").textContent);
    byId("copy").textContent = "copied";
  } catch {
    getSelection().selectAllChildren(byId("accept"));
    byId("copy").textContent = "selected: copy it by hand";
  }
}

// ---- input sets ----

function fillSets() {
  const sets = golden().sets;
  byId("sets").replaceChildren(...sets.map((set, i) => make("button", { role: "tab", type: "button", id: `set-${i}`, "aria-selected": String(i === shown.set),
    "aria-controls": "set", tabindex: i === shown.set ? 0 : -1, onclick: () => chooseSet(i), onkeydown: (event) => moveTab(event, i) },
  set.name, Object.values(set.verdicts).some((verdict) => verdict.failed) ? " ✗" : "")));
  show("results-section", sets.length > 0);
  if (sets.length) chooseSet(Math.min(shown.set, sets.length - 1));
  else view = null;
}

function moveTab(event, i) {
  const count = golden().sets.length;
  const next = { ArrowRight: (i + 1) % count, ArrowLeft: (i + count - 1) % count, Home: 0, End: count - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  chooseSet(next);
  byId(`set-${next}`).focus();
}

function chooseSet(i) {
  shown.set = i;
  const set = golden().sets[i], names = set.outputs.map((output) => output.name);
  golden().sets.forEach((_, k) => {
    byId(`set-${k}`).setAttribute("aria-selected", String(k === i));
    byId(`set-${k}`).tabIndex = k === i ? 0 : -1;
  });
  byId("set").setAttribute("aria-labelledby", `set-${i}`);
  if (!names.includes(shown.output)) shown.output = names[0];
  byId("output").replaceChildren(...names.map((name) => make("option", { value: name }, name)));
  byId("output").value = shown.output;
  show("outputs", names.length > 1);
  fillOutput();
}

function fillOutput() {
  const set = golden().sets[shown.set], json = set.outputs.find((output) => output.name === shown.output);
  const kills = set.kills.length ? ` It kills what no set before it does: ${set.kills.join(", ")}.` : "";
  const about = [make("p", { class: "about quiet" }, `Shows ${set.about}.${kills}`), ...set.notes.map((text) => make("p", { class: "about" }, text))];
  view = new OutputView(new Output(json, set.columns, golden()), set);
  byId("set").replaceChildren(...about, view.root);
}

// ---- tables below ----

function fillLeft() {
  const left = golden().left || [];
  show("left-section", left.length > 0);
  byId("left").replaceChildren(make("thead", {}, make("tr", {}, ...["inputs", "why"].map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...left.map(([name, why]) => make("tr", {}, cell(name), cell(why, "text")))));
}

function fillChanges() {
  const { changes = [], difference = [], difference_left_out: more, replaces } = golden();
  show("changes-section", changes.length > 0);
  const head = replaces ? ["", "new", "old"] : ["", "new (no golden of that name is accepted)"];
  byId("changes").replaceChildren(make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...changes.map(([name, now, was]) => {
      const isNew = was !== null && was !== now;
      return make("tr", { class: isNew ? "chosen" : undefined }, cell(isNew ? `${name}, changed` : name), cell(now, "text"), was === null ? null : cell(was, "text"));
    })));
  const kind = (line) => (line.startsWith("+") ? "come" : line.startsWith("-") ? "gone" : undefined);
  byId("difference").replaceChildren(...(difference.length ? [make("h3", {}, "The kernel, as text"),
    make("pre", { tabindex: 0 }, ...difference.map((line) => make("span", { class: kind(line) }, `${line}\n`)))] : []),
  ...(more ? [make("p", { class: "quiet" }, `${more.toLocaleString("en")} more lines are left out.`)] : []));
}

// ---- all ----

function chooseGolden(i) {
  Object.assign(shown, { golden: i, set: 0, output: "" });
  fillHead();
  fillAccept();
  fillProblems();
  fillSets();
  new Matrix(golden().matrix, isReview);
  fillLeft();
  fillChanges();
}

function start() {
  if (!data.goldens.length) {
    byId("name").textContent = "No goldens";
    document.querySelector("main").hidden = true;
    return;
  }
  byId("golden").replaceChildren(...data.goldens.map((one, i) => make("option", { value: i }, one.passed ? one.name : `${one.name}: ${one.kind}`)));
  byId("golden").addEventListener("change", (event) => chooseGolden(+event.target.value));
  show("goldens", data.goldens.length > 1);
  byId("output").addEventListener("change", (event) => {
    shown.output = event.target.value;
    fillOutput();
  });
  byId("reason").addEventListener("input", fillAccept);
  byId("copy").addEventListener("click", copy);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours.clear();
    if (view) view.redraw();
  });
  chooseGolden(Math.max(0, data.goldens.findIndex((one) => !one.passed)));
  byId("golden").value = shown.golden;
}

start();
