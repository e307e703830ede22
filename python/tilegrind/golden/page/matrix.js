// The kill matrix: mutants, and how far outside each is on each input set.

const MOST_ROWS = 1000, ALL = "all";

// The command line's text for an argument, as POSIX shells read it.
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

class Matrix {
  constructor(matrix, isReview) {
    this.matrix = matrix;
    this.isReview = isReview;
    this.outcome = this.fill("outcome", matrix.rows.map((row) => row[2]));
    this.kind = this.fill("kind", matrix.rows.map((row) => row[0]));
    for (const select of [this.outcome, this.kind]) select.onchange = () => this.draw();
    this.draw();
  }

  fill(id, values) {
    const select = document.getElementById(id), counts = new Map();
    for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
    const option = (value, count) => make("option", { value }, `${value} (${count})`);
    select.replaceChildren(option(ALL, values.length), ...[...counts.keys()].sort().map((value) => option(value, counts.get(value))));
    return select;
  }

  draw() {
    const { sets, rows } = this.matrix;
    const shown = rows.filter(([kind, , outcome]) => [ALL, outcome].includes(this.outcome.value) && [ALL, kind].includes(this.kind.value));
    const head = ["mutant", "site", "outcome", ...sets].map((text) => make("th", { scope: "col" }, text));
    document.getElementById("matrix").replaceChildren(make("thead", {}, make("tr", {}, ...head)),
      make("tbody", {}, ...shown.slice(0, MOST_ROWS).map((row) => this.row(row))));
    document.getElementById("matrix-count").textContent = `${shown.length} of ${rows.length} mutants` +
      (shown.length > MOST_ROWS ? `, the first ${MOST_ROWS} are listed` : "");
  }

  row([kind, site, outcome, margins, why]) {
    const about = this.matrix.about[kind], passes = outcome === "alive";
    const help = passes && this.isReview ? make("div", { class: "quiet" }, `if it is no fault: --equivalent ${quoted(`${kind} ${site}=REASON`)}`) : null;
    return make("tr", {}, make("td", { class: "text" }, kind, about ? make("div", { class: "quiet" }, `as if ${about}`) : null),
      make("td", { class: "text" }, site), make("td", { class: passes ? "text passes" : "text" }, passes ? "passes" : outcome, why ? make("div", { class: "quiet" }, why) : null, help),
      ...margins.map((text) => cell(text === "0" ? "same bits" : text === "-" ? "not tried" : text, text === "inf" || +text > 1 ? "dies" : undefined)));
  }
}
