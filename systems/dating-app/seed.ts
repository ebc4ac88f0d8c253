import { isoSeconds } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { type Dating, pairOf } from './dating.ts';

const NAMES = ['Alex', 'Bo', 'Cris', 'Dana', 'Eli', 'Fran', 'Gale', 'Hao', 'Ira', 'Jo'] as const;
const MATCHES_AT_ONCE = 1000;

export interface SeedCounts {
  readonly users: number;
  readonly likes: number;
  readonly matches: number;
}

/**
 * Writes users with their likes and matches: at scale 1, 100,000 users, each with about 16 likes, and 200,000 matches of which
 * a third is stale at `now`. The same in every run.
 */
export async function seedDating({ db }: Dating, now: string, scale = 1): Promise<SeedCounts> {
  const random = new SeededRandom(3);
  const end = Date.parse(now) / 1000;
  const users = Array.from({ length: Math.max(20, Math.round(100_000 * scale)) }, (_, i) => `u${i + 1}`);
  await db.seedUsers(users.map((userId) => ({ userId, name: random.pick(NAMES) })));
  const wanted = users.length * 2;
  const known = new Set<string>();
  let likes = 0;
  let matches = 0;
  for (let at = 0; at < wanted; at += MATCHES_AT_ONCE) {
    const pairs = newPairs(users, Math.min(MATCHES_AT_ONCE, wanted - at), known, random);
    const made = pairs.map((pair, i) => {
      const matchedAt = end - random.integer(0, 90) * 86_400 - random.integer(0, 86_399);
      return { ...pair, matchId: `m${at + i + 1}`, matchedAt, seenAt: random.integer(matchedAt, end) };
    });
    await db.seedPairs(made.map(({ one, other, matchId }) => ({ ...pairOf(one, other), matchId })));
    await db.seedMatches(
      made.map(({ one, other, matchId, matchedAt, seenAt }) => ({
        matchId,
        user1: `user:${one}`,
        user2: `user:${other}`,
        matchedAt: isoSeconds(matchedAt),
        lastSeenAt: isoSeconds(seenAt),
      })),
    );
    const given = newPairs(users, pairs.length * 6, known, random);
    await db.seedLikes([
      ...made.flatMap(({ one, other, matchedAt }) => [
        { liker: one, liked: other, likedAt: isoSeconds(matchedAt) },
        { liker: other, liked: one, likedAt: isoSeconds(matchedAt - random.integer(0, 86_400)) },
      ]),
      ...given.map(({ one, other }) => ({
        liker: one,
        liked: other,
        likedAt: isoSeconds(end - random.integer(0, 90 * 86_400)),
      })),
    ]);
    matches += made.length;
    likes += 2 * made.length + given.length;
  }
  return { users: users.length, likes, matches };
}

/** New pairs of users: fewer than requested if almost all are used up. */
function newPairs(
  users: readonly string[],
  count: number,
  known: Set<string>,
  random: SeededRandom,
): { readonly one: string; readonly other: string }[] {
  const pairs: { one: string; other: string }[] = [];
  for (let tries = 0; pairs.length < count && tries < count * 4; tries += 1) {
    const one = users[random.integer(0, users.length - 1)] ?? '';
    const other = users[random.integer(0, users.length - 1)] ?? '';
    const { low, high } = pairOf(one, other);
    if (one === other || known.has(`${low} ${high}`)) continue;
    known.add(`${low} ${high}`);
    pairs.push({ one, other });
  }
  return pairs;
}
