import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDatabase } from 'singlet';
import { check } from '../../src/check/index.ts';
import { connect, entity, type Model } from '../../src/index.ts';
import { proveCall, type Values } from '../../src/prove/index.ts';
import { fastClient } from '../random-models/fast-client.ts';

/*
 * Clauses that are not elsewhere: each read is accepted, and its answer is that of the oracle over items that once came wrongly, or it is
 * refused.
 */
const attributes = {
  h: z
    .string()
    .min(1)
    .regex(/^[a-z0-9]+$/),
  id: z
    .string()
    .min(1)
    .regex(/^[a-z0-9]+$/),
  tag: z.string().optional(),
  tags: z.set(z.string()).min(1).optional(),
  doc: z.object({ vip: z.boolean() }).optional(),
  at: z.iso.datetime({ precision: 0 }),
  n: z.int().min(0).max(999),
  text: z.string().optional(),
};
const start = '2024-03-01T00:00:00Z';
const now = Date.parse('2024-03-05T12:00:00Z');

interface Given {
  readonly keys: object;
  readonly need: object;
  readonly served?: unknown;
  readonly table?: object;
  readonly more?: object;
}

function notes({ keys, need, served = { query: 'GSI1' }, table = {}, more = {} }: Given): Model {
  const indexes = { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] };
  return {
    name: 'notes',
    entities: { Note: entity({ ...attributes, ...more }) },
    relationships: [],
    patterns: { create: { actor: 'a', creates: 'Note' }, x: { actor: 'a', reads: ['Note'], by: ['h'], ...need } },
    procedures: {},
    tables: { Notes: { key: ['PK', 'SK'], indexes, ...table } },
    keys: { Note: { Notes: ['NOTE#{id}', 'NOTE#{id}'], ...keys } },
    storage: {},
    served: { create: 'PutItem', x: served },
  } as unknown as Model;
}

const errorsOf = (model: Model): string[] =>
  check(model)
    .findings.filter(({ level }) => level === 'error')
    .map(({ code }) => code);

let database: Awaited<ReturnType<typeof createDatabase>>;
let tables = 0;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => database.close());

const note = (id: string, more: Values = {}): Values => ({ h: 'a', id, at: start, n: 1, ...more });

/** How the answer differs from the oracle's, and the items of the right answer, in no order. */
async function asked(given: Given, items: readonly Values[], input: Values, limit?: number): Promise<unknown> {
  const model = notes(given);
  expect(errorsOf(model)).toEqual([]);
  tables += 1;
  const call = { pattern: 'x', inputs: [input], ...(limit !== undefined && { limit }) };
  const client = fastClient(database);
  const wrong = await proveCall(model, { client, items: { Note: items }, call, now, tablePrefix: `clause-${tables}-` });
  return wrong?.difference.message;
}

describe('a sparse index', () => {
  const items = [
    note('a1', { tag: 'ab', tags: new Set(['x']), doc: { vip: true } }),
    note('a2', { tag: 'b', tags: new Set(['y', 'z']), doc: { vip: false } }),
    note('a3'),
  ];
  test.each<[string, object]>([
    ['a beginning', { tag: { begins: 'a' } }],
    ['a part of a text', { tag: { contains: 'b' } }],
    ['a size', { tags: { size: { above: 1 } } }],
    ['an element', { tags: { contains: 'x' } }],
    ['a field of a document', { 'doc.vip': true }],
  ])('of %s has the items that meet it, and no others', async (_, when) => {
    const keys = { GSI1: { when, key: ['H#{h}', '{id}'] } };
    expect(await asked({ keys, need: { where: when } }, items, { h: 'a' })).toBeUndefined();
    // Without the condition in the need, items would be missing.
    expect(errorsOf(notes({ keys, need: {} }))).toEqual(['part-of-items']);
  });

  test('of items with an attribute that is also an input has those with its value', async () => {
    const keys = { GSI1: { when: { tag: { exists: true } }, key: ['H#{h}', '{id}'] } };
    const given = { keys, need: { by: ['h', 'tag'], where: { tag: { exists: true } } } };
    for (const tag of ['ab', 'b', 'c']) expect(await asked(given, items, { h: 'a', tag })).toBeUndefined();
  });
});

describe('a list', () => {
  const items = [
    note('a1', { n: 3 }),
    note('a2', { tag: 'b', n: 2 }),
    note('a3', { tag: 'ab' }),
    note('a4', { tag: 'b' }),
  ];
  const need = { by: ['h', 'tag'], among: { tag: 3 }, order: 'n asc' };
  const served = { query: 'GSI1', fanOut: 3 };
  const form = (when: object, sort = '{n:03}#{id}'): object => ({ when, key: ['H#{h}#{tag}', sort] });

  test.each<[string, unknown]>([
    ['where the attribute is there', form({ tag: { exists: true } })],
    ['in two forms of one structure', [form({ tag: 'b' }), form({ tag: { not: 'b' } })]],
  ])('of an index with items %s is merged', async (_, key) => {
    const given = { keys: { GSI1: key }, need, served, more: { tag: z.string().regex(/^\w+$/).optional() } };
    for (const limit of [1, 9])
      expect(await asked(given, items, { h: 'a', tag: ['b', 'ab', 'c'] }, limit)).toBeUndefined();
  });

  test('of an index with forms of two structures is refused', () => {
    const keys = { GSI1: [form({ tag: 'b' }), form({ tag: { not: 'b' } }, 'N#{n:03}#{id}')] };
    expect(errorsOf(notes({ keys, need, served }))).toContain('order-not-served');
  });
});

describe('a walk', () => {
  const keys = { GSI1: ['H#{h}#{at:day}', '{at}#{id}'] };
  const walk = { unit: 'day', most: 40 } as const;
  const days = ['2024-02-29', '2024-03-01', '2024-03-04', '2024-03-05', '2024-03-08', '2024-03-20'];
  const items = days.flatMap((day, i) => [
    note(`a${i}`, { at: `${day}T23:59:59Z` }),
    note(`b${i}`, { at: `${day}T00:00:00Z` }),
  ]);
  const window = { of: 'at', from: '2024-03-01', to: 'now+7d' };

  test.each(['at asc', 'at desc'])('is in the order of its time, with what is still to come: %s', async (order) => {
    for (const limit of [1, 3, 50]) {
      const given = { keys, need: { order, window }, served: { query: 'GSI1', walk } };
      expect(await asked(given, items, { h: 'a' }, limit)).toBeUndefined();
    }
  });

  test.each(['at asc', 'at desc'])('is in that order where the sort key is written latest first: %s', async (order) => {
    for (const limit of [1, 3, 50]) {
      const latest = { GSI1: ['H#{h}#{at:day}', '{at:inverseTime}#{id}'] };
      const given = { keys: latest, need: { order, window }, served: { query: 'GSI1', walk } };
      expect(await asked(given, items, { h: 'a' }, limit)).toBeUndefined();
    }
  });

  test('whose sort keys are none has one empty page, however long its window is', async () => {
    const decades = { of: 'at', from: '1960-01-01', to: '2290-01-01' };
    const model = notes({
      keys: { GSI1: ['H#{h}#{at:hour}', '{n:03}#{id}'] },
      need: { range: 'n', window: decades, unproven: 'partitions are walked in the order of time' },
      served: { query: 'GSI1', walk: { unit: 'hour', most: 2 } },
    });
    const db = connect(model, { client: fastClient(database) }) as unknown as Readonly<
      Record<string, (input: object) => Promise<unknown>>
    >;
    expect(await db['x']?.({ h: 'a', n: { from: 2, to: 1 } })).toEqual({ items: [], cursor: undefined });
  });

  test.each(['now-4d', 'now-5d', 'now', 'now+3d'])('begins days from now: %s', async (from) => {
    const given = {
      keys,
      need: { order: 'at asc', window: { of: 'at', from, to: 'now+3d' } },
      served: { query: 'GSI1', walk },
    };
    for (const limit of [1, 50]) expect(await asked(given, items, { h: 'a' }, limit)).toBeUndefined();
  });

  test.each(['now-4', 'now-4h', 'yesterday', '2024-13-01', 'now-999999d'])('does not begin or end at %s', (end) => {
    const of = (window: object): string[] =>
      check(notes({ keys, need: { window, unproven: 'because' }, served: { query: 'GSI1', walk } })).findings.flatMap(
        ({ level, message }) => (level === 'error' ? [message] : []),
      );
    expect(of({ of: 'at', from: end })).toEqual([`the window's \`from\` is "${end}", which is not a time`]);
    expect(of({ of: 'at', from: 'now-4d', to: end })).toEqual([`the window's \`to\` is "${end}", which is not a time`]);
  });

  test('in the order of another attribute is refused', () => {
    const given = { keys: { GSI1: ['H#{h}#{at:day}', '{n:03}'] }, served: { query: 'GSI1', walk } };
    expect(errorsOf(notes({ ...given, need: { order: 'n asc', window } }))).toContain('order-not-served');
  });

  test('without a window is refused', () => {
    expect(errorsOf(notes({ keys, need: {}, served: { query: 'GSI1', walk } }))).toContain('walk-not-bounded');
  });
});

describe('forms of one index', () => {
  test('are read from the first to the last by bytes, whatever their keys begin with', async () => {
    const state = z.enum(['OPEN', 'DONE', 'VOID']);
    // U+1F600 comes after U+FF5E by bytes, and before it by UTF-16.
    const begun = { OPEN: '\u{1f600}', DONE: '\u{ff5e}', VOID: 'A' };
    const GSI1 = Object.entries(begun).map(([is, mark]) => ({ when: { state: is }, key: ['H#{h}', `${mark}#{id}`] }));
    const items = Object.keys(begun).map((is, i) => note(`a${i}`, { state: is }));
    for (const limit of [1, 2, 3, 4])
      expect(await asked({ keys: { GSI1 }, need: {}, more: { state } }, items, { h: 'a' }, limit)).toBeUndefined();
  });
});

describe('an encoder', () => {
  test('escapes the separator of its table, whatever it is', async () => {
    for (const separator of ['#', '|', '~', '/', '_']) {
      const keys = { GSI1: [`H${separator}{tag:escape}`, `{text:escape}${separator}{id}`] };
      const items = [
        note('a1', { tag: `a${separator}b`, text: separator }),
        note('a2', { tag: 'a', text: `b${separator}` }),
        note('a3', { tag: 'a', text: `b` }),
      ];
      const need = { by: ['tag', 'text'] };
      const given = { keys, need, table: { separator } };
      for (const { tag, text } of items) expect(await asked(given, items, { tag, text })).toBeUndefined();
    }
  });

  test('of times, latest first, holds those before 1970', async () => {
    const keys = { GSI1: ['H#{h}', '{at:inverseTime}#{id}'] };
    const times = ['1890-05-05T00:00:00Z', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '2024-01-01T00:00:00Z'];
    const items = times.map((at, i) => note(`a${i}`, { at }));
    const given = { keys, need: { order: 'at desc', range: 'at' } };
    for (const limit of [1, 2, 9]) expect(await asked(given, items, { h: 'a' }, limit)).toBeUndefined();
    for (const bound of ['from', 'to', 'after', 'before'])
      expect(await asked(given, items, { h: 'a', at: { [bound]: '1969-12-31T23:59:59Z' } })).toBeUndefined();
  });

  test.each([
    ['{at:utc}', 1],
    ['{at:epoch:utc}', 1000],
    ['{at:epoch:seconds}', 1000],
    ['{at:inverseTime}', 1],
  ])('of numbers, %s, holds the years that sort, and ends beyond them are clipped', async (hole, perSecond) => {
    const keys = { GSI1: ['H#{h}', `${hole}#{id}`] };
    const [first, last] = [-62_167_219_200_000 / perSecond, Math.floor(253_402_300_799_999 / perSecond)];
    const times = hole === '{at:inverseTime}' ? [0, 1, 9_999_999_999_999] : [first, 0, 1, last];
    const items = times.map((at, i) => note(`a${i}`, { at }));
    const given = { keys, need: { order: 'at asc', range: 'at' }, more: { at: z.int() } };
    for (const end of ['from', 'to', 'after', 'before'])
      for (const at of [-(10 ** 15), first - 1, first, 0, 1, last, last + 1, 10 ** 15])
        expect(await asked(given, items, { h: 'a', at: { [end]: at } })).toBeUndefined();
  });

  test('has a beginning by the value, not by its text', async () => {
    const keys = { GSI1: ['H#{h}', '{at:utc}#{id}'] };
    const items = ['2023-12-31T23:59:59Z', '2024-01-01T00:00:00Z', '2024-12-31T23:59:59Z'].map((at, i) =>
      note(`a${i}`, { at }),
    );
    for (const begins of ['2024', '2024-12', '2024-12-31T23:59:59Z', '20'])
      expect(await asked({ keys, need: { range: 'at' } }, items, { h: 'a', at: { begins } })).toBeUndefined();
  });
});

describe('a range', () => {
  const items = [0, 1, 9, 10, 99, 100, 999].map((n) => note(`a${n}`, { n }));

  test('keeps its end where another variable follows directly', async () => {
    const keys = { GSI1: ['H#{h}', '{n:03}{id}'] };
    for (const interval of [{ to: 9 }, { before: 10 }, { from: 10, to: 99 }, { after: 9, before: 100 }])
      expect(await asked({ keys, need: { range: 'n' } }, items, { h: 'a', n: interval })).toBeUndefined();
  });

  test('from a greater to a lesser value is empty', async () => {
    const keys = { GSI1: ['H#{h}', '{n:03}#{id}'] };
    expect(await asked({ keys, need: { range: 'n' } }, items, { h: 'a', n: { from: 10, to: 9 } })).toBeUndefined();
    expect(await asked({ keys, need: { range: 'n' } }, items, { h: 'a', n: { after: 9, before: 9 } })).toBeUndefined();
  });

  test('over a key that is a number has all of its ends', async () => {
    const table = { indexes: { GSI1: ['GSI1PK', 'GSI1N:N'] } };
    const given = { keys: { GSI1: ['H#{h}', '{n}'] }, need: { range: 'n', order: 'n asc' }, table };
    for (const end of ['from', 'to', 'after', 'before'])
      for (const n of [-1, 0, 10, 50, 1000])
        expect(await asked(given, items, { h: 'a', n: { [end]: n } })).toBeUndefined();
  });
});

describe('two indexes', () => {
  test('are merged without an item twice, in the order of bytes, over pages of any size', async () => {
    const both = { keys: { GSI1: ['H#{h}', '{text}'], GSI2: ['H#{h}', '{text}'] }, more: { text: z.string().min(1) } };
    // U+1F600 comes after U+FF5E by bytes, and before it by UTF-16.
    const items = ['z', '\u{1f600}', '\u{ff5e}', 'a', 'é'].map((text, i) => note(`a${i}`, { text }));
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const given = { ...both, need: { order: 'text asc' }, served: { query: ['GSI1', 'GSI2'] } };
      expect(await asked(given, items, { h: 'a' }, limit)).toBeUndefined();
    }
  });
});

describe('nothing is found on a model that is right', () => {
  const found = (given: Given): string[] => check(notes(given)).findings.map(({ code }) => code);

  test('where the time is what identifies the item', () => {
    const given = {
      keys: { Notes: ['H#{h}', 'AT#{at}'] },
      need: { order: 'at desc', limit: 9 },
      served: { query: 'Notes' },
    };
    expect(found(given)).toContain('time-only-sort-key');
    expect(found({ ...given, more: { at: z.iso.date() } })).not.toContain('time-only-sort-key');
    const model = notes(given);
    const one = { actor: 'a', reads: 'Note', by: ['h', 'at'] };
    const named = { ...model, patterns: { ...model.patterns, one }, served: { ...model.served, one: 'GetItem' } };
    expect(check(named as unknown as Model).findings.map(({ code }) => code)).not.toContain('time-only-sort-key');
  });

  test('where a number has one width by its schema', () => {
    const more = { n: z.int().min(100).max(999) };
    const need = { order: 'n asc', limit: 9 };
    expect(found({ keys: { GSI1: ['H#{h}', '{n}#{id}'] }, need, more })).not.toContain('unpadded-number');
    expect(found({ keys: { GSI1: ['H#{h}', '{n}#{id}'] }, need })).toContain('unpadded-number');
  });

  test('where the few values of a number sort as texts', () => {
    const keys = { GSI1: ['H#{h}', '{n}#{id}'] };
    const need = { order: 'n asc', limit: 9 };
    const of = (...values: number[]): { n: z.ZodType } => ({ n: z.union(values.map((value) => z.literal(value))) });
    expect(found({ keys, need, more: of(5, 50) })).not.toContain('unpadded-number');
    expect(found({ keys, need, more: of(5, 10) })).toContain('unpadded-number');
  });

  test('where another index has the order of a number', () => {
    const keys = { GSI1: ['H#{h}', '{n:03}#{id}'], GSI2: ['H#{h}', '{n}#{id}'] };
    const levels = check(notes({ keys, need: { order: 'n asc', limit: 9 } })).findings.flatMap(
      ({ code, path, level }) => (code === 'unpadded-number' ? [[path, level]] : []),
    );
    expect(levels).toEqual([['keys.Note.GSI2', 'warning']]);
  });

  test('where a condition is all that an update needs', () => {
    const model = notes({ keys: {}, need: {}, served: { query: 'Notes' } });
    const change = { actor: 'a', updates: 'Note', by: ['id'], sets: ['n'], given: { n: { above: 0 } } };
    const patterns = { create: model.patterns['create'], x: change };
    const { findings } = check({
      ...model,
      patterns,
      served: { create: 'PutItem', x: 'UpdateItem' },
    } as unknown as Model);
    expect(findings.map(({ code }) => code)).not.toContain('serial-requests');
  });

  test('where the parent comes first', () => {
    const model = notes({ keys: { Notes: ['H#{h}', 'NOTE#{id}'] }, need: {}, served: { query: 'Notes' } });
    const collection = { actor: 'a', reads: { home: 'Home', notes: ['Note'] }, by: ['h'], limit: 9 };
    const { findings } = check({
      ...model,
      entities: { ...model.entities, Home: entity({ h: attributes.h }) },
      relationships: [['Home', '1:N', 'Note']],
      patterns: { ...model.patterns, x: collection },
      keys: { ...model.keys, Home: { Notes: ['H#{h}', 'HOME'] } },
    } as unknown as Model);
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(findings.map(({ code }) => code)).not.toContain('no-sort-discriminator');
    const begun = (home: string, task: string): string[] =>
      check({
        ...model,
        entities: { ...model.entities, Home: entity({ h: attributes.h }) },
        keys: { Note: { Notes: ['H#{h}', task] }, Home: { Notes: ['H#{h}', home] } },
      }).findings.map(({ code }) => code);
    expect(begun('H#{h}', 'H#{h}#NOTE#{id}')).not.toContain('no-sort-discriminator');
    expect(begun('H#', 'H#{id}')).toContain('no-sort-discriminator');
  });
});

describe('a finding', () => {
  test('of an input that no key has is one, without the filter that follows from it', () => {
    const given = { keys: { GSI1: ['H#{h}', '{at}#{id}'] }, need: { by: ['h', 'n'], order: 'at desc', limit: 9 } };
    const { findings } = check(notes(given));
    expect(findings.filter(({ path }) => path.endsWith('.x')).map(({ code }) => code)).toEqual(['input-not-used']);
  });

  test('of a guard without the tenant has a remedy that is accepted', () => {
    const unique = (storage: object): readonly { readonly code: string; readonly remedy: string }[] =>
      check({
        name: 'notes',
        entities: { Note: entity(attributes, { unique: ['n'] }) },
        relationships: [],
        patterns: { create: { actor: 'a', creates: 'Note' } },
        tables: { Notes: { key: ['PK', 'SK'], tenant: 'h' } },
        keys: { Note: { Notes: ['HOME#{h}#NOTE#{id}', 'NOTE'] } },
        storage,
        served: { create: 'TransactWriteItems' },
      } as unknown as Model).findings.filter(({ code }) => code === 'tenant-not-leading');
    const [found] = unique({});
    expect(found?.remedy).toContain("{ Note: { unique: { n: { key: ['TENANT#{h}#NOTEN#{n}', 'NOTEN'] } } } }");
    expect(unique({ Note: { unique: { n: { key: ['TENANT#{h}#NOTEN#{n}', 'NOTEN'] } } } })).toEqual([]);
  });
});

describe('why a number does not sort', () => {
  test.each([
    ['any', z.int(), 'n is a number of any width: 10 comes before 9'],
    ['bounded', z.int().min(10).max(9999), 'n has 2 to 4 digits: 100 comes before 99'],
    ['negative', z.int().min(-9).max(9), 'n may be negative: -1 comes before -2'],
  ])('%s', (_, n, why) => {
    const given = { keys: { GSI1: ['H#{h}', '{n}#{id}'] }, need: { order: 'n asc', limit: 9 }, more: { n } };
    const { findings } = check(notes(given));
    expect(findings.find(({ code }) => code === 'order-not-served')?.message).toBe(why);
  });

  test.each([
    ['digits', z.union([z.literal(5), z.literal(10)]), 'n may be 5 and 10: 10 comes before 5'],
    ['several of one width', z.literal([10, 50, 100]), 'n may be 50 and 100: 100 comes before 50'],
    ['negative numbers', z.literal([-2, -1]), 'n may be -2 and -1: -1 comes before -2'],
    ['fractions', z.literal([0.5, 2, 10.5]), 'n may be 2 and 10.5: 10.5 comes before 2'],
  ])('of a few values, two of them show it: %s', (_, n, why) => {
    const given = { keys: { GSI1: ['H#{h}', '{n}#{id}'] }, need: { order: 'n asc', limit: 9 }, more: { n } };
    const { findings } = check(notes(given));
    expect(findings.find(({ code }) => code === 'unpadded-number')?.message).toContain(why);
  });
});
