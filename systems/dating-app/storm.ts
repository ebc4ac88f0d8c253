/** The dating app in a storm: a match exists exactly once, with both likes and the guard of its pair. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { collect } from '../collect.ts';
import type { StormStory } from '../testing/storm.ts';
import { Dating, pairOf, usersOf } from './dating.ts';
import { datingModel } from './model.ts';

const USERS = ['ann', 'bob', 'cat', 'dan'];

export const story: StormStory = {
  model: datingModel(),
  invariant: 'matches and likes agree',
  play: async (storm) => {
    const dating = new Dating({
      client: storm.client,
      tableName: 'dating-app',
      clock: storm.clock,
      newId: randomUUID,
      pause: async () => undefined,
    });
    await storm.callers(60, async (number) => {
      const [one, other] = [storm.oneOf(USERS), storm.oneOf(USERS)];
      if (one === other) return;
      if (number % 4 === 0) await storm.attempt(async () => dating.unlike(one, other));
      else await storm.insist(async () => dating.give(one, other));
    });
    await storm.over();

    const items = await storm.table('dating-app').scan();
    const matches = items.filter(({ Type }) => Type === 'Match');
    const guards = items.filter(({ Type }) => Type === 'PairGuard');
    expect(guards.map(({ matchId }) => String(matchId)).toSorted()).toEqual(
      matches.map(({ matchId }) => String(matchId)).toSorted(),
    );
    for (const one of USERS) {
      for (const other of USERS.filter((each) => each > one)) {
        const both = (await dating.likes(one, other)) && (await dating.likes(other, one));
        const match = await dating.matchOf(one, other);
        expect([one, other, match !== undefined]).toEqual([one, other, both]);
        if (match !== undefined) expect(pairOf(...usersOf(match))).toEqual({ low: one, high: other });
      }
    }
    const listed = await Promise.all(
      USERS.map(async (user) => await collect(dating.db.matchesOf.each({ user: `user:${user}` }))),
    );
    expect(listed.flat().length).toBe(2 * matches.length);
  },
};
