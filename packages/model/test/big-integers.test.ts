import { createDatabase } from 'singlet';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, itemReader, model, ref, tableDefinitions } from '../src/index.ts';
import { prove } from '../src/prove/index.ts';
import { fastClient } from './random-models/fast-client.ts';

/*
 * What is read is what the schemas say: a stored number has no type, and the only entity of a table without types is not that of another
 * table.
 */

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => database.close());

const accounts = model('accounts')
  .entities({
    Account: entity({
      id: z.string(),
      cents: z
        .bigint()
        .min(5n)
        .max(10n ** 20n),
      limit: z.bigint().optional(),
      fee: z.bigint().default(2n),
      points: v.optional(v.bigint()),
      visits: z.number(),
    }),
  })
  .relationships([])
  .patterns({
    open: { creates: 'Account' },
    put: { puts: 'Account' },
    account: { reads: 'Account', by: ['id'] },
  })
  .tables({ Accounts: { key: ['PK'] } })
  .keys({ Account: { Accounts: ['A#{id}'] } })
  .served({ open: 'PutItem', put: 'PutItem', account: 'GetItem' });

test('an attribute of big integers is read as one, however small', async () => {
  const client = fastClient(database);
  for (const definition of tableDefinitions(accounts))
    await client.send({ input: definition, constructor: { name: 'CreateTableCommand' } } as never);
  const db = connect(accounts, { client });
  const account = { id: 'a', cents: 7n, limit: 9n, points: 0n, visits: 3 };
  await db.open(account);
  const read = await db.account({ id: 'a' });
  expect(read).toEqual({ ...account, fee: 2n });
  if (read === undefined) throw new TypeError('it was created');
  await db.put({ ...read, cents: read.cents + 10n ** 19n });
  expect(await db.account({ id: 'a' })).toEqual({ ...account, fee: 2n, cents: 10n ** 19n + 7n });
});

const fleet = model('fleet')
  .entities({
    Device: entity({ fleet: z.string().min(1), serial: z.string().min(1) }),
    Reading: entity({ fleet: z.string().min(1), event: z.string().min(1) }, { unique: ['event'] }),
  })
  .relationships([])
  .patterns({ add: { creates: 'Device' }, read: { creates: 'Reading' } })
  .tables({ Devices: { key: ['fleet', 'serial'], type: false }, Events: { key: ['PK', 'SK'] } })
  .keys({ Device: { Devices: ['{fleet}', '{serial}'] }, Reading: { Events: ['F#{fleet}', 'E#{event}'] } })
  .served({ add: 'PutItem', read: 'TransactWriteItems' });

test('an item of another table is not taken for that of a table without types', async () => {
  const read = itemReader(fleet);
  const reading = { PK: { S: 'F#a' }, SK: { S: 'E#1' }, Type: { S: 'Reading' }, fleet: { S: 'a' }, event: { S: '1' } };
  expect(read(reading)).toEqual({ entity: 'Reading', item: { fleet: 'a', event: '1' } });
  expect(read({ fleet: { S: 'a' }, serial: { S: '1' } })).toEqual({
    entity: 'Device',
    item: { fleet: 'a', serial: '1' },
  });
  expect(
    read({ PK: { S: 'READINGEVENT#1' }, SK: { S: 'READINGEVENT#1' }, Type: { S: 'Reading.event' } }),
  ).toBeUndefined();
  const { wrongWrites } = await prove(fleet, { client: fastClient(database), runs: 5, writes: true });
  expect(wrongWrites).toBeUndefined();
});

test('the oracle changes elements of lists', async () => {
  const trips = model('trips')
    .entities({ Trip: entity({ id: z.string().min(1), stops: z.array(z.object({ at: z.string() })) }) })
    .relationships([])
    .patterns({
      begin: { creates: 'Trip' },
      arrive: {
        updates: 'Trip',
        by: ['id'],
        changes: { 'stops[0].at': ref('where') },
        takes: { where: z.string() },
        given: { 'stops[0]': { exists: true } },
      },
    })
    .tables({ Trips: { key: ['PK'] } })
    .keys({ Trip: { Trips: ['T#{id}'] } })
    .served({ begin: 'PutItem', arrive: 'UpdateItem' });
  const { wrongWrites, patterns } = await prove(trips, { client: fastClient(database), runs: 10, writes: true });
  expect(wrongWrites).toBeUndefined();
  expect(patterns.find(({ pattern }) => pattern === 'arrive')?.calls).toBeGreaterThan(5);
});
