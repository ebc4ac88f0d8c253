import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { entity, type EntityRules, model } from '../../src/index.ts';
import type { Model } from '../../src/model.ts';

const attributes = {
  h: z.string().regex(/^[a-z0-9]+$/),
  id: z.string().regex(/^[a-z0-9]{8}$/),
  state: z.enum(['OPEN', 'DONE']),
  at: z.iso.datetime({ precision: 0 }),
  by: z.string().optional(),
  n: z.int().min(0).max(999),
  text: z.string(),
};

/** A model of tasks and their hotels: one pattern, its keys and how it is served. */
function tasks(keys: object, need: object, served: object | string = { query: 'GSI1' }, more: object = {}): Model {
  const { Hotel: ofHotel = {}, ...ofTask } = keys as { readonly Hotel?: object };
  return {
    name: 'tasks',
    entities: { Task: entity({ ...attributes, ...more }), Hotel: entity({ h: attributes.h, name: z.string() }) },
    relationships: [['Hotel', '1:N', 'Task']],
    patterns: { create: { actor: 'a', creates: 'Task' }, x: { actor: 'a', volume: { typical: 1, most: 9 }, ...need } },
    procedures: {},
    tables: { Tasks: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
    keys: {
      Task: { Tasks: ['TASK#{id}', 'TASK#{id}'], ...ofTask },
      Hotel: { Tasks: ['HOTEL#{h}', 'HOTEL'], ...ofHotel },
    },
    storage: {},
    served: { create: 'PutItem', x: served },
  } as unknown as Model;
}

/** Codes of the errors of the pattern. */
function errors(model: Model): string[] {
  const found = check(model).findings.filter(({ level, path }) => level === 'error' && path === 'served.x');
  return [...new Set(found.map(({ code }) => code))].sort();
}

const of = (h: object): object => ({ reads: ['Task'], by: ['h'], limit: 5, ...h });
const forms = (...forms: readonly [object, string][]): object => ({
  GSI1: forms.map(([when, sort]) => ({ when, key: ['H#{h}', sort] })),
});
const byState = forms([{ state: 'OPEN' }, 'OPEN#{id}'], [{ state: 'DONE' }, 'DONE#{id}']);

describe('forms of one index', () => {
  test('are chosen by an input', () => {
    expect(errors(tasks(byState, of({ by: ['h', 'state'] })))).toEqual([]);
    expect(errors(tasks(byState, of({})))).toEqual([]);
    expect(errors(tasks(forms([{ state: 'OPEN' }, 'OPEN#{id}']), of({ by: ['h', 'state'] })))).toEqual([
      'part-of-items',
    ]);
  });

  test('have keys of their own, so that what one input chooses is not read by another', () => {
    const forms = (open: string, done: string): string[] =>
      errors(
        tasks(
          {
            GSI1: [
              { when: { state: 'OPEN' }, key: ['H#{h}', open] },
              { when: { state: 'DONE' }, key: ['H#{h}', done] },
            ],
          },
          { reads: ['Task'], by: ['h', 'state'] },
        ),
      );
    expect(forms('OPEN#{id}', 'DONE#{id}')).toEqual([]);
    expect(forms('{state}#{id}', '{state}#{id}')).toEqual([]);
    expect(forms('{id}', 'DONE#{id}')).toEqual(['input-not-used']);
    expect(forms('{id}', '{id}')).toEqual(['input-not-used']);
    expect(forms('D{id}', 'DONE#{id}')).toEqual(['input-not-used']);
  });

  test('of a list of values have the value in their keys', () => {
    const forms = (key: readonly string[]): string[] =>
      errors(
        tasks(
          {
            GSI1: [
              { when: { state: ['OPEN', 'LATE'] }, key: ['H#{h}', ...key] },
              { when: { state: ['DONE', 'GONE'] }, key: ['H#{h}', ...key] },
            ],
          },
          { reads: ['Task'], by: ['h', 'state'] },
          { query: 'GSI1' },
          { state: z.enum(['OPEN', 'LATE', 'DONE', 'GONE']) },
        ),
      );
    expect(forms(['S#{state}#{id}'])).toEqual([]);
    expect(forms(['S#{id}'])).toContain('input-not-used');
  });

  test('of parts of the numbers hold all of them, or leave a gap', () => {
    const forms = (tests: readonly object[], schema: unknown, by: readonly string[]): string[] =>
      errors(
        tasks(
          { GSI1: tests.map((f, i) => ({ when: { f }, key: ['H#{h}', `${i}#{f}#{id}`] })) },
          { reads: ['Task'], by },
          { query: 'GSI1' },
          { f: schema },
        ),
      );
    const all = [{ atMost: 1.1 }, { above: 1.1, below: 1.2 }, { atLeast: 1.2 }];
    expect(forms(all, z.number(), ['h', 'f'])).toEqual([]);
    expect(forms([{ atMost: 1.1 }, { atLeast: 1.2 }], z.number(), ['h', 'f'])).toEqual(['part-of-items']);
    expect(forms([{ atMost: 1.1 }, { atLeast: 1.2 }], z.int(), ['h', 'f'])).toEqual([]);
    expect(forms([{ atMost: 1 }, { atLeast: 5 }], z.int(), ['h', 'f'])).toEqual(['part-of-items']);
    expect(forms([{ atLeast: 5 }], z.int().min(5), ['h', 'f'])).toEqual([]);
    expect(forms([{ below: 5 }, { above: 5 }], z.number().min(4).max(6), ['h', 'f'])).toEqual(['part-of-items']);
    expect(forms([{ below: 5 }, { atLeast: 5 }], z.number().min(4.9), ['h', 'f'])).toEqual([]);
  });

  test('of texts by their beginnings hold only these', () => {
    const forms = (...tests: readonly object[]): string[] =>
      errors(
        tasks(
          { GSI1: tests.map((text, i) => ({ when: { text }, key: ['H#{h}', `${i}#{text}#{id}`] })) },
          { reads: ['Task'], by: ['h', 'text'] },
        ),
      );
    expect(forms({ below: 'b' }, { begins: 'b' }, { atLeast: 'c' })).toEqual([]);
    expect(forms({ below: 'b' }, { begins: 'b' }, { above: 'c' })).toEqual(['part-of-items']);
    expect(forms({ begins: 'a' }, { begins: 'b' })).toEqual(['part-of-items']);
  });

  test('of a choice are read by the same choice, written again', () => {
    const either = (): object => ({ any: [{ text: 'a' }, { by: 'a' }] });
    expect(errors(tasks(forms([either(), 'A#{id}']), of({ where: either() })))).toEqual([]);
    expect(errors(tasks(forms([either(), 'A#{id}']), of({})))).toEqual(['part-of-items']);
  });

  test('that are many have a few findings at most', () => {
    const many = forms(...'abcdefghijkl'.split('').map((t) => [{ text: { contains: t } }, `${t}#{id}`] as [object, string])); // prettier-ignore
    const { findings } = check(tasks(many, of({ by: ['h', 'text'] })));
    expect(findings.filter(({ code }) => code === 'input-not-used').length).toBeLessThan(4);
  });

  test('do not narrow to a value by being there', () => {
    const keys = forms([{ by: { exists: true } }, 'BY#{id}']);
    expect(errors(tasks(keys, of({ by: ['h', 'by'], where: { by: { exists: true } } })))).not.toEqual([]);
  });

  test('lie one after the other, in no common order or interval', () => {
    expect(errors(tasks(byState, of({ order: 'id asc' })))).toEqual(['order-not-served']);
    expect(errors(tasks(byState, of({ range: 'id' })))).toEqual(['range-not-served']);
    expect(errors(tasks(byState, of({ by: ['h', 'state'], order: 'id asc', range: 'id' })))).toEqual([]);
  });

  test('of two partitions are not read by one query', () => {
    const apart = {
      GSI1: [
        { when: { state: 'OPEN' }, key: ['OPEN#{h}', '{id}'] },
        { when: { state: 'DONE' }, key: ['DONE#{h}', '{id}'] },
      ],
    };
    expect(errors(tasks(apart, of({})))).toEqual(['part-of-items']);
    expect(errors(tasks(apart, of({ by: ['h', 'state'] })))).toEqual([]);
  });

  test('of an attribute that may be missing hold only what has it', () => {
    expect(errors(tasks({ GSI1: ['H#{h}', '{by}'] }, of({})))).toEqual(['part-of-items']);
    expect(errors(tasks({ GSI1: ['H#{h}', '{by}'] }, of({ where: { by: { exists: true } } })))).toEqual([]);
  });
});

test('a form for several values is in none of the partitions of others', () => {
  const keys = (value: string, others: readonly string[]): object => ({
    GSI1: [
      { when: { state: value }, key: [`H#{h}#${value}`, '{id}'] },
      { when: { state: others }, key: ['H#{h}#{state}', '{id}'] },
    ],
  });
  const byState = { reads: ['Task'], by: ['h', 'state'], limit: 5 };
  const open = { reads: ['Task'], by: ['h'], where: { state: 'OPEN' }, limit: 5 };
  for (const need of [byState, open]) expect(errors(tasks(keys('OPEN', ['DONE']), need))).toEqual([]);
  const wide = {
    GSI1: [
      { when: { state: 'OPEN', kind: 'a' }, key: ['H#{h}#OPEN', '{id}'] },
      { when: { state: ['OPEN', 'DONE'] }, key: ['H#{h}#{state}', '{id}'] },
    ],
  };
  const some = { ...open, where: { state: 'OPEN', kind: 'a' } };
  expect(errors(tasks(wide, some, { query: 'GSI1' }, { kind: z.enum(['a', 'b']) }))).not.toEqual([]);
});

describe('forms of what has an attribute, and of what has not', () => {
  const forms = {
    GSI1: [
      { when: { by: { exists: true } }, key: ['H#{h}', 'HAS#{id}'] },
      { when: { by: { exists: false } }, key: ['H#{h}', 'LACKS#{id}'] },
    ],
  };
  const found = (where: object): string[] => {
    const { findings } = check(tasks(forms, { reads: ['Task'], by: ['h'], where, limit: 5 }));
    return findings.filter(({ path }) => path === 'served.x').map(({ code }) => code);
  };

  test('are told apart by a test for it, without a filter', () => {
    expect(found({ by: { exists: true } })).toEqual([]);
    expect(found({ by: { exists: false } })).toEqual([]);
    expect(found({ by: 'a' })).toEqual(['filter-with-limit', 'filter-selects']);
  });

  test('are not told apart by a test that every item meets, nor filtered by it', () => {
    expect(found({ state: { exists: true } })).toEqual([]);
    expect(found({ state: { exists: false } })).toEqual(['filter-with-limit', 'filter-selects']);
  });
});

describe('collections', () => {
  const both = { reads: { hotel: 'Hotel', tasks: ['Task'] }, by: ['h'] };
  const collection = (hotel: readonly string[], task: readonly string[]): object => ({
    GSI1: task,
    Hotel: { GSI1: hotel },
  });

  test('of another partition than the one item are refused', () => {
    expect(errors(tasks(collection(['H#{h}', 'A'], ['H#{h}', 'T#{id}']), both))).toEqual([]);
    expect(errors(tasks(collection(['HOTEL#{h}', 'A'], ['H#{h}', 'T#{id}']), both))).toEqual(['part-of-items']);
  });

  test('have no interval beside the one item', () => {
    const model = tasks(collection(['H#{h}', 'A'], ['H#{h}', 'T#{at}#{id}']), { ...both, range: 'at' });
    expect(errors(model)).toEqual(['range-not-served']);
  });

  test('filter by what the range from the one item to the many leaves open', () => {
    const keys = collection(['H#{h}', 'A'], ['H#{h}', 'T#{state}#{id}']);
    expect(errors(tasks(keys, { ...both, by: ['h', 'state'], limit: 5 }))).toEqual(['filter-with-limit']);
    expect(errors(tasks(keys, { ...both, by: ['h', 'state'], limit: 5 }, { query: 'GSI1', readAhead: 20 }))).toEqual(
      [],
    );
  });
});

describe('order and interval of an encoded value', () => {
  const refused = ['order-not-served', 'range-not-served'];
  const ordered = (sort: string, name: string, schema: unknown): string[] =>
    errors(
      tasks(
        { GSI1: ['H#{h}', sort] },
        of({ order: `${name} asc`, range: name }),
        { query: 'GSI1' },
        { [name]: schema },
      ),
    );

  test.each<[string, string, unknown, boolean]>([
    ['seconds of whole seconds', '{v:seconds}#{id}', z.iso.datetime({ precision: 0 }), true],
    ['seconds of any time', '{v:seconds}#{id}', z.iso.datetime(), false],
    ['the day of a time', '{v:day}#{id}', z.iso.datetime({ precision: 0 }), false],
    ['the date of a date', '{v:date}#{id}', z.iso.date(), true],
    ['one form of time', '{v}#{id}', z.iso.datetime({ precision: 3 }), true],
    ['times of any precision', '{v}#{id}', z.iso.datetime(), false],
    ['times with an offset', '{v}#{id}', z.iso.datetime({ precision: 0, offset: true }), false],
    ['any time in one form', '{v:utc}#{id}', z.iso.datetime({ offset: true }), true],
    ['free text before a separator', '{v}#{id}', z.string(), false],
    ['free text at the end', '{v}', z.string(), true],
    ['letters before a separator', '{v}#{id}', z.string().regex(/^[a-z]+$/), true],
    ['text of one length', '{v}{id}', z.string().regex(/^[!-~]{4}$/), true],
    ['text of any length before another', '{v}{id}', z.string().regex(/^[a-z]+$/), false],
    ['text without its case', '{v:lower}', z.string(), false],
    ['escaped text', '{v:escape}#{id}', z.string(), false],
    ['a shard', '{v:shard4}#{id}', z.string(), false],
    ['milliseconds in one form', '{v:utc}#{id}', z.int(), true],
    ['milliseconds with fractions', '{v:utc}#{id}', z.number(), false],
    ['milliseconds with fractions, which no key holds', '{v:inverseTime}#{id}', z.number(), true],
    ['seconds since 1970', '{v:epoch:utc}#{id}', z.int(), true],
    ['a padded number', '{v:04}#{id}', z.int().min(10).max(9999), true],
    ['a number of two widths', '{v}#{id}', z.int().min(10).max(9999), false],
    ['a number of one width', '{v}#{id}', z.int().min(10).max(99), true],
    ['a coerced number', '{v}#{id}', z.coerce.number(), false],
    ['a big integer', '{v}#{id}', z.bigint(), false],
    ['numbers that sort as text', '{v}#{id}', z.union([z.literal(1), z.literal(2), z.literal(3)]), true],
    ['numbers that do not', '{v}#{id}', z.union([z.literal(9), z.literal(10)]), false],
    ['a negative number', '{v}#{id}', z.int().min(-9).max(9), false],
    ['digits as text, padded', '{v:03}#{id}', z.string().regex(/^\d+$/), false],
    ['bounds of valibot', '{v}#{id}', v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(999)), true],
    ['no bounds of valibot', '{v}#{id}', v.number(), false],
  ])('%s', (_name, sort, schema, proven) => {
    expect(ordered(sort, 'v', schema)).toEqual(proven ? [] : refused);
  });
});

describe('equality', () => {
  const equal = (partition: string, schema: unknown): string[] =>
    errors(tasks({ GSI1: [partition, '{id}'] }, { reads: ['Task'], by: ['v'] }, { query: 'GSI1' }, { v: schema }));

  test.each<[string, string, unknown, boolean]>([
    ['as it is', 'V#{v}', z.string(), true],
    ['the day of a time', 'V#{v:day}', z.iso.datetime({ precision: 0 }), false],
    ['one case of any text', 'V#{v:lower}', z.string(), false],
    ['one case of an enumeration', 'V#{v:lower}', z.enum(['A', 'B']), true],
    ['one case of an enumeration of both', 'V#{v:lower}', z.enum(['A', 'a']), false],
    ['text or a number', 'V#{v}', z.union([z.string(), z.number()]), false],
    ['a reference with one beginning', 'V#{v:bare}', z.string().regex(/^org:\w+$/), true],
    ['a reference without other separators', 'V#{v:bare}', z.string().regex(/^org:[^:#|/\s]+$/), true],
    ['a reference that may continue behind another separator', 'V#{v:bare}', z.string().regex(/^org:[^:\s]+$/), false],
    ['a reference in which separators are repeated', 'V#{v:bare}', z.string().regex(/^ORG#[a-c#]+$/), false],
    ['a reference with one of two beginnings', 'V#{v:bare}', z.string().regex(/^org:|x:[a-c]+$/), false],
    ['a reference with any beginning', 'V#{v:bare}', z.string(), false],
  ])('%s', (_name, partition, schema, proven) => {
    expect(equal(partition, schema)).toEqual(proven ? [] : ['input-not-used']);
  });

  test('up to what the entity says is the same', () => {
    const model = tasks({ GSI1: ['V#{text:lower}', '{id}'] }, { reads: ['Task'], by: ['text'] });
    expect(errors(model)).toEqual(['input-not-used']);
    const same = { ...model.entities, Task: entity(attributes, { same: { text: 'lower' } }) };
    expect(errors({ ...model, entities: same })).toEqual([]);
  });
});

describe('values that the entity says are the same', () => {
  const same = (keys: object, need: object, served?: object): string[] => {
    const model = tasks(keys, { reads: ['Task'], ...need }, served);
    return errors({ ...model, entities: { ...model.entities, Task: entity(attributes, { same: { text: 'lower' } }) } });
  };

  test('are equal in a key that writes them so, and sort there', () => {
    expect(same({ GSI1: ['H#{h}', '{text:lower}'] }, { by: ['h'], range: 'text', order: 'text asc' })).toEqual([]);
    expect(same({ GSI1: ['H#{h}#{text:lower}', '{id}'] }, { by: ['h'], where: { text: 'a' } })).toEqual([]);
  });

  test('are equal in a key that escapes them as well, and do not sort there', () => {
    expect(same({ GSI1: ['T#{text:lower:escape}', '{id}'] }, { by: ['text'] })).toEqual([]);
    expect(same({ GSI1: ['T#{text:upper:escape}', '{id}'] }, { by: ['text'] })).toEqual(['input-not-used']);
    const escaped = { GSI1: ['H#{h}', '{text:lower:escape}'] };
    expect(same(escaped, { by: ['h'], order: 'text asc' })).toEqual(['order-not-served']);
    expect(same(escaped, { by: ['h'], range: 'text' })).toEqual(['range-not-served']);
  });

  test.each<[string, z.ZodType, string, string, string[]]>([
    ['letters, with a lower character behind', z.string().regex(/^[A-Za-z]+$/), 'lower', '{text:lower}#{id}', []],
    ['capital letters', z.string().regex(/^[A-Za-z]+$/), 'upper', '{text:upper}#{id}', []],
    ['letters and spaces', z.string().regex(/^[A-Za-z ]+$/), 'lower', '{text:lower}#{id}', ['order-not-served']],
    ['letters beyond ASCII', z.string().regex(/^[À-ſ]+$/), 'upper', '{text:upper}#{id}', []],
    [
      'letters beyond ASCII, behind a letter',
      z.string().regex(/^[ſ]+$/),
      'upper',
      '{text:upper}Z{id}',
      ['order-not-served'],
    ],
    ['letters and digits of any text', z.string().min(1), 'slug', '{text:slug}#{id}', []],
    ['any text', z.string().min(1), 'lower', '{text:lower}#{id}', ['order-not-served']],
    ['texts of one length', z.string().regex(/^[A-Z ]{3}$/), 'lower', '{text:lower}{id}', []],
    [
      'texts of one length that may be trimmed',
      z.string().regex(/^[A-Z ]{3}$/),
      'trim',
      '{text:trim}{id}',
      ['order-not-served'],
    ],
    ['texts whose length changes', z.string().regex(/^[ß-ü]{3}$/), 'upper', '{text:upper}{id}', ['order-not-served']],
    ['numbers', z.int().min(0).max(100), 'lower', '{text:lower}', ['order-not-served']],
    ['numbers and texts', z.union([z.int(), z.string().min(1)]), 'lower', '{text:lower}', ['order-not-served']],
  ])('sort if nothing is below what follows: %s', (_, text, chain, key, expected) => {
    const model = tasks({ GSI1: ['H#{h}', key] }, { reads: ['Task'], by: ['h'], order: 'text asc' });
    const Task = entity({ ...attributes, text }, { same: { text: chain } } as never);
    expect(errors({ ...model, entities: { ...model.entities, Task } })).toEqual(expected);
  });

  test('have intervals only if no end has a character that texts in keys lack', () => {
    const letters = z.string().regex(/^[A-Za-z]+$/);
    const ranged = (chain: string, key: string): string[] => {
      const model = tasks({ GSI1: ['H#{h}', key] }, { reads: ['Task'], by: ['h'], range: 'text' });
      const Task = entity({ ...attributes, text: letters }, { same: { text: chain } } as never);
      return errors({ ...model, entities: { ...model.entities, Task } });
    };
    expect(ranged('slug', '{text:slug}#{id}')).toEqual([]);
    expect(ranged('lower', '{text:lower}#{id}')).toEqual(['range-not-served']);
    expect(ranged('lower', '{text:lower}')).toEqual([]);
  });

  test('are not equal in a key that writes them otherwise', () => {
    expect(same({ GSI1: ['T#{text}', '{id}'] }, { by: ['text'] })).toEqual(['input-not-used']);
    expect(same({ GSI1: ['T#{text:upper}', '{id}'] }, { by: ['text'] })).toEqual(['input-not-used']);
    expect(same({ GSI1: ['H#{h}', '{text}'] }, { by: ['h'], order: 'text asc' })).toEqual(['order-not-served']);
    expect(same({ GSI1: ['H#{h}', '{text}'] }, { by: ['h'], range: 'text' })).toEqual(['range-not-served']);
  });

  test('are not equal to a condition, which compares what is stored', () => {
    expect(same({ GSI1: ['H#{h}', '{id}'] }, { by: ['h', 'text'] })).toContain('input-not-used');
    expect(same({ GSI1: ['H#{h}', '{id}'] }, { by: ['h'], where: { text: { begins: 'a' } } })).toContain(
      'input-not-used',
    );
    expect(same({ GSI1: ['H#{h}', '{id}'] }, { by: ['h'], filters: ['text'] })).toContain('input-not-used');
    expect(
      same({ GSI1: { when: { text: 'a' }, key: ['H#{h}', '{id}'] } }, { by: ['h'], where: { text: 'a' } }),
    ).toContain('input-not-used');
  });
});

test('a get of one of several entities reads the key that all of them have', () => {
  const get = (hotel: string, more: object = {}): string[] => {
    const model = tasks({}, { reads: { task: 'Task', hotel: 'Hotel' }, by: ['id'], ...more }, 'GetItem');
    const Hotel = {
      ...model.entities['Hotel'],
      attributes: { ...model.entities['Hotel']?.attributes, id: attributes.id },
    };
    const storage = { Task: { accepts: { 'key-collision': 'one' } }, Hotel: { accepts: { 'key-collision': 'one' } } };
    const keys = { ...model.keys, Hotel: { Tasks: [hotel, hotel] } };
    return errors({ ...model, storage, keys, entities: { ...model.entities, Hotel } } as unknown as Model);
  };
  expect(get('TASK#{id}')).toEqual([]);
  expect(get('HOTEL#{id}')).toEqual(['part-of-items']);
  expect(get('TASK#{id}', { filters: ['n'] })).toEqual(['input-not-used']);
});

test('an attribute has one input', () => {
  const named = (need: object): string[] => errors(tasks({ GSI1: ['H#{h}', '{id}'] }, { reads: ['Task'], ...need }));
  expect(named({ by: ['hotel'], aka: { hotel: 'h' } })).toEqual([]);
  expect(named({ by: ['h', 'hotel'], aka: { hotel: 'h' } })).toEqual(['input-not-used']);
  expect(named({ by: ['h'], aka: { hotel: 'h' } })).toEqual(['input-not-used']);
});

test('two indexes are merged if each holds the keys of both', () => {
  const merged = (project: readonly string[]): string[] => {
    const model = tasks(
      { GSI1: ['H#{h}', '{id}'], GSI2: ['H#{h}', '{id}'] },
      { reads: ['Task'], by: ['h'], attributes: ['h', 'id'] },
      {
        query: ['GSI1', 'GSI2'],
      },
    );
    const indexes = { GSI1: { partition: ['GSI1PK'], sort: ['GSI1SK'], project }, GSI2: ['GSI2PK', 'GSI2SK'] };
    return errors({ ...model, tables: { Tasks: { key: ['PK', 'SK'], indexes } } } as unknown as Model);
  };
  expect(merged(['h', 'id', 'Type', 'GSI2PK', 'GSI2SK'])).toEqual([]);
  expect(merged(['h', 'id', 'Type'])).toEqual(['input-not-used']);
});

test('an index with some attributes has those by which items are chosen', () => {
  const index = (project: unknown, need: object, keys: object = { GSI1: ['H#{h}', '{id}'] }): string[] => {
    const model = tasks(keys, { reads: ['Task'], by: ['h'], attributes: ['h', 'id'], ...need });
    const indexes = { GSI1: { partition: ['GSI1PK'], sort: ['GSI1SK'], project } };
    return errors({ ...model, tables: { Tasks: { key: ['PK', 'SK'], indexes } } } as unknown as Model);
  };
  const few = ['h', 'id', 'Type'];
  expect(index(few, { filters: ['n'] })).toEqual(['input-not-used']);
  expect(index([...few, 'n'], { filters: ['n'] })).toEqual([]);
  expect(index(few, { where: { n: { above: 1 } } })).toEqual(['input-not-used']);
  const timed = { GSI1: ['H#{h}', '{at:utc}'] };
  expect(index(few, { range: 'at' }, timed)).toEqual(['input-not-used']);
  expect(index([...few, 'at'], { range: 'at' }, timed)).toEqual([]);
  // The service refuses such a filter, so that no reason leaves it unproven.
  expect(index(few, { filters: ['n'], unproven: 'because' })).toEqual(['input-not-used']);
});

describe('what the keys lose', () => {
  test('a shard is of many values, so that items are filtered by the value', () => {
    const model = (served: object): Model =>
      tasks({ GSI1: ['H#{h}#{text:shard4}', '{id}'] }, of({ by: ['h', 'text'] }), served);
    expect(errors(model({ query: 'GSI1' }))).toEqual(['filter-with-limit']);
    expect(errors(model({ query: 'GSI1', readAhead: 50 }))).toEqual([]);
  });

  test('a primary key that two items share is refused, whatever reads them', () => {
    const keys = (key: string): object => ({ Tasks: [key, 'T'], GSI1: ['H#{h}', '{id}'] });
    expect(errors(tasks(keys('T#{text:lower}'), of({})))).toEqual(['part-of-items']);
    expect(errors(tasks(keys('T#{text}{id}'), of({})))).toEqual(['part-of-items']);
    expect(errors(tasks(keys('T#{text}#{id}'), of({})))).toEqual([]);
    expect(errors(tasks(keys('T#{at:day}'), { reads: ['Task'] }, { scan: 'Tasks', because: 'few' }))).toEqual([
      'part-of-items',
    ]);
  });

  test.each<[string, object, boolean, object?]>([
    ['K#{a:escape}#{b:escape}', {}, true],
    ['K#{a:escape}-{b}', {}, false],
    ['K#{a:escape}|{b:escape}', {}, true],
    ['K~{a:escape}~{b}', {}, true, { separator: '~' }],
    ['K~{a:escape}-{b}', {}, false, { separator: '~' }],
    ['K#{n}-{b}', {}, true],
    ['K#{a}.{b}', { a: z.number() }, false],
    ['K#{a}e{b}', { a: z.number() }, false],
    ['K#{a}#{b}', { a: z.number() }, true],
    ['K#{a}e{b}', { a: z.int() }, true],
    ['K#{a}e{b}', { a: z.number().multipleOf(10) }, false],
    ['K#{a}-{b}', { a: z.iso.date() }, true],
    ['K#{a:utc}:{b}', { a: z.iso.datetime({ precision: 3 }) }, true],
  ])('a primary key %s (%#)', (key, more, right, table = {}) => {
    const separator = 'separator' in table ? '~' : '#';
    const model = tasks(
      { Tasks: [`${key}${separator}{id}`, 'T'] },
      { reads: ['Task'] },
      { scan: 'Tasks', because: 'few' },
      { a: z.string(), b: z.string(), ...more },
    );
    const { Hotel: _, ...entities } = model.entities;
    const { Hotel: __, ...keys } = model.keys;
    const alone = { ...model, entities, keys, relationships: [], tables: { Tasks: { key: ['PK', 'SK'], ...table } } };
    expect(errors(alone as unknown as Model)).toEqual(right ? [] : ['part-of-items']);
  });

  test('a guard is of one value where what follows it is no separator', () => {
    const guard = (key: string): string[] => {
      const model = tasks({}, { reads: 'Task', by: ['id'] }, 'GetItem', { a: z.string(), b: z.string() });
      const Task = entity({ ...attributes, a: z.string(), b: z.string() }, { unique: ['a'] });
      const storage = { Task: { unique: { a: { key: [key, 'A'] } } } };
      const entities = { ...model.entities, Task };
      const served = { ...model.served, create: 'TransactWriteItems' };
      const { findings } = check({ ...model, entities, storage, served } as unknown as Model);
      return findings.flatMap(({ code }) => (code === 'guard-not-exact' ? [code] : []));
    };
    expect(guard('A#{a}#{b}')).toEqual([]);
    expect(guard('A#{a:escape}#{b}')).toEqual([]);
    expect(guard('A#{a:escape}-{b}')).toEqual(['guard-not-exact']);
  });

  test('an input that may be one of two attributes is read by an index for each', () => {
    const either = { reads: ['Task'], aka: { either: ['h', 'text'] } };
    const keys = { GSI1: ['{h}', '{id}'], GSI2: ['{text}', '{id}'] };
    const model = tasks(keys, either);
    const tables = { Tasks: { key: ['PK', 'SK'], indexes: { GSI1: ['A', 'B'], GSI2: ['C', 'D'] } } };
    expect(errors({ ...model, tables } as unknown as Model)).toEqual(['part-of-items']);
    const both = { ...model, tables, served: { ...model.served, x: { query: ['GSI1', 'GSI2'] } } };
    expect(errors(both as unknown as Model)).toEqual([]);
    const ordered = { ...both, patterns: { ...both.patterns, x: { ...both.patterns['x'], order: 'text asc' } } };
    expect(errors(ordered as unknown as Model)).toContain('order-not-served');
    const sorted = {
      ...both,
      keys: { ...model.keys, Task: { ...model.keys['Task'], GSI1: ['X', '{h}#{id}'], GSI2: ['X', '{text}#{id}'] } },
    };
    expect(errors(sorted as unknown as Model)).toContain('part-of-items');
  });

  test('an input that may be one of two attributes does not say that an item has the other', () => {
    const either = { reads: ['Task'], by: ['h'], aka: { either: ['text', 'by'] } };
    const keys = { GSI1: ['H#{h}', '{n:03}#{by}'] };
    expect(errors(tasks(keys, either))).toEqual(['part-of-items']);
    expect(errors(tasks(keys, { ...either, where: { by: { exists: true } } }))).toEqual([]);
    expect(errors(tasks({ GSI1: { when: { by: { exists: true } }, key: ['H#{h}', '{id}'] } }, either))).toEqual([
      'part-of-items',
    ]);
    const scan = { scan: 'GSI1', because: 'all are exported' };
    expect(errors(tasks(keys, { ...either, accepts: { scan: 'few' } }, scan))).toEqual(['part-of-items']);
    // By an index for each, it says so of the index in whose partition key it is.
    const tables = { Tasks: { key: ['PK', 'SK'], indexes: { GSI1: ['A', 'B'], GSI2: ['C', 'D'] } } };
    const model = tasks(
      { GSI1: ['{text}', '{id}'], GSI2: ['{by}', '{id}'] },
      { reads: ['Task'], aka: { either: ['text', 'by'] } },
      { query: ['GSI1', 'GSI2'] },
      { text: attributes.by },
    );
    expect(errors({ ...model, tables } as unknown as Model)).toEqual([]);
  });

  test('text that the schema does not call a time has the order of text', () => {
    const need = of({ range: 'text', order: 'text asc' });
    expect(errors(tasks({ GSI1: ['H#{h}', '{text:utc}'] }, need))).toEqual(['order-not-served', 'range-not-served']);
  });
});

describe('the one item of a collection', () => {
  const both = { reads: { hotel: 'Hotel', tasks: ['Task'] }, by: ['h'] };
  const keys = (hotel: string, task: string): object => ({ GSI1: ['H#{h}', task], Hotel: { GSI1: ['H#{h}', hotel] } });

  test.each<[string, string, object, readonly string[]]>([
    ['A', 'T#{text}', {}, []],
    ['Z', 'T#{text}', {}, ['parent-at-wrong-end']],
    ['Z', 'T#{text}', { order: 'text desc' }, []],
    ['A', 'A#{text}', {}, []],
    ['#', '{id}', {}, ['part-of-items']],
    ['#', '{text}', {}, ['parent-at-wrong-end', 'part-of-items']],
    ['zz', '{id}', {}, ['parent-at-wrong-end', 'part-of-items']],
  ])('at %s before %s %j', (hotel, task, more, found) => {
    expect(errors(tasks(keys(hotel, task), { ...both, ...more }))).toEqual(found);
  });
});

describe('what is not a query of pages', () => {
  test('a list of inputs and a batch of gets belong together', () => {
    const need = { reads: 'Task', by: ['id'] };
    expect(errors(tasks({}, need, 'BatchGetItem'))).toEqual(['input-not-used']);
    expect(errors(tasks({}, { ...need, each: true }, 'GetItem'))).toEqual(['input-not-used']);
    expect(errors(tasks({}, { ...need, each: true }, 'BatchGetItem'))).toEqual([]);
    expect(errors(tasks({}, need, 'GetItem'))).toEqual([]);
  });

  test('each of several inputs is read by its key', () => {
    expect(errors(tasks({ GSI1: ['H#{h}', '{id}'] }, { reads: 'Task', by: ['h', 'id'], each: true }))).toEqual([
      'input-not-used',
    ]);
  });

  test('a scan returns a list of one entity, in no order, and all of it', () => {
    const scan = { scan: 'Tasks', because: 'all are exported' };
    const errorsOf = (need: object): string[] => errors(tasks({}, { accepts: { scan: 'few' }, ...need }, scan));
    expect(errorsOf({ reads: ['Task'] })).toEqual([]);
    expect(errorsOf({ reads: ['Task'], by: ['h'], where: { state: 'OPEN' }, filters: ['n'] })).toEqual([]);
    expect(errorsOf({ reads: ['Task'], order: 'n asc' })).toEqual(['order-not-served']);
    expect(errorsOf({ reads: ['Task'], range: 'n' })).toEqual(['range-not-served']);
    expect(errorsOf({ reads: ['Task'], by: ['id'], each: true })).toEqual(['input-not-used']);
    expect(errorsOf({ reads: 'Task', by: ['id'] })).toEqual(['part-of-items']);
    expect(errorsOf({ reads: { hotel: 'Hotel', tasks: ['Task'] }, by: ['h'] })).toEqual(['part-of-items']);
    expect(errorsOf({ reads: ['Task'], order: 'n asc', unproven: 'few' })).toEqual([]);
    expect(errorsOf({ reads: { tasks: ['Task'] }, by: ['h'], unproven: 'few' })).toEqual(['part-of-items']);
  });

  test('one item is in no list of partitions', () => {
    const need = { reads: { hotel: 'Hotel', task: 'Task' }, by: ['h', 'id'], among: { h: 3 } };
    const model = tasks({}, need, { query: 'Tasks', fanOut: 3 });
    const keys = { ...model.keys, Task: { Tasks: ['HOTEL#{h}', 'TASK#{id}'] } };
    expect(errors({ ...model, keys })).toContain('parent-at-wrong-end');
  });

  test('one is read where there is one', () => {
    expect(errors(tasks({ GSI1: ['H#{h}', '{id}'] }, { reads: 'Task', by: ['h'] }))).toEqual(['several-items']);
  });

  test('the one item of a collection is one by its key, or by an id that is generated', () => {
    const orders = (order: Pick<EntityRules<'customer' | 'id'>, 'generated'>, customer: boolean) =>
      model('orders')
        .entities({
          Order: entity({ customer: z.string().regex(/^\w+$/), id: z.string().regex(/^\d{4}$/) }, order),
          Line: entity({
            customer: z.string().regex(/^\w+$/),
            id: z.string().regex(/^\d{4}$/),
            line: z.string().regex(/^\d\d$/),
          }),
        })
        .relationships([])
        .patterns({
          order: {
            reads: { order: 'Order', lines: ['Line'] },
            by: customer ? ['customer', 'id'] : ['id'],
            order: 'line asc',
            limit: 10,
          },
        })
        .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
        .keys({
          Order: { Shop: ['C#{customer}', 'O#{id}'], GSI1: [customer ? 'O#{customer}#{id}' : 'O#{id}', '!'] },
          Line: {
            Shop: ['L#{customer}#{id}', 'L#{line}'],
            GSI1: [customer ? 'O#{customer}#{id}' : 'O#{id}', 'L#{line}'],
          },
        })
        .served({ order: { query: 'GSI1' } });
    const errors = (made: Model): string[] =>
      check(made).findings.flatMap(({ level, code }) => (level === 'error' ? [code] : []));
    expect(errors(orders({}, false))).toEqual(['several-items']);
    expect(errors(orders({ generated: ['id'] }, false))).toEqual([]);
    expect(errors(orders({}, true))).toEqual([]);
    expect(errors(orders({ generated: ['ID' as 'id'] }, false))).toContain('unknown-name');
  });

  test('no error of the proof can be accepted, and a pattern can be marked as unproven', () => {
    const accepts = { 'several-items': 'because', 'order-not-served': 'because' };
    const need = { reads: ['Task'], by: ['h'], order: 'at asc' };
    expect(errors(tasks({ GSI1: ['H#{h}', '{id}'] }, { ...need, accepts }))).toEqual(['order-not-served']);
    const marked = tasks({ GSI1: ['H#{h}', '{id}'] }, { ...need, unproven: 'few are there' });
    expect(errors(marked)).toEqual([]);
    const [finding] = check(marked).findings.filter(({ code }) => code === 'order-not-served');
    expect(finding).toMatchObject({ level: 'accepted', because: 'few are there' });
  });
});

test('what would come several times is refused, whatever the reason', () => {
  const list = (key: string, rules: object = {}): string[] => {
    const need = { reads: ['Task'], by: ['text'], among: { text: 3 }, unproven: 'because' };
    const model = tasks({ GSI1: [key, '{id}'] }, need, { query: 'GSI1', fanOut: 3 });
    return errors({ ...model, entities: { ...model.entities, Task: entity(attributes, rules) } });
  };
  expect(list('{text}')).toEqual([]);
  expect(list('ALL')).toEqual(['input-not-used']);
  expect(list('{text:lower}', { same: { text: 'lower' } })).toEqual(['input-not-used']);
  expect(list('{text:lower:escape}', { same: { text: 'lower' } })).toEqual(['input-not-used']);
  const twice = { reads: ['Task'], by: ['h'], aka: { other: 'h' }, unproven: 'because' };
  const byTwo = (among: object): string[] =>
    errors(
      tasks({ GSI1: ['H#{h}', '{id}'] }, { ...twice, ...among }, { query: 'GSI1', fanOut: 'among' in among ? 3 : 1 }),
    );
  expect(byTwo({})).toEqual([]);
  expect(byTwo({ among: { h: 3 } })).toEqual(['input-not-used']);
  expect(byTwo({ among: { other: 3 } })).toEqual(['input-not-used']);
  const walk = (other: string): string[] => {
    const need = { reads: ['Task'], by: ['h'], window: { of: 'at', from: '2024-01-01' }, unproven: 'because' };
    const keys = { GSI1: ['H#{h}#{at:day}', '{id}'], GSI2: [other, '{id}'] };
    const model = tasks(keys, need, { query: ['GSI1', 'GSI2'], walk: { unit: 'day', most: 3 } });
    const tables = { Tasks: { key: ['PK', 'SK'], indexes: { GSI1: ['A', 'B'], GSI2: ['C', 'D'] } } };
    return errors({ ...model, tables } as unknown as Model);
  };
  expect(walk('H#{h}#{at:day}')).toEqual([]);
  expect(walk('H#{h}')).toEqual(['part-of-items']);
});

describe('a partition that is read for each unit or shard has the text of the unit or shard itself', () => {
  test.each([
    ['{at:day}', []],
    ['{at:hour:day}', []],
    ['{at:day:inverseTime}', ['not-served']],
    ['{at:day:utc}', ['not-served']],
  ])('a walk by day of %s', (part, codes) => {
    const need = of({ window: { of: 'at', from: '2024-01-01' }, order: 'at desc' });
    const served = { query: 'GSI1', walk: { unit: 'day', most: 3 } };
    expect(errors(tasks({ GSI1: [`H#{h}#${part}`, '{at}'] }, need, served))).toEqual(codes);
  });

  test.each([
    ['{id:shard4}', []],
    ['{id:upper:shard4}', []],
    ['{id:shard4:02}', ['not-served']],
    ['{id:shard4:inverse3}', ['not-served']],
  ])('shards of %s', (part, codes) => {
    const served = { query: 'GSI1', fanOut: 4 };
    expect(errors(tasks({ GSI1: [`H#{h}#${part}`, '{id}'] }, of({}), served))).toEqual(codes);
  });
});

test('every variable of a key writes values that are the same alike', () => {
  const read = (sort: string): string[] => {
    const model = tasks({ GSI1: ['T#{text:lower}', sort] }, { reads: ['Task'], by: ['text'], limit: 3 });
    const Task = entity({ ...attributes, text: z.string().min(1) }, { same: { text: 'lower' } });
    return errors({ ...model, entities: { ...model.entities, Task } });
  };
  expect(read('{text:lower:escape}#{id}')).toEqual([]);
  expect(read('{text:escape}#{id}')).toEqual(['input-not-used']);
  expect(read('{text:shard4}#{id}')).toEqual(['input-not-used']);
  expect(read('{text:lower:shard4}#{id}')).toEqual([]);
});

test('a local index without all attributes is read for those that are named', () => {
  const read = (need: object, project?: readonly string[]): string[] => {
    const model = tasks({ Local: ['{id}'] }, { reads: ['Task'], by: ['h'], limit: 3, ...need }, { query: 'Local' });
    const local = { local: 'L', ...(project !== undefined && { project }) };
    const tables = { Tasks: { key: ['PK', 'SK'], indexes: { Local: local } } };
    const keys = { ...model.keys, Task: { Tasks: ['TASK#{h}', 'TASK#{id}'], Local: ['{id}'] } };
    return errors({ ...model, tables, keys } as unknown as Model);
  };
  expect(read({})).toEqual([]);
  expect(read({}, ['h', 'id'])).toEqual(['not-served']);
  expect(read({ attributes: ['id', 'state'] }, ['h', 'id'])).toEqual([]);
  expect(read({ count: true, limit: undefined }, ['h', 'id'])).toEqual([]);
});

describe('a name in a call has one meaning', () => {
  const keys = { GSI1: ['H#{h}', '{n:03}#{id}'] };
  const meanings = (need: object): string[] =>
    check(tasks(keys, { reads: ['Task'], by: ['h'], ...need })).findings.flatMap(({ code, message }) =>
      code === 'unknown-name' ? [message] : [],
    );

  test('a value is not an interval', () => {
    expect(meanings({ range: 'n' })).toEqual([]);
    expect(meanings({ filters: ['n'] })).toEqual([]);
    expect(meanings({ range: 'n', filters: ['n'] })).toEqual([
      'the input "n" is the value of n, and the interval of `range`',
    ]);
    expect(meanings({ by: ['h', 'n'], range: 'n' })).toEqual([
      'the input "n" is the value of n, and the interval of `range`',
    ]);
  });

  test('another name of one attribute is not another attribute', () => {
    expect(meanings({ by: ['n'], aka: { n: 'h' }, filters: ['state'] })).toEqual([]);
    expect(meanings({ by: ['n'], aka: { n: 'h' }, filters: ['n'] })).toEqual([
      'the input "n" is the value of h, and the value of n',
    ]);
    expect(meanings({ by: ['n'], aka: { n: 'h' }, range: 'n' })).toEqual([
      'the input "n" is the value of h, and the interval of `range`',
    ]);
  });

  test('an input of `takes` is none of the attributes', () => {
    const where = { n: { above: { ref: 'least' } } };
    expect(meanings({ takes: { least: z.number() }, where })).toEqual([]);
    expect(meanings({ takes: { n: z.number() }, where: { n: { above: { ref: 'n' } } }, filters: ['n'] })).toEqual([
      'the input "n" is the value of n, and one of `takes`',
    ]);
  });
});

describe('a walk over a time', () => {
  const walked = (schema: unknown): string[] =>
    errors(
      tasks(
        { GSI1: ['H#{h}#{v:week}', '{v}'] },
        { reads: ['Task'], by: ['h'], range: 'v', window: { of: 'v', from: '2024-01-01' } },
        { query: 'GSI1', walk: { unit: 'week', most: 4 } },
        { v: schema },
      ),
    );

  test('has a range over it only where the key sorts by instant', () => {
    expect(walked(z.iso.datetime({ precision: 0 }))).toEqual([]);
    expect(walked(z.iso.datetime({ precision: 0, offset: true }))).toEqual(['range-not-served']);
    expect(walked(z.iso.datetime())).toEqual(['range-not-served']);
  });
});

test('no item has an empty key, whatever reads it', () => {
  const keys = { Tasks: ['TASK#{id}', ''] };
  for (const more of [{}, { unproven: 'because' }]) {
    const { findings } = check(tasks(keys, { reads: ['Task'], by: ['id'], ...more }, { query: 'Tasks' }));
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'empty-key', level: 'error', message: "SK of Task is always ''" }),
    );
  }
});

describe('a key attribute that is not text', () => {
  const typed = (type: 'N' | 'B', template: string, schema: unknown = z.string()): string[] => {
    const model = tasks(
      { Tasks: ['TASK#{id}', template] },
      { reads: ['Task'], by: ['id'] },
      { query: 'Tasks' },
      { v: schema },
    );
    const { Hotel: _, ...entities } = model.entities;
    const { Hotel: __, ...keys } = model.keys;
    const tables = { Tasks: { key: ['PK', `SK:${type}`] } };
    const { findings } = check({ ...model, entities, keys, tables, relationships: [] } as unknown as Model);
    return findings.flatMap(({ code, message }) => (code === 'key-type' ? [message] : []));
  };

  test.each<['N' | 'B', string, unknown, boolean]>([
    ['N', '{v}', z.number(), true],
    ['N', '{v}', z.int().min(10).max(99), true],
    ['N', '{v}', z.bigint(), true],
    ['N', '{v}', z.union([z.literal(20), z.literal(30)]), true],
    ['N', '{v:epoch}', z.int(), true],
    ['N', '7', z.string(), true],
    ['N', 'TASK', z.string(), false],
    ['N', '{v}', z.string(), false],
    ['N', '{v}', z.union([z.string(), z.number()]), false],
    ['N', '{v}', z.boolean(), false],
    ['N', '{v:03}', z.int(), false],
    ['B', '{v}', z.instanceof(Uint8Array), true],
    ['B', '{v}', z.instanceof(Uint8Array).refine(({ length }) => length === 16), true],
    ['B', '{v}', z.string(), false],
    ['B', '{v}', z.int().min(10), false],
    ['B', '{v}', z.boolean(), false],
    ['B', '{v:lower}', z.string(), false],
    ['B', 'TASK', z.string(), false],
  ])('%s: %s of %o', (type, template, schema, right) => {
    expect(typed(type, template, schema)).toEqual(
      right ? [] : [`SK is ${type === 'N' ? 'a number' : 'binary'}, ${template} is not`],
    );
  });
});
