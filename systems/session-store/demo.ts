import { ManualClock } from '../clock.ts';
import type { Demo, Stage } from '../demo/demo.ts';
import type { ScheduledEvent } from '../demo/schedule.ts';
import { playEvents } from '../demo/schedule.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { tableOf } from '../testing/model-tables.ts';
import { sessionStore } from './model.ts';
import { SessionStore } from './session-store.ts';

const STARTS_AT = '2026-11-02T00:00:00Z';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 10;
const REQUESTS_PER_SESSION = 4;
const SEED = 7;

interface Tally {
  loggedIn: number;
  accepted: number;
  refused: number;
  loggedOut: number;
  suspicions: number;
  revoked: number;
}

interface Person {
  readonly username: string;
}

/** Ten days of users who log in, are recognised, log out and end the sessions of all their devices. */
export function sessionStoreDemo(options: { readonly logins: number }): Demo {
  return {
    title: 'Session store: ten days of log-ins',
    table: tableOf(sessionStore),
    patterns: [
      { id: 'SS-01', title: 'Create session' },
      { id: 'SS-02', title: 'Get session' },
      { id: 'SS-03', title: 'Delete by time (TTL, not a request)' },
      { id: 'SS-04', title: 'Delete all sessions of a user' },
      { id: 'SS-05', title: 'Log out one device' },
      { id: 'SS-06', title: 'List tokens of a user' },
    ],
    play: async (stage) => {
      await play(stage, options.logins);
    },
  };
}

async function play(stage: Stage, logins: number): Promise<void> {
  const { terminal } = stage;
  const clock = new ManualClock(STARTS_AT);
  const store = new SessionStore({ client: stage.client, tableName: stage.tableName, clock });
  const random = new SeededRandom(SEED);
  const people: Person[] = Array.from({ length: Math.ceil(logins / 8) }, (_, number) => ({
    username: `user${String(number + 1).padStart(4, '0')}`,
  }));
  const tally: Tally = { loggedIn: 0, accepted: 0, refused: 0, loggedOut: 0, suspicions: 0, revoked: 0 };
  const events: ScheduledEvent[] = [];
  for (let login = 0; login < logins; login += 1) {
    const person = people[Math.floor(random.fraction() ** 2 * people.length)];
    if (person) {
      events.push(...sessionLife({ store, person, random, tally }));
    }
  }
  for (const person of people.filter(() => random.chance(0.05))) {
    events.push(suspicion({ store, person, random, tally }));
  }

  terminal.line(`${people.length} people log in ${logins} times; a session lives for seven days.`);
  await playEvents(events, { ...stage, clock });
  terminal.line();
  terminal.line(`${tally.loggedIn} log-ins, ${tally.loggedOut} log-outs.`);
  terminal.line(
    `${tally.accepted} requests were recognised, ${tally.refused} were not: logged out, revoked or expired.`,
  );
  terminal.line(`${tally.suspicions} people were thrown out of ${tally.revoked} sessions after a suspicion.`);
}

/** A log-in, requests with its token over the days that follow, sometimes past its end, and perhaps a log-out. */
function sessionLife(setting: {
  readonly store: SessionStore;
  readonly person: Person;
  readonly random: SeededRandom;
  readonly tally: Tally;
}): readonly ScheduledEvent[] {
  const { store, person, random, tally } = setting;
  const startsAtMs = Date.parse(STARTS_AT) + Math.floor(random.fraction() * DAYS * DAY_MS);
  let token = '';
  const login: ScheduledEvent = {
    atMs: startsAtMs,
    patternId: 'SS-01',
    person,
    act: async () => {
      ({ token } = await store.createSession(person.username));
      tally.loggedIn += 1;
    },
  };
  const uses = Array.from({ length: REQUESTS_PER_SESSION }, (): ScheduledEvent => {
    // Most uses follow soon. One in ten comes at any time, even on the eighth day.
    const delayMs = random.chance(0.9) ? random.fraction() * 12 * HOUR_MS : random.fraction() * 8 * DAY_MS;
    return {
      atMs: startsAtMs + 1000 + Math.floor(delayMs),
      patternId: 'SS-02',
      person,
      act: async () => {
        const session = await store.findSession(token);
        tally[session ? 'accepted' : 'refused'] += 1;
      },
    };
  });
  const logout: ScheduledEvent = {
    atMs: startsAtMs + 13 * HOUR_MS,
    patternId: 'SS-05',
    person,
    act: async () => {
      await store.deleteSession(token);
      tally.loggedOut += 1;
    },
  };
  const overview: ScheduledEvent = {
    atMs: startsAtMs + HOUR_MS,
    patternId: 'SS-06',
    person,
    act: async () => await store.listTokensOf(person.username),
  };
  return [login, ...uses, ...(random.chance(0.2) ? [logout] : []), ...(random.chance(0.1) ? [overview] : [])];
}

function suspicion(setting: {
  readonly store: SessionStore;
  readonly person: Person;
  readonly random: SeededRandom;
  readonly tally: Tally;
}): ScheduledEvent {
  const { store, person, random, tally } = setting;
  return {
    atMs: Date.parse(STARTS_AT) + random.integer(5, DAYS) * DAY_MS,
    patternId: 'SS-04',
    person,
    act: async () => {
      const revoked = await store.deleteSessionsOf(person.username);
      tally.suspicions += 1;
      tally.revoked += revoked;
    },
  };
}
