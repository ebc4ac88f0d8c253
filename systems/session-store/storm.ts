/** The session store in a storm: its retry code meets lost answers, throttling and lagging indexes. */
import { expect } from 'vitest';
import type { StormStory } from '../testing/storm.ts';
import { sessionStore } from './model.ts';
import { SessionStore } from './session-store.ts';

const SIGN_INS = 75;

export const story: StormStory = {
  model: sessionStore,
  invariant: 'every stored session belongs to a caller',
  weather: { lostAnswerRate: 0.25 },
  play: async (storm) => {
    const { client, clock } = storm;
    const store = new SessionStore({ client, clock });
    const handedOut = new Set<string>();
    await storm.callers(SIGN_INS, async (number) => {
      // A caller without an answer has no token, and signs in again.
      await storm.attempt(async () => handedOut.add((await store.createSession(`user${number % 4}`)).token));
    });
    await storm.over();

    const items = await storm.table('SessionStore').scan();
    const stored = new Set(items.map(({ SessionToken }) => String(SessionToken)));
    expect([...stored].filter((token) => !handedOut.has(token))).toEqual([]);
    expect([...handedOut].filter((token) => !stored.has(token))).toEqual([]);
    expect(stored.size).toBeGreaterThan(10);
    expect(await store.deleteSessionsOf('user1')).toBeGreaterThan(0);
    expect(await store.listTokensOf('user1')).toEqual([]);
  },
};
