import type { RandomSource } from '../../src/prove/random-source.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { type AttributeScript, type ModelScript, modelOf } from './model-script.ts';

/**
 * Draws a model that writes: a parent and a child with their own rules, an index with one form or several, and patterns with
 * every verb. Each pattern is served by the operations that the model says it takes.
 */
export function randomWriteModel(random: RandomSource): ModelScript {
  const counted = random.chance(0.5);
  const sequence = random.chance(0.2);
  const summed = random.chance(0.3);
  const tallied = counted || summed;
  const parent: Record<string, AttributeScript> = {
    p: { type: 'pattern', pattern: '^[a-z]$' },
    title: { type: 'text', optional: true },
    ...(counted && { children: { type: 'int', default: 0 } as const }),
    ...(summed && { total: { type: 'int', default: 0 } as const }),
    ...(sequence && { last: { type: 'int', default: 0 } as const }),
  };
  const child: Record<string, AttributeScript> = {
    p: { type: 'pattern', pattern: '^[a-z]$' },
    id: sequence ? { type: 'int', min: 0, max: 9999 } : { type: 'pattern', pattern: '^[a-z]{1,2}$' },
    s: { type: 'enum', values: ['OPEN', 'DONE'], ...(random.chance(0.4) ? { default: 'OPEN' } : {}) },
    n: { type: 'int', ...(random.chance(0.4) ? { default: 0 } : random.chance(0.5) ? { optional: true } : {}) },
    email: { type: 'pattern', pattern: '^[a-z]{1,2}$', ...(random.chance(0.5) ? { optional: true } : {}) },
    ...(random.chance(0.3) && { tags: { type: 'set', optional: true } as const }),
  };
  const rules: Record<string, unknown> = {};
  if (random.chance(0.35)) {
    rules['lock'] = 'version';
    child['version'] = { type: 'int' };
  }
  if (random.chance(0.4)) rules['unique'] = ['email'];
  if (random.chance(0.3) && !tallied) {
    rules['expires'] = 'until';
    child['until'] = { type: 'int', optional: random.chance(0.5) };
  }
  if (sequence) rules['sequence'] = { id: 'Parent.last' };
  // Computed from the title or the e-mail address, with the same number of draws either way.
  if (!sequence && rules['lock'] !== undefined) {
    child['initials'] = { type: 'text', ...(child['email']?.optional === true && { optional: true }) };
    rules['computed'] = { initials: ['email'] };
  }
  const relation = {
    ...(random.chance(0.4) && { required: true }),
    ...(counted && { count: 'children' }),
    ...(summed && { sum: { total: 'n' } }),
  };
  const key = ['p', 'id'];
  const extra = random.chance(0.2) ? ['s'] : [];
  const compared = { n: { [sequence ? 'not' : 'below']: { attribute: 'm' } } };
  const given = random.pick<unknown>([
    undefined,
    undefined,
    { s: 'OPEN' },
    counted ? compared : { n: { above: 0 } },
    { email: { exists: true } },
  ]);
  if (given === compared)
    child['m'] = { type: 'int', ...(rules['lock'] === undefined ? { default: 1 } : { optional: true }) };
  const maybe = given === undefined ? {} : { given };
  const patterns: Record<string, Record<string, unknown>> = {
    addParent: { creates: 'Parent' },
    create: { creates: 'Child' },
    setState: { updates: 'Child', by: [...key, ...(random.chance(0.2) ? ['email'] : [])], sets: ['s'], ...maybe },
    change: { updates: 'Child', by: key, maySet: ['n', 'email'], ...(random.chance(0.3) && { given: { s: 'OPEN' } }) },
    raise: { updates: 'Child', by: key, changes: { n: { add: 1 } }, ...(random.chance(0.2) && { returns: 'new' }) },
    remove: {
      deletes: 'Child',
      by: [...key, ...extra],
      ...(random.chance(0.4) && { mustExist: true }),
      ...(random.chance(0.2) && maybe),
    },
  };
  if (random.chance(0.5))
    patterns['createAndTitle'] = {
      transacts: { child: { creates: 'Child' }, parent: { updates: 'Parent', by: ['p'], sets: ['title'] } },
    };
  if (random.chance(0.3))
    patterns['titleAndCreate'] = {
      transacts: { parent: { updates: 'Parent', by: ['p'], sets: ['title'] }, child: { creates: 'Child' } },
    };
  if (random.chance(0.3))
    patterns['moveTwo'] = {
      transacts: { one: { updates: 'Child', by: key, sets: ['s'] }, two: { updates: 'Child', by: key, sets: ['s'] } },
    };
  if (random.chance(0.3))
    patterns['checkAndRemove'] = {
      transacts: { parent: { checks: 'Parent', by: ['p'] }, child: { deletes: 'Child', by: key } },
    };
  if (random.chance(0.4) && !sequence) patterns['upsert'] = { upserts: 'Child' };
  if (random.chance(0.4) && rules['unique'] === undefined && !tallied && !sequence) patterns['put'] = { puts: 'Child' };
  if (random.chance(0.3) && !sequence && rules['lock'] === undefined && !tallied)
    patterns['raiseOrCreate'] = {
      updates: 'Child',
      by: key,
      sets: ['s', 'email'],
      changes: { n: { add: 1 } },
      orCreates: true,
    };
  if (child['tags'] !== undefined) {
    patterns['tag'] = { updates: 'Child', by: key, changes: { tags: { include: 'x' } } };
    patterns['untag'] = { updates: 'Child', by: key, changes: { tags: { exclude: 'x' } } };
  }
  if (random.chance(0.3)) {
    patterns['createSeveral'] = { creates: ['Child'] };
    patterns['changeSeveral'] = { updates: ['Child'], by: key, sets: ['s'], changes: { n: { add: 1 } }, ...maybe };
  }
  const index = random.pick<unknown>([
    ['S#{s}', '{id}'.replace('{id}', sequence ? '{id:04}' : '{id}')],
    { when: { s: 'OPEN' }, key: ['OPEN#{p}', sequence ? '{id:04}' : '{id}'] },
    [
      { when: { s: 'OPEN' }, key: ['P#{p}', sequence ? 'OPEN#{id:04}' : 'OPEN#{id}'] },
      { when: { s: 'DONE' }, key: ['P#{p}', sequence ? 'DONE#{id:04}' : 'DONE#{id}'] },
    ],
    [child['initials'] === undefined ? 'E#{email}' : 'E#{initials}', 'E'],
    { when: { n: { above: 0 } }, key: ['N#{p}', sequence ? '{id:04}' : '{id}'] },
  ]);
  const script: ModelScript = {
    entities: { Parent: { attributes: parent }, Child: { attributes: child, rules } },
    relationships: [['Parent', '1:N', 'Child', relation]],
    patterns,
    tables: { Data: { key: ['PK', 'SK'], indexes: { Index: ['Index1', 'Index2'] } } },
    keys: {
      Parent: { Data: ['P#{p}', 'PARENT'] },
      Child: { Data: ['P#{p}', sequence ? 'C#{id:04}' : 'C#{id}'], Index: index as object },
    },
    served: {},
  };
  return withServed(script);
}

/** Every pattern, served by the operations that the model says it takes. Leaves out patterns with another fault. */
export function withServed(script: ModelScript): ModelScript {
  const none = Object.fromEntries(Object.keys(script.patterns).map((name) => [name, 'BatchGetItem']));
  const { problems } = resolve(modelOf({ ...script, served: none }));
  const served: Record<string, unknown> = {};
  for (const { path, message } of problems) {
    const [, operations] = /takes ([A-Za-z, ]+?); declared/.exec(message) ?? [];
    const [, name = ''] = path.split('.');
    if (operations === undefined) continue;
    const list = operations.split(', then ');
    served[name] = list.length === 1 ? list[0] : list;
  }
  const patterns = Object.fromEntries(Object.entries(script.patterns).filter(([name]) => name in served));
  return { ...script, patterns, served };
}
