import type { Model } from '../model.ts';
import type { State } from './data.ts';
import type { Difference } from './oracle/index.ts';
import type { WriteCounterexample } from './prove-writes.ts';
import type { ReadCall } from './read-call.ts';
import type { ReadCase } from './smallest-read.ts';
import { sourceText } from './source-text.ts';

/** A wrong answer, reduced as far as possible. */
export interface Counterexample {
  /** The pattern with the wrong answer. */
  readonly pattern: string;
  /** The kind of fault. */
  readonly kind: Difference['kind'];
  /** How the answer is wrong. */
  readonly message: string;
  /** The stored items. */
  readonly state: State;
  /** The call. */
  readonly call: ReadCall;
  /** The items that belong in the answer, as text. */
  readonly expected: readonly string[];
  /** The answer, as text. */
  readonly got: readonly string[];
  /** The time of the clock, in milliseconds since 1970. */
  readonly now: number;
  /** Reproduces it: `--seed S --path P`. */
  readonly seed: number;
  /** Leads to the same example again, together with the seed. */
  readonly path: string;
}

/** A wrong read as a counterexample. */
export function counterexampleOf(
  model: Model,
  { state, call, wrong }: ReadCase,
  { seed, path, now }: { readonly seed: number; readonly path: string; readonly now: number },
): Counterexample {
  const { kind, message } = wrong.difference;
  const inModel = new Map([...state].filter(([entity, items]) => items.length > 0 && entity in model.entities));
  return {
    pattern: call.pattern,
    kind,
    message,
    state: inModel,
    call,
    expected: wrong.expected,
    got: wrong.got,
    now,
    seed,
    path,
  };
}

/**
 * A counterexample as a test for vitest, with the items, the call, the answer and the expected answer.
 *
 * @param model - how the test gets the model: the name that it is imported or declared by, and the lines that do so.
 */
export function counterexampleTest(
  { pattern, message, state, call, expected, got, now, seed, path }: Counterexample,
  model: { readonly name: string; readonly lines: readonly string[] },
): string {
  const each = call.inputs.length > 1;
  const input = sourceText(each ? call.inputs : (call.inputs[0] ?? {}), 4);
  const limit = call.limit === undefined ? '' : `, limit: ${call.limit}`;
  const most = call.most === undefined ? '' : `, most: ${call.most}`;
  return [
    `import { proveCall } from '@singlet/model/prove';`,
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
    `import { createDatabase } from 'singlet';`,
    `import { expect, test } from 'vitest';`,
    ...model.lines,
    '',
    `// Found with --seed ${seed} --path ${path}: ${message}`,
    ...comment('Expected', expected),
    ...comment('Got', got),
    `test('${pattern} answers as declared', async () => {`,
    `  const database = await createDatabase();`,
    `  const client = new DynamoDBClient(database.clientConfig());`,
    `  const items = {`,
    ...[...state].map(([entity, items]) => `    ${entity}: ${sourceText(items, 4)},`),
    `  };`,
    `  const call = { pattern: '${pattern}', inputs: ${each ? input : `[${input}]`}${limit}${most} };`,
    `  expect(await proveCall(${model.name}, { client, items, call, now: ${now} })).toBeUndefined();`,
    `  client.destroy();`,
    `  await database.close();`,
    `});`,
    '',
  ].join('\n');
}

/** A sequence of writes that goes wrong, as a test for vitest. */
export function stepsTest(
  { message, steps, seed, path }: WriteCounterexample,
  model: { readonly name: string; readonly lines: readonly string[] },
): string {
  const stepText = ({ calls, now, order, together }: WriteCounterexample['steps'][number]): string[] => [
    `    {`,
    `      calls: [`,
    ...calls.map(({ pattern, input }) => `        { pattern: '${pattern}', input: ${sourceText(input, 8)} },`),
    `      ],`,
    `      now: ${now},`,
    `      order: ${order},`,
    ...(together === true ? [`      together: true,`] : []),
    `    },`,
  ];
  return [
    `import { proveSteps } from '@singlet/model/prove';`,
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
    `import { createDatabase } from 'singlet';`,
    `import { expect, test } from 'vitest';`,
    ...model.lines,
    '',
    `// Found with --writes --seed ${seed} --path ${path}: ${message}`,
    `test('writes keep the rules', async () => {`,
    `  const database = await createDatabase();`,
    `  const client = new DynamoDBClient(database.clientConfig());`,
    `  const steps = [`,
    ...steps.flatMap(stepText),
    `  ];`,
    `  expect(await proveSteps(${model.name}, { client, steps })).toBeUndefined();`,
    `  client.destroy();`,
    `  await database.close();`,
    `});`,
    '',
  ].join('\n');
}

function comment(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [`// ${title}: nothing`] : [`// ${title}:`, ...lines.map((line) => `//   ${line}`)];
}
