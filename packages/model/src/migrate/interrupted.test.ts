import {
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tracker1, tracker2, tracker3 } from '../../test/versions.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { connect, RuleError } from '../index.ts';
import { snapshot } from '../versions/snapshot.ts';
import { connectDuring } from './connect-during.ts';
import { type Migration, migration } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { memoryCheckpoints, type MigrateOptions, resume, run } from './run.ts';
import { verify } from './verify.ts';

const repos = ['One', 'Two'];
const names = ['a', 'b', 'c', 'd', 'e'];

/** The application's concurrent actions. */
type Deed =
  | { readonly do: 'open' | 'drop' | 'close' | 'reopen'; readonly repo: number; readonly number: number }
  | { readonly do: 'star' | 'unstar'; readonly repo: number; readonly name: number }
  | { readonly do: 'email'; readonly name: number; readonly email: number };

const place = { repo: fc.nat(repos.length - 1), number: fc.integer({ min: 1, max: 6 }) };
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    do: fc.constantFrom<('open' | 'drop' | 'close' | 'reopen')[]>('open', 'drop', 'close', 'close', 'close', 'reopen'),
    ...place,
  }),
  fc.record({
    do: fc.constantFrom<('star' | 'unstar')[]>('star', 'unstar'),
    repo: place.repo,
    name: fc.nat(names.length - 1),
  }),
  fc.record({ do: fc.constant('email' as const), name: fc.nat(names.length - 1), email: fc.nat(8) }),
);

/** The expected state of the application, in plain maps. */
class Meant {
  readonly issues = new Map<string, string>();
  readonly stars = new Set<string>();
  readonly emails = new Map<string, string>();
}

/** The functions that the connections of both versions have. */
interface Application {
  openIssue(input: { owner: string; repo: string; number: number; title: string }): Promise<unknown>;
  dropIssue(input: { owner: string; repo: string; number: number }): Promise<unknown>;
  setStatus(input: { owner: string; repo: string; number: number; status: 'Open' | 'Closed' }): Promise<unknown>;
  star?(input: { owner: string; repo: string; username: string }): Promise<unknown>;
  unstar?(input: { owner: string; repo: string; username: string }): Promise<unknown>;
  changeEmail?(input: { username: string; email: string }): Promise<unknown>;
}

/** Runs one action on the database and on the maps. An action that the application rejects did not happen. */
async function act(db: Application, meant: Meant, each: Deed): Promise<void> {
  const done = await attempt(db, each);
  if (!done) return;
  const repo = 'repo' in each ? (repos[each.repo] ?? '') : '';
  if (each.do === 'email') meant.emails.set(names[each.name] ?? '', `e${each.email}@example.com`);
  else if (each.do === 'star') meant.stars.add(`${repo} ${names[each.name] ?? ''}`);
  else if (each.do === 'unstar') meant.stars.delete(`${repo} ${names[each.name] ?? ''}`);
  else if (!('number' in each)) return;
  else if (each.do === 'drop') meant.issues.delete(`${repo} ${each.number}`);
  else meant.issues.set(`${repo} ${each.number}`, each.do === 'close' ? 'Closed' : 'Open');
}

async function attempt(db: Application, each: Deed): Promise<boolean> {
  const at = { owner: 'o', repo: 'repo' in each ? (repos[each.repo] ?? '') : '' };
  const username = 'name' in each ? (names[each.name] ?? '') : '';
  try {
    switch (each.do) {
      case 'open':
        await db.openIssue({ ...at, number: each.number, title: 'New' });
        return true;
      case 'drop':
        await db.dropIssue({ ...at, number: each.number });
        return true;
      case 'close':
      case 'reopen':
        await db.setStatus({ ...at, number: each.number, status: each.do === 'close' ? 'Closed' : 'Open' });
        return true;
      case 'star':
        await db.star?.({ ...at, username });
        return db.star !== undefined;
      case 'unstar':
        await db.unstar?.({ ...at, username });
        return db.unstar !== undefined;
      case 'email':
        await db.changeEmail?.({ username, email: `e${each.email}@example.com` });
        return db.changeEmail !== undefined;
    }
  } catch (error) {
    if (error instanceof RuleError && error.code !== 'busy') return false;
    throw error;
  }
}

class Killed extends Error {
  override readonly name: string = 'Killed';
}

/**
 * A client that dies at its nth request: before it is sent, or after it has succeeded but before the answer arrives. Another action runs
 * before each of its requests for items.
 */
function mortal(
  client: DynamoDBClient,
  requests: number,
  unseen: boolean,
  meanwhile: () => Promise<void>,
): DynamoDBClient {
  let left = requests;
  const send = async (command: object): Promise<unknown> => {
    if (!/Table/.test(command.constructor.name)) await meanwhile();
    if (left < 0 || (left === 0 && !unseen)) throw new Killed('before');
    left -= 1;
    const answer = await client.send(command as Parameters<DynamoDBClient['send']>[0]);
    if (left < 0) throw new Killed('after');
    return answer;
  };
  return { send } as unknown as DynamoDBClient;
}

const pause = async (): Promise<void> => new Promise((go) => setImmediate(go));

/** Runs a migration whose process dies repeatedly while the application writes, until one run completes. */
async function runKilled(
  migrated: Migration,
  client: DynamoDBClient,
  kills: readonly { readonly after: number; readonly unseen: boolean }[],
  meanwhile: () => Promise<void>,
): Promise<void> {
  const checkpoints = memoryCheckpoints();
  const options: Omit<MigrateOptions, 'client'> = { pause, checkpoints, segments: 3, concurrency: 2, pageItems: 3 };
  for (const [index, { after, unseen }] of [...kills, { after: Infinity, unseen: false }].entries()) {
    const dying = mortal(client, after, unseen, meanwhile);
    try {
      const begun = (await checkpoints.read('state')) !== undefined;
      await (begun && index > 0 ? resume : run)(migrated, { ...options, client: dying });
      return;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

const kill = fc.record({ after: fc.integer({ min: 0, max: 60 }), unseen: fc.boolean() });
const third = migration(snapshot(tracker1), snapshot(tracker3), {
  entities: { Repo: ({ repo, slug }) => ({ slug: slug ?? String(repo).toLowerCase() }) },
});
const second = migration(snapshot(tracker1), snapshot(tracker2));

test.each([
  ['moves, guards, counts and functions, with connectDuring', third],
  ['index keys, with the writers of the new version', second],
])(
  'P-37.b interrupted anywhere and resumed while the application writes, nothing is lost or doubled: %s',
  async (_name, migrated) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { maxLength: 20 }),
        fc.array(kill, { maxLength: 4 }),
        fc.array(deed, { minLength: 10, maxLength: 40 }),
        async (first, kills, meanwhile) => {
          await using database = await testDatabase(tracker1);
          const { client } = database;
          const meant = new Meant();
          const old = connect(tracker1, { client, pause });
          for (const repo of repos) {
            await old.createRepo({ owner: 'o', repo });
            for (let number = 1; number <= 6; number += 1) {
              await act(old, meant, { do: 'open', repo: repos.indexOf(repo), number });
            }
          }
          for (const username of names) {
            await old.signUp({ username, email: `${username}@example.com` });
            meant.emails.set(username, `${username}@example.com`);
          }
          // The old version does not keep addresses unique, so actions on addresses are skipped here.
          for (const each of first) if (each.do !== 'email') await act(old, meant, each);
          const db: Application =
            migrated === third
              ? connectDuring(tracker3, third, { client, pause })
              : connect(tracker2, { client, pause });
          // One action after the other, each between two requests of the migration, at every stage of its work.
          const deeds = [...meanwhile];
          let turn = Promise.resolve();
          const next = async (): Promise<void> => {
            const each = deeds.shift();
            if (each !== undefined) turn = turn.then(async () => act(db, meant, each));
            return turn;
          };
          await runKilled(migrated, client, kills, next);
          while (deeds.length > 0) await next();
          const report = await verify(migrated, { client, pause });
          expect(report.faults).toEqual([]);
          const items = await database.stored('Tracker');
          const issues = items.filter(({ Type }) => Type === 'Issue');
          const text = (item: Record<string, unknown>, ...of: string[]): string =>
            of.map((name) => String(item[name])).join(' ');
          expect(issues.map((item) => text(item, 'repo', 'number', 'status')).toSorted()).toEqual(
            [...meant.issues].map((pair) => pair.join(' ')).toSorted(),
          );
          const stars = items.filter(({ Type }) => Type === 'Star').map((item) => text(item, 'repo', 'username'));
          expect(stars.toSorted()).toEqual([...meant.stars].toSorted());
          const accounts = items
            .filter(({ Type }) => Type === 'Account')
            .map((item) => text(item, 'username', 'email'));
          expect(accounts.toSorted()).toEqual([...meant.emails].map((pair) => pair.join(' ')).toSorted());
        },
      ),
      { numRuns: migrated === third ? 5 : 15 },
    );
  },
);

test('a child that came and went while the children were counted is not counted', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  const old = connect(tracker1, { client });
  const at = { owner: 'o', repo: 'One' };
  await old.createRepo(at);
  await old.star({ ...at, username: 'a' });
  const db = connectDuring(tracker3, third, { client, pause });
  let passed = 0;
  const send = async (command: object): Promise<unknown> => {
    const counts = command instanceof QueryCommand && (passed += 1) === 1;
    if (counts) await db.star({ ...at, username: 'passing' });
    const answer = await client.send(command as Parameters<DynamoDBClient['send']>[0]);
    if (counts) await db.unstar({ ...at, username: 'passing' });
    return answer;
  };
  await run(third, { client: { send } as unknown as DynamoDBClient, pause });
  expect(passed).toBe(2);
  expect((await db.repo(at))?.stars).toBe(1);
});

test('what an item has given up since it was read, another may have', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  const old = connect(tracker1, { client });
  await old.signUp({ username: 'a', email: 'wanted@example.com' });
  await old.signUp({ username: 'b', email: 'b@example.com' });
  const db = connectDuring(tracker3, third, { client, pause });
  let isGiven = false;
  const send = async (command: object): Promise<unknown> => {
    // The item of `a` has been read, and its guard is being read.
    if (!isGiven && command instanceof GetItemCommand && JSON.stringify(command.input.Key).includes('wanted@')) {
      isGiven = true;
      await db.changeEmail({ username: 'a', email: 'a@example.com' });
      await db.changeEmail({ username: 'b', email: 'wanted@example.com' });
    }
    return client.send(command as Parameters<DynamoDBClient['send']>[0]);
  };
  await run(third, { client: { send } as unknown as DynamoDBClient, pause });
  expect(isGiven).toBe(true);
  expect((await verify(third, { client, pause })).faults).toEqual([]);
  expect((await db.account({ username: 'b' }))?.email).toBe('wanted@example.com');
});

test('told to stop, it stops after the request under way, and continues from there', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  const db = connect(tracker1, { client });
  for (let number = 1; number <= 30; number += 1) await db.openIssue({ owner: 'o', repo: 'One', number, title: 'x' });
  const stop = new AbortController();
  const seen: number[] = [];
  const options = { client, pause, segments: 1, concurrency: 1, pageItems: 5 };
  const first = run(second, {
    ...options,
    signal: stop.signal,
    onProgress: ({ count }) => {
      seen.push(count.written);
      if (count.written >= 10) stop.abort();
    },
  });
  await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  expect(seen.at(-1)).toBe(10);
  const report = await resume(second, options);
  expect(report.steps.at(-1)?.count).toMatchObject({ matched: 30, written: 30, current: 0 });
  expect((await verify(second, { client })).ok).toBe(true);
  await expect(run(migration(snapshot(tracker1), snapshot(tracker3)), options)).rejects.toThrow(MigrationError);
});

test('told to stop while it waits for its rate, it waits no longer', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  const db = connect(tracker1, { client });
  for (let number = 1; number <= 3; number += 1) await db.openIssue({ owner: 'o', repo: 'One', number, title: 'x' });
  const stop = new AbortController();
  const send = async (command: object): Promise<unknown> => {
    const answer = await client.send(command as Parameters<DynamoDBClient['send']>[0]);
    // The next write would have to wait for a quarter of an hour.
    if (command instanceof UpdateItemCommand || command instanceof TransactWriteItemsCommand)
      setImmediate(() => stop.abort());
    return answer;
  };
  const options = { segments: 1, concurrency: 1, writeUnits: 0.001, signal: stop.signal };
  const work = run(second, { ...options, client: { send } as unknown as DynamoDBClient });
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
  expect((await resume(second, { client })).steps.at(-1)?.count).toMatchObject({ matched: 3, failed: 0 });
});
