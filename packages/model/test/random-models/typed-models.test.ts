import { createDatabase } from 'singlet';
import { expect, test } from 'vitest';
import { comparedTypes, toolkit } from './compared-types.ts';
import { fastClient } from './fast-client.ts';
import { type DrawnKind, typedModel } from './typed-model.ts';
import { type TypedFile, typedFile } from './typed-source.ts';

/** Models that `check` accepts. `npm run prove:types` tries many more. */
const drawn: readonly (readonly [DrawnKind, number])[] = [
  ['reads', 1],
  ['reads', 142],
  ['writes', 5],
  ['rare', 16],
];

test('types hold for what calls take and return, and a type that does not hold is found', async () => {
  const database = await createDatabase();
  const files = new Map<string, TypedFile>();
  for (const [kind, seed] of drawn) {
    const typed = await typedModel(kind, seed, fastClient(database), toolkit);
    expect(typed?.failures, `${kind} ${seed}`).toEqual([]);
    if (typed === undefined) continue;
    files.set(`${kind}-${seed}.ts`, typed.file);
    if (kind !== 'reads' || seed !== 1) continue;
    // The same values under types that they do not have: each is a difference.
    const read = typed.calls.find(({ pattern }) => pattern === 'read');
    const [input] = read?.inputs ?? [];
    const planted = {
      ...read,
      pattern: 'read',
      results: [{ items: [{ h: 'x' }], cursor: undefined }],
      items: [{ surplus: 1 }],
      inputs: [{}],
      refused: [{ name: 'planted', input, message: 'is right' }],
    };
    files.set('planted.ts', typedFile(typed.script, [{ failures: [], ...planted }], toolkit));
  }
  await database.close();
  const differences = comparedTypes('test', files);
  expect(differences.filter((each) => !each.startsWith('planted'))).toEqual([]);
  expect(differences.map((each) => each.replace(/^planted\.ts:\d+: |(?<= of read): .*$/g, ''))).toEqual([
    'result of read',
    'item of read',
    'input of read',
    'the type permits read, of whose input planted: is right',
  ]);
});
