import { connect, type Connected, type ConnectOptions, type Cursor, type ItemOf, RuleError } from '@singlet/model';
import { type Clock, epochSecondsOf, isoSeconds } from '../clock.ts';
import { datingModel, type DatingModelOptions } from './model.ts';

type DatingModel = ReturnType<typeof datingModel>;
export type Match = ItemOf<DatingModel['entities']['Match']>;
export type Like = ItemOf<DatingModel['entities']['Like']>;

export interface DatingOptions extends DatingModelOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** The result of a like. */
export type LikeOutcome = 'liked' | 'matched' | 'already-liked' | 'already-matched';

/** The result of a sweep. */
export interface Sweep {
  readonly expired: number;
  readonly kept: number;
  /** Seen meanwhile, gone, or handled by an earlier sweep. */
  readonly passedOver: number;
}

export interface SweepOptions {
  /** Matches last seen before this time are stale: 30 days ago by default. */
  readonly cutoff?: string;
  /** Decides about a stale match, or handles it. `expire` by default. */
  readonly act?: (match: Match) => Promise<'expire' | 'keep'>;
  /** Where an earlier sweep stopped. */
  readonly cursor?: Cursor;
  /** Receives the progress of the sweep after each page: a cursor in every shard. */
  readonly onPage?: (cursor: Cursor | undefined) => void;
}

export type DatingErrorCode = 'oneself' | 'not-liked' | 'busy';

export class DatingError extends Error {
  override readonly name = 'DatingError';
  readonly code: DatingErrorCode;

  constructor(code: DatingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const STALE_SECONDS = 30 * 86_400;
const RETRIES_MAX = 3;
const TRIES_MAX = 5;

/** Likes and matches of users. */
export class Dating {
  readonly db: Connected<DatingModel['entities'], DatingModel['patterns']>;
  readonly #clock: Clock;
  readonly #newId: () => string;

  constructor({ client, tableName, clock, newId, pause, onRequest, ...options }: DatingOptions) {
    this.db = connect(datingModel(options), {
      client,
      tables: { 'dating-app': tableName },
      now: () => clock.nowMs(),
      ...(pause !== undefined && { pause }),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
    this.#newId = newId;
  }

  /**
   * DA-W3. One user likes another. Two users who like each other at the same instant become one match: the transaction of each
   * like checks for the other one.
   *
   * @throws {DatingError} `oneself`; `busy` if the other user's like keeps changing.
   */
  async give(liker: string, liked: string): Promise<LikeOutcome> {
    if (liker === liked) throw new DatingError('oneself', 'Users cannot like themselves');
    let last: unknown;
    for (let attempt = 0; attempt <= RETRIES_MAX; attempt += 1) {
      const [pair, reverse] = await Promise.all([
        this.db.pair(pairOf(liker, liked), { consistent: true }),
        this.db.like({ liker: liked, liked: liker }, { consistent: true }),
      ]);
      if (pair !== undefined) return 'already-matched';
      try {
        return await (reverse?.deleted === false ? this.#likeBack(liker, liked) : this.#likeFirst(liker, liked));
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome !== undefined) return outcome;
        last = error;
      }
    }
    throw new DatingError('busy', `${liked} keeps changing their mind`, { cause: last });
  }

  /** DA-5. */
  async likes(liker: string, liked: string): Promise<boolean> {
    return (await this.db.like({ liker, liked }))?.deleted === false;
  }

  /** DA-7. The match of two users. */
  async matchOf(one: string, other: string): Promise<Match | undefined> {
    const pair = await this.db.pair(pairOf(one, other));
    return pair && (await this.db.match({ matchId: pair.matchId }));
  }

  /** DA-8. A page of the likes that a user has not returned. */
  async likesYou(
    user: string,
    cursor?: Cursor,
  ): Promise<{ readonly items: Like[]; readonly cursor: Cursor | undefined }> {
    const page = await this.db.likesReceived({ liked: user }, { cursor });
    if (page.items.length === 0) return page;
    const returned = await this.db.likesReturned(page.items.map(({ liker }) => ({ liker: user, liked: liker })));
    return { ...page, items: page.items.filter((_, i) => returned[i]?.deleted !== false) };
  }

  /**
   * DA-W4. Records that a user has seen a match. If a later view is recorded already, this does nothing.
   *
   * @throws {RuleError} `condition-failed` if the user is not part of the match; `not-found`.
   */
  async see(matchId: string, user: string): Promise<void> {
    const viewer = `user:${user}`;
    try {
      await this.db.see({ matchId, user: viewer, at: this.#now() });
    } catch (error) {
      const { user1, user2 } = (error instanceof RuleError ? error.item : undefined) ?? {};
      if (user1 !== viewer && user2 !== viewer) throw error;
    }
  }

  /**
   * DA-W5. Takes a like back. If it is part of a match, this undoes the match.
   *
   * @throws {DatingError} `not-liked`
   */
  async unlike(liker: string, liked: string): Promise<'unliked' | 'unmatched'> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      try {
        await this.db.unlike({ pair: pairOf(liker, liked), like: { liker, liked } });
        return 'unliked';
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        if (!error.failures.some(({ part }) => part === 'pair')) {
          throw new DatingError('not-liked', `${liker} does not like ${liked}`, { cause: error });
        }
      }
      const pair = await this.db.pair(pairOf(liker, liked), { consistent: true });
      if (pair !== undefined && (await this.unmatch(pair.matchId, liker, liked))) return 'unmatched';
    }
    throw new DatingError('busy', `${liked} keeps changing their mind`);
  }

  /** DA-W6. Undoes a match with both likes. @returns false if it was undone before. */
  async unmatch(matchId: string, one: string, other: string): Promise<boolean> {
    return await ifPossible(this.db.unmatch({ match: { matchId }, ...endOf(matchId, one, other, this.#now()) }));
  }

  /** DA-W7. Processes the stale matches. It can be repeated, or run concurrently, and continues from a cursor. */
  async sweep({
    cutoff = this.#now(-STALE_SECONDS),
    act = expireAll,
    onPage,
    ...from
  }: SweepOptions = {}): Promise<Sweep> {
    const done = { expired: 0, kept: 0, passedOver: 0 };
    let { cursor } = from as { cursor?: Cursor | undefined };
    do {
      const page = await this.db.staleMatches({ lastSeenAt: { before: cutoff } }, { cursor });
      for (const match of page.items) done[await this.#handleStale(match, cutoff, act)] += 1;
      ({ cursor } = page);
      onPage?.(cursor);
    } while (cursor !== undefined);
    return done;
  }

  async #handleStale(
    match: Match,
    cutoff: string,
    act: (match: Match) => Promise<'expire' | 'keep'>,
  ): Promise<keyof Sweep> {
    const { matchId, lastSeenAt, staleHandledAt } = match;
    if (staleHandledAt !== undefined && staleHandledAt >= lastSeenAt) return 'passedOver';
    if ((await act(match)) === 'keep') {
      const mark = this.db.markHandled({ matchId, seen: lastSeenAt, staleHandledAt: this.#now() });
      return (await ifPossible(mark)) ? 'kept' : 'passedOver';
    }
    const [one, other] = usersOf(match);
    const expiry = this.db.expire({ match: { matchId, cutoff }, ...endOf(matchId, one, other, this.#now()) });
    return (await ifPossible(expiry)) ? 'expired' : 'passedOver';
  }

  async #likeFirst(liker: string, liked: string): Promise<LikeOutcome> {
    await this.db.likeFirst({
      reverse: { liker: liked, liked: liker },
      like: { liker, liked, likedAt: this.#now() },
    });
    return 'liked';
  }

  async #likeBack(liker: string, liked: string): Promise<LikeOutcome> {
    const matchId = this.#newId();
    const now = this.#now();
    await this.db.likeBack({
      reverse: { liker: liked, liked: liker },
      like: { liker, liked, likedAt: now },
      pair: { ...pairOf(liker, liked), matchId },
      match: { matchId, user1: `user:${liker}`, user2: `user:${liked}`, matchedAt: now, lastSeenAt: now },
    });
    return 'matched';
  }

  #now(afterSeconds = 0): string {
    return isoSeconds(epochSecondsOf(this.#clock) + afterSeconds);
  }
}

/** The ids of a match's users. */
export function usersOf({ user1, user2 }: Match): [string, string] {
  return [user1.slice('user:'.length), user2.slice('user:'.length)];
}

/** The key of an item that exists once for two users, in either order. */
export function pairOf(one: string, other: string): { readonly low: string; readonly high: string } {
  return one < other ? { low: one, high: other } : { low: other, high: one };
}

/** The items that belong to a match. */
function endOf(matchId: string, one: string, other: string, at: string) {
  return {
    pair: { ...pairOf(one, other), matchId },
    one: { liker: one, liked: other, at },
    other: { liker: other, liked: one, at },
  };
}

/** The meaning of a refused like; undefined if an item has changed, so that the caller must read again. */
function outcomeOf(error: unknown): LikeOutcome | undefined {
  if (!(error instanceof RuleError)) throw error;
  const parts = new Set(error.failures.map(({ part }) => part));
  if (parts.has('reverse')) return undefined;
  if (parts.has('pair')) return 'already-matched';
  return parts.has('like') ? 'already-liked' : undefined;
}

/** @returns false if a rule refused it. */
async function ifPossible(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof RuleError) return false;
    throw error;
  }
}

async function expireAll(): Promise<'expire'> {
  return await Promise.resolve('expire' as const);
}
