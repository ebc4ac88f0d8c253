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
  // The child refers to its parent by the parent's name for it, or by its own.
  const own = random.chance(0.2) ? 'q' : 'p';
  const parent: Record<string, AttributeScript> = {
    p: { type: 'pattern', pattern: '^[a-z]$' },
    title: { type: 'text', optional: true },
    ...(counted && { children: { type: 'int', default: 0 } as const }),
    ...(summed && { total: { type: 'int', default: 0 } as const }),
    ...(sequence && { last: { type: 'int', default: 0 } as const }),
  };
  const child: Record<string, AttributeScript> = {
    [own]: { type: 'pattern', pattern: '^[a-z]$' },
    id: sequence ? { type: 'int', min: 0, max: 9999 } : { type: 'pattern', pattern: '^[a-z]{1,2}$' },
    s: { type: 'enum', values: ['OPEN', 'DONE'], ...(random.chance(0.4) ? { default: 'OPEN' } : {}) },
    n: { type: 'int', ...(random.chance(0.4) ? { default: 0 } : random.chance(0.5) ? { optional: true } : {}) },
    email: { type: 'pattern', pattern: '^[a-z]{1,2}$', ...(random.chance(0.5) ? { optional: true } : {}) },
    ...(random.chance(0.3) && { tags: { type: 'set', optional: true } as const }),
    ...(random.chance(0.2) && { list: { type: 'list', optional: true } as const }),
    ...(random.chance(0.2) && { doc: { type: 'record', optional: true } as const }),
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
    ...(own !== 'p' && { by: { p: own } }),
    ...(random.chance(0.4) && { required: true }),
    ...(counted && { count: 'children' }),
    ...(summed && { sum: { total: 'n' } }),
  };
  const key = [own, 'id'];
  const extra = random.chance(0.2) ? ['s'] : [];
  const compared = { n: { [sequence ? 'not' : 'below']: { attribute: 'm' } } };
  const given = random.pick<unknown>([
    undefined,
    undefined,
    { s: 'OPEN' },
    counted ? compared : { n: { above: 0 } },
    { email: { exists: true } },
    { s: ['OPEN', 'DONE'] },
    { any: [{ s: 'OPEN' }, { n: { atLeast: 1 } }] },
    { email: { begins: 'a' } },
    ...(child['tags'] === undefined ? [] : [{ tags: { contains: 'x' } }, { tags: { lacks: 'x' } }]),
    ...(child['list'] === undefined ? [] : [{ list: { size: { atMost: 1 } } }]),
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
  const takes: Record<string, Record<string, AttributeScript>> = {};
  if (child['tags'] !== undefined) {
    patterns['tag'] = { updates: 'Child', by: key, changes: { tags: { include: { ref: 'tag' } } } };
    takes['tag'] = { tag: { type: 'enum', values: ['x', 'y'] } };
    patterns['untag'] = { updates: 'Child', by: key, changes: { tags: { exclude: 'x' } } };
  }
  if (child['list'] !== undefined) {
    patterns['note'] = { updates: 'Child', by: key, changes: { list: { append: { ref: 'more' } } } };
    takes['note'] = { more: { type: 'list' } };
  }
  if (child['doc'] !== undefined) {
    const there = { given: { doc: { exists: true } } };
    patterns['label'] = { updates: 'Child', by: key, changes: { 'doc.{label}': { ref: 'text' } }, ...there };
    takes['label'] = { label: { type: 'enum', values: ['a', 'b'] }, text: { type: 'enum', values: ['x', 'y'] } };
  }
  if (random.chance(0.3)) {
    const times = random.chance(0.5) ? { times: -1 } : {};
    patterns['move'] = { updates: 'Child', by: key, changes: { n: { add: { ref: 'amount' }, ...times } } };
    takes['move'] = { amount: { type: 'int', min: -5, max: 5 } };
  }
  if (random.chance(0.25)) patterns['start'] = { updates: 'Child', by: key, changes: { n: { initial: 7 }, s: 'DONE' } };
  if (random.chance(0.25) && child['email']?.optional === true)
    patterns['forget'] = { updates: 'Child', by: key, changes: { email: { remove: true } } };
  if (random.chance(0.3)) {
    patterns['removeParent'] = {
      deletes: 'Parent',
      by: ['p'],
      given: { [counted ? 'children' : 'p']: counted ? 0 : 'a' },
    };
    if (counted && own === 'p')
      patterns['removeLast'] = {
        transacts: {
          parent: { deletes: 'Parent', by: ['p'], given: { children: 0 } },
          child: { deletes: 'Child', by: key },
        },
      };
  }
  if (random.chance(0.2)) patterns['rekey'] = { updates: 'Child', by: key, sets: ['s'], rekeys: ['Index'] };
  if (random.chance(0.2)) patterns['take'] = { deletes: 'Child', by: key, mustExist: true, returns: 'old' };
  if (random.chance(0.2)) patterns['swap'] = { updates: 'Child', by: key, sets: ['s'], returns: 'old' };
  if (random.chance(0.2) && rules['expires'] !== undefined)
    patterns['createOnce'] = { creates: 'Child', expired: true };
  if (random.chance(0.2)) {
    const look = { checks: 'Parent', by: ['p'], mustExist: false, given: { title: { exists: false } } };
    patterns['createUntitled'] = { transacts: { look, child: { creates: 'Child' } } };
  }
  if (random.chance(0.3)) {
    patterns['putSeveral'] = { puts: ['Child'] };
    patterns['removeSeveral'] = { deletes: ['Child'], by: key };
  }
  if (random.chance(0.3)) {
    patterns['createSeveral'] = { creates: ['Child'] };
    patterns['changeSeveral'] = { updates: ['Child'], by: key, sets: ['s'], changes: { n: { add: 1 } }, ...maybe };
  }
  const same = rules['unique'] !== undefined && random.chance(0.2);
  if (same) {
    rules['same'] = { email: 'upper' };
    child['email'] = { ...child['email'], type: 'pattern', pattern: '^[aAb]{1,2}$' };
  }
  const index = random.pick<unknown>([
    ['S#{s}', '{id}'.replace('{id}', sequence ? '{id:04}' : '{id}')],
    { when: { s: 'OPEN' }, key: [`OPEN#{${own}}`, sequence ? '{id:04}' : '{id}'] },
    [
      { when: { s: 'OPEN' }, key: [`P#{${own}}`, sequence ? 'OPEN#{id:04}' : 'OPEN#{id}'] },
      { when: { s: 'DONE' }, key: [`P#{${own}}`, sequence ? 'DONE#{id:04}' : 'DONE#{id}'] },
    ],
    [child['initials'] === undefined ? (same ? 'E#{email:upper}' : 'E#{email}') : 'E#{initials}', 'E'],
    { when: { n: { above: 0 } }, key: [`N#{${own}}`, sequence ? '{id:04}' : '{id}'] },
  ]);
  const isComputed = rules['computed'] !== undefined;
  if (random.chance(0.25))
    for (const name of random.some(
      ['id', own, 's', 'n', 'list', ...(isComputed ? [] : ['email'])],
      random.between(1, 3),
    ))
      if (child[name] !== undefined && !sequence) child[name] = { ...child[name], codec: 'box' };
  if (child[own]?.codec !== undefined) parent['p'] = { type: 'pattern', pattern: '^[a-z]$', codec: 'box' };
  const storage = {
    ...(random.chance(0.3) && { stored: { n: 'nn', s: 'state' }, type: 'C' }),
    ...(rules['unique'] !== undefined &&
      random.chance(0.3) && {
        unique: {
          email: {
            key: [
              `MAIL#${random.chance(0.5) ? '{s}#' : ''}{email${same && random.chance(0.8) ? ':upper' : ''}}`,
              'MAIL',
            ],
            type: 'Mail',
          },
        },
      }),
  };
  // Drawn apart, so that the other draws stay as they were.
  const apart = random.fork(1);
  for (const name of ['create', 'put', 'upsert', 'raiseOrCreate'])
    if (patterns[name] !== undefined && apart.chance(0.25))
      patterns[name] = {
        ...patterns[name],
        given: apart.pick([{ s: 'OPEN' }, { s: { not: 'DONE' } }, { email: { exists: false } }, { n: { atMost: 1 } }]),
      };
  if (apart.chance(0.3)) {
    child['stock'] = { type: 'int', min: 0, max: 9, default: 2 };
    patterns['spend'] = {
      updates: ['Child'],
      by: key,
      changes: { stock: { add: -1 } },
      given: { stock: { above: 0 } },
    };
  }
  if (sequence && patterns['removeParent'] !== undefined && apart.chance(0.95)) {
    const { given } = patterns['removeParent'] as { readonly given: object };
    patterns['removeParent'] = { ...patterns['removeParent'], given: { ...given, last: 0 } };
  }
  boundedChanges(random.fork(4), { key, child, patterns, takes });
  boundedDocuments(random.fork(5), { key, child, patterns, takes });
  boundedCounters(random.fork(6), { key, child, patterns, takes }, { parent, counted, summed, sequence });
  creatingUpdates(random.fork(8), { key, child, patterns, takes }, rules);
  writtenWhole(random.fork(10), { key, child, patterns, takes }, rules);
  returnedItems(random.fork(11), { key, child, patterns, takes }, rules);
  const tallies = random.fork(9);
  const { lock } = rules;
  // Numbers that no rule alone keeps, which `check` has to refuse.
  if (summed && lock !== undefined && tallies.chance(0.2)) Object.assign(relation, { sum: { total: lock } });
  if (counted && tallies.chance(0.02)) Object.assign(relation, { sum: { children: 'n' } });
  if (counted && tallies.chance(0.02)) parent['children'] = { type: 'int', default: 2 };
  // The children are what makes a relationship of parents and sides.
  const isBetween = random.chance(0.2);
  const side: ModelScript['entities'] = isBetween
    ? { Side: { attributes: { side: { type: 'pattern', pattern: '^[a-z]$' } } } }
    : {};
  if (isBetween) patterns['addSide'] = { creates: 'Side' };
  // A key that does not tell all items apart has to be refused.
  const inexact = !sequence && child['id']?.codec === undefined && random.fork(3).chance(0.06);
  const spelling = random.fork(7);
  const isFolded = !inexact && !sequence && child['id']?.codec === undefined && spelling.chance(0.1);
  if (inexact || isFolded) child['id'] = { type: 'pattern', pattern: '^[aAbB]$' };
  if (isFolded) rules['same'] = { ...(same && { email: 'upper' }), id: 'lower' };
  const accepts = { accepts: { 'key-not-exact': 'one of all spellings' } };
  const team = otherParent(random.fork(12), { key, child, patterns, takes });
  const script: ModelScript = {
    ...(Object.keys(storage).length > 0 && { storage: { Child: storage } }),
    ...(inexact && spelling.chance(0.5) && { storage: { Child: { ...storage, ...accepts } } }),
    takes,
    entities: { Parent: { attributes: parent }, Child: { attributes: child, rules }, ...side, ...team?.entities },
    relationships: [
      isBetween ? ['Parent', 'N:M', 'Side', { ...relation, through: 'Child' }] : ['Parent', '1:N', 'Child', relation],
      ...(team?.relationships ?? []),
    ],
    patterns,
    tables: { Data: { key: ['PK', 'SK'], indexes: { Index: ['Index1', 'Index2'] } } },
    keys: {
      Parent: { Data: ['P#{p}', 'PARENT'] },
      Child: {
        Data: [`P#{${own}}`, sequence ? 'C#{id:04}' : inexact || isFolded ? 'C#{id:lower}' : 'C#{id}'],
        Index: (isFolded ? JSON.parse(JSON.stringify(index).replaceAll('{id}', '{id:lower}')) : index) as object,
      },
      ...(isBetween && { Side: { Data: ['SIDE#{side}', 'SIDE'] } }),
      ...team?.keys,
    },
    served: {},
  };
  const twin = random.fork(2);
  const served = withServed(twin.chance(0.15) ? withTwin(script, twin) : script);
  if (random.chance(0.5)) return served;
  const taken = random.some(Object.keys(served.patterns), random.between(2, 5));
  return taken.length < 2 ? served : { ...served, procedures: { work: { takes: taken } } };
}

/** The parts of a model that are being drawn. */
interface Drawn {
  readonly key: readonly string[];
  readonly child: Record<string, AttributeScript>;
  readonly patterns: Record<string, Record<string, unknown>>;
  readonly takes: Record<string, Record<string, AttributeScript>>;
}

/**
 * Changes whose result may be what the schema refuses, or that the service refuses: mostly with the condition that prevents it, and
 * otherwise refused by `check`.
 */
function boundedChanges(random: RandomSource, { key, child, patterns, takes }: Drawn): void {
  const update = (changes: object, condition: object): Record<string, unknown> => ({
    updates: 'Child',
    by: key,
    changes,
    ...(random.chance(0.95) && { given: condition }),
  });
  // An update that creates would have to set what is required.
  const mayRequire = patterns['raiseOrCreate'] === undefined;
  if (random.chance(0.15) && mayRequire) {
    child['labels'] = { type: 'set' };
    patterns['unlabel'] = update({ labels: { exclude: 'x' } }, { labels: { size: { above: 1 } } });
  }
  if (random.chance(0.15)) {
    child['few'] = { type: 'set', max: 2, optional: true };
    const small = { few: { size: { below: 2 } } };
    patterns['addToFew'] = update({ few: { include: { ref: 'one' } } }, { any: [{ few: { exists: false } }, small] });
    takes['addToFew'] = { one: { type: 'enum', values: ['x', 'y', 'z'] } };
  }
  if (random.chance(0.15) && mayRequire) {
    child['notes'] = { type: 'list', max: 3 };
    patterns['addNotes'] = update({ notes: { append: { ref: 'lines' } } }, { notes: { size: { atMost: 1 } } });
    takes['addNotes'] = { lines: { type: 'list', max: 2 } };
  }
  if (random.chance(0.15)) {
    child['entries'] = { type: 'record', optional: true };
    patterns['enter'] = update({ 'entries.{label}': 'x' }, { entries: { exists: true } });
    takes['enter'] = { label: { type: 'enum', values: ['a', 'b'] } };
  }
  if (random.chance(0.1)) {
    child['grade'] = { type: 'int', min: 0, max: 3, ...(random.chance(0.9) ? { optional: true } : { default: 1 }) };
    patterns['ungrade'] = { updates: 'Child', by: key, changes: { grade: { remove: true } } };
  }
  if (random.chance(0.1)) {
    child['fives'] = { type: 'int', default: 0, multipleOf: 5 };
    patterns['raiseFives'] = { updates: 'Child', by: key, changes: { fives: { add: random.chance(0.9) ? 10 : 3 } } };
  }
  const parts = random.fork(1);
  if (parts.chance(0.15)) {
    child['map'] = { type: 'map', optional: true };
    const there = { given: { map: { exists: true } } };
    const change = parts.pick<unknown>([3, { remove: true }]);
    patterns['setPart'] = { updates: 'Child', by: key, changes: { 'map.{part}': change }, ...there };
    takes['setPart'] = { part: { type: 'enum', values: ['level', 'vip', 'other'] } };
  }
  if (random.chance(0.01)) patterns['twice'] = { updates: 'Child', by: key, sets: ['n'], changes: { n: { add: 1 } } };
}

/** Numbers and a list within a document, which a change may take past their bounds. */
function boundedDocuments(random: RandomSource, { key, child, patterns, takes }: Drawn): void {
  if (!random.chance(0.25)) return;
  const most = random.between(1, 3);
  const level: AttributeScript = { type: random.chance(0.8) ? 'int' : 'number', min: 0, max: most };
  const isOptional = random.chance(0.4);
  child['stats'] = {
    type: 'object',
    fields: {
      level: { ...level, ...(isOptional && { optional: true }) },
      depth: { type: 'int', min: -1, optional: true },
      marks: { type: 'list', max: 2, optional: true },
      inner: { type: 'object', fields: { left: { type: 'int', min: 0, max: 2, optional: true } }, optional: true },
    },
    ...(random.chance(0.5) && patterns['raiseOrCreate'] === undefined ? {} : { optional: true }),
  };
  // The condition is missing, or one too weak, now and then: `check` refuses those.
  const update = (changes: object, ...conditions: readonly object[]): Record<string, unknown> => ({
    updates: 'Child',
    by: key,
    changes,
    ...(random.chance(0.9) && { given: conditions.length === 1 ? conditions[0] : { any: conditions } }),
  });
  const there = { stats: { exists: true } };
  const slack = random.chance(0.05) ? 1 : 0;
  if (random.chance(0.6))
    patterns['raiseLevel'] = update(
      { 'stats.level': { add: 1 } },
      random.chance(0.5)
        ? { ...there, 'stats.level': { below: most + slack } }
        : { ...there, 'stats.level': { atMost: most - 1 + slack } },
    );
  if (random.chance(0.4)) {
    patterns['lowerLevel'] = update(
      { 'stats.level': { add: { ref: 'by' }, times: -1 } },
      { ...there, 'stats.level': { atLeast: { ref: 'by' } } },
    );
    takes['lowerLevel'] = { by: { type: 'int', min: 0, max: 2 } };
  }
  if (random.chance(0.4)) {
    patterns['setLevel'] = update({ 'stats.level': { ref: 'level' } }, there);
    takes['setLevel'] = { level: random.chance(0.9) ? level : { ...level, max: most + 1 } };
  }
  if (random.chance(0.3))
    patterns['startLevel'] = update({ 'stats.level': { initial: random.chance(0.9) ? 1 : 9 } }, there);
  if (random.chance(isOptional ? 0.4 : 0.02))
    patterns['removeLevel'] = update({ 'stats.level': { remove: true } }, there);
  if (random.chance(0.4))
    patterns['deepen'] = update({ 'stats.depth': { add: -1 } }, { ...there, 'stats.depth': { above: -1 + slack } });
  if (random.chance(0.4)) {
    patterns['mark'] = update(
      { 'stats.marks': { append: { ref: 'mark' } } },
      { ...there, 'stats.marks': { exists: false } },
      { 'stats.marks': { size: { atMost: slack } } },
    );
    takes['mark'] = { mark: { type: 'list', max: 2 } };
  }
  if (random.chance(0.3))
    patterns['spendLeft'] = update(
      { 'stats.inner.left': { add: -1 } },
      { 'stats.inner': { exists: true }, 'stats.inner.left': { atLeast: 1 } },
    );
  if (random.chance(0.3))
    patterns['takeLeft'] = update(
      { 'stats.inner.left': { add: 2 } },
      { 'stats.inner': { exists: true }, 'stats.inner.left': { exists: false } },
      { 'stats.inner.left': 0 },
    );
}

/** What is counted of a model that is being drawn. */
interface Counters {
  readonly parent: Record<string, AttributeScript>;
  readonly counted: boolean;
  readonly summed: boolean;
  readonly sequence: boolean;
}

/** Bounds of versions, and of the counts and sums of parents: mostly those that each write keeps, and otherwise some that `check` refuses. */
function boundedCounters(
  random: RandomSource,
  { key, child, patterns, takes }: Drawn,
  { parent, counted, summed, sequence }: Counters,
): void {
  if (child['version'] !== undefined && random.chance(0.3))
    child['version'] = random.pick<AttributeScript>([
      { type: 'int', min: 1 },
      { type: 'int', min: 0 },
      { type: 'number', min: 1 },
      { type: 'number', multipleOf: 0.5 },
    ]);
  if (child['version'] !== undefined && random.chance(0.01)) child['version'] = { type: 'int', min: 1, max: 3 };
  if (summed && random.chance(0.4)) {
    // Negative numbers would take the sum below its bound.
    parent['total'] = { type: 'int', min: 0, default: 0, ...(random.chance(0.02) && { max: 9 }) };
    if (random.chance(0.95)) child['n'] = { ...child['n'], type: 'int', min: 0, ...(random.chance(0.2) && { max: 3 }) };
    if (child['n']?.max !== undefined && random.chance(0.95))
      patterns['raise'] = { updates: 'Child', by: key, changes: { n: { add: 1 } }, given: { n: { below: 3 } } };
    if (random.chance(0.95)) {
      delete patterns['move'];
      delete takes['move'];
    }
    if (random.chance(0.5)) {
      patterns['lower'] = {
        updates: 'Child',
        by: key,
        changes: { n: { add: { ref: 'amount' }, times: -1 } },
        given: { n: { atLeast: { ref: 'amount' } } },
      };
      takes['lower'] = { amount: { type: 'int', min: 0, max: 5 } };
    }
  }
  if (sequence && random.chance(0.3)) parent['last'] = { type: 'int', min: 0, default: 0 };
  if (!counted) return;
  if (random.chance(0.3)) parent['children'] = { type: 'int', min: 0, default: 0 };
  if (!random.chance(0.3)) return;
  const most = random.between(1, 3);
  // A condition limits the count. A bound of its schema is refused: a call may check another parent.
  if (random.chance(0.05)) parent['children'] = { type: 'int', min: 0, max: most, default: 0 };
  const given = { children: random.pick([{ below: most }, { atMost: most - 1 }]) };
  const within = random.chance(0.6)
    ? { checks: 'Parent', by: ['p'], given }
    : { updates: 'Parent', by: ['p'], sets: ['title'], given };
  const creators = Object.entries(patterns).filter(([, need]) => createsChild(need));
  for (const [name] of creators) if (random.chance(0.99)) delete patterns[name];
  patterns['createWithin'] = { transacts: { look: within, child: { creates: 'Child' } } };
  if (random.chance(0.4) && !sequence)
    patterns['saveWithin'] = { transacts: { child: { upserts: 'Child' }, look: within } };
}

/** Whether a pattern may create a child. */
function createsChild({ transacts = {}, ...need }: Record<string, unknown>): boolean {
  return [need, ...Object.values(transacts as Readonly<Record<string, Record<string, unknown>>>)].some(
    ({ creates, upserts, puts, updates, orCreates }) =>
      [creates, upserts, puts].flat().includes('Child') || (orCreates === true && updates === 'Child'),
  );
}

/** Updates that also create, with an attribute that has a default: the item is made with the default, or with what replaces it. */
function creatingUpdates(random: RandomSource, { key, child, patterns }: Drawn, rules: object): void {
  if ('lock' in rules || 'sequence' in rules || !random.chance(0.25)) return;
  const sets = Object.keys(child).filter(
    (name) => !key.includes(name) && child[name]?.optional !== true && child[name]?.default === undefined,
  );
  child['level'] = { type: 'int', default: 3 };
  const change = random.pick<object>([
    { maySet: ['level'] },
    { changes: { level: { initial: 7 } } },
    { changes: { level: { add: 2 } } },
  ]);
  patterns['levelOrCreate'] = { updates: 'Child', by: key, sets, ...change, orCreates: true };
}

/** Whole items that are written on a condition: several at once, in a transaction of their own, or with an input that is not an attribute. */
function writtenWhole(random: RandomSource, { key, child, patterns, takes }: Drawn, rules: object): void {
  if (patterns['putSeveral'] !== undefined && random.chance(0.4))
    patterns['putSeveral'] = { puts: ['Child'], given: { s: { not: 'DONE' } } };
  const verb = random.pick('sequence' in rules ? ['creates'] : ['creates', 'puts', 'upserts']);
  if (random.chance(0.1)) patterns['writeAlone'] = { transacts: { only: { [verb]: 'Child' } } };
  if (random.chance(0.1)) {
    patterns['writeUnless'] = { [verb]: 'Child', given: { n: { not: { ref: 'other' } } } };
    takes['writeUnless'] = { other: { type: 'int', min: -1, max: 1 } };
  }
  // Two inputs may be of one item, whose list has another first element once one is removed.
  if (child['list'] !== undefined && random.chance(0.4))
    patterns['shift'] = {
      updates: ['Child'],
      by: key,
      changes: { 'list[0]': { remove: true } },
      given: { list: { exists: true } },
    };
}

/** A parent outside the child's key, so that a child moves from one to another. Its key has one attribute or two. */
function otherParent(
  random: RandomSource,
  { key, child, patterns }: Drawn,
): Pick<ModelScript, 'entities' | 'keys' | 'relationships'> | undefined {
  if (!random.chance(0.35)) return undefined;
  const names = random.chance(0.3) ? ['t', 'u'] : ['t'];
  const letter: AttributeScript = { type: 'pattern', pattern: '^[ab]$' };
  const mayCreate = Object.values(patterns).some(({ orCreates }) => orCreates === true);
  for (const name of names) child[name] = { ...letter, ...((mayCreate || random.chance(0.5)) && { optional: true }) };
  const isCounted = random.chance(0.25);
  const isRequired = !isCounted || random.chance(0.5);
  const relation = { ...(isRequired && { required: true }), ...(isCounted && { count: 'members' }) };
  const members: AttributeScript = { type: 'int', default: 0 };
  patterns['addTeam'] = { creates: 'Team' };
  if (random.chance(0.7))
    patterns['removeTeam'] = { deletes: 'Team', by: names, ...(isCounted && { given: { members: 0 } }) };
  const changes = [{ sets: names }, { maySet: names }, { sets: ['t'] }, { sets: ['t'], maySet: names.slice(1) }];
  patterns['join'] = {
    updates: 'Child',
    by: key,
    ...random.pick(changes),
    ...(random.chance(0.2) && { returns: 'new' }),
  };
  if (random.chance(0.3)) patterns['joinOne'] = { updates: 'Child', by: key, changes: { t: 'a' } };
  if (random.chance(0.3) && child['t']?.optional === true)
    patterns['quit'] = { updates: 'Child', by: key, changes: { t: { remove: true } } };
  if (random.chance(0.3))
    patterns['joinNew'] = {
      transacts: { team: { creates: 'Team' }, child: { updates: 'Child', by: key, sets: names } },
    };
  const attributes = Object.fromEntries(names.map((name) => [name, letter]));
  return {
    entities: { Team: { attributes: { ...attributes, ...(isCounted && { members }) } } },
    keys: { Team: { Data: [`TEAM#${names.map((name) => `{${name}}`).join('#')}`, 'TEAM'] } },
    relationships: [['Team', '1:N', 'Child', relation]],
  };
}

/** Writes that return the item, and one that may return an item which expires by it. */
function returnedItems(random: RandomSource, { key, patterns }: Drawn, rules: object): void {
  if ('expires' in rules && random.chance(0.4))
    patterns['extend'] = { updates: 'Child', by: key, sets: ['until'], returns: random.pick(['new', 'old']) };
  for (const [name, need] of Object.entries(patterns))
    if (typeof (need['updates'] ?? need['deletes']) === 'string' && need['returns'] === undefined && random.chance(0.2))
      patterns[name] = { ...need, returns: need['deletes'] === undefined ? random.pick(['new', 'old']) : 'old' };
}

/** With an entity that has the keys of the child, or of the parent, so that there is one or the other. A twin of the parent is a parent, too. */
function withTwin(script: ModelScript, random: RandomSource): ModelScript {
  const of = random.pick(['Child', 'Parent']);
  const { attributes = {} } = script.entities[of] ?? {};
  const own = Object.keys(attributes).filter((name) => ['p', 'q', 'id'].includes(name));
  const key = Object.fromEntries(own.map((name) => [name, attributes[name] as AttributeScript]));
  const expires = of === 'Parent' && random.fork(1).chance(0.3);
  const twin: Record<string, AttributeScript> = {
    ...key,
    n: { type: 'int', default: 0 },
    ...(expires && { until: { type: 'int', optional: true } as const }),
  };
  const { Data } = script.keys[of] as Readonly<Record<string, unknown>>;
  const patterns: Record<string, Record<string, unknown>> = {
    createTwin: { creates: 'Twin' },
    setTwin: { updates: 'Twin', by: own, sets: ['n'] },
    ...(random.chance(0.5) && { putTwin: { puts: 'Twin' } }),
    ...(random.chance(0.5) && { upsertTwin: { upserts: 'Twin' } }),
    ...(random.chance(0.5) && { raiseTwin: { updates: 'Twin', by: own, changes: { n: { add: 1 } }, orCreates: true } }),
    ...(random.chance(0.7) && {
      removeTwin: { deletes: 'Twin', by: own, ...(random.chance(0.3) && { mustExist: true }) },
    }),
    ...(random.chance(0.5) && {
      checkTwin: { transacts: { twin: { checks: 'Twin', by: own }, child: { creates: 'Child' } } },
    }),
    ...(random.chance(0.3) && { both: { transacts: { twin: { creates: 'Twin' }, one: { creates: of } } } }),
  };
  const names = Object.keys(script.entities['Child']?.attributes ?? {});
  const isRequired = of === 'Parent' && random.chance(0.6);
  const relation = { required: true, ...(names.includes('q') && { by: { p: 'q' } }) };
  const accepts = { accepts: { 'key-collision': 'one or the other' } };
  return {
    ...script,
    entities: { ...script.entities, Twin: { attributes: twin, ...(expires && { rules: { expires: 'until' } }) } },
    relationships: [...(script.relationships ?? []), ...(isRequired ? [['Twin', '1:N', 'Child', relation]] : [])],
    patterns: { ...script.patterns, ...patterns },
    keys: { ...script.keys, Twin: { Data } },
    storage: { ...script.storage, [of]: { ...script.storage?.[of], ...accepts }, Twin: accepts },
  };
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
  const takes = Object.fromEntries(Object.entries(script.takes ?? {}).filter(([name]) => name in served));
  return { ...script, patterns, takes, served };
}
