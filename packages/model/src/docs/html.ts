import { diagramOf, escapeHtml } from './diagram.ts';
import type { IndexView } from './index-view.ts';
import type { Chart, ModelDocument } from './model-document.ts';

/** A model's documentation as one self-contained page: no font, no other file. Its script searches its tables, and nothing else. */
export function htmlOf(document: ModelDocument): string {
  const { cost, name } = document;
  const sections = [
    section('entities', 'Entities and relationships', diagramOf(document)),
    section(
      'patterns',
      'Access patterns',
      [
        tableOf(document.patternChart),
        ...titled('Writes', document.writeChart),
        ...titled('Procedures', document.procedureChart),
      ].join(''),
    ),
    section(
      'keys',
      'Keys',
      document.entityChart.map(({ table, chart }) => `<h3>${escapeHtml(table)}</h3>${tableOf(chart)}`).join(''),
    ),
    section('items', 'Tables and indexes, with sample items', document.views.map(viewOf).join('')),
    section(
      'cost',
      'Capacity and cost',
      `<p>Estimates, from the declared rates, volumes and sizes. Prices of ${escapeHtml(cost.prices.region)}, ${escapeHtml(cost.prices.date)}; the average load is taken as the peak over ${cost.peakToAverage}.</p>${tableOf(document.costChart)}<p>On demand ${money(cost.onDemandPerMonth)} ${escapeHtml(cost.prices.currency)} a month, provisioned for the peak ${money(cost.provisionedPerMonth)}, storage ${money(cost.storagePerMonth)}.</p>`,
    ),
    section('decisions', 'Decisions and open remarks', findingsOf(document)),
  ];
  const links = sectionsNav.map(([id, title]) => `<a href="#${id}">${title}</a>`).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(name)}</title><style>${style}</style></head><body><header><h1>${escapeHtml(name)}</h1><nav>${links}</nav><input type="search" placeholder="Search" aria-label="Search the tables" hidden></header><main>${sections.join('')}</main><script>${search}</script></body></html>\n`;
}

const sectionsNav: readonly (readonly [string, string])[] = [
  ['entities', 'Entities'],
  ['patterns', 'Patterns'],
  ['keys', 'Keys'],
  ['items', 'Items'],
  ['cost', 'Cost'],
  ['decisions', 'Decisions'],
];

function titled(title: string, chart: Chart): string[] {
  return chart.rows.length === 0 ? [] : [`<h3>${title}</h3>${tableOf(chart)}`];
}

function section(id: string, title: string, content: string): string {
  return `<section id="${id}"><h2>${title}</h2>${content}</section>`;
}

function tableOf({ columns, rows }: Chart): string {
  const head = columns.map((column) => `<th>${escapeHtml(column)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead>${bodiesOf(body)}</table></div>`;
}

/** Item collections in the layout of the modelling tools: keys on the left, attributes with their names above. */
function viewOf({ place, collections }: IndexView): string {
  const kind = { table: 'Table', global: 'Global index', local: 'Local index' }[place.kind];
  const keys = [place.partition, place.sort].map((names) => names.map(({ attribute }) => attribute).join(' / '));
  const rows = collections.map(({ partition, items }) =>
    items
      .map(({ sort, type, attributes }, i) => {
        const first = i === 0 ? `<td rowspan="${items.length}" class="partition">${escapeHtml(partition)}</td>` : '';
        const cells = attributes
          .map(([name, value]) => `<span><b>${escapeHtml(name)}</b>${escapeHtml(value)}</span>`)
          .join('');
        return `<tr>${first}<td class="sort">${escapeHtml(sort)}</td><td>${escapeHtml(type)}</td><td class="attributes">${cells}</td></tr>`;
      })
      .join(''),
  );
  const body = bodiesOf(rows.length === 0 ? ['<tr><td colspan="4">No sample item is in it.</td></tr>'] : rows);
  return `<h3>${kind} ${escapeHtml(place.name)}</h3><div class="scroll"><table><thead><tr><th>${keys.map((key) => escapeHtml(key ?? '')).join('</th><th>')}</th><th>Type</th><th>Attributes</th></tr></thead>${body}</table></div>`;
}

/** One body for each part of a table that a search shows or hides as a whole: a row, or an item collection. */
function bodiesOf(parts: readonly string[]): string {
  return parts.map((part) => `<tbody>${part}</tbody>`).join('');
}

/** Shows what has all the words of the search field, and hides headings of tables without any. Without scripts, the field is hidden. */
const search = `
const field=document.querySelector('input[type=search]');field.hidden=false;
field.addEventListener('input',()=>{const words=field.value.toLowerCase().split(/\\s+/).filter(Boolean);
for(const body of document.querySelectorAll('main tbody')){const text=body.textContent.toLowerCase();body.hidden=!words.every((word)=>text.includes(word))}
for(const table of document.querySelectorAll('main .scroll')){const none=words.length>0&&!table.querySelector('tbody:not([hidden])');table.hidden=none;
const title=table.previousElementSibling;if(title&&title.tagName==='H3')title.hidden=none}});
`.replaceAll('\n', '');

function findingsOf({ accepted, decisions, open }: ModelDocument): string {
  const lines = [
    ...decisions.map((decision) => `<li>${escapeHtml(decision)}</li>`),
    ...open.map(
      ({ level, path, message, remedy }) =>
        `<li class="${level}"><code>${escapeHtml(path)}</code> ${escapeHtml(message)}. ${escapeHtml(remedy)}</li>`,
    ),
    ...accepted.map(
      ({ path, message, because = '' }) =>
        `<li><code>${escapeHtml(path)}</code> ${escapeHtml(message)}. Accepted: ${escapeHtml(because)}</li>`,
    ),
  ];
  return `<ul>${lines.join('')}</ul>`;
}

function money(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

const style = `
:root{color-scheme:light dark;--page:#fff;--line:#d5d9e0;--soft:#f4f6f9;--text:#1b2330;--dim:#667085;--accent:#2457c5}
@media(prefers-color-scheme:dark){:root{--page:#141a23;--line:#3a4252;--soft:#1d2430;--text:#e8ebf0;--dim:#98a2b3;--accent:#8db0ff}}
*{box-sizing:border-box}body{margin:0;font:14px/1.45 system-ui,sans-serif;color:var(--text);background:var(--page)}
header{position:sticky;top:0;background:var(--soft);border-bottom:1px solid var(--line);padding:10px 24px;display:flex;gap:24px;align-items:baseline;z-index:1}
h1{font-size:18px;margin:0}nav a{margin-right:14px;color:var(--accent);text-decoration:none}input{margin-left:auto;font:inherit;padding:4px 8px}[hidden]{display:none}
main{padding:8px 24px 48px}section{scroll-margin-top:56px}h2{font-size:17px;margin:28px 0 10px}h3{font-size:14px;margin:18px 0 6px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px}th,td{border:1px solid var(--line);padding:4px 8px;text-align:left;vertical-align:top}
th{background:var(--soft);font-weight:600}.partition,.sort,code{font-family:ui-monospace,monospace;font-size:12px}.partition{background:var(--soft)}
.attributes span{display:inline-block;margin:0 14px 2px 0}.attributes b{display:block;font-weight:400;font-size:11px;color:var(--dim)}
li.error{color:#c0392b}li.warning{color:#b7791f}
svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--text)}svg .name{font-weight:600;font-size:13px}svg .key{font-weight:600}svg .kind,svg .label{fill:var(--dim)}svg .label{paint-order:stroke;stroke:var(--page);stroke-width:4px}
svg .box{fill:var(--soft);stroke:var(--line)}svg .rule{stroke:var(--line)}svg .edge{fill:none;stroke:var(--dim)}
`.replaceAll('\n', '');
