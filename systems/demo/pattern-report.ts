import { describeRequest } from '../measurement/describe-request.ts';
import type { ExampleRequest, PatternFigures, PatternLedger } from '../measurement/pattern-ledger.ts';
import { capacityByPlace } from '../measurement/request-figures.ts';
import type { AccessPattern } from './demo.ts';
import type { Terminal } from './terminal.ts';

interface Report {
  readonly terminal: Terminal;
  readonly ledger: PatternLedger;
  readonly patterns: readonly AccessPattern[];
}

/** Prints, for each access pattern, a request that was really sent, the items it touched and its cost. */
export function printExamples({ terminal, ledger, patterns }: Report, keyNames: readonly string[]): void {
  for (const { id, title } of patterns) {
    terminal.line();
    terminal.line(`${terminal.accent(id)}  ${terminal.bold(title)}`);
    const examples = ledger.examples(id);
    if (examples.length === 0) {
      terminal.line(terminal.dim('       no request'));
    }
    for (const example of examples) {
      const [first = '', ...rest] = describeRequest(example, keyNames);
      terminal.line(`       ${first}`);
      for (const text of rest) {
        terminal.line(`         ${text}`);
      }
      terminal.line(terminal.dim(`         → ${outcomeText(example)}`));
    }
  }
}

function outcomeText({ figures, errorName, output, latencyMs }: ExampleRequest): string {
  if (errorName !== undefined) {
    return errorName;
  }
  const items = figures.itemsWritten > 0 ? `${plural(figures.itemsWritten, 'item')} written` : itemsReadText(figures);
  const places = [...capacityByPlace(output?.['ConsumedCapacity'])];
  const detail = places.length > 1 ? ` (${places.map(([place, units]) => `${place} ${units}`).join(', ')})` : '';
  const units = plural(figures.readUnits + figures.writeUnits, figures.itemsWritten > 0 ? 'write unit' : 'read unit');
  return `${items}, ${units}${detail}, ${latencyMs.toFixed(1)} ms`;
}

function itemsReadText({ itemsRead, itemsReturned }: ExampleRequest['figures']): string {
  const filtered = itemsRead === itemsReturned ? '' : ` of ${itemsRead} read`;
  return `${plural(itemsReturned, 'item')}${filtered}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

interface Column {
  readonly title: string;
  readonly value: (figures: PatternFigures) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'calls', value: ({ calls }) => String(calls) },
  { title: 'requests', value: ({ requests }) => String(requests) },
  { title: 'read', value: ({ itemsRead }) => String(itemsRead) },
  { title: 'returned', value: ({ itemsReturned }) => String(itemsReturned) },
  { title: 'written', value: ({ itemsWritten }) => String(itemsWritten) },
  { title: 'read units', value: ({ readUnits }) => readUnits.toFixed(1) },
  { title: 'write units', value: ({ writeUnits }) => writeUnits.toFixed(1) },
  { title: 'mean ms', value: ({ requests, latencyMs }) => (requests === 0 ? '–' : (latencyMs / requests).toFixed(2)) },
];

/** Prints one line of figures per access pattern, and their sums. */
export function printFigures({ terminal, ledger, patterns }: Report): void {
  const rows = patterns.map(({ id, title }) => ({ name: `${id}  ${title}`, figures: ledger.figures(id) }));
  const cells = [
    ...rows.map(({ name, figures }) => [name, ...COLUMNS.map(({ value }) => value(figures))]),
    ['Together', ...COLUMNS.map(({ value }) => value(sumOf(rows.map(({ figures }) => figures))))],
  ];
  const header = ['pattern', ...COLUMNS.map(({ title }) => title)];
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const text = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');

  const rule = terminal.dim('─'.repeat(text(header).length));
  terminal.line(terminal.bold(text(header)));
  terminal.line(rule);
  for (const row of cells.slice(0, -1)) {
    terminal.line(text(row));
  }
  terminal.line(rule);
  terminal.line(terminal.bold(text(cells.at(-1) ?? [])));
}

function sumOf(all: readonly PatternFigures[]): PatternFigures {
  const sum = (value: (figures: PatternFigures) => number): number =>
    all.reduce((total, figures) => total + value(figures), 0);
  return {
    calls: sum(({ calls }) => calls),
    requests: sum(({ requests }) => requests),
    latencyMs: sum(({ latencyMs }) => latencyMs),
    itemsRead: sum(({ itemsRead }) => itemsRead),
    itemsReturned: sum(({ itemsReturned }) => itemsReturned),
    itemsWritten: sum(({ itemsWritten }) => itemsWritten),
    readUnits: sum(({ readUnits }) => readUnits),
    writeUnits: sum(({ writeUnits }) => writeUnits),
  };
}
