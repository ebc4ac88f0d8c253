import { readFile } from 'node:fs/promises';
import type { Model } from '@singlet/model';
import { type Chart, documentOf } from '@singlet/model/docs';

const BEGINS = '<!-- charts of the model: `npx vitest run systems -u` brings them up to date -->';
const ENDS = '<!-- end of the charts -->';

/**
 * An application's README with the charts of its model as they should be: entities with their keys, then access patterns.
 * The place is between two comments. For `toMatchFileSnapshot`, so that `vitest -u` brings a README up to date.
 *
 * @throws {ReferenceError} where the README has no such place.
 */
export async function readmeWithCharts(readme: URL, model: Model): Promise<string> {
  const text = await readFile(readme, 'utf8');
  const [begin, end] = [text.indexOf(BEGINS), text.indexOf(ENDS)];
  if (begin === -1 || end < begin) {
    throw new ReferenceError(`${readme.pathname} has no place for charts: ${BEGINS} … ${ENDS}`);
  }
  return `${text.slice(0, begin + BEGINS.length)}\n\n${chartsOf(model)}\n\n${text.slice(end)}`;
}

function chartsOf(model: Model): string {
  const { entityChart, patternChart } = documentOf(model);
  return [
    ...entityChart.flatMap(({ table, chart }) => [`### Entities in ${table}`, tableOf(chart)]),
    '### Access patterns',
    tableOf(patternChart),
  ].join('\n\n');
}

/** A table in Markdown, its columns as wide as their longest cells. Columns that say nothing are left out. */
function tableOf({ columns, rows }: Chart): string {
  const shown = columns.map((_, column) => rows.some((row) => (row[column] ?? '') !== ''));
  const cells = [columns, ...rows].map((row) => row.map(escaped).filter((_, column) => shown[column] === true));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const [heading, ...rest] = cells.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [heading, line(widths.map((width) => '-'.repeat(width))), ...rest].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('_', '\\_').replaceAll('*', '\\*');
}
