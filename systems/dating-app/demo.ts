import assert from 'node:assert/strict';
import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { Demo, Stage } from '../demo/demo.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { Dating } from './dating.ts';
import { datingApp } from './model.ts';
import { seedDating } from './seed.ts';

const NOW = '2026-11-02T18:00:00Z';

export interface DatingAppDemoOptions {
  /** The scale of the existing users: 1 is 100,000. */
  readonly scale?: number;
  readonly likes?: number;
}

/** An evening of likes, and the sweep of stale matches in the night. */
export function datingAppDemo({ scale = 0.002, likes = 400 }: DatingAppDemoOptions = {}): Demo {
  const [table] = tableDefinitions(datingApp);
  assert(table !== undefined, 'the model has a table');
  return {
    title: 'Dating app: an evening of likes, and the sweep after it',
    table,
    patterns: [
      { id: 'DA-1', title: 'Matches of a user' },
      { id: 'DA-2', title: 'Who likes a user' },
      { id: 'DA-3', title: 'Stale matches' },
      { id: 'DA-4', title: 'Likes of a user' },
      { id: 'DA-5', title: 'Does one like the other' },
      { id: 'DA-6', title: 'Match' },
      { id: 'DA-7', title: 'Match of a pair' },
      { id: 'DA-8', title: 'Likes that were not returned' },
      { id: 'DA-9', title: 'Newest matches' },
      { id: 'DA-W3', title: 'Like, of either kind' },
      { id: 'DA-W4', title: 'See a match' },
      { id: 'DA-W5', title: 'Take a like back' },
      { id: 'DA-W6', title: 'Unmatch' },
      { id: 'DA-W7', title: 'Sweep stale matches' },
    ],
    play: async (stage) => {
      await play(stage, scale, likes);
    },
  };
}

async function play(
  { terminal, client, tableName, ledger, signal }: Stage,
  scale: number,
  likes: number,
): Promise<void> {
  const clock = new ManualClock(NOW);
  let ids = 0;
  const dating = new Dating({ client, tableName, clock, newId: () => `new${(ids += 1)}` });
  const { db } = dating;
  const seeded = await seedDating(dating, NOW, scale);
  terminal.line(
    `${seeded.users} users have given ${seeded.likes} likes; ${seeded.matches} pairs have found each other.`,
  );

  const random = new SeededRandom(5);
  const anybody = (): string => `u${random.integer(1, seeded.users)}`;
  const tally = { liked: 0, matched: 0, 'already-liked': 0, 'already-matched': 0, seen: 0, unliked: 0, unmatched: 0 };
  const progress = terminal.progress(likes);
  try {
    for (let count = 0; count < likes; count += 1) {
      signal.throwIfAborted();
      clock.setToMs(clock.nowMs() + 20_000);
      await visit(anybody());
      progress.step(new Date(clock.nowMs()).toISOString().slice(11, 19));
    }
  } finally {
    progress.finish();
  }
  terminal.line();
  terminal.line(`${tally.liked} likes and ${tally.matched} new matches; ${tally.seen} matches were looked at.`);
  terminal.line(`${tally.unliked} likes were taken back, ${tally.unmatched} matches undone.`);
  await ledger.during('DA-3', async () => await db.staleMatches({ lastSeenAt: { before: '2026-10-03T00:00:00Z' } }));
  const swept = await ledger.during('DA-W7', async () => await dating.sweep());
  const again = await ledger.during('DA-W7', async () => await dating.sweep());
  terminal.line(
    `The sweep expires ${swept.expired} matches that were not seen for 30 days; a second one ${again.expired}.`,
  );

  async function visit(user: string): Promise<void> {
    const { items: waiting } = await ledger.during('DA-8', async () => await dating.likesYou(user));
    const other = waiting.find(({ liker }) => liker !== user && random.chance(0.3))?.liker ?? anybody();
    if (other === user) return;
    tally[await ledger.during('DA-W3', async () => await dating.give(user, other))] += 1;
    await ledger.during('DA-9', async () => await db.newestMatchesOf({ user: `user:${user}` }));
    const { items: matches } = await ledger.during('DA-1', async () => await db.matchesOf({ user: `user:${user}` }));
    const [match] = matches;
    if (match !== undefined) {
      await ledger.during('DA-W4', async () => await dating.see(match.matchId, user));
      await ledger.during('DA-6', async () => await db.match({ matchId: match.matchId }));
      tally.seen += 1;
    }
    if (!random.chance(0.1)) return;
    await ledger.during('DA-2', async () => await db.likesReceived({ liked: user }));
    const { items: given } = await ledger.during('DA-4', async () => await db.likesGiven({ liker: user }));
    await ledger.during('DA-5', async () => await dating.likes(other, user));
    await ledger.during('DA-7', async () => await dating.matchOf(user, other));
    const regretted = given[0]?.liked;
    if (regretted === undefined) return;
    const wasMatched = (await dating.matchOf(user, regretted)) !== undefined;
    tally[await ledger.during(wasMatched ? 'DA-W6' : 'DA-W5', async () => await dating.unlike(user, regretted))] += 1;
  }
}
