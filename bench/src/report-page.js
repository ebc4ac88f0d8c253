// Draws the report in the browser, from the figures that stand in the page. Plain JavaScript: it is put into the page as it is.
/* global Chart, document, matchMedia */
const results = JSON.parse(document.getElementById('results').textContent);
const report = document.getElementById('report');
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
Chart.defaults.color = dark ? '#97a6b5' : '#5b6b7b';
Chart.defaults.borderColor = dark ? '#2b3641' : '#e6ebf0';
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;

/** One colour for each product, wherever it appears; in memory it is lighter. */
const colours = [
  [/^(sdk-)?http-floor$/, '#8a96a3'],
  [/^lmdb$/, '#5b6b7b'],
  [/dynalite-disk/, '#c77d2e'],
  [/dynalite/, '#e8b27a'],
  [/dynoxide-disk/, '#8456b8'],
  [/dynoxide/, '#b79bd6'],
  [/memory/, '#74b3ec'],
  [/workers/, '#0f4f8a'],
  [/./, '#1f77c9'],
];
const colourOf = (subject) => colours.find(([pattern]) => pattern.test(subject))[1];
const lineColours = ['#8a96a3', '#1f77c9', '#c77d2e', '#8456b8', '#2a9d6f'];

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}

function element(parent, name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className !== undefined) made.className = className;
  parent.append(made);
  return made;
}

function section(title, note) {
  element(report, 'h2', title);
  if (note !== undefined) element(report, 'p', note, 'note');
  return element(report, 'div', undefined, 'charts');
}

function chart(parent, title, height, config) {
  const figure = element(parent, 'figure');
  element(figure, 'figcaption', title);
  const plot = element(figure, 'div', undefined, 'plot');
  plot.style.height = `${height}px`;
  return new Chart(element(plot, 'canvas'), config);
}

/** A bar for each name: the median, and in the tooltip the range of the rounds. */
function bars(parent, title, entries, unit) {
  chart(parent, title, 48 + entries.length * 24, {
    type: 'bar',
    data: {
      labels: entries.map(({ label }) => label),
      datasets: [
        { data: entries.map(({ values }) => median(values)), backgroundColor: entries.map(({ colour }) => colour) },
      ],
    },
    options: {
      indexAxis: 'y',
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            label: ({ dataIndex, parsed }) => {
              const { values, more = '' } = entries[dataIndex];
              const [low, high] = [Math.min(...values), Math.max(...values)];
              return `${number(parsed.x)} ${unit} (${number(low)} to ${number(high)})${more}`;
            },
          },
        },
      },
      scales: { x: { beginAtZero: true, title: { display: true, text: unit } }, y: { ticks: { autoSkip: false } } },
    },
  });
}

/** A line for each name over the same steps. */
function lines(parent, title, { labels, series, unit, logarithmic }) {
  chart(parent, title, 300, {
    type: 'line',
    data: {
      labels,
      datasets: series.map(({ label, values, colour }, index) => ({
        label,
        data: values,
        borderColor: colour ?? lineColours[index % lineColours.length],
        backgroundColor: colour ?? lineColours[index % lineColours.length],
        spanGaps: true,
      })),
    },
    options: {
      plugins: { legend: { position: 'bottom' } },
      scales: {
        y: {
          type: logarithmic ? 'logarithmic' : 'linear',
          beginAtZero: !logarithmic,
          title: { display: true, text: unit },
        },
      },
    },
  });
}

const number = (value) =>
  value.toLocaleString('en-US', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });

const titleOf = (subject) => results.subjects.find(({ id }) => id === subject)?.title ?? subject;
const transportOf = (subject) => results.subjects.find(({ id }) => id === subject)?.transport;
const measurementsOf = (caseId) =>
  results.measurements.filter((each) => each.caseId === caseId && each.rounds.length > 0);
const rates = ({ rounds }) => rounds.map((round) => round.requestsPerSecond);

function scene() {
  const { machine, settings, disturbance } = results;
  document.getElementById('scene').textContent =
    `${results.startedAt}. ${machine.processors} x ${machine.processor}, ${number(machine.memoryBytes / 2 ** 30)} GB, ` +
    `${machine.system}, Node ${machine.node}, fdatasync ${machine.fdatasyncMs.toFixed(2)} ms. ` +
    `${settings.itemCount.toLocaleString('en-US')} items of 1 KB, random keys, ${settings.concurrency} connections, ` +
    `${settings.rounds} alternating rounds of ${settings.secondsPerRun} s: medians.`;
  if (disturbance !== undefined) {
    element(report, 'p', `Not a quiet machine: ${disturbance}. Ratios are rough.`, 'warning');
  }
}

function targets() {
  if (results.targets.length === 0) return;
  element(report, 'h2', 'Must hold');
  const table = element(report, 'table');
  const header = element(table, 'tr');
  for (const name of ['', 'wanted', 'measured', 'rounds', '']) element(header, 'th', name);
  const text = (value, unit) => (unit === 'times' ? `${value.toFixed(2)}x` : `${value.toFixed(0)} ${unit}`);
  for (const target of results.targets) {
    const row = element(table, 'tr');
    element(row, 'td', target.text);
    element(row, 'td', `${target.relation} ${text(target.limit, target.unit)}`);
    if (target.value === undefined) element(row, 'td', target.reason, 'reason');
    else element(row, 'td', text(target.value, target.unit));
    const ranges = target.lowest !== undefined && target.lowest !== target.highest;
    element(row, 'td', ranges ? `${text(target.lowest, target.unit)} to ${text(target.highest, target.unit)}` : '');
    element(row, 'td', target.verdict, target.verdict.startsWith('not ') ? undefined : target.verdict);
  }
}

/** The base case: a chart of what goes over HTTP, and one of what does not, because it is so much more. */
function scenarioCharts() {
  const groups = results.groups.filter(({ cases }) => cases.length === 1 && cases[0].title === '');
  if (groups.length === 0) return;
  const entries = (caseId, transport) =>
    measurementsOf(caseId)
      .filter(({ subject }) => transportOf(subject) === transport)
      .map((each) => ({
        label: titleOf(each.subject),
        values: rates(each),
        colour: colourOf(each.subject),
        more: `, p50 ${number(median(each.rounds.map(({ p50Ms }) => p50Ms)))} ms`,
      }));
  for (const [transport, title] of [
    ['http', 'Over HTTP'],
    ['in process', 'In process, and the storage engine alone'],
  ]) {
    const charts = section(title, 'Requests per second; the grey bar is the floor.');
    for (const group of groups) {
      const members = entries(group.cases[0].id, transport);
      if (members.length > 0) bars(charts, group.title, members, 'requests/s');
    }
  }
}

/** What the dimensions do: for each subject a line over the steps. */
function variationCharts() {
  for (const group of results.groups.filter(({ cases }) => cases[0].title !== '')) {
    if (group.cases.every(({ id }) => measurementsOf(id).length === 0)) continue;
    const charts = section(group.title);
    for (const scenario of new Set(group.cases.map(({ ring }) => ring.scenario))) {
      const cases = group.cases.filter(({ ring }) => ring.scenario === scenario);
      const step = ({ title }) => title.slice(title.lastIndexOf(', ') + 2);
      if (cases.length === 1) {
        const members = measurementsOf(cases[0].id).map((each) => ({
          label: titleOf(each.subject),
          values: rates(each),
          colour: colourOf(each.subject),
        }));
        bars(charts, cases[0].title, members, 'requests/s');
        continue;
      }
      const subjects = [...new Set(cases.flatMap(({ id }) => measurementsOf(id).map(({ subject }) => subject)))];
      lines(charts, cases[0].title.slice(0, cases[0].title.lastIndexOf(', ')), {
        labels: cases.map(step),
        unit: 'requests/s',
        logarithmic: true,
        series: subjects.map((subject) => ({
          label: titleOf(subject),
          colour: colourOf(subject),
          values: cases.map(({ id }) => {
            const found = measurementsOf(id).find((each) => each.subject === subject);
            return found === undefined ? null : median(rates(found));
          }),
        })),
      });
    }
  }
}

function growthCharts() {
  const growth = results.growth ?? [];
  if (growth.length === 0) return;
  const charts = section('Growth', 'Median latency as the table grows, on disk.');
  const labels = growth.map(({ itemCount }) => itemCount.toLocaleString('en-US'));
  const modes = {
    lmdb: 'LMDB alone, one at a time',
    'in-process': 'in process, one at a time',
    'http-1': 'over HTTP, 1 connection',
    'http-32': 'over HTTP, 32 connections',
  };
  for (const [scenario, title] of [
    ['get', 'GetItem'],
    ['query', 'Query of 20 items'],
    ['put', 'PutItem'],
  ]) {
    const series = Object.entries(modes).map(([mode, label]) => ({
      label,
      values: growth.map((size) => {
        const found = size.series.find((each) => each.mode === mode && each.scenario === scenario);
        return found === undefined ? null : median(found.rounds.map(({ p50Ms }) => p50Ms * 1000));
      }),
    }));
    lines(charts, title, { labels, series, unit: 'us', logarithmic: true });
  }
  const perItem = [
    { label: 'on disk', values: growth.map((size) => size.diskBytes / size.itemCount) },
    { label: 'as DynamoDB counts', values: growth.map((size) => size.countedBytes / size.itemCount) },
  ];
  lines(charts, 'Bytes per item', { labels, series: perItem, unit: 'bytes', logarithmic: false });
  const memory = growth.map((size) => (size.memory === undefined ? null : size.memory.privateBytes / 2 ** 20));
  lines(charts, 'Private memory of the server', {
    labels,
    series: [{ label: 'Singlet, disk', values: memory, colour: '#1f77c9' }],
    unit: 'MB',
    logarithmic: false,
  });
}

function otherCharts() {
  const charts = section('Loading, start-up, memory');
  if (results.load !== undefined && results.load.ways.length > 0) {
    const subject = ({ title }) =>
      title
        .toLowerCase()
        .replace(' alone, in bulk', '')
        .replace(/, (disk|memory).*$/, '-$1');
    const entries = results.load.ways.map((way) => ({
      label: way.title,
      values: way.itemsPerSecond,
      colour: colourOf(subject(way)),
    }));
    bars(
      charts,
      `Loading ${results.load.itemCount.toLocaleString('en-US')} items of 1 KB, in batches`,
      entries,
      'items/s',
    );
  }
  if ((results.startup ?? []).length > 0) {
    const entries = results.startup.map(({ subject, title, timesMs }) => ({
      label: title,
      values: timesMs,
      colour: colourOf(subject),
    }));
    bars(charts, 'From spawn to the first answer', entries, 'ms');
  }
  const members = results.subjects.filter(
    ({ memory, transport }) => memory?.after !== undefined && transport === 'http',
  );
  if (members.length > 0) {
    const entries = members.map(({ id, title, memory }) => ({
      label: title,
      values: [memory.after.privateBytes / 2 ** 20],
      colour: colourOf(id),
    }));
    bars(charts, 'Private memory after the scenarios', entries, 'MB');
  }
}

function problems() {
  if (results.problems.length === 0) return;
  element(report, 'h2', 'Could not be measured');
  const list = element(report, 'ul');
  for (const { what, reason } of results.problems) element(list, 'li', `${what}: ${reason}`);
}

scene();
targets();
scenarioCharts();
variationCharts();
growthCharts();
otherCharts();
problems();
