import type { RandomSource } from '../../src/prove/random-source.ts';
import type { AttributeScript, ModelScript } from './model-script.ts';

type Attributes = Record<string, AttributeScript>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The parts in which a rare model differs from a list of items in an index. */
interface Parts {
  readonly attributes?: Attributes;
  readonly rules?: object;
  readonly need: object;
  /** The key in the index. Without one, the table is read. */
  readonly index?: unknown;
  readonly second?: unknown;
  readonly table?: readonly string[];
  readonly served?: object;
}

/**
 * Draws a model about one construct together with what makes it hard: a walk with an order, a get with an interval, forms whose order in
 * UTF-8 is another than in UTF-16. `randomModel` draws the constructs apart, and such pairs too rarely. Some of the models of
 * each kind are right, the others are to be refused.
 */
export function rareModel(random: RandomSource): ModelScript {
  return random.pick(rareModels)(random);
}

const rareModels: readonly ((random: RandomSource) => ModelScript)[] = [
  walkInOrder,
  getWithInterval,
  twoInputsForOne,
  formsBeyondUtf16,
  formsApart,
  formsOfSome,
  expiringNeighbour,
  timesInOrder,
  timesInOrder,
  valuesOfSeveralTypes,
  listOfWhatIsSame,
  listInOrder,
  listInOnePartition,
  shardOfOneIndex,
  openPattern,
  openPattern,
  checkedBeforeItChanges,
  nullInIndex,
  encodedTwice,
  numbersOfSparseIndex,
  filterOfWhatIsSame,
  valuesSideBySide,
  mergedIndexes,
  mergedEncoders,
  twoKindsInOrder,
  textWalked,
  rangeOverForms,
  scanOfSomeItems,
  ownAttributesInIndex,
  guardAmongItems,
  referenceInKey,
  numbersThatAreSame,
  parentAmongChildren,
  bigIntegersAsTimes,
  inputOfTwoSchemas,
  encodedAfterUnit,
  sameInTwoForms,
  localWithSome,
];

function walkInOrder(random: RandomSource): ModelScript {
  const unit = random.pick(['year', 'month']);
  const t = random.pick<AttributeScript>([{ type: 'date' }, { type: 'datetime', precision: 0 }]);
  const sort = random.pick(['{n:02}#{id}', '{t}#{id}', '{id}']);
  return drawn(random, {
    attributes: { t, n: { type: 'int', min: 0, max: 99 } },
    need: {
      by: ['h'],
      order: random.pick(['n asc', 'n desc', 't asc', 't desc']),
      window: { of: 't', from: '2020-01-01', to: '2290-01-01' },
    },
    index: [`H#{h}#{t:${unit}}`, sort],
    served: { walk: { unit, most: 4000 } },
  });
}

/** A unit of time or a shard that another encoder follows. */
function encodedAfterUnit(random: RandomSource): ModelScript {
  const t: AttributeScript = { type: 'datetime', precision: 0 };
  if (random.chance(0.5))
    return drawn(random, {
      attributes: { t },
      need: { by: ['h'], window: { of: 't', from: '2024-02-01', to: '2024-04-01' } },
      index: [`H#{h}#{t:${random.pick(['day', 'hour:day', 'day:inverseTime', 'day:utc', 'day:date'])}}`, '{t}#{id}'],
      served: { walk: { unit: 'day', most: 100 } },
    });
  return drawn(random, {
    need: { by: ['h'], ...(random.chance(0.3) && { order: 'id asc' }) },
    index: [`H#{h}#{id:${random.pick(['shard2', 'upper:shard2', 'shard2:02', 'shard2:inverse2'])}}`, '{id}'],
    served: { fanOut: 2 },
  });
}

/** Values that are the same, in two variables of one key. */
function sameInTwoForms(random: RandomSource): ModelScript {
  const parts = [
    random.pick(['{v:lower}', '{v:lower:escape}']),
    random.pick(['{v}', '{v:lower}', '{v:upper}', '{v:shard2}']),
  ];
  const [one, other] = random.some(parts, 2);
  return drawn(random, {
    attributes: { v: { type: 'pattern', pattern: '^[a-zA-Z]{1,2}$' } },
    rules: { same: { v: 'lower' } },
    need: { by: ['v'] },
    ...(random.chance(0.5) ? { index: [`V#${one}`, `${other}#{id}`] } : { index: [`V#${one}#${other}`, '{id}'] }),
  });
}

/** A local index with some of the attributes, and a read of all or of some. */
function localWithSome(random: RandomSource): ModelScript {
  const script = drawn(random, {
    attributes: { v: { type: 'text', min: 1 } },
    need: { by: ['h'] },
    table: ['H#{h}', 'I#{id}'],
  });
  const { Data = {} } = script.tables;
  const project = random.pick<unknown>(['KEYS_ONLY', 'ALL', ['h', 'id'], ['h', 'id', 'v'], ['v']]);
  const { Item = {} } = script.keys;
  const attributes = random.pick([undefined, ['id'], ['h', 'id', 'v']]);
  return {
    ...script,
    patterns: { read: { reads: ['Item'], by: ['h'], ...(attributes !== undefined && { attributes }) } },
    tables: { Data: { ...Data, indexes: { Local: { local: 'LocalSK', project } } } },
    keys: { Item: { ...Item, Local: ['{id}'] } },
    served: { read: { query: 'Local' } },
  };
}

/** One input for two entities: what each of their schemas keeps apart, a key may write alike for both. */
function inputOfTwoSchemas(random: RandomSource): ModelScript {
  const [one, other, hole] = random.pick<readonly [AttributeScript, AttributeScript, string]>([
    [{ type: 'pattern', pattern: '^[0-9]$' }, { type: 'int', min: 0, max: 9 }, '{v}'],
    [{ type: 'enum', values: ['true', 'false'] }, { type: 'bool' }, '{v}'],
    [{ type: 'datetime', precision: 3 }, { type: 'datetime', precision: 0 }, '{v:utc}'],
    [{ type: 'datetime', precision: 0 }, { type: 'date' }, '{v:seconds}'],
    [{ type: 'enum', values: ['a', 'b'] }, { type: 'enum', values: ['A', 'B'] }, '{v:lower}'],
    [{ type: 'int', min: 0, max: 99 }, { type: 'int', min: 0, max: 9 }, '{v:02}'],
    [{ type: 'text' }, { type: 'pattern', pattern: '^[a-z]{1,3}$' }, '{v}'],
  ]);
  const [v, w] = random.chance(0.5) ? [one, other] : [other, one];
  const script = drawn(random, { attributes: { v }, need: { by: ['v'] }, table: [`V#${hole}`, 'I#{id}'] });
  return {
    ...script,
    entities: {
      ...script.entities,
      Parent: { attributes: { v: random.chance(0.2) ? v : w } },
    },
    keys: { ...script.keys, Parent: { Data: withSeparator(script, [`V#${hole}`, '!']) } },
    patterns: { read: { reads: { parent: 'Parent', items: ['Item'] }, by: ['v'] } },
  };
}

/** A big integer is a time as a number is, and may be far beyond the times that a key can hold. */
function bigIntegersAsTimes(random: RandomSource): ModelScript {
  const unit = random.pick(['day', 'year']);
  const isWalk = random.chance(0.6);
  return drawn(random, {
    attributes: { n: { type: 'bigint' } },
    need: {
      by: ['h'],
      ...(random.chance(0.6) ? { range: 'n' } : { order: random.pick(['n asc', 'n desc']) }),
      ...(isWalk && { window: { of: 'n', from: '1969-12-01', to: '1970-02-01' } }),
    },
    index: [isWalk ? `H#{h}#{n:${unit}}` : 'H#{h}', random.pick(['{n:utc}#{id}', '{n:inverseTime}#{id}', '{n:utc}'])],
    ...(isWalk && { served: { walk: { unit, most: 4000 } } }),
  });
}

function getWithInterval(random: RandomSource): ModelScript {
  const script = drawn(random, {
    attributes: { n: { type: 'int', min: 0, max: 99 } },
    need: { by: ['h', 'id'], ...(random.chance(0.8) && { range: 'n' }) },
    table: ['A#{h}', 'I#{id}'],
  });
  const each = random.chance(0.3) ? { each: true } : {};
  return {
    ...script,
    patterns: { read: { ...script.patterns['read'], ...each, reads: 'Item' } },
    served: { read: 'each' in each ? 'BatchGetItem' : 'GetItem' },
  };
}

function twoInputsForOne(random: RandomSource): ModelScript {
  const [by, aka] = random.pick<[string[], object]>([
    [['h'], { who: 'h' }],
    [['h'], { who: 'id' }],
    [[], { who: 'h', which: 'h' }],
    [[], { who: 'h', which: 'id' }],
  ]);
  return drawn(random, { need: { by, aka }, index: ['H#{h}', '{id}'] });
}

/** U+FF5E is above U+1F600 in UTF-16, and below in UTF-8. */
function formsBeyondUtf16(random: RandomSource): ModelScript {
  const values = ['a', 'b', 'c'];
  const beginnings = random.some(['z', '\u00e9', '\uff5e', '\u{1f600}', '\u{10ffff}'], 3);
  const forms = values.map((s, i) => ({ when: { s }, key: ['H#{h}', `${beginnings[i] ?? ''}#{id}`] }));
  return drawn(random, { attributes: { s: { type: 'enum', values } }, need: { by: ['h'] }, index: forms });
}

/** Forms that an input chooses: what one reads may be among what another one reads. */
function formsApart(random: RandomSource): ModelScript {
  const values = random.pick([
    ['x', 'xy'],
    ['OPEN', 'DONE'],
  ]);
  const sorts = random.pick([
    ['{id}', 'B{id}'],
    ['{s}{id}', '{s}{id}'],
    ['{s}#{id}', '{s}#{id}'],
    ['A#{id}', 'B#{id}'],
    ['{id}', '{id}'],
  ]);
  const forms = values.map((s, i) => ({ when: { s }, key: ['H#{h}', sorts[i] ?? ''] }));
  return drawn(random, {
    attributes: { s: { type: 'enum', values } },
    need: { by: ['h', 's'], ...(random.chance(0.3) && { limit: 2 }) },
    index: forms,
  });
}

/** Forms for some values, or for all values of an attribute that may be missing. */
function formsOfSome(random: RandomSource): ModelScript {
  const values = ['OPEN', 'DONE', 'VOID'];
  const held = random.chance(0.6) ? values : random.some(values, 2);
  const forms: object[] = held.map((s) => ({ when: { s }, key: ['H#{h}', `${s}#{id}`] }));
  if (random.chance(0.2)) forms.push({ when: { s: { exists: false } }, key: ['H#{h}', 'NONE#{id}'] });
  const s: AttributeScript = { type: 'enum', values, ...(random.chance(0.5) && { optional: true }) };
  return drawn(random, { attributes: { s }, need: { by: ['h'] }, index: forms });
}

/** The service deletes whatever has the attribute, also an item of an entity that does not expire. */
function expiringNeighbour(random: RandomSource): ModelScript {
  const until: AttributeScript = { type: 'int' };
  const script = drawn(random, {
    attributes: { until },
    rules: random.chance(0.3) ? { expires: 'until' } : {},
    need: { by: ['h'] },
    table: ['A#{h}', 'I#{id}'],
  });
  const h = script.entities['Item']?.attributes['h'] ?? { type: 'text' };
  return {
    ...script,
    entities: {
      ...script.entities,
      Parent: { attributes: { h, until }, rules: random.chance(0.8) ? { expires: 'until' } : {} },
    },
    keys: { ...script.keys, Parent: { Data: withSeparator(script, ['A#{h}', '#P']) } },
    patterns: { read: { reads: random.chance(0.5) ? { parent: 'Parent', items: ['Item'] } : ['Item'], by: ['h'] } },
  };
}

function timesInOrder(random: RandomSource): ModelScript {
  const t = random.pick<AttributeScript>([
    { type: 'datetime', offset: true },
    { type: 'datetime', local: true },
    { type: 'datetime' },
    { type: 'datetime', precision: 0 },
    { type: 'date' },
  ]);
  const need = random.chance(0.6) ? { order: random.pick(['t asc', 't desc']) } : { range: 't' };
  const sort = random.pick(['{t}#{id}', '{t}#{id}', '{t}', '{t:utc}#{id}', '{t:seconds}#{id}', '{t:day}#{id}']);
  return drawn(random, { attributes: { t }, need: { by: ['h'], ...need }, index: ['H#{h}', sort] });
}

/** `1` and `'1'` are one text, as are the values of a list that an encoder makes equal. */
function valuesOfSeveralTypes(random: RandomSource): ModelScript {
  const v: AttributeScript = {
    type: 'literals',
    values: random.pick([
      [1, '1', 'a'],
      ['1', '2'],
      [1, 2, 10],
    ]),
  };
  const hole = random.pick(['{v}', '{v}', '{v:lower}']);
  const index = random.pick([
    [`H#{h}#${hole}`, '{id}'],
    ['H#{h}', `${hole}#{id}`],
    [`${hole}#{h}`, '{id}'],
  ]);
  return drawn(random, { attributes: { v }, need: { by: ['h', 'v'] }, index });
}

function listOfWhatIsSame(random: RandomSource): ModelScript {
  const chain = random.pick(['lower', 'upper', 'trim', 'slug']);
  const rules = random.chance(0.7) ? { same: { v: chain } } : {};
  return drawn(random, {
    attributes: { v: { type: 'text', min: 1 } },
    rules,
    need: { by: ['v'], among: { v: 3 } },
    index: [`V#{v${random.chance(0.8) ? `:${chain}` : ''}}`, '{id}'],
    served: { fanOut: 3 },
  });
}

function listInOrder(random: RandomSource): ModelScript {
  const sort = random.pick(['{v}#{n:02}#{id}', '{n:02}#{id}', 'N#{n:02}#{id}', '{n:02}#{v}#{id}']);
  return drawn(random, {
    attributes: { v: { type: 'pattern', pattern: '^[a-z]{1,3}$' }, n: { type: 'int', min: 0, max: 99 } },
    need: { by: ['v'], among: { v: 3 }, order: random.pick(['n asc', 'n desc']) },
    index: ['V#{v}', sort],
    served: { fanOut: 3 },
  });
}

/** A list whose values may share a partition, in a pattern that nothing else is proven of. */
function listInOnePartition(random: RandomSource): ModelScript {
  const v = random.pick<AttributeScript>([
    { type: 'int', min: 0, max: 5000 },
    { type: 'datetime', precision: 3 },
    { type: 'pattern', pattern: '^[a-zA-Z]{1,2}$' },
  ]);
  const encoded = v.type === 'pattern' ? ['{v:lower}', '{v}'] : ['{v:second}', '{v:hour}', '{v}'];
  return drawn(random, {
    attributes: { v },
    need: {
      by: random.pick([['v'], ['h', 'v']]),
      among: { v: 3 },
      ...(random.chance(0.8) && { unproven: 'a random model' }),
    },
    index: [`V#${random.pick([...encoded, '{h}'])}`, '{id}'],
    served: { fanOut: 3 },
  });
}

function shardOfOneIndex(random: RandomSource): ModelScript {
  const either: AttributeScript = { type: 'pattern', pattern: '^[a-z]{1,3}$' };
  const [one, other] = random.pick([
    ['#{id:shard2}', ''],
    ['#{id:shard2}', '#{id:shard2}'],
    ['', '#{id:shard2}'],
  ]);
  return drawn(random, {
    attributes: { v: either, w: either },
    need: { by: [], aka: { either: ['v', 'w'] } },
    index: [`V#{v}${one ?? ''}`, '{id}'],
    second: [`W#{w}${other ?? ''}`, '{id}'],
    served: { fanOut: 2 },
  });
}

/** A pattern that does not say where a text ends, or that has flags. */
function openPattern(random: RandomSource): ModelScript {
  const v = random.pick<AttributeScript>([
    { type: 'pattern', pattern: '^[b-z]{3}' },
    { type: 'pattern', pattern: '[b-z]{3}$' },
    { type: 'pattern', pattern: '^[b-z]{3}$' },
    { type: 'pattern', pattern: '^[ab]+$', max: 2, flags: 'i' },
    { type: 'pattern', pattern: '^[ab]+$', max: 2 },
  ]);
  return drawn(random, {
    attributes: { v },
    rules: { examples: { v: ['A', 'AB', 'bcd', 'bcda', 'Abcd'].filter((text) => isTaken(v, text)) } },
    need: { by: ['h'], order: random.pick(['v asc', 'v desc']) },
    index: ['H#{h}', random.pick(['{v}{id}', '{v}_{id}', '{v}#{id}'])],
  });
}

function isTaken({ pattern = '', flags = '' }: AttributeScript, text: string): boolean {
  return new RegExp(pattern, flags).test(text);
}

/** What a schema makes of a value after its checks is not what they have seen. */
function checkedBeforeItChanges(random: RandomSource): ModelScript {
  const after = random.chance(0.7) ? { after: random.pick<'upper' | 'trim'>(['upper', 'trim']) } : {};
  return drawn(random, {
    attributes: { v: { type: 'pattern', pattern: '^[ab]+$', max: 2, ...after } },
    rules: { examples: { v: ['A', 'AB', 'AA', 'B', 'a', 'ab'].filter((text) => /^[ab]+$/.test(text)) } },
    need: { by: ['h'], order: 'v asc' },
    index: ['H#{h}', random.pick(['{v}_{id}', '{v}Z{id}', '{v}#{id}'])],
  });
}

function nullInIndex(random: RandomSource): ModelScript {
  const v: AttributeScript = {
    ...random.pick<AttributeScript>([
      { type: 'enum', values: ['a', 'b'] },
      { type: 'text', min: 1, max: 3 },
    ]),
    ...(random.chance(0.8) && { nullable: true }),
  };
  const where = random.chance(0.3) ? { where: { v: { exists: true } } } : {};
  return drawn(random, { attributes: { v }, need: { by: ['h'], ...where }, index: ['H#{h}', '{v}#{id}'] });
}

/** A parent and its children whose partition keys differ in an encoder only. */
function encodedTwice(random: RandomSource): ModelScript {
  const h: AttributeScript = random.pick<AttributeScript>([
    { type: 'int', min: 0, max: 99 },
    { type: 'pattern', pattern: '^[a-zA-Z]{1,2}$' },
  ]);
  const [one = '', other = ''] =
    h.type === 'int'
      ? random.pick([
          ['{h}', '{h:02}'],
          ['{h:02}', '{h:02}'],
          ['{h:02}', '{h:inverse2}'],
        ])
      : random.pick([
          ['{h}', '{h:lower}'],
          ['{h:lower}', '{h:upper}'],
          ['{h}', '{h}'],
        ]);
  const script = drawn(random, { attributes: { h }, need: {}, table: [`A#${one}`, 'I#{id}'] });
  return {
    ...script,
    entities: { ...script.entities, Parent: { attributes: { h, title: { type: 'text', optional: true } } } },
    keys: { ...script.keys, Parent: { Data: withSeparator(script, [`A#${other}`, '#P']) } },
    patterns: { read: { reads: { parent: 'Parent', items: ['Item'] }, by: ['h'] } },
  };
}

function numbersOfSparseIndex(random: RandomSource): ModelScript {
  const ends = [{ above: 9 }, { atLeast: 9 }, { atLeast: 10 }, { above: 9, below: 99 }, { atLeast: 10, atMost: 98 }];
  const [when, where] = [random.pick<object>(ends), random.pick<unknown>([...ends, 10])];
  return drawn(random, {
    attributes: { n: { type: 'int', min: 0, max: 200 } },
    need: { by: ['h'], where: { n: where } },
    index: { when: { n: when }, key: ['H#{h}', '{id}'] },
  });
}

function filterOfWhatIsSame(random: RandomSource): ModelScript {
  const test = random.pick<object>([{ filters: ['v'] }, { where: { v: 'a' } }, { where: { v: { begins: 'a' } } }]);
  return drawn(random, {
    attributes: { v: { type: 'text', min: 1 } },
    rules: {
      examples: { v: ['a', 'A', 'b', 'B', ' a', 'aB'] },
      ...(random.chance(0.7) && { same: { v: random.pick(['lower', 'upper', 'trim']) } }),
    },
    need: { by: ['h'], ...test },
    index: ['H#{h}', '{id}'],
  });
}

/** Two values with nothing between them, of which one may continue in the other. */
function valuesSideBySide(random: RandomSource): ModelScript {
  const script = drawn(random, {
    attributes: { h: { type: 'enum', values: ['a', 'ab'] }, id: { type: 'enum', values: ['c', 'bc'] } },
    rules: {},
    need: { by: ['h'] },
    index: ['H#{h}', '{id}'],
    table: [random.pick(['A#{h}{id}', 'A#{h}#{id}', 'A#{id}{h}']), 'I'],
  });
  return script;
}

/** An input that may be one of two attributes, each in an index of its own. */
function mergedIndexes(random: RandomSource): ModelScript {
  const either: AttributeScript = { type: 'pattern', pattern: '^[a-z]{1,3}$' };
  const aka = { either: ['v', 'w'] };
  if (random.chance(0.4))
    return drawn(random, {
      attributes: { v: either, w: either },
      need: { by: ['h'], aka },
      index: ['H#{h}', '{v}#{id}'],
      second: ['H#{h}', '{w}#{id}'],
    });
  const [one, other] = random.pick([
    ['A#', 'B#'],
    ['A#', 'A#'],
    ['', ''],
  ]);
  return drawn(random, {
    attributes: { v: either, w: either, n: { type: 'int', min: 0, max: 99 } },
    need: { by: [], aka, order: random.pick(['n asc', 'n desc']) },
    index: ['V#{v}', `${one ?? ''}{n:02}#{id}`],
    second: ['W#{w}', `${other ?? ''}{n:02}#{id}`],
  });
}

/** Two indexes, each in the order of a number, which they may write in two ways. */
function mergedEncoders(random: RandomSource): ModelScript {
  const either: AttributeScript = { type: 'pattern', pattern: '^[a-z]{1,3}$' };
  const [one, other] = [0, 1].map(() => random.pick(['{n:02}', '{n:02}', '{n:03}', '{n:inverse2}']));
  return drawn(random, {
    attributes: { v: either, w: either, n: { type: 'int', min: 0, max: 99 } },
    need: { by: [], aka: { either: ['v', 'w'] }, order: random.pick(['n asc', 'n desc']) },
    index: ['V#{v}', `${one ?? ''}#{id}`],
    second: ['W#{w}', `${other ?? ''}#{id}`],
  });
}

/** Items of two entities in one order, of which one may have other values. */
function twoKindsInOrder(random: RandomSource): ModelScript {
  const schemas: readonly AttributeScript[] = [
    { type: 'int', min: 10, max: 99 },
    { type: 'int', min: 10, max: 99 },
    { type: 'int', min: 100, max: 999 },
    { type: 'int', min: 0, max: 999 },
  ];
  const [one, other] = [random.pick(schemas), random.pick(schemas)];
  const key = ['H#{h}', random.pick(['{n}#{id}', '{n}#{id}', '{n:03}#{id}'])];
  const need = random.pick([{}, { order: 'n asc' }, { order: 'n desc' }, { range: 'n' }]);
  const script = drawn(random, { attributes: { n: one }, need: { by: ['h'], ...need }, index: key });
  const { h, id } = script.entities['Item']?.attributes ?? {};
  if (h === undefined || id === undefined) return script;
  return {
    ...script,
    entities: { ...script.entities, Other: { attributes: { h, id, n: other } } },
    patterns: { read: { ...script.patterns['read'], reads: { items: ['Item'], others: ['Other'] } } },
    keys: {
      ...script.keys,
      Other: { Data: withSeparator(script, ['O#{h}#{id}', 'O']), Index: withSeparator(script, key) },
    },
  };
}

/** Times that their schema may declare as text, which is in another order than the times are. */
function textWalked(random: RandomSource): ModelScript {
  const t = random.pick<AttributeScript>([
    { type: 'pattern', pattern: '^202[345]-(?:01-01|12-31)T[01]\\d:00:00\\+0\\d:00$' },
    { type: 'datetime', precision: 0 },
    { type: 'text', min: 27, max: 27 },
  ]);
  const unit = t.type === 'text' ? 'ksuid:year' : 'year';
  return drawn(random, {
    attributes: { t },
    need: {
      by: ['h'],
      ...random.pick([{}, { order: 't asc' }, { order: 't desc' }, { range: 't' }]),
      window: { of: 't', from: '2020-01-01', to: '2030-01-01' },
    },
    index: [`H#{h}#{t:${unit}}`, '{t}#{id}'],
    served: { walk: { unit: 'year', most: 40 } },
  });
}

function rangeOverForms(random: RandomSource): ModelScript {
  const values = ['O', 'OPEN', 'DONE'];
  const alike = random.chance(0.4);
  const forms = values.map((s) => ({ when: { s }, key: ['H#{h}', `${alike ? 'S' : s}#{n:02}#{id}`] }));
  return drawn(random, {
    attributes: { s: { type: 'enum', values }, n: { type: 'int', min: 0, max: 99 } },
    need: { by: ['h'], ...(random.chance(0.7) ? { range: 'n' } : { order: 'n asc' }) },
    index: forms,
  });
}

function scanOfSomeItems(random: RandomSource): ModelScript {
  const optional = random.chance(0.8) ? { optional: true } : {};
  const where = random.chance(0.3) ? { where: { o: { exists: true } } } : {};
  return {
    ...drawn(random, {
      attributes: { o: { type: 'pattern', pattern: '^[a-z]{1,2}$', ...optional } },
      need: { by: [], ...where },
      index: random.pick([
        ['{o}#{id}', 'I'],
        ['H#{h}', '{o}'],
        ['H#{h}', '{id}'],
      ]),
    }),
    served: { read: { scan: 'Index', because: 'a random model' } },
  };
}

/** An index of attributes of the application, which items of another entity have as well. */
function ownAttributesInIndex(random: RandomSource): ModelScript {
  const h: AttributeScript = { type: 'pattern', pattern: '^[a-z]{1,3}$' };
  const id: AttributeScript = { type: 'pattern', pattern: '^[a-z0-9]{4}$' };
  const script = drawn(random, { attributes: { h, id }, need: { by: ['h'] }, index: ['{h}', '{id}'] });
  const other: Record<string, AttributeScript> = random.chance(0.7) ? { h, id } : { h, key: id };
  const key = 'id' in other ? 'O#{id}' : 'O#{key}';
  return {
    ...script,
    entities: { ...script.entities, Other: { attributes: other } },
    tables: { Data: { key: ['PK', 'SK'], indexes: { Index: ['h', 'id'] } } },
    keys: { Item: { Data: ['A#{id}', 'I'], Index: ['{h}', '{id}'] }, Other: { Data: [key, 'O'] } },
  };
}

/** The guard of a unique value whose type is that of an entity, which a scan would take for an item. */
function guardAmongItems(random: RandomSource): ModelScript {
  const script = drawn(random, { rules: { unique: ['id'] }, need: {}, table: ['A#{h}', 'I#{id}'] });
  const id = script.entities['Item']?.attributes['id'] ?? { type: 'text' };
  return {
    ...script,
    entities: { ...script.entities, Other: { attributes: { id, title: { type: 'text', optional: true } } } },
    patterns: { read: { reads: ['Other'] } },
    tables: { Data: { key: ['PK', 'SK'] } },
    keys: { Item: { Data: ['A#{h}', 'I#{id}'] }, Other: { Data: ['OTHER#{id}', 'OTHER'] } },
    storage: { Item: { unique: { id: { key: ['G#{id}', 'G'], type: random.pick(['Other', 'Guard']) } } } },
    served: { read: { scan: 'Data', because: 'a random model' } },
  };
}

function referenceInKey(random: RandomSource): ModelScript {
  const pattern = random.pick(['^org:[a-c:]+$', '^org:[a-c]+$', '^(?:org|user):[a-c]+$', '^org#[a-c#]+$']);
  return drawn(random, {
    attributes: { v: { type: 'pattern', pattern } },
    rules: {
      examples: {
        v: ['org:a', 'org:b:a', 'user:a', 'org#a', 'org#b#a'].filter((text) => new RegExp(pattern).test(text)),
      },
    },
    need: { by: ['v'] },
    index: ['V#{v:bare}', '{id}'],
  });
}

function numbersThatAreSame(random: RandomSource): ModelScript {
  const n: AttributeScript = random.pick<AttributeScript>([
    { type: 'int', min: 0, max: 120 },
    { type: 'int', min: 10, max: 99 },
  ]);
  const encoded = random.pick(['{n:lower}', '{n}', '{n:03}']);
  return drawn(random, {
    attributes: { n },
    rules: random.chance(0.8) ? { same: { n: 'lower' } } : {},
    need: { by: ['h'], order: random.pick(['n asc', 'n desc']) },
    index: ['H#{h}', random.pick([encoded, `${encoded}#{id}`])],
  });
}

/** A parent whose sort key may lie between those of its children. */
function parentAmongChildren(random: RandomSource): ModelScript {
  const values = random.pick([
    ['O', 'VOID'],
    ['Q', 'VOID'],
    ['A', 'B'],
  ]);
  const script = drawn(random, {
    attributes: { s: { type: 'enum', values } },
    need: {},
    table: ['A#{h}', '{s}#{id}'],
  });
  const h = script.entities['Item']?.attributes['h'] ?? { type: 'text' };
  const order = random.pick(['s asc', 's desc']);
  return {
    ...script,
    entities: { ...script.entities, Parent: { attributes: { h, title: { type: 'text', optional: true } } } },
    keys: { ...script.keys, Parent: { Data: withSeparator(script, ['A#{h}', random.pick(['P', 'PARENT', '!'])]) } },
    patterns: { read: { reads: { parent: 'Parent', items: ['Item'] }, by: ['h'], order, limit: random.between(1, 3) } },
  };
}

/** Templates with the table's separator in the place of `#`. */
function withSeparator({ tables }: ModelScript, templates: readonly string[]): string[] {
  const { separator = '#' } = tables['Data'] as { readonly separator?: string };
  return templates.map((template) => template.replaceAll('#', separator));
}

/** A model of items with `h`, `id` and these attributes, and one read. */
function drawn(random: RandomSource, parts: Parts): ModelScript {
  const { attributes = {}, rules = {}, need, index, second, table = ['A#{h}#{id}', 'I'], served = {} } = parts;
  const h = random.pick<AttributeScript>([
    { type: 'pattern', pattern: '^[a-z]{1,3}$' },
    { type: 'enum', values: ['x', 'xy'] },
    { type: 'int', min: 0, max: 99 },
  ]);
  const id = random.pick<AttributeScript>([
    { type: 'pattern', pattern: '^[a-z0-9]{4}$' },
    { type: 'pattern', pattern: '^[a-z]{1,2}$' },
  ]);
  const separator = random.pick(['#', '#', '#', '|', '~']);
  const beside = random.pick<Attributes>([
    {},
    { x: { type: 'text', optional: true } },
    { x: { type: 'int', min: 0, max: random.between(1, 99) } },
    { x: { type: 'bool' } },
    { x: { type: 'date' } },
    { x: { type: 'list' } },
  ]);
  const indexes = {
    ...(index !== undefined && { Index: ['Index1', 'Index2'] }),
    ...(second !== undefined && { Second: ['Second1', 'Second2'] }),
  };
  const places = Object.keys(indexes);
  const script: Mutable<ModelScript> = {
    entities: { Item: { attributes: { h, id, ...attributes, ...beside }, rules } },
    patterns: { read: { reads: ['Item'], ...need } },
    tables: { Data: { key: ['PK', 'SK'], ...(places.length > 0 && { indexes }), separator } },
    keys: {
      Item: {
        Data: table,
        ...(index !== undefined && { Index: index }),
        ...(second !== undefined && { Second: second }),
      },
    },
    served: { read: { query: places.length > 1 ? places : (places[0] ?? 'Data'), ...served } },
  };
  return separator === '#'
    ? script
    : { ...script, keys: JSON.parse(JSON.stringify(script.keys).replaceAll('#', separator)) as ModelScript['keys'] };
}
