import type { Explanation, Measured } from '@singlet/model/cost';
import { counted } from '../../values/counted.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, modelProblem, withClient } from './connection.ts';
import { loadModel } from './load-models.ts';
import { refuseUnproven } from './refuse-unproven.ts';
import { patternInput } from './pattern-input.ts';
import { rangeLines } from './range-lines.ts';
import { textTable } from './text-table.ts';

export interface ExplainPatternFlags extends ConnectionFlags {
  readonly model?: string;
  readonly input?: string;
  readonly json?: boolean;
}

/** Explains a pattern: estimated from the model, and measured if inputs are given. */
export async function explainPattern(
  path: string,
  pattern: string,
  words: readonly string[],
  flags: ExplainPatternFlags,
): Promise<void> {
  const loaded = await loadModel(path, flags.model);
  const { model } = loaded;
  const [{ explain, measure, prices }, { storedForm }] = await Promise.all([
    import('@singlet/model/cost'),
    import('@singlet/model/bridges'),
  ]);
  const explanation = explain(model, pattern);
  if (explanation === undefined)
    throw new UsageError(`${model.name} has no pattern ${pattern}; it has ${Object.keys(model.patterns).join(', ')}.`);
  const asked = words.length > 0 || flags.input !== undefined;
  if (asked) await refuseUnproven(loaded);
  const input = asked ? (patternInput(model, pattern, words, flags.input) as Readonly<Record<string, unknown>>) : {};
  const measured = asked
    ? await withClient(flags, (client) =>
        measure(storedForm(model), pattern, input, { client, tables: flags.table }).catch((error: unknown) => {
          throw modelProblem(error, model, flags);
        }),
      )
    : undefined;
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ ...explanation, measured }, undefined, 2)}\n`
      : explanationText(explanation, measured, {
          currency: prices.currency,
          unproven: model.patterns[pattern]?.unproven,
        }),
  );
}

/** A table of all patterns of a model: what each takes, and what it costs. */
export async function explainModel(path: string, flags: ExplainPatternFlags): Promise<void> {
  const { model } = await loadModel(path, flags.model);
  const { explainAll, prices } = await import('@singlet/model/cost');
  const explanations = explainAll(model);
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(explanations, undefined, 2)}\n`);
    return;
  }
  const heads = [
    '',
    'served by',
    'requests',
    'items',
    'read units',
    'write units',
    'per second',
    `${prices.currency} a month`,
    'hottest partition',
  ];
  const rows = explanations.map(({ pattern, served, cost }) => [
    pattern,
    served === undefined ? 'not served' : `${served.operation} on ${served.place}`,
    String(served?.requests ?? ''),
    String(cost?.items ?? ''),
    String(cost?.readUnits ?? ''),
    String(cost?.writeUnits ?? ''),
    String(cost?.rate ?? ''),
    cost?.onDemandPerMonth?.toFixed(2) ?? '',
    cost?.hottest === undefined ? '' : hottestText(cost.hottest),
  ]);
  process.stdout.write(`${textTable([heads, ...rows])}\n`);
}

function explanationText(
  { pattern, served, ranges, writes = [], problems, cost }: Explanation,
  measured: Measured | undefined,
  { currency, unproven }: { readonly currency: string; readonly unproven: string | undefined },
): string {
  if (served === undefined) return `${pattern} is not served:\n${problems.map((problem) => `  ${problem}\n`).join('')}`;
  const lines: (readonly [string, string | undefined])[] = [
    ['operation', served.operation],
    ['on', served.place],
    ['key condition', served.keyCondition],
    ['order', served.order],
    ['page', served.limit === undefined ? undefined : counted(served.limit, 'item')],
    ['filter', served.filter?.join(', ')],
    ['requests', String(served.requests)],
    ['unproven', unproven],
    ...rangeLines(ranges),
    ...writes.map((key, i) => [i === 0 ? 'writes' : '', key] as const),
    [
      'estimated',
      cost === undefined
        ? undefined
        : `${counted(cost.items, 'item')}, ${counted(Math.round(cost.bytes), 'byte')}, ${unitsText(cost)}`,
    ],
    [
      'a month',
      cost?.onDemandPerMonth === undefined
        ? undefined
        : `${currency} ${cost.onDemandPerMonth.toFixed(2)} on demand, at ${cost.rate ?? 0} per second at peak`,
    ],
    [
      'hottest partition',
      cost?.rate === undefined
        ? undefined
        : cost.hottest === undefined
          ? 'unknown: declare the number of items, `expects: { items: … }`'
          : hottestText(cost.hottest),
    ],
    [
      'measured',
      measured === undefined
        ? undefined
        : `${counted(measured.requests, 'request')}, ${counted(measured.itemsRead, 'item')} read, ${measured.items} returned, ${counted(measured.bytes, 'byte')}, ${unitsText(measured)}`,
    ],
  ];
  const known = lines.filter(([, text]) => text !== undefined);
  return `${pattern}\n${known.map(([name, text]) => `  ${name.padEnd(18)} ${text ?? ''}\n`).join('')}`;
}

function hottestText({ reads, writes }: { readonly reads: number; readonly writes: number }): string {
  return `${reads.toFixed(1)} of 3,000 reads, ${writes.toFixed(1)} of 1,000 writes per second`;
}

function unitsText({ readUnits, writeUnits }: { readonly readUnits: number; readonly writeUnits: number }): string {
  return (
    [readUnits > 0 ? counted(readUnits, 'read unit') : '', writeUnits > 0 ? counted(writeUnits, 'write unit') : '']
      .filter((text) => text !== '')
      .join(', ') || 'no capacity'
  );
}
