import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Model } from '@singlet/model';
import { type ModelDocument, documentOf } from '@singlet/model/docs';
import { expect } from 'vitest';

/** The marks around the charts of a README. The charts are written by a test: `npx vitest run systems/<name> -u`. */
const BEGINNING = '<!-- charts: written from model.ts by the tests, with -u -->';
const END = '<!-- end of charts -->';

/**
 * Fails unless the charts in an application's README are those of its model: the entity chart of each table, the chart of
 * access patterns and that of procedures. With vitest's `-u` they are written instead.
 *
 * @param testFile - `import.meta.url` of the test beside the README.
 */
export async function expectChartsInReadme(testFile: string, ...models: readonly Model[]): Promise<void> {
  const path = fileURLToPath(new URL('README.md', testFile));
  const written = await readFile(path, 'utf8');
  const begins = written.indexOf(BEGINNING);
  const ends = written.indexOf(END);
  expect(begins >= 0 && ends > begins, `${path} has the lines ${BEGINNING} and ${END}`).toBe(true);
  const charts = models.map((model) => chartsOf(documentOf(model))).join('\n\n');
  const expected = `${written.slice(0, begins)}${BEGINNING}\n\n${charts}\n\n${written.slice(ends)}`;
  await expect(expected).toMatchFileSnapshot(path);
}

type Chart = ModelDocument['patternChart'];

/** The charts as Markdown, laid out as Prettier would. */
export function chartsOf({ entityChart, patternChart, procedureChart }: ModelDocument): string {
  return [
    ...entityChart.flatMap(({ table, chart }) => [`### Entities of ${table}`, tableOf(chart, (column) => column > 0)]),
    '### Access patterns',
    tableOf(patternChart, (column) => patternChart.columns[column] === 'Key condition'),
    ...(procedureChart.rows.length === 0
      ? []
      : ['### Procedures', tableOf(procedureChart, (column) => procedureChart.columns[column] === 'Patterns')]),
  ].join('\n\n');
}

function tableOf({ columns, rows }: Chart, isCode: (column: number) => boolean): string {
  const cells = rows.map((row) => row.map((text, column) => cellText(text, isCode(column))));
  const widths = columns.map((title, column) =>
    Math.max(3, title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[], fill = ' '): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width, fill)).join(' | ')} |`;
  return [
    line(columns),
    line(
      columns.map(() => ''),
      '-',
    ),
    ...cells.map((row) => line(row)),
  ].join('\n');
}

function cellText(text: string, isCode: boolean): string {
  const escaped = text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return isCode && escaped !== '' ? `\`${escaped}\`` : escaped;
}
