import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Chart, documentOf } from '@singlet/model/docs';
import { format, resolveConfig } from 'prettier';

type Model = Parameters<typeof documentOf>[0];

const BEGIN = '<!-- charts: begin -->';
const END = '<!-- charts: end -->';

/**
 * A README with the charts of a model between its markers, formatted as the repository formats Markdown. A test compares the
 * file with it: `expect(await readmeWithCharts(url, model)).toMatchFileSnapshot(path)` writes the charts with `--update`.
 */
export async function readmeWithCharts(readme: URL, model: Model): Promise<string> {
  const path = fileURLToPath(readme);
  const text = await readFile(path, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new RangeError(`${path} has no place for charts`);
  const whole = [before, BEGIN, '\n\n', chartsOf(model), '\n\n', END, after].join('');
  return await format(whole, { ...(await resolveConfig(path)), parser: 'markdown' });
}

function chartsOf(model: Model): string {
  const { entityChart, patternChart, procedureChart } = documentOf(model);
  return [
    ...entityChart.flatMap(({ table, chart }) => [`### Entity chart: ${table}`, tableOf(chart)]),
    '### Access patterns',
    tableOf(patternChart),
    ...(procedureChart.rows.length === 0 ? [] : ['### Procedures', tableOf(procedureChart)]),
  ].join('\n\n');
}

function tableOf({ columns, rows }: Chart): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Keys are code: their stars, underscores and braces are no Markdown. */
function escaped(text: string): string {
  if (text === '') return '';
  return /[{}#<>*_|=]/.test(text) ? `\`${text.replaceAll('|', '\\|')}\`` : text;
}
