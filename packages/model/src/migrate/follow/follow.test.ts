import { type DynamoDBClient, PutItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type TestDatabase, testDatabase } from '../../../test/test-database.ts';
import { connect, entity, model, RuleError } from '../../index.ts';
import { snapshot } from '../../versions/snapshot.ts';
import { migration } from '../migration.ts';
import { MigrationError } from '../migration-error.ts';
import { memoryCheckpoints } from '../run.ts';
import { bringOver } from './bring-over.ts';
import { compareCopies } from './compare.ts';
import { copiedTables } from './copied-tables.ts';
import { follow, type FollowOptions } from './follow.ts';
import { Traffic } from '../traffic.ts';

const member = { team: z.string(), name: z.string(), email: z.string(), level: z.number() };

/** Members by team and name. */
const before = model('club')
  .entities({ Member: entity(member) })
  .relationships([])
  .patterns({
    join: { creates: 'Member' },
    write: { puts: 'Member' },
    promote: { updates: 'Member', by: ['team', 'name'], sets: ['level'] },
    leave: { deletes: 'Member', by: ['team', 'name'] },
    member: { reads: 'Member', by: ['team', 'name'] },
  })
  .tables({ Club: { key: ['PK', 'SK'] } })
  .keys({ Member: { Club: ['TEAM#{team}', 'MEMBER#{name}'] } })
  .served({
    join: 'PutItem',
    write: 'PutItem',
    promote: 'UpdateItem',
    leave: 'DeleteItem',
    member: 'GetItem',
  });

/** The same by team and level, in a table with another key and unique addresses. The existing table cannot be changed into this one. */
const after = model('club')
  .entities({ Member: entity(member, { unique: ['email'] }) })
  .relationships([])
  .patterns({
    byLevel: { reads: ['Member'], by: ['team'], order: 'level desc', limit: 100 },
    rename: { updates: 'Member', by: ['team', 'level', 'name'], sets: ['email'] },
    retire: { deletes: 'Member', by: ['team', 'level', 'name'] },
    enter: { creates: 'Member' },
  })
  .tables({ Club: { key: ['id', 'range'] } })
  .keys({ Member: { Club: ['TEAM#{team}', 'LEVEL#{level:03}#{name}'] } })
  .served({
    byLevel: { query: 'Club' },
    rename: ['GetItem', 'TransactWriteItems'],
    retire: ['GetItem', 'TransactWriteItems'],
    enter: 'TransactWriteItems',
  });

const migrated = migration(snapshot(before), snapshot(after));
const names = { into: { Club: 'Club2' } };

/** Does not wait, but yields to other work. */
const pause = async (): Promise<void> => new Promise((resume) => setImmediate(resume));
const optionsOf = ({ client, streams }: TestDatabase, more: Partial<FollowOptions> = {}): FollowOptions => ({
  client,
  streams,
  pause,
  pageItems: 5,
  segments: 2,
  ...names,
  ...more,
});

const memberOf = (number: number, level = 1) => ({
  team: `t${number % 3}`,
  name: `n${number}`,
  email: `n${number}@example.com`,
  level,
});

async function fill({ client }: TestDatabase, count: number): Promise<void> {
  const db = connect(before, { client });
  for (let number = 0; number < count; number += 1) await db.join(memberOf(number));
}

async function copiesIn({ client }: TestDatabase): Promise<string[]> {
  const db = connect(after, { client, tables: names.into });
  const pages = await Promise.all(['t0', 't1', 't2'].map(async (team) => db.byLevel({ team })));
  return pages.flatMap(({ items }) => items.map(({ name, level, email }) => `${name} ${level} ${email}`)).sort();
}

test('P-38.a P-38.e all items appear under their new keys, with guards, and compare equal; a second run writes nothing', async () => {
  await using database = await testDatabase(before);
  await fill(database, 12);
  const count = await follow(migrated, optionsOf(database));
  expect(count).toMatchObject({ written: 12, copied: true, caughtUp: true });
  expect(await copiesIn(database)).toEqual(Array.from({ length: 12 }, (_, i) => `n${i} 1 n${i}@example.com`).sort());
  expect((await database.stored('Club2')).filter(({ Type }) => Type === 'Member.email')).toHaveLength(12);
  expect(await compareCopies(migrated, optionsOf(database))).toMatchObject({
    ok: true,
    scanned: 12,
    entities: { Member: 12 },
  });
  expect(await follow(migrated, optionsOf(database))).toMatchObject({ written: 0, caughtUp: true });
});

test('P-38.b what is inserted, changed, re-keyed and deleted meanwhile is followed', async () => {
  await using database = await testDatabase(before);
  await fill(database, 9);
  await follow(migrated, optionsOf(database));
  const db = connect(before, { client: database.client });
  await db.promote({ team: 't1', name: 'n1', level: 7 });
  await db.leave({ team: 't2', name: 'n2' });
  await db.join(memberOf(20, 3));
  await db.write({ ...memberOf(3), email: 'new@example.com' });
  expect(await follow(migrated, optionsOf(database))).toMatchObject({ followed: 4, caughtUp: true });
  const copies = await copiesIn(database);
  expect(copies).toEqual(
    expect.arrayContaining(['n1 7 n1@example.com', 'n20 3 n20@example.com', 'n3 1 new@example.com']),
  );
  expect(copies).toHaveLength(9);
  const guards = (await database.stored('Club2')).filter(({ Type }) => Type === 'Member.email');
  expect(guards.map(({ email }) => String(email)).sort()).not.toContain('n2@example.com');
  expect(await compareCopies(migrated, optionsOf(database))).toMatchObject({ ok: true, scanned: 9 });
});

/** Delivers every page of records twice, and in reverse: late, out of order, repeated. */
function unruly(streams: DynamoDBStreamsClient): DynamoDBStreamsClient {
  const send = async (command: object): Promise<unknown> => {
    const answer = (await streams.send(command as Parameters<DynamoDBStreamsClient['send']>[0])) as {
      readonly Records?: readonly object[];
    };
    const { Records } = answer;
    if (Records === undefined || Records.length === 0) return answer;
    // The last one stays the last, because reading continues from it.
    return { ...answer, Records: [...Records.toReversed(), ...Records] };
  };
  return { send } as unknown as DynamoDBStreamsClient;
}

class Killed extends Error {
  override readonly name: string = 'Killed';
}

/** A client that dies at its nth request: before it is sent, or after it has succeeded but before the answer arrives. */
function mortal(client: DynamoDBClient, requests: number, unseen: boolean): DynamoDBClient {
  let left = requests;
  const send = async (command: object): Promise<unknown> => {
    if (left < 0 || (left === 0 && !unseen)) throw new Killed('before');
    left -= 1;
    const answer = await client.send(command as Parameters<DynamoDBClient['send']>[0]);
    if (left < 0) throw new Killed('after');
    return answer;
  };
  return new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) as unknown });
}

interface Deed {
  readonly do: 'join' | 'promote' | 'leave' | 'write';
  readonly number: number;
  readonly level: number;
}

const deeds = fc.array(
  fc.record({
    do: fc.constantFrom<Deed['do'][]>('join', 'promote', 'promote', 'leave', 'write'),
    number: fc.nat(7),
    level: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 30 },
);

async function act({ client }: TestDatabase, { do: what, number, level }: Deed): Promise<void> {
  const db = connect(before, { client });
  const { team, name } = memberOf(number);
  try {
    if (what === 'join') await db.join(memberOf(number, level));
    else if (what === 'write') await db.write({ ...memberOf(number, level), email: `e${number}-${level}@example.com` });
    else if (what === 'promote') await db.promote({ team, name, level });
    else await db.leave({ team, name });
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
  }
}

test('S-60 whatever happens meanwhile, and wherever it dies, the copies end as the items are', async () => {
  await fc.assert(
    fc.asyncProperty(deeds, fc.array(fc.tuple(fc.nat(60), fc.boolean()), { maxLength: 2 }), async (todo, deaths) => {
      await using database = await testDatabase(before);
      await fill(database, 5);
      const streams = unruly(database.streams);
      const working = (async () => {
        for (const deed of todo) {
          await act(database, deed);
          await pause();
        }
      })();
      for (const [requests, unseen] of deaths) {
        const client = mortal(database.client, requests, unseen);
        await follow(migrated, optionsOf(database, { client, streams })).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
      }
      const following = follow(migrated, optionsOf(database, { streams }));
      await Promise.all([working, following]);
      await follow(migrated, optionsOf(database, { streams }));
      const report = await compareCopies(migrated, optionsOf(database));
      expect(report.faults).toEqual([]);
    }),
    {
      numRuns: 10,
      // The process dies while it waits for the new table to be created.
      examples: [[[], [[1, false]]]],
    },
  );
});

test('a record that comes late does not bring back what the item was', async () => {
  await using database = await testDatabase(before);
  const { client } = database;
  await fill(database, 1);
  await follow(migrated, optionsOf(database));
  const db = connect(before, { client });
  const copied = copiedTables(migrated, 'there', names);
  const [source] = copied.sources;
  const [was] = await storedItems(database);
  await db.promote({ team: 't0', name: 'n0', level: 2 });
  const [newer] = await storedItems(database);
  await db.promote({ team: 't0', name: 'n0', level: 3 });
  if (source === undefined || was === undefined) throw new Error('there is one item');
  const key = { PK: was['PK'], SK: was['SK'] } as Parameters<typeof bringOver>[2];
  const traffic = new Traffic({ client, pause });
  expect(await bringOver(traffic, source, key, newer)).toBe('written');
  expect(await bringOver(traffic, source, key, was)).toBe('written');
  expect(await bringOver(traffic, source, key, was)).toBe('current');
  expect(await copiesIn(database)).toEqual(['n0 3 n0@example.com']);
});

async function storedItems({ client }: TestDatabase): Promise<Parameters<typeof bringOver>[3][]> {
  const { ScanCommand } = await import('@aws-sdk/client-dynamodb');
  return (await client.send(new ScanCommand({ TableName: 'Club' }))).Items ?? [];
}

test('a stream that asks for patience is read on', async () => {
  await using database = await testDatabase(before);
  await fill(database, 3);
  await follow(migrated, optionsOf(database));
  await connect(before, { client: database.client }).join(memberOf(9));
  let refusals = 6;
  const send = async (command: object): Promise<unknown> => {
    refusals -= 1;
    if (refusals >= 0 && refusals % 2 === 0)
      throw Object.assign(new Error('slow down'), { name: 'LimitExceededException' });
    return database.streams.send(command as Parameters<DynamoDBStreamsClient['send']>[0]);
  };
  const streams = { send } as unknown as DynamoDBStreamsClient;
  expect(await follow(migrated, optionsOf(database, { streams }))).toMatchObject({ followed: 1, caughtUp: true });
  expect(await copiesIn(database)).toHaveLength(4);
});

test('the way back carries what the new version writes into the old table', async () => {
  await using database = await testDatabase(before);
  const { client } = database;
  await fill(database, 4);
  await follow(migrated, optionsOf(database));
  const back = { direction: 'back' } as const;
  await follow(migrated, optionsOf(database, back));
  const db = connect(after, { client, tables: names.into });
  await db.rename({ team: 't1', level: 1, name: 'n1', email: 'one@example.com' });
  await db.retire({ team: 't2', level: 1, name: 'n2' });
  await db.enter(memberOf(30, 5));
  await follow(migrated, optionsOf(database, back));
  const old = connect(before, { client });
  expect(await old.member({ team: 't1', name: 'n1' })).toMatchObject({ email: 'one@example.com' });
  expect(await old.member({ team: 't2', name: 'n2' })).toBeUndefined();
  expect(await old.member({ team: 't0', name: 'n30' })).toMatchObject({ level: 5 });
  expect(await compareCopies(migrated, optionsOf(database, back))).toMatchObject({ ok: true, scanned: 4 });
});

test('it continues until it is told to stop, and says what it has done', async () => {
  await using database = await testDatabase(before);
  await fill(database, 3);
  const stop = new AbortController();
  const db = connect(before, { client: database.client });
  let joined = false;
  const count = await follow(
    migrated,
    optionsOf(database, {
      until: 'stopped',
      signal: stop.signal,
      onProgress: ({ followed }) => {
        if (followed > 0) stop.abort();
      },
      pause: async () => {
        if (!joined) await db.join(memberOf(9));
        joined = true;
        await pause();
      },
    }),
  );
  expect(count).toMatchObject({ followed: 1, written: 4 });
});

describe('comparing finds', () => {
  test('a copy that is missing, one that differs, and one without an original', async () => {
    await using database = await testDatabase(before);
    const { client } = database;
    await fill(database, 4);
    await follow(migrated, optionsOf(database));
    const db = connect(after, { client, tables: names.into });
    await db.retire({ team: 't0', level: 1, name: 'n0' });
    await db.rename({ team: 't1', level: 1, name: 'n1', email: 'other@example.com' });
    await db.enter(memberOf(40));
    await db.enter(memberOf(41));
    const { ok, faults } = await compareCopies(migrated, optionsOf(database, {}));
    expect(ok).toBe(false);
    expect(faults.map(({ code, key }) => [code, ...Object.values(key).slice(1)].join(' ')).sort()).toEqual([
      'copy-differs MEMBER#n1',
      'copy-missing MEMBER#n0',
      'count-differs',
      'count-differs',
    ]);
  });
});

describe('it is refused', () => {
  const codeOf = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof MigrationError ? error.code : String(error)),
    );

  test('where nothing is in another table, and where the stream does not say what items were', async () => {
    await using database = await testDatabase(before);
    const same = migration(snapshot(before), snapshot(before));
    expect(await codeOf(follow(same, optionsOf(database, { into: {} })))).toBe('nothing-to-copy');
    await database.client.send(
      new UpdateTableCommand({
        TableName: 'Club',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      }),
    );
    expect(await codeOf(follow(migrated, optionsOf(database)))).toBe('no-old-images');
  });

  test('where it was interrupted for longer than the streams keep their records', async () => {
    await using database = await testDatabase(before);
    await fill(database, 2);
    let at = Date.parse('2026-01-01');
    await follow(migrated, optionsOf(database, { now: () => at }));
    at += 23 * 3_600_000;
    await follow(migrated, optionsOf(database, { now: () => at }));
    at += 24 * 3_600_000;
    expect(await codeOf(follow(migrated, optionsOf(database, { now: () => at })))).toBe('stream-trimmed');
  });

  test('by the process that another one has taken over from', async () => {
    await using database = await testDatabase(before);
    await fill(database, 3);
    const checkpoints = memoryCheckpoints();
    let other: Promise<unknown> | undefined;
    const first = follow(
      migrated,
      optionsOf(database, {
        checkpoints,
        until: 'stopped',
        pause: async () => {
          other ??= follow(migrated, optionsOf(database, { checkpoints }));
          await pause();
        },
      }),
    );
    expect(await codeOf(first)).toBe('taken-over');
    await other;
  });

  test('for an item that has no form in the new version, by name', async () => {
    await using database = await testDatabase(before);
    await database.client.send(
      new PutItemCommand({
        TableName: 'Club',
        Item: { PK: { S: 'TEAM#x' }, SK: { S: 'MEMBER#y' }, Type: { S: 'Member' }, team: { S: 'x' }, name: { S: 'y' } },
      }),
    );
    const attempt = follow(migrated, optionsOf(database));
    await expect(attempt).rejects.toThrow(/TEAM#x \/ MEMBER#y has no email/);
  });
});
