import { load, type LoadOptions } from '@singlet/model/samples';
import { isoSeconds } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import type { StoredSession } from './session-store.ts';
import { SESSION_LIFETIME_SECONDS } from './session-store.ts';
import { sessionStore } from './model.ts';

/** With a scale of 1. One of them is signed in on very many devices. */
const PEOPLE = 1000;
const DEVICES_MAX = 5;
const MANY_SESSIONS = 3000;

/**
 * Fills a table with sessions as stored on a given day: started within the last week, one to five for most people,
 * 3,000 for the first of them. The same every time.
 *
 * @param options.scale - 1 is about 6,000 sessions.
 * @param options.atEpochSeconds - the time of the sample.
 * @returns how many sessions were written.
 */
export async function seedSessions({
  client,
  tableName,
  scale,
  atEpochSeconds,
  onItems,
}: Pick<LoadOptions, 'client' | 'onItems'> & {
  readonly tableName: string;
  readonly scale: number;
  readonly atEpochSeconds: number;
}): Promise<number> {
  const sessions = sampleSessions(scale, atEpochSeconds);
  const tables = { SessionStore: tableName };
  return await load(sessionStore, 'Session', sessions, { client, tables, ...(onItems !== undefined && { onItems }) });
}

/** The sessions of one person after another. */
export function* sampleSessions(scale: number, atEpochSeconds: number): Generator<StoredSession> {
  const random = new SeededRandom(1);
  for (let person = 0; person < Math.ceil(PEOPLE * scale); person += 1) {
    const sessions = person === 0 ? Math.ceil(MANY_SESSIONS * scale) : random.integer(1, DEVICES_MAX);
    for (let session = 0; session < sessions; session += 1) {
      const startsAt = atEpochSeconds - random.integer(1, SESSION_LIFETIME_SECONDS - 1);
      const ttl = startsAt + SESSION_LIFETIME_SECONDS;
      yield {
        token: uuidOf(person, session, random),
        username: `user${String(person).padStart(6, '0')}`,
        createdAt: isoSeconds(startsAt),
        expiresAt: isoSeconds(ttl),
        ttl,
      };
    }
  }
}

/** A version 4 UUID that is the same every time, and different for each session. */
function uuidOf(person: number, session: number, random: SeededRandom): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const drawn = hex(random.integer(0, 0xfff_ffff), 7);
  return `${hex(person, 8)}-${hex(session, 4)}-4${drawn.slice(0, 3)}-8${drawn.slice(3, 6)}-${hex(random.integer(0, 0xffff_ffff), 12)}`;
}
