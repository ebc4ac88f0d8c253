import { tableDefinitions } from '@singlet/model';
import { epochSecondsOf, ManualClock } from '../clock.ts';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { sessionStore } from './model.ts';
import { sampleSessions, seedSessions } from './seed.ts';
import { SessionStore } from './session-store.ts';

const TABLE_NAME = 'SessionStore';
const SESSIONS_OF_ONE = 3;
/** The sample's present time. Its table has no time to live, so that no session disappears while others are counted. */
const clock = new ManualClock('2026-01-05T12:00:00Z');

/** A call of each access pattern of the session store. */
export const sessionStoreCalls: MeasuredSystem = {
  model: sessionStore,
  scales: { usual: 10, full: 20 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(sessionStore)[0], TableName: TABLE_NAME });
    await seedSessions({ client, tableName: TABLE_NAME, scale, atEpochSeconds: epochSecondsOf(clock), onItems });
  },
  open: ({ client, scale, random }) => {
    const store = new SessionStore({ client, clock });
    const sample = [...sampleSessions(scale, epochSecondsOf(clock))];
    // One person is signed in on very many devices. Their list grows with the scale.
    const [{ username: busiest } = { username: '' }] = sample;
    const people = [...new Set(sample.map(({ username }) => username))].filter((username) => username !== busiest);
    const newName = newNames('newcomer');
    return {
      'SS-01': given(newName, (username) => store.createSession(username)),
      'SS-02': given(
        () => anyOf(random, sample),
        ({ token }) => store.findSession(token),
      ),
      'SS-04': given(
        async () => {
          const username = newName();
          for (let begun = 0; begun < SESSIONS_OF_ONE; begun += 1) await store.createSession(username);
          return username;
        },
        (username) => store.deleteSessionsOf(username),
      ),
      'SS-05': given(
        () => store.createSession(newName()),
        ({ token }) => store.deleteSession(token),
      ),
      'SS-06': given(
        () => anyOf(random, people),
        (username) => store.listTokensOf(username),
      ),
    };
  },
  unmeasured: {
    'SS-03': 'the service deletes what has expired; the rest of it is a scan, once, over a table from before',
  },
};
