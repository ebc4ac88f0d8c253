import { tableDefinitions } from '@singlet/model';
import { isoSeconds, ManualClock } from '../clock.ts';
import { given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { Dating, type Match, pairOf, usersOf } from './dating.ts';
import { datingModel } from './model.ts';
import { seedDating } from './seed.ts';

const TABLE_NAME = 'dating-app';
const NOW = '2026-01-05T12:00:00Z';
const USERS = 100_000;
const STALE_PAGE = 10;
const MONTH_SECONDS = 30 * 86_400;
const clock = new ManualClock(NOW);
const model = datingModel();

/** A call of each access pattern of the dating app. */
export const datingAppCalls: MeasuredSystem = {
  model,
  scales: { usual: 0.05, full: 1 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(model)[0], TableName: TABLE_NAME });
    const dating = new Dating({ client, tableName: TABLE_NAME, clock, newId: newNames('') });
    const { users, likes, matches } = await seedDating(dating, NOW, scale);
    onItems(users + likes + 2 * matches);
  },
  open: ({ client, scale, random }) => {
    const dating = new Dating({ client, tableName: TABLE_NAME, clock, newId: newNames('new-match-') });
    const { db } = dating;
    const users = Math.max(20, Math.round(USERS * scale));
    const user = (): string => `u${random.integer(1, users)}`;
    const anyMatch = async (): Promise<Match> => {
      for (;;) {
        // There are about twice as many matches as users, or a few less.
        const match = await db.match({ matchId: `m${random.integer(1, 2 * users)}` });
        if (match !== undefined) return match;
      }
    };
    const newName = newNames('newcomer-');
    const two = (): { readonly one: string; readonly other: string } => ({ one: newName(), other: newName() });
    const liking = async (): Promise<ReturnType<typeof two>> => {
      const pair = two();
      await dating.give(pair.one, pair.other);
      return pair;
    };
    const matched = async (): Promise<ReturnType<typeof two> & { readonly matchId: string }> => {
      const pair = await liking();
      await dating.give(pair.other, pair.one);
      const match = await dating.matchOf(pair.one, pair.other);
      if (match === undefined) throw new ReferenceError('They have just liked each other');
      return { ...pair, matchId: match.matchId };
    };
    return {
      'DA-1': given(user, (id) => db.matchesOf({ user: `user:${id}` })),
      'DA-2': given(user, (liked) => db.likesReceived({ liked })),
      'DA-3': given(
        () => isoSeconds(Date.parse(NOW) / 1000 - MONTH_SECONDS),
        (before) => db.staleMatches({ lastSeenAt: { before } }, { limit: STALE_PAGE }),
      ),
      'DA-4': given(user, (liker) => db.likesGiven({ liker })),
      'DA-5': given(anyMatch, (match) => dating.likes(...usersOf(match))),
      'DA-6': given(anyMatch, ({ matchId }) => db.match({ matchId })),
      'DA-7': given(anyMatch, (match) => dating.matchOf(...usersOf(match))),
      'DA-8': given(user, (id) => dating.likesYou(id)),
      'DA-9': given(user, (id) => db.newestMatchesOf({ user: `user:${id}` })),
      'DA-W1': given(two, ({ one, other }) =>
        db.likeFirst({ reverse: { liker: other, liked: one }, like: { liker: one, liked: other, likedAt: NOW } }),
      ),
      'DA-W2': given(liking, ({ one, other }) => {
        const match = { user1: `user:${other}`, user2: `user:${one}`, matchedAt: NOW, lastSeenAt: NOW };
        const matchId = `match-of-${one}`;
        return db.likeBack({
          reverse: { liker: one, liked: other },
          like: { liker: other, liked: one, likedAt: NOW },
          pair: { ...pairOf(one, other), matchId },
          match: { matchId, ...match },
        });
      }),
      'DA-W3': given(two, ({ one, other }) => dating.give(one, other)),
      'DA-W4': given(anyMatch, (match) => dating.see(match.matchId, usersOf(match)[0])),
      'DA-W5': given(liking, ({ one, other }) => dating.unlike(one, other)),
      'DA-W6': given(matched, ({ matchId, one, other }) => dating.unmatch(matchId, one, other)),
    };
  },
  unmeasured: { 'DA-W7': 'goes through all that is stale, however much that is' },
};
