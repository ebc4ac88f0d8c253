import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { drawn } from '../testing/drawn.ts';
import { createModelTable } from '../testing/model-tables.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { RevocationUnfinishedError, TokenTakenError } from './errors.ts';
import { sessionStore } from './model.ts';
import { seedSessions } from './seed.ts';
import type { SessionStoreOptions } from './session-store.ts';
import { SessionStore } from './session-store.ts';

const ALEX_LAPTOP = {
  SessionToken: '0bc6bdf8-6dac-4212-b11a-81f784297c78',
  Username: 'alexdebrie',
  CreatedAt: '2020-02-01T15:55:34Z',
  ExpiresAt: '2020-02-08T15:55:34Z',
  TTL: 1_581_177_334,
};
const JUSTIN = {
  SessionToken: '70617849-37d3-45c4-8bb8-ab0072d30bb9',
  Username: 'justinbieber',
  CreatedAt: '2020-02-03T22:05:17Z',
  ExpiresAt: '2020-02-10T22:05:17Z',
  TTL: 1_581_372_317,
};
const LUCY = {
  SessionToken: '396fa43d-eaf8-4819-b2c5-4efe82f978ba',
  Username: 'lucyricardo',
  CreatedAt: '2020-02-05T09:08:11Z',
  ExpiresAt: '2020-02-12T09:08:11Z',
  TTL: 1_581_498_491,
};
const ALEX_PHONE = {
  SessionToken: 'cf9eb31f-56c3-4f17-b4ad-84dfe9a490e1',
  Username: 'alexdebrie',
  CreatedAt: '2020-02-06T17:09:41Z',
  ExpiresAt: '2020-02-13T17:09:41Z',
  TTL: 1_581_613_781,
};
const FIXTURE = [ALEX_LAPTOP, JUSTIN, LUCY, ALEX_PHONE];

const OTHER_TOKEN = '7d7fbd3c-1f4f-4c51-a8f5-6f4ee76ab0b3';
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Draws the given tokens in turn. */
function drawing(...tokens: string[]): () => string {
  return () => {
    const token = tokens.shift();
    expect(token, 'a token to draw').toBeDefined();
    return token!;
  };
}

function bySessionToken(items: readonly RawItem[]): RawItem[] {
  return items.toSorted((left, right) => (String(left['SessionToken']) < String(right['SessionToken']) ? -1 : 1));
}

test('the charts of the README are those of the model', async () => {
  await expectChartsInReadme(import.meta.url, sessionStore);
});

describe.each(drawn('session store', twoDatabases))('session store, $name', (database) => {
  const workbench = useWorkbench(database);

  async function open(
    items: readonly RawItem[] = FIXTURE,
    options: Partial<SessionStoreOptions> = {},
  ): Promise<{ table: RawTable; clock: ManualClock; store: SessionStore }> {
    const table = await createModelTable(workbench(), sessionStore);
    await table.putAll(items);
    const clock = new ManualClock('2020-02-07T00:00:00Z');
    const store = new SessionStore({ client: workbench().client, tableName: table.name, clock, ...options });
    return { table, clock, store };
  }

  const openEmpty = async (options: Partial<SessionStoreOptions> = {}) => await open([], options);

  test('SS-01: a session whose answer does not arrive is not left behind, and one that is there already is the answer', async () => {
    const client = workbench().newClient();
    let isLost = true;
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const result = await next(args);
          if (isLost && commandName === 'PutItemCommand') throw new TypeError('the answer was lost');
          return result;
        },
      { step: 'initialize' },
    );
    const { table, store } = await open([], { client, newToken: () => OTHER_TOKEN });
    await expect(store.createSession('alexdebrie')).rejects.toThrow('the answer was lost');
    expect(await table.scan()).toEqual([]);

    // The client sends a request again whose answer was lost, and is told that the token is taken: by this session.
    isLost = false;
    const first = await store.createSession('alexdebrie');
    expect(await store.createSession('alexdebrie')).toEqual(first);
    expect(await table.scan()).toHaveLength(1);
  });

  describe('SS-01: create session', () => {
    test('SS check 1: TTL and the two texts name the same instants', async () => {
      const { table, clock, store } = await openEmpty({ newToken: drawing(ALEX_LAPTOP.SessionToken) });
      clock.setToMs(Date.parse('2020-02-01T15:55:34Z'));

      expect(await store.createSession('alexdebrie')).toEqual({
        token: ALEX_LAPTOP.SessionToken,
        username: 'alexdebrie',
        createdAt: new Date('2020-02-01T15:55:34Z'),
        expiresAt: new Date('2020-02-08T15:55:34Z'),
      });
      expect(await table.scan()).toEqual([ALEX_LAPTOP]);
    });

    test('SS-01: a token is a new version 4 UUID each time', async () => {
      const { store } = await openEmpty();
      const tokens = [
        (await store.createSession('lucyricardo')).token,
        (await store.createSession('lucyricardo')).token,
      ];
      expect(tokens[0]).toMatch(UUID_V4);
      expect(tokens[1]).toMatch(UUID_V4);
      expect(tokens[0]).not.toBe(tokens[1]);
    });

    test('SS-01: within a second, all three times are of the second', async () => {
      const { table, clock, store } = await openEmpty({ newToken: drawing(ALEX_LAPTOP.SessionToken) });
      clock.setToMs(Date.parse('2020-02-01T15:55:34.999Z'));
      await store.createSession('alexdebrie');
      expect(await table.scan()).toEqual([ALEX_LAPTOP]);
    });

    test('SS check 2: a taken token is refused and the session it belongs to is unchanged', async () => {
      const newToken = drawing(ALEX_LAPTOP.SessionToken);
      const { table, store } = await open(FIXTURE, { newToken, tokenAttemptsMax: 1 });

      const refusal = await store.createSession('mallory').catch((error: unknown) => error);

      expect(refusal).toBeInstanceOf(TokenTakenError);
      expect((refusal as TokenTakenError).cause).toMatchObject({ name: 'ConditionalCheckFailedException' });
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken(FIXTURE));
    });

    test('SS check 2: with retry, the session gets the second token drawn', async () => {
      const newToken = drawing(ALEX_LAPTOP.SessionToken, OTHER_TOKEN);
      const { table, store } = await open(FIXTURE, { newToken });

      expect((await store.createSession('mallory')).token).toBe(OTHER_TOKEN);
      expect(await table.get({ SessionToken: OTHER_TOKEN })).toMatchObject({ Username: 'mallory' });
      expect(await table.get({ SessionToken: ALEX_LAPTOP.SessionToken })).toEqual(ALEX_LAPTOP);
    });

    test('SS-01: gives up after three taken tokens', async () => {
      const taken = [JUSTIN.SessionToken, LUCY.SessionToken, ALEX_PHONE.SessionToken];
      const { table, store } = await open(FIXTURE, { newToken: drawing(...taken, OTHER_TOKEN) });
      await expect(store.createSession('mallory')).rejects.toThrow(TokenTakenError);
      expect(await table.scan()).toHaveLength(4);
    });

    test('SS-01: of many clients that draw one token at once, one gets it', async () => {
      const { table, clock } = await openEmpty();
      const usernames = Array.from({ length: 10 }, (_, number) => `user${number}`);
      const outcomes = await Promise.allSettled(
        usernames.map(async (username) => {
          const client = workbench().newClient();
          const options = { tableName: table.name, clock, newToken: () => OTHER_TOKEN, tokenAttemptsMax: 1 };
          return await new SessionStore({ client, ...options }).createSession(username);
        }),
      );
      const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.username] : []));
      expect(winners).toHaveLength(1);
      expect(await table.scan()).toEqual([expect.objectContaining({ Username: winners[0] })]);
      for (const outcome of outcomes) {
        expect(outcome.status === 'fulfilled' || outcome.reason instanceof TokenTakenError).toBe(true);
      }
    });

    test('SS-01: refuses an empty username before sending anything', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { store } = await openEmpty({ client });
      await expect(store.createSession('')).rejects.toMatchObject({ code: 'invalid-input', field: 'username' });
      expect(operations).toEqual([]);
    });
  });

  describe('SS-02: get session', () => {
    test('SS check 3: a session ends in the second its TTL names, still stored or not', async () => {
      const { table, clock, store } = await open();
      const token = ALEX_LAPTOP.SessionToken;

      clock.setToEpochSeconds(1_581_177_333);
      expect(await store.findSession(token)).toMatchObject({ token, username: 'alexdebrie' });
      clock.setToEpochSeconds(1_581_177_334);
      expect(await store.findSession(token)).toBeUndefined();
      clock.setToEpochSeconds(1_581_177_335);
      expect(await store.findSession(token)).toBeUndefined();

      expect(await table.get({ SessionToken: token })).toEqual(ALEX_LAPTOP);
    });

    test('SS check 4: an unknown token is nothing', async () => {
      const { store } = await open();
      expect(await store.findSession(OTHER_TOKEN)).toBeUndefined();
      expect(await store.findSession('')).toBeUndefined();
    });

    test('SS check 5: a live session is returned: the filter keeps what has not expired, and only that', async () => {
      const { clock, store } = await open();
      clock.setToMs(Date.parse('2020-02-09T00:00:00Z'));
      expect(await store.findSession(ALEX_LAPTOP.SessionToken)).toBeUndefined();
      expect(await store.findSession(ALEX_PHONE.SessionToken)).toEqual({
        token: ALEX_PHONE.SessionToken,
        username: 'alexdebrie',
        createdAt: new Date('2020-02-06T17:09:41Z'),
        expiresAt: new Date('2020-02-13T17:09:41Z'),
      });
    });

    test('SS-02: is one strongly consistent Query', async () => {
      const { client, requests } = workbench().newLoggedClient();
      const { store } = await open(FIXTURE, { client });
      await store.findSession(JUSTIN.SessionToken);
      expect(requests).toMatchObject([{ operation: 'Query', input: { ConsistentRead: true } }]);
    });

    test('SS-02: a token works right after log-in', async () => {
      const { store } = await openEmpty();
      const session = await store.createSession('lucyricardo');
      expect(await store.findSession(session.token)).toEqual(session);
    });
  });

  describe('SS-03: deletion by time', () => {
    test('SS-03: what has expired is hidden from the read while it is still stored and indexed', async () => {
      const { table, clock, store } = await open();
      clock.setToEpochSeconds(1_581_400_000);
      const live = await Promise.all(FIXTURE.map(async (item) => await store.findSession(item.SessionToken)));
      expect(live.map((session) => session?.token)).toEqual([
        undefined,
        undefined,
        LUCY.SessionToken,
        ALEX_PHONE.SessionToken,
      ]);
      expect(await table.scan()).toHaveLength(4);
      expect(await store.listTokensOf('justinbieber')).toEqual([JUSTIN.SessionToken]);
    });

    test('SS check 11: TTL is written as a number of seconds', async () => {
      const { table, store } = await openEmpty();
      const { token, expiresAt } = await store.createSession('lucyricardo');
      const stored = await table.get({ SessionToken: token });
      expect(stored?.['TTL']).toBe(expiresAt.getTime() / 1000);
      expect(stored?.['TTL']).toBeLessThan(10 ** 11);
      expect(Number.isInteger(stored?.['TTL'])).toBe(true);
    });

    test('SS check 11: a TTL that is text never authenticates', async () => {
      const { store } = await open([{ ...LUCY, TTL: String(LUCY.TTL) }]);
      expect(await store.findSession(LUCY.SessionToken)).toBeUndefined();
    });
  });

  describe.runIf(database.isTimeOurs)('SS-03: deletion by time, as the database sees it', () => {
    const clock = new ManualClock('2020-02-07T00:00:00Z');
    const timed = useWorkbench({ ...database, open: async () => await database.open({ clock }) });

    async function openTimed(
      items: readonly RawItem[],
    ): Promise<{ readonly table: RawTable; readonly store: SessionStore }> {
      const table = await createModelTable(timed(), sessionStore);
      await table.putAll(items);
      return { table, store: new SessionStore({ client: timed().client, tableName: table.name, clock }) };
    }

    test('SS check 6: the sweep takes what has expired from the table and from UserIndex, and nothing else', async () => {
      clock.setToMs(Date.parse('2020-02-07T00:00:00Z'));
      const { table, store } = await openTimed(FIXTURE);
      expect(await timed().sweepExpiredItems()).toBe(0);

      clock.setToEpochSeconds(1_581_400_000);
      expect(await store.findSession(JUSTIN.SessionToken)).toBeUndefined();
      expect(await table.get({ SessionToken: JUSTIN.SessionToken })).toEqual(JUSTIN);
      expect(await timed().sweepExpiredItems()).toBe(2);

      expect(bySessionToken(await table.scan())).toEqual(bySessionToken([LUCY, ALEX_PHONE]));
      expect(bySessionToken(await table.scan('UserIndex'))).toEqual(
        bySessionToken([LUCY, ALEX_PHONE].map(({ Username, SessionToken }) => ({ Username, SessionToken }))),
      );
      expect(await store.listTokensOf('alexdebrie')).toEqual([ALEX_PHONE.SessionToken]);
      expect(await store.findSession(LUCY.SessionToken)).toMatchObject({ username: 'lucyricardo' });
      await store.deleteSessionsOf('alexdebrie');
      await store.deleteSessionsOf('lucyricardo');
    });

    test('SS check 6: a session is still stored in the second its TTL names, and gone after the sweep of the next', async () => {
      const { table } = await openTimed([ALEX_LAPTOP]);
      clock.setToEpochSeconds(ALEX_LAPTOP.TTL);
      expect(await timed().sweepExpiredItems()).toBe(0);
      clock.setToEpochSeconds(ALEX_LAPTOP.TTL + 1);
      expect(await timed().sweepExpiredItems()).toBe(1);
      expect(await table.scan()).toEqual([]);
    });

    test('SS check 11: a TTL that is text, or in milliseconds, is never swept', async () => {
      const wrong = [
        { ...LUCY, TTL: String(LUCY.TTL) },
        { ...JUSTIN, TTL: JUSTIN.TTL * 1000 },
      ];
      const { table } = await openTimed([...wrong, ALEX_LAPTOP]);
      clock.setToMs(Date.parse('2021-01-01T00:00:00Z'));
      expect(await timed().sweepExpiredItems()).toBe(1);
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken(wrong));
    });
  });

  describe('SS-04: delete all sessions of a user', () => {
    test('SS check 8: ends the sessions of the user and of no other', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, store } = await open(FIXTURE, { client });

      expect(await store.deleteSessionsOf('alexdebrie')).toBe(2);
      expect(operations).toEqual(['Query', 'DeleteItem', 'DeleteItem', 'Query']);
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken([JUSTIN, LUCY]));
      expect(await store.findSession(ALEX_PHONE.SessionToken)).toBeUndefined();

      expect(await store.deleteSessionsOf('alexdebrie')).toBe(0);
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken([JUSTIN, LUCY]));
    });

    test('SS check 9: follows the pages of the index', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const sessions = Array.from({ length: 3000 }, (_, number) => ({
        ...LUCY,
        SessionToken: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      }));
      const { table, store } = await open([...sessions, JUSTIN], { client, indexPageSize: 100 });

      expect(await store.deleteSessionsOf('lucyricardo')).toBe(3000);
      expect(await table.scan()).toEqual([JUSTIN]);
      expect(operations.filter((operation) => operation === 'Query').length).toBeGreaterThanOrEqual(31);
    });

    test('SS check 10: an unknown user has no sessions', async () => {
      const { table, store } = await open();
      expect(await store.deleteSessionsOf('absent')).toBe(0);
      expect(await store.deleteSessionsOf('')).toBe(0);
      expect(await table.scan()).toHaveLength(4);
    });

    test('SS-04: expired sessions that are still stored go too', async () => {
      const { table, clock, store } = await open();
      clock.setToMs(Date.parse('2020-03-01T00:00:00Z'));
      expect(await store.deleteSessionsOf('alexdebrie')).toBe(2);
      expect(await table.scan()).toHaveLength(2);
    });

    test('SS-04: an interrupted run is finished by the next', async () => {
      const sessions = Array.from({ length: 60 }, (_, number) => ({ ...LUCY, SessionToken: `token-${number}` }));
      const { table, clock, store } = await open(sessions);
      const client = workbench().newBreakingClient({ operation: 'DeleteItem', requestsMax: 25 });
      const interrupted = new SessionStore({ client, tableName: table.name, clock });

      await expect(interrupted.deleteSessionsOf('lucyricardo')).rejects.toMatchObject({ name: 'ConnectionLostError' });
      expect(await table.scan()).toHaveLength(35);
      expect(await store.deleteSessionsOf('lucyricardo')).toBe(35);
      expect(await table.scan()).toEqual([]);
    });

    test('SS-04: two administrators revoking at once both succeed', async () => {
      const sessions = Array.from({ length: 40 }, (_, number) => ({ ...LUCY, SessionToken: `token-${number}` }));
      const { table, clock, store } = await open(sessions, { indexPageSize: 7 });
      const client = workbench().newClient();
      const other = new SessionStore({ client, tableName: table.name, clock, indexPageSize: 11 });
      await Promise.all([store.deleteSessionsOf('lucyricardo'), other.deleteSessionsOf('lucyricardo')]);
      expect(await table.scan()).toEqual([]);
    });

    test('SS-04: an index that never empties is reported, and what was deleted is not counted twice', async () => {
      // An index that never catches up: every query gets the first one's answer.
      const client = workbench().newClient();
      let listed: unknown;
      client.middlewareStack.add(
        (next, context) => async (args) => {
          const result = await next(args);
          if (context.commandName === 'QueryCommand') {
            listed ??= result.output;
            return { ...result, output: listed as typeof result.output };
          }
          return result;
        },
        { step: 'initialize', name: 'staleIndex' },
      );
      const pausesMs: number[] = [];
      const pause = async (delayMs: number): Promise<void> => {
        pausesMs.push(delayMs);
        await Promise.resolve();
      };
      const { table, store } = await open(FIXTURE, { client, pause });
      await expect(store.deleteSessionsOf('alexdebrie')).rejects.toThrow(RevocationUnfinishedError);
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken([JUSTIN, LUCY]));
      expect(pausesMs).toHaveLength(19);
      expect(Math.max(...pausesMs)).toBe(1000);
    });
  });

  describe('SS-05: log out one device', () => {
    test('SS-05: ends that session only, in one request, as often as one likes', async () => {
      const { client, operations } = workbench().newLoggedClient();
      const { table, store } = await open(FIXTURE, { client });
      await store.deleteSession(ALEX_LAPTOP.SessionToken);
      await store.deleteSession(ALEX_LAPTOP.SessionToken);
      await store.deleteSession('');
      expect(operations).toEqual(['DeleteItem', 'DeleteItem']);
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken([JUSTIN, LUCY, ALEX_PHONE]));
      expect(await store.listTokensOf('alexdebrie')).toEqual([ALEX_PHONE.SessionToken]);
    });
  });

  describe('SS-06: list a user’s session tokens', () => {
    test('SS-06: lists the tokens of the user, over any number of pages', async () => {
      const { store } = await open(FIXTURE, { indexPageSize: 1 });
      expect((await store.listTokensOf('alexdebrie')).toSorted()).toEqual([
        ALEX_LAPTOP.SessionToken,
        ALEX_PHONE.SessionToken,
      ]);
      expect(await store.listTokensOf('absent')).toEqual([]);
    });

    test('SS check 7: an index entry holds Username and SessionToken and nothing else', async () => {
      const { table } = await open();
      const entries = await table.queryIndex({
        indexName: 'UserIndex',
        attributeName: 'Username',
        value: 'alexdebrie',
      });
      expect(bySessionToken(entries)).toEqual([
        { Username: 'alexdebrie', SessionToken: ALEX_LAPTOP.SessionToken },
        { Username: 'alexdebrie', SessionToken: ALEX_PHONE.SessionToken },
      ]);
    });
  });

  describe('sample data', () => {
    test('is there at any scale, the same each time, and as the application writes it', async () => {
      const { client } = workbench();
      const atEpochSeconds = Date.parse('2020-02-07T00:00:00Z') / 1000;
      const tables: RawItem[][] = [];
      for (let time = 0; time < 2; time += 1) {
        const { table, store } = await openEmpty();
        const written = await seedSessions({ client, tableName: table.name, scale: 0.02, atEpochSeconds });
        const items = bySessionToken(await table.scan());
        expect(items).toHaveLength(written);
        expect(await store.listTokensOf('user000000')).toHaveLength(60);
        expect(await store.findSession(String(items[0]?.['SessionToken']))).toMatchObject({ username: 'user000000' });
        tables.push(items);
      }
      expect(tables[0]).toEqual(tables[1]);
    });
  });

  describe('adding TTL to items from before it existed', () => {
    test('computes it from ExpiresAt, once', async () => {
      const withoutTtl = FIXTURE.map((item) => ({ ...item, TTL: undefined }));
      const { table, store } = await open([...withoutTtl.slice(0, 3), ALEX_PHONE]);
      expect(await store.addMissingTtl()).toBe(3);
      expect(bySessionToken(await table.scan())).toEqual(bySessionToken(FIXTURE));
      expect(await store.addMissingTtl()).toBe(0);
    });
  });
});
