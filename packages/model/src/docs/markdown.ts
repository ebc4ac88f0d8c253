import { mermaidOf } from './mermaid.ts';
import type { Chart, ModelDocument } from './model-document.ts';

/** A model's documentation as Markdown, with a Mermaid diagram. */
export function markdownOf(document: ModelDocument): string {
  const { cost } = document;
  const parts = [
    `# ${document.name}`,
    '## Entities and relationships',
    `\`\`\`mermaid\n${mermaidOf(document)}\n\`\`\``,
    '## Access patterns',
    tableOf(document.patternChart),
    ...(document.writeChart.rows.length === 0 ? [] : ['## Writes', tableOf(document.writeChart)]),
    ...(document.procedureChart.rows.length === 0
      ? []
      : ['## Procedures', 'What takes several patterns.', tableOf(document.procedureChart)]),
    '## Keys',
    ...document.entityChart.flatMap(({ table, chart }) => [`### ${table}`, tableOf(chart)]),
    '## Tables and indexes, with sample items',
    'In the order in which they lie: partitions by name here, items by the bytes of their sort keys.',
    ...document.views.flatMap(({ place, collections }) => [
      `### ${place.kind === 'table' ? 'Table' : place.kind === 'global' ? 'Global index' : 'Local index'} ${place.name}`,
      collections.length === 0
        ? 'No sample item is in it.'
        : tableOf({
            columns: [keyNames(place.partition), keyNames(place.sort), 'Type', 'Attributes'],
            rows: collections.flatMap(({ partition, items }) =>
              items.map(({ sort, type, attributes }, i) => [
                i === 0 ? partition : '',
                sort,
                type,
                attributes.map(([name, value]) => `${name}: ${shortened(value)}`).join('; '),
              ]),
            ),
          }),
    ]),
    '## Capacity and cost',
    `Estimates, from the declared rates, volumes and sizes. Prices of ${cost.prices.region}, ${cost.prices.date}; the average load is taken as the peak over ${cost.peakToAverage}.`,
    tableOf(document.costChart),
    `On demand ${money(cost.onDemandPerMonth)} ${cost.prices.currency} a month, provisioned for the peak ${money(cost.provisionedPerMonth)}, storage ${money(cost.storagePerMonth)}.`,
    '## Decisions',
    document.decisions.map((decision) => `- ${decision}`).join('\n'),
    ...(document.accepted.length === 0
      ? ['Nothing that the checker remarks had to be accepted.']
      : [
          document.accepted
            .map(
              ({ code, path, message, because = '' }) =>
                `- \`${path}\`: ${message} (\`${code}\`). Accepted: ${because}`,
            )
            .join('\n'),
        ]),
    ...(document.open.length === 0
      ? []
      : [
          '## Open remarks',
          document.open
            .map(
              ({ level, code, path, message, remedy }) =>
                `- ${level}: \`${path}\`: ${message} (\`${code}\`). ${remedy}`,
            )
            .join('\n'),
        ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function tableOf({ columns, rows }: Chart): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function keyNames(keys: readonly { readonly attribute: string }[]): string {
  return keys.map(({ attribute }) => attribute).join(' / ') || ' ';
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}

function money(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
