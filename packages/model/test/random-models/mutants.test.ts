import { fileURLToPath } from 'node:url';
import { createDatabase } from 'singlet';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { bookings } from '../bookings.model.ts';
import { mixed } from '../patterns.model.ts';
import { shop } from '../shop.model.ts';
import { fastClient } from './fast-client.ts';
import { rowsOfGuide } from './guide-rows.ts';
import { modelOf } from './model-script.ts';
import { mutantOf } from './mutant.ts';
import { mutations } from './mutations/index.ts';
import { encoders } from './mutations/drawn-values.ts';
import { proveMutant } from './prove-mutant.ts';
import { draftOf } from './script-draft.ts';
import { scriptOfModel } from './script-of-model.ts';
import { savedModels, writtenModels } from './written-models.ts';

const written = await writtenModels([fileURLToPath(new URL('..', import.meta.url))]);
const bases = [...written, ...savedModels()];
/** Mutants that are proven in each run of the tests. `npm run prove:mutants` proves as many as one likes. */
const proven = 6;
/** Times that each mutation is tried on a model that may have nothing for it to change. */
const triesMost = 4000;

/** The mutations that add, change or remove a construct, by the rows of the guide. */
const reached: Readonly<Record<string, readonly string[]>> = {
  // Entities and relationships
  '`entity({ name: z.string(), note: z.string().optional() })`': [
    'schema: another kind',
    'schema: that of another attribute',
    'schema: optional or not',
    'schema: nullable or not',
    'schema: a bound is dropped',
    'schema: a bound is put',
    'schema: another set of values',
    'schema: a value in place of refused ones',
    'attribute: is added',
    'attribute: that of another entity is added',
    'attribute: is dropped',
    'storage: another stored name',
    'storage: another type',
    'storage: that items share keys is accepted',
  ],
  '`codec(z.iso.datetime({ precision: 3 }), { decode, encode })`': ['schema: another kind', 'schema: a bound is put'],
  '`.default(0)` in a schema': ['schema: a default or none'],
  "`{ unique: ['email'] }`": ['rules: unique', 'storage: another key of guards'],
  "`{ generated: ['orderId'] }`": ['rules: generated'],
  "`{ same: { email: 'lower' } }`": ['rules: same'],
  "`{ lock: 'version' }`": ['rules: lock'],
  "`{ expires: 'expiresAt' }`": ['rules: expires'],
  "`{ sequence: { number: 'Repo.issueCount' } }`": ['rules: sequence'],
  "`{ computed: { area: { from: ['geohash'], as: ({ geohash }) => geohash.slice(0, 5) } } }`": ['rules: computed'],
  '`{ copies: 10 }`': ['rules: copies'],
  "`{ duplicates: { authorName: { from: 'Author.name', rule: 'immutable' } } }`": ['rules: duplicates'],
  "`['Customer', '1:N', 'Order']`": ['relationship: is added', 'relationship: is dropped'],
  '`{ required: true }`': ['relationship: is added', 'relationship: other rules'],
  "`{ count: 'orderCount' }`": ['relationship: other rules'],
  "`{ sum: { total: 'amount' } }`": ['relationship: other rules'],
  "`{ by: { owner: 'originalOwner' } }`": ['relationship: other rules'],
  "`{ through: 'Membership' }`": ['relationship: other rules'],
  // Patterns that read
  "`reads: 'Order', by: ['username', 'orderId']`": ['read: by', 'served: by get', 'read: is of another entity'],
  "`reads: ['Order'], by: ['username'], limit: 10`": [
    'read: limit',
    'read: one item becomes a list, or the other way',
    'read: is doubled',
    'read: a new one of a key',
  ],
  "`reads: { customer: 'Customer', orders: ['Order'] }`": [
    'read: another entity is in the collection',
    'read: the parent is not in the collection',
  ],
  "`reads: 'User', by: ['username'], each: true`": ['read: each'],
  "`by: ['cell'], among: { cell: 9 }`": ['read: among'],
  "`reads: ['Order'], by: ['username'], count: true`": ['read: count'],
  "`order: 'orderId desc'`": ['read: order'],
  "`range: 'placedAt'`": ['read: range'],
  "`where: { status: 'Open' }`": ['read: where', 'read: within a document'],
  "`window: { of: 'at', from: '2020-01-01', to: 'now+7d' }`": ['read: window'],
  "`unproven: 'the reason'`": ['read: unproven'],
  "`filters: ['status']`": ['read: filters'],
  '`takes: { since: z.number() }`': ['read: where'],
  "`aka: { user: ['user1', 'user2'] }`": ['read: aka'],
  "`attributes: ['orderId', 'total']`": ['read: attributes'],
  '`expired: true`': ['read: expired'],
  '`consistent: true`': ['read: consistent'],
  // Patterns that write
  "`creates: 'Order'`": ['write: another verb', 'write: is of another entity', 'write: a new one', 'write: expired'],
  "`puts: 'Order'`, `puts: ['Order']`": ['write: another verb', 'write: one or several'],
  "`upserts: 'FrontPage'`": ['write: another verb'],
  "`updates: 'Order', by: […], sets: ['status'], maySet: ['note']`": ['write: by', 'write: sets', 'write: may set'],
  "`updates: ['Night'], by: ['date'], …`": ['write: one or several', 'write: by'],
  "`changes: { status: 'CLOSED', likes: add(1), onHand: add(ref('quantity'), -1), tags: include(ref('tag')), 'addresses.{label}': ref('address') }`":
    ['write: changes'],
  '`takes: { label: z.string() }`': ['write: changes', 'write: given'],
  "`given: { status: 'PLACED', stock: { above: 0 } }`": ['write: given'],
  "`given: { free: { below: attribute('total') } }`": ['write: given'],
  '`orCreates: true`': ['write: or creates'],
  "`rekeys: ['GSI1']`": ['write: rekeys'],
  "`returns: 'new'` / `'old'`": ['write: returns'],
  "`deletes: 'Order', by: […], mustExist: true`": ['write: must exist'],
  "`checks: 'Customer', by: […], given: {…}`": ['write: another verb', 'write: must exist'],
  "`transacts: { order: { creates: 'Order' }, lines: { creates: ['Line'] } }`": [
    'write: two in a transaction',
    'write: a part of a transaction is dropped',
    'procedure: is added',
  ],
  // Encoders, which the second test compares with those that are put
  '`{number:07}`': ['key: an encoder is put', 'key: a width changes'],
  '`{number:inverse8}` / `{number:tens8}`': ['key: an encoder is put', 'key: a width changes'],
  '`{email:lower}` `upper` `trim` `slug`': ['key: an encoder is put'],
  '`{name:escape}`': ['key: an encoder is put', 'key: an encoder is added'],
  '`{at:utc}` / `{at:seconds}`': ['key: an encoder is put'],
  '`{at:inverseTime}`': ['key: an encoder is put'],
  '`{at:hour}` `day` `week` `month` `year`': ['key: an encoder is put', 'key: an encoder is removed'],
  '`{expiresAt:epoch:day}`': ['key: an encoder is put'],
  '`{dealId:ksuid:day}` / `{id:ulid:day}`': ['key: an encoder is put'],
  '`{orderId:shard8}`': ['key: an encoder is put'],
  '`{orgId:bare}`': ['key: an encoder is put'],
  '`{jobId:rest}`': ['key: an encoder is put'],
  '`{copy}`': ['key: {copy} is added', 'rules: copies'],
  // How a pattern is served. The operations of a mutant are those that its writes take
  "`'GetItem'`, `'BatchGetItem'`": ['served: by get', 'read: each'],
  "`'GetItem'` for `reads: { user: 'User', organization: 'Organization' }`": [
    'read: another entity is in the collection',
  ],
  "`{ query: 'Shop' }`, `{ query: 'GSI1' }`": ['served: another place'],
  "`{ query: ['GSI1', 'GSI2'] }`": ['served: two indexes', 'index: is doubled'],
  "`{ query: 'GSI3', fanOut: 10 }`": ['served: fan-out'],
  "`{ query: 'Shop', fanOut: 9 }`": ['read: among'],
  "`{ query: 'GSI1', walk: { unit: 'day', most: 5 } }`": ['served: walk'],
  "`{ query: 'Shop', readAhead: 75 }`": ['served: read ahead'],
  "`{ scan: 'UserIndex', because: 'mails to all users' }`": ['served: scan'],
  "`'PutItem'`, `'UpdateItem'`, `'DeleteItem'`, `'BatchWriteItem'`, `'TransactWriteItems'`": ['write: another verb'],
  "`['UpdateItem', 'PutItem']`, `['GetItem', 'TransactWriteItems']`": ['rules: sequence', 'write: returns'],
};

describe('mutations', () => {
  test('reach every construct of the guide', () => {
    const names = new Set(mutations.flat().map(({ name }) => name));
    expect(Object.keys(reached).toSorted()).toEqual(rowsOfGuide().toSorted());
    expect([...new Set(Object.values(reached).flat())].filter((name) => !names.has(name))).toEqual([]);
    // Section 3 declares tables and keys in code.
    const others = [...names].filter((name) => !Object.values(reached).flat().includes(name));
    expect([...new Set(others.map((name) => name.replace(/:.*/, '')))]).toEqual(['key', 'when', 'table', 'index']);
  });

  test('put every encoder of the guide', () => {
    const written = rowsOfGuide().filter((row) => /^`\{\w+:/.test(row));
    const named = written.flatMap((row) =>
      [...row.matchAll(/`(?:\{\w+:)?([a-zA-Z:]+)\d*\}?`/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(20);
    const put = new Set(
      encoders.flatMap((chain) => [chain, ...chain.split(':')]).map((name) => name.replace(/\d+$/, '')),
    );
    expect(named.filter((name) => !put.has(String(name)))).toEqual([]);
  });

  test.each(mutations.flat().map((mutation) => [mutation.name, mutation] as const))('%s', (_, { apply }) => {
    const random = new RandomSource(1);
    for (let tries = 0; tries < triesMost; tries += 1) {
      const draft = draftOf(random.pick(bases).script);
      const before = JSON.stringify(draft);
      if (apply(draft, random) && JSON.stringify(draft) !== before) return;
    }
    expect.fail('has changed no model');
  });
});

test('a model as data is checked like the model', () => {
  const errors = (model: Parameters<typeof check>[0]): string[] =>
    check(model).findings.flatMap(({ level, code, path }) => (level === 'error' ? [`${code} ${path}`] : []));
  for (const model of [shop, mixed]) expect(errors(modelOf(scriptOfModel(model)))).toEqual(errors(model));
  // A schema of valibot is read as far as it takes a number or not.
  expect(scriptOfModel(bookings).entities['Booking']?.attributes['until']?.type).toBe('int');
});

test(`${proven} mutants that are accepted answer and write as declared`, async () => {
  const database = await createDatabase();
  const client = fastClient(database);
  let accepted = 0;
  for (let seed = 0; accepted < proven; seed += 1) {
    // About four in ten are.
    expect(seed).toBeLessThan(20 * proven);
    const random = new RandomSource(seed);
    // The same mutants, whatever cases are saved.
    const mutant = mutantOf(random.pick(written).script, random);
    const { verdict, counterexample, wrongWrites, thrown } = await proveMutant(mutant, client, { seed, runs: 1 });
    const told = `mutant ${seed}: ${mutant.changes.join('; ')}`;
    expect({ counterexample, wrongWrites, thrown }, told).toEqual({ thrown: [] });
    if (verdict === 'right') accepted += 1;
  }
  await database.close();
});
