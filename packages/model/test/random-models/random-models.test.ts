import { createDatabase } from 'singlet';
import { describe, expect, test } from 'vitest';
import { RandomSource } from '../../src/prove/random-source.ts';
import { fastClient } from './fast-client.ts';
import { modelOf, modelSource } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { fromJson, toJson } from './corpus.ts';
import { smallestScript, type ScriptCase } from './smallest-script.ts';

const draw = (count: number) => Array.from({ length: count }, (_, seed) => randomModel(new RandomSource(seed)));

describe('random models', () => {
  test('are different from each other, and a seed gives the same one again', () => {
    const scripts = draw(2000).map((script) => JSON.stringify(script));
    expect(new Set(scripts).size).toBeGreaterThan(1990);
    expect(JSON.stringify(randomModel(new RandomSource(77)))).toBe(scripts[77]);
  });

  test('are accepted often enough to be worth running', () => {
    const accepted = draw(200).filter((script) => refusals(modelOf(script)).length === 0).length;
    expect(accepted).toBeGreaterThan(40);
    expect(accepted).toBeLessThan(180);
  });

  test('have every construct', () => {
    const all = draw(2000)
      .map((script) => JSON.stringify(script))
      .join('\n');
    const constructs = [
      '"when"',
      '"range"',
      '"order"',
      '"filters"',
      '"where"',
      '"aka"',
      '"each"',
      '"fanOut"',
      '"walk"',
      '"scan"',
    ];
    const more = [
      '"local"',
      '"partition"',
      '"project"',
      '"separator"',
      '"expires"',
      '"takes"',
      '"readAhead"',
      '"limit"',
      '"expired"',
    ];
    const query = [
      '"query":["Index","Second"]',
      ':inverse',
      ':shard',
      ':utc',
      ':escape',
      '"default"',
      '"nullable"',
      '"contains"',
    ];
    for (const construct of [...constructs, ...more, ...query]) expect(all).toContain(construct);
  });

  test('are written as the source of a file', () => {
    const script = randomModel(new RandomSource(3));
    const lines = modelSource(script).join('\n');
    for (const entity of Object.keys(script.entities)) expect(lines).toContain(`    ${entity}: entity({ `);
    expect(lines).toContain('.served({');
  });
});

test('random models that write are different from each other, accepted, and have every verb', () => {
  const scripts = Array.from({ length: 60 }, (_, seed) => randomWriteModel(new RandomSource(seed)));
  expect(new Set(scripts.map((script) => JSON.stringify(script))).size).toBeGreaterThan(55);
  const accepted = scripts.filter((script) => refusals(modelOf(script)).length === 0);
  expect(accepted.length).toBeGreaterThan(15);
  const all = JSON.stringify(accepted);
  for (const word of [
    '"creates"',
    '"puts"',
    '"upserts"',
    '"updates"',
    '"deletes"',
    '"checks"',
    '"transacts"',
    '"orCreates"',
  ])
    expect(all).toContain(word);
  for (const rule of ['"lock"', '"unique"', '"expires"', '"sequence"', '"count"', '"required"', '"default"', '"given"'])
    expect(all).toContain(rule);
});

test('a case survives being written and read', () => {
  const items = { Item: [{ a: new Set(['x']), b: 10n ** 20n, c: Uint8Array.of(1, 255), d: null }] };
  expect(fromJson(toJson({ items }))).toEqual({ items });
});

test('a case shrinks to the model and the items that it takes', async () => {
  const database = await createDatabase();
  const honest = fastClient(database);
  // Every query loses its last item.
  const send = async (command: { readonly constructor: { readonly name: string } }): Promise<unknown> => {
    const answer = (await honest.send(command as never)) as { readonly Items?: readonly unknown[] };
    return command.constructor.name === 'QueryCommand' ? { ...answer, Items: answer.Items?.slice(0, -1) } : answer;
  };
  const found: ScriptCase = {
    script: {
      entities: {
        Item: {
          attributes: {
            h: { type: 'pattern', pattern: '^[a-z]+$' },
            id: { type: 'int', min: 0, max: 999 },
            s: { type: 'enum', values: ['a', 'b'], optional: true },
          },
        },
        Other: { attributes: { h: { type: 'text' } } },
      },
      patterns: { read: { reads: ['Item'], by: ['h'], order: 'id asc', limit: 3 } },
      tables: { Data: { key: ['PK', 'SK'], separator: '/' } },
      keys: { Item: { Data: ['A/{h}', 'I/{id:03}'] }, Other: { Data: ['O/{h}', 'O'] } },
      served: { read: { query: 'Data' } },
    },
    items: {
      Item: [
        { h: 'xyz', id: 1 },
        { h: 'xyz', id: 2, s: 'a' },
      ],
      Other: [{ h: 'b' }],
    },
    call: { pattern: 'read', inputs: [{ h: 'xyz' }], limit: 1 },
    now: 0,
    kind: 'lost item',
    message: '',
    expected: [],
    got: [],
  };
  const smallest = await smallestScript(found, { send } as never);
  expect(Object.keys(smallest.script.entities)).toEqual(['Item']);
  expect(smallest.script.patterns['read']).not.toHaveProperty('limit');
  expect(smallest.items).toEqual({ Item: [expect.objectContaining({ h: 'a' })] });
  expect(smallest.call.limit).toBeUndefined();
  await database.close();
});
