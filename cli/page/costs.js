// What accesses to memory cost, where the run made check "memory-cost": a row for each operation and memory of a line.

function costCells(cost) {
  const widths = cost.widest_bytes > cost.narrowest_bytes ? `${cost.narrowest_bytes} to ${cost.widest_bytes}` : String(cost.widest_bytes);
  return [placeLink(cost), `${cost.op} of ${cost.param || "scoped memory"}`, cost.space, `${cost.cost.toLocaleString("en")} ${cost.unit}`,
    cost.least.toLocaleString("en"), `${(cost.cost / cost.least).toFixed(1)}x`, `${widths} B`];
}

function fillCosts() {
  const costs = data.memory_cost || [], assumed = costs.find((cost) => cost.assumed);
  byId("costs-section").hidden = costs.length === 0;
  byId("costs").replaceChildren(
    make("thead", {}, make("tr", {}, ...["line", "access", "memory", "cost", "at least", "ratio", "a lane"].map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...costs.slice(0, MOST_ROWS).map((cost) => make("tr", { class: cost.cost > cost.least ? "costly" : "" }, ...costCells(cost).map((cell) => make("td", {}, cell))))));
  byId("costs-note").textContent = assumed ? `Assumed: the elements of a block go over the lanes of ${assumed.warps} ${assumed.warps === 1 ? "warp" : "warps"} in turn.` : "";
}
