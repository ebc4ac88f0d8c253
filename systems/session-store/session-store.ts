import { randomUUID } from 'node:crypto';
import type { Connected, ConnectOptions, ItemOf } from '@singlet/model';
import { connect, RuleError } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { epochSecondsOf, isoSeconds } from '../clock.ts';
import type { Pause } from '../pause.ts';
import { pauseWithJitter } from '../pause.ts';
import { InvalidInputError, RevocationUnfinishedError, TokenTakenError } from './errors.ts';
import { sessionStore } from './model.ts';

/** How long a session lives: exactly seven days. */
export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** A person has a handful of devices. Their sessions are deleted concurrently, in the time of one request. */
const DELETES_AT_ONCE_MAX = 25;

/** Rounds of "read the index, delete what it lists" before a revocation gives up. */
const REVOCATION_ROUNDS_MAX = 20;

const FIRST_PAUSE_MS = 25;
const PAUSE_MS_MAX = 1000;

export interface Session {
  readonly token: string;
  readonly username: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface SessionStoreOptions {
  readonly client: ConnectOptions['client'];
  readonly clock: Clock;
  readonly tableName?: string;
  /** Draws a session token; a version 4 UUID by default. */
  readonly newToken?: () => string;
  /** How many tokens to draw before giving up; 3 by default, 1 to fail on the first collision. */
  readonly tokenAttemptsMax?: number;
  /** Entries of the user index per request; by default as many as fit 1 MB. */
  readonly indexPageSize?: number;
  readonly pause?: Pause;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** A session in the model: times as text, and the end also in seconds. */
export type StoredSession = ItemOf<(typeof sessionStore.entities)['Session']>;

/** The sessions of signed-in users. Users themselves are kept elsewhere: here a username only groups sessions. */
export class SessionStore {
  readonly #db: Connected<typeof sessionStore.entities, typeof sessionStore.patterns>;
  readonly #clock: Clock;
  readonly #newToken: () => string;
  readonly #tokenAttemptsMax: number;
  readonly #page: { readonly limit?: number };
  readonly #pause: Pause;

  constructor(options: SessionStoreOptions) {
    const { client, clock, tableName = 'SessionStore', onRequest } = options;
    this.#db = connect(sessionStore, {
      client,
      tables: { SessionStore: tableName },
      now: () => clock.nowMs(),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
    this.#newToken = options.newToken ?? randomUUID;
    this.#tokenAttemptsMax = options.tokenAttemptsMax ?? 3;
    this.#page = options.indexPageSize === undefined ? {} : { limit: options.indexPageSize };
    this.#pause = options.pause ?? pauseWithJitter;
  }

  /**
   * SS-01: starts a session. One write that only succeeds if the token is unused: sharing a token would let one user
   * act as another, so the write itself enforces uniqueness. A collision draws another token.
   *
   * An answer may be lost after the write was done. The client's next attempt then finds that this session has the token: that is a success. If
   * no answer arrives at all, the session may exist under a token that no caller has, so it is deleted before the error is thrown. If that fails,
   * it expires.
   *
   * @param options.token - that of an earlier attempt whose answer did not reach the caller. The session that it started
   *   is the answer, whenever it began. No other token is drawn.
   * @throws {TokenTakenError} if every token drawn was taken; the sessions they belong to are unchanged.
   * @throws {InvalidInputError} if `username` is empty.
   */
  async createSession(username: string, options: { readonly token?: string } = {}): Promise<Session> {
    if (username === '') {
      throw new InvalidInputError('username', 'A session needs a username');
    }
    for (let attempt = 1; ; attempt += 1) {
      const token = options.token ?? this.#newToken();
      const session = sessionStartingAt(epochSecondsOf(this.#clock), { token, username });
      try {
        return sessionOf(await this.#db.createSession(session));
      } catch (error) {
        if (!(error instanceof RuleError)) {
          await this.deleteSession(session.token).catch(() => undefined);
          throw error;
        }
        if (error.code !== 'already-exists') {
          throw error;
        }
        if (await this.#isStored(session)) {
          return sessionOf(session);
        }
        if (options.token !== undefined) {
          const earlier = await this.findSession(token);
          if (earlier?.username === username) {
            return earlier;
          }
        }
        if (options.token !== undefined || attempt >= this.#tokenAttemptsMax) {
          throw new TokenTakenError(attempt, error.cause);
        }
      }
    }
  }

  /** Whether a taken token belongs to the session that this call was writing. */
  async #isStored({ token, username, createdAt, ttl }: StoredSession): Promise<boolean> {
    const stored = await this.#db.session({ token });
    return stored?.username === username && stored.createdAt === createdAt && stored.ttl === ttl;
  }

  /**
   * SS-02: the session of a token, or `undefined` for a token that is unknown or expired, which a caller cannot
   * tell apart. Strongly consistent, so that a token works right after log-in and fails right after revocation.
   *
   * SS-03 (deletion by time) needs no request: DynamoDB removes an item once its time has passed. It does not promise
   * when, so the filter of this read, and not the deletion, ends a session, in the second that its
   * `ttl` names.
   */
  async findSession(token: string): Promise<Session | undefined> {
    if (token === '') {
      return undefined; // DynamoDB refuses an empty key value; as a token it is merely unknown.
    }
    const session = await this.#db.session({ token });
    return session && sessionOf(session);
  }

  /**
   * SS-04: ends every session of a user, including expired ones that are still stored, and no other. Not atomic:
   * after an error, run it again.
   *
   * The index follows the table with a delay, so it is read again until it lists nothing: a recently started session
   * may be missing from the first read, and a deleted one may still be in the second.
   *
   * @returns how many different tokens were deleted.
   * @throws {RevocationUnfinishedError} if the index does not become empty.
   */
  async deleteSessionsOf(username: string): Promise<number> {
    const deleted = new Set<string>();
    for (let round = 0; round < REVOCATION_ROUNDS_MAX; round += 1) {
      const deletedBefore = deleted.size;
      const tokens = await this.listTokensOf(username);
      if (tokens.length === 0) {
        return deleted.size;
      }
      for (let start = 0; start < tokens.length; start += DELETES_AT_ONCE_MAX) {
        const some = tokens.slice(start, start + DELETES_AT_ONCE_MAX);
        await Promise.all(some.map((token) => this.deleteSession(token)));
      }
      for (const token of tokens) {
        deleted.add(token);
      }
      if (deleted.size === deletedBefore) {
        await this.#pause(Math.min(FIRST_PAUSE_MS * 2 ** round, PAUSE_MS_MAX)); // Nothing new: the index is behind.
      }
    }
    throw new RevocationUnfinishedError(username);
  }

  /** SS-05: logs out one device. Deleting a missing session succeeds. */
  async deleteSession(token: string): Promise<void> {
    if (token !== '') {
      await this.#db.deleteSession({ token });
    }
  }

  /** SS-06: the tokens of a user's stored sessions, in no order, including expired ones that are still stored. */
  async listTokensOf(username: string): Promise<readonly string[]> {
    const tokens: string[] = [];
    if (username !== '') {
      for await (const { token } of this.#db.tokensOf.each({ username }, this.#page)) {
        tokens.push(token);
      }
    }
    return tokens;
  }

  /**
   * Sets `ttl` on items from before it existed, derived from their `expiresAt`, so that they expire like the
   * others. Can be run any number of times, and while sessions come and go: a deleted item is not restored.
   *
   * @returns how many items were changed.
   */
  async addMissingTtl(): Promise<number> {
    let changedCount = 0;
    for await (const { token, expiresAt } of this.#db.sessionsWithoutTtl.each({})) {
      try {
        await this.#db.addTtl({ token, ttl: Math.floor(Date.parse(expiresAt) / 1000) });
        changedCount += 1;
      } catch (error) {
        if (!(error instanceof RuleError)) {
          throw error; // Otherwise it was deleted meanwhile, or already has a time.
        }
      }
    }
    return changedCount;
  }
}

function sessionStartingAt(
  epochSeconds: number,
  owner: { readonly token: string; readonly username: string },
): StoredSession {
  const ttl = epochSeconds + SESSION_LIFETIME_SECONDS;
  return { ...owner, createdAt: isoSeconds(epochSeconds), expiresAt: isoSeconds(ttl), ttl };
}

function sessionOf({ token, username, createdAt, expiresAt }: StoredSession): Session {
  return { token, username, createdAt: new Date(createdAt), expiresAt: new Date(expiresAt) };
}
