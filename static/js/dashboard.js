// Charts of the dashboard, drawn by uPlot over the picture that the page brings. Where a mark leads stands in the table
// of its chart, and nowhere else: a mark opens what its cell links to.

const data = JSON.parse(document.getElementById("chart-data").textContent);
const steps = data.labels.length;
const HEIGHT = 168;
// A column takes at most this much of its step, and so many pixels.
const BAR = [0.72, 64];
// From one line of the grid to the next: nothing is counted in halves.
const WHOLE = Array.from({ length: 7 }, (_, zeros) => [1, 2, 5].map((first) => first * 10 ** zeros)).flat();
const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

// A colour of the theme that is shown now, as the canvas takes it.
function colour(words) {
  probe.style.color = words;
  return getComputedStyle(probe).color;
}

const ink = () => colour("color-mix(in oklab, var(--color-base-content) 74%, var(--color-base-100))");
const line = () => colour("var(--color-base-300)");
const tone = (name) => () => colour(`var(--color-${name})`);
// The second tone is an outline over a paler ground: it is told from the first without its colour.
const ground = (name) => () =>
  name === "primary" ? colour("var(--color-primary)") : colour(`color-mix(in oklab, var(--color-${name}) 30%, transparent)`);

const marksAt = (place) => data.marks.filter(([at]) => at === place).map(([, words]) => words);

class DashboardChart {
  constructor(figure) {
    this.figure = figure;
    this.plot = figure.querySelector("[data-plot]");
    this.parts = [...figure.querySelectorAll("[data-series]")];
    this.rows = [...figure.querySelector("tbody").rows];
    const { form, series } = data.charts[figure.dataset.chart];
    this.form = form;
    this.series = series;
    this.stacked = form === "bars";
    this.place = steps - 1;
    this.chosen = 0;
    this.plot.replaceChildren();
    this.draw();
    this.bind();
    this.select(this.place, 0);
  }

  // Bars stand on each other: each series is drawn from the ground up to the sum with those below it; none for nothing.
  values() {
    if (!this.stacked) return this.series.map((one) => one.values);
    const sums = Array(steps).fill(0);
    return this.series.map((one) => one.values.map((value, place) => (value ? (sums[place] += value) : null)));
  }

  draw() {
    this.drawn = this.values();
    const shapes = this.series.map((one) => ({
      stroke: tone(one.tone),
      fill: this.stacked ? ground(one.tone) : undefined,
      width: this.stacked ? 1 : 2,
      paths: this.stacked ? uPlot.paths.bars({ size: BAR }) : uPlot.paths.linear(),
      points: { show: !this.stacked, size: 6, fill: tone(one.tone) },
    }));
    // The tallest first, or it would stand before the others.
    const order = this.series.map((_, place) => place).reverse();
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: ink, font, ticks: { stroke: line, width: 1, size: 4 } };
    const options = {
      width: this.plot.clientWidth,
      height: HEIGHT,
      padding: [10, 6, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: !this.stacked } },
      scales: {
        x: { time: false, range: () => [-0.6, steps - 0.4] },
        y: { range: (_, low, high) => [0, high ? high * 1.06 : 1] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 28, space: 58, incrs: [1, 2, 3, 5, 7, 10, 15], values: this.names },
        { ...axis, grid: { stroke: line, width: 1 }, size: 46, space: 34, incrs: WHOLE },
      ],
      series: [{}, ...order.map((place) => shapes[place])],
      hooks: {
        draw: [(chart) => this.drawMarks(chart)],
        setCursor: [(chart) => this.follow(chart)],
      },
    };
    const xs = Array.from({ length: steps }, (_, place) => place);
    this.chart = new uPlot(options, [xs, ...order.map((place) => this.drawn[place])], this.plot);
  }

  names(_, places) {
    return places.map((place) => (Number.isInteger(place) ? (data.labels[place] ?? "") : ""));
  }

  // What the team marked: a dashed line with a flag on top, on every chart.
  drawMarks(chart) {
    const { ctx, bbox } = chart;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = ink();
    ctx.lineWidth = scale;
    ctx.setLineDash([4 * scale, 3 * scale]);
    for (const place of new Set(data.marks.map(([at]) => at))) {
      const x = Math.round(chart.valToPos(place, "x", true)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x, bbox.top - 8 * scale);
      ctx.lineTo(x + 8 * scale, bbox.top - 4 * scale);
      ctx.lineTo(x, bbox.top);
      ctx.fill();
    }
    ctx.restore();
  }

  follow(chart) {
    const place = chart.cursor.idx;
    if (place !== null && place !== undefined && chart.cursor.left >= 0) this.select(place, this.chosen);
  }

  cell(place, series) {
    return this.rows[place].cells[series + 1];
  }

  link(place, series) {
    return this.cell(place, series).querySelector("a");
  }

  // The legend tells of one step: what each series has there, each number a link to its rows, and what was marked.
  select(place, chosen) {
    this.place = place;
    this.chosen = chosen;
    this.figure.querySelector("[data-step]").textContent = data.labels[place];
    this.parts.forEach((part, series) => {
      const link = this.link(place, series);
      const value = part.querySelector("[data-value]");
      const shown = link ? link.cloneNode(true) : document.createElement("span");
      shown.textContent = this.series[series].words[place];
      if (link) {
        shown.className = "link";
        shown.setAttribute("aria-label", `${shown.textContent} ${this.series[series].name}, ${data.labels[place]}`);
      }
      value.replaceChildren(shown);
      part.toggleAttribute("data-chosen", series === chosen && this.series.length > 1);
    });
    const marks = marksAt(place);
    this.figure.querySelector("[data-marks]").textContent = marks.join(" · ");
    const told = this.series.map((one) => `${one.words[place]} ${one.name}`);
    const now = this.series.length > 1 ? `, ${this.series[chosen].name} chosen` : "";
    const words = `${data.labels[place]}: ${told.join(", ")}${now}${marks.length ? `. ${marks.join(", ")}` : ""}`;
    this.plot.setAttribute("aria-valuenow", place);
    this.plot.setAttribute("aria-valuetext", words);
  }

  // The series whose part of the column is at that height; above all of them, the first that has rows.
  seriesAt(place, top) {
    const height = this.chart.posToVal(top, "y");
    const found = this.stacked ? this.drawn.findIndex((sums) => sums[place] !== null && sums[place] >= height) : -1;
    if (found >= 0 && this.link(place, found)) return found;
    return Math.max(this.series.findIndex((_, series) => this.link(place, series)), 0);
  }

  open(place, series, event) {
    const link = this.link(place, series);
    if (!link) return;
    const { ctrlKey, metaKey, shiftKey } = event;
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
  }

  bind() {
    const { plot } = this;
    const title = this.figure.querySelector("h2").textContent;
    const attributes = { role: "slider", tabindex: 0, "aria-label": `${title}, chart`, "aria-describedby": "chart-keys" };
    for (const [name, value] of Object.entries(attributes)) plot.setAttribute(name, value);
    plot.setAttribute("aria-valuemin", 0);
    plot.setAttribute("aria-valuemax", steps - 1);
    plot.addEventListener("keydown", (event) => this.key(event));
    this.chart.over.addEventListener("click", (event) => {
      const { idx, top } = this.chart.cursor;
      if (idx === null || idx === undefined) return;
      const series = this.seriesAt(idx, top);
      // A finger cannot hover: its first touch selects, the legend or a second one opens.
      const touched = event.pointerType === "touch" && this.touched !== idx;
      this.touched = idx;
      this.select(idx, series);
      if (!touched) this.open(idx, series, event);
    });
    new ResizeObserver(() => this.chart.setSize({ width: plot.clientWidth, height: HEIGHT })).observe(plot);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = steps - 1;
    const moved = { ArrowLeft: this.place - 1, ArrowRight: this.place + 1, Home: 0, End: last }[event.key];
    const turned = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (moved !== undefined) this.move(Math.min(Math.max(moved, 0), last));
    else if (turned) this.select(this.place, (this.chosen + turned + this.series.length) % this.series.length);
    else if (event.key === "Enter") this.open(this.place, this.chosen, event);
    else return;
    event.preventDefault();
  }

  move(place) {
    this.select(place, this.chosen);
    this.chart.setCursor({ left: this.chart.valToPos(place, "x"), top: this.chart.bbox.height / devicePixelRatio / 2 }, false);
  }
}

const charts = window.uPlot ? [...document.querySelectorAll("[data-chart]")].map((one) => new DashboardChart(one)) : [];
const redraw = () => charts.forEach((one) => one.chart.redraw(false, true));
new MutationObserver(redraw).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
