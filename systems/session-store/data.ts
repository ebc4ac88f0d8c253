import { randomUUID } from 'node:crypto';
import type { AttributeValue, DynamoDBClient, WriteRequest } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  paginateQuery,
  paginateScan,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../clock.ts';
import { epochSecondsOf, isoSeconds } from '../clock.ts';
import type { Pause } from '../pause.ts';
import { pauseWithJitter } from '../pause.ts';
import { InvalidInputError, RevocationUnfinishedError, TokenTakenError, UnreadableSessionError } from './errors.ts';
import { sessionStoreTable } from './table.ts';

/** How long a session lives: exactly seven days. */
const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** BatchWriteItem takes at most this many writes. */
const BATCH_WRITES_MAX = 25;

/** Rounds of "look in the index, delete what it lists" before a revocation gives up. */
const REVOCATION_ROUNDS_MAX = 20;

/** How often what is left of one batch is sent before a revocation gives up. */
const BATCH_ATTEMPTS_MAX = 10;

const FIRST_PAUSE_MS = 25;
const PAUSE_MS_MAX = 1000;

export interface Session {
  readonly token: string;
  readonly username: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface SessionStoreOptions {
  readonly client: DynamoDBClient;
  readonly clock: Clock;
  readonly tableName?: string;
  /** Draws a session token; a version 4 UUID unless told otherwise. */
  readonly newToken?: () => string;
  /** How many tokens to draw before giving up; 3 unless told otherwise, 1 to fail on the first collision. */
  readonly tokenAttemptsMax?: number;
  /** Entries of the user index per request; as many as fit 1 MB unless told otherwise. */
  readonly indexPageSize?: number;
  readonly pause?: Pause;
}

/**
 * The sessions of signed-in users. Users themselves are kept elsewhere: here a username only groups sessions.
 *
 * This is the only place that knows the table, its keys and the AWS SDK (used with typed attribute values). One
 * method per access pattern.
 */
export class SessionStore {
  readonly #client: DynamoDBClient;
  readonly #clock: Clock;
  readonly #tableName: string;
  readonly #newToken: () => string;
  readonly #tokenAttemptsMax: number;
  readonly #indexPageSize: number | undefined;
  readonly #pause: Pause;

  constructor(options: SessionStoreOptions) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#tableName = options.tableName ?? sessionStoreTable.TableName;
    this.#newToken = options.newToken ?? randomUUID;
    this.#tokenAttemptsMax = options.tokenAttemptsMax ?? 3;
    this.#indexPageSize = options.indexPageSize;
    this.#pause = options.pause ?? pauseWithJitter;
  }

  /**
   * SS-01: starts a session. One PutItem that only succeeds where the token is unused: sharing a token would let one
   * user act as another, so the write itself enforces uniqueness. A collision draws another token.
   *
   * @throws {TokenTakenError} if every token drawn was taken; the sessions they belong to are unchanged.
   * @throws {InvalidInputError} if `username` is empty.
   */
  async createSession(username: string): Promise<Session> {
    if (username === '') {
      throw new InvalidInputError('username', 'A session needs a username');
    }
    for (let attempt = 1; ; attempt += 1) {
      const session = sessionStartingAt(epochSecondsOf(this.#clock), { token: this.#newToken(), username });
      try {
        await this.#client.send(
          new PutItemCommand({
            TableName: this.#tableName,
            Item: itemOf(session),
            ConditionExpression: 'attribute_not_exists(SessionToken)',
          }),
        );
        return session;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) {
          throw error;
        }
        if (attempt >= this.#tokenAttemptsMax) {
          throw new TokenTakenError(attempt, error);
        }
      }
    }
  }

  /**
   * SS-02: the session behind a token, or `undefined` for a token that is unknown or expired, which a caller cannot
   * tell apart. One Query, because only Query and Scan filter; strongly consistent, so that a token works right after
   * log-in and fails right after revocation.
   *
   * SS-03 (deletion by time) needs no request: the service removes an item once its `TTL` has passed. It promises
   * no moment for that, so the filter here, and not the deletion, is what ends a session. A session ends in the second
   * that `TTL` names.
   */
  async findSession(token: string): Promise<Session | undefined> {
    if (token === '') {
      return undefined; // The service refuses an empty key value; as a token it is merely unknown.
    }
    const { Items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'SessionToken = :token',
        FilterExpression: '#ttl > :now',
        ExpressionAttributeNames: { '#ttl': 'TTL' },
        ExpressionAttributeValues: { ':token': { S: token }, ':now': { N: String(epochSecondsOf(this.#clock)) } },
        ConsistentRead: true,
      }),
    );
    return Items[0] === undefined ? undefined : sessionOf(Items[0]);
  }

  /**
   * SS-04: ends every session of a user, expired ones that are still stored included, and of nobody else. Not atomic:
   * after an error, run it again.
   *
   * The index follows the table with a delay. So it is read again until it lists nothing: a session started a moment
   * ago may be missing from the first reading, one that is deleted may still be in the second.
   *
   * @returns how many different tokens were deleted.
   * @throws {RevocationUnfinishedError} if the index does not become empty.
   */
  async deleteSessionsOf(username: string): Promise<number> {
    const deleted = new Set<string>();
    for (let round = 0; round < REVOCATION_ROUNDS_MAX; round += 1) {
      let listedCount = 0;
      const deletedBefore = deleted.size;
      for await (const tokens of this.#tokenPages(username)) {
        listedCount += tokens.length;
        await this.#deleteTokens(username, tokens);
        for (const token of tokens) {
          deleted.add(token);
        }
      }
      if (listedCount === 0) {
        return deleted.size;
      }
      if (deleted.size === deletedBefore) {
        await this.#pause(backoffMs(round)); // Nothing new: the index is behind, so give it time.
      }
    }
    throw new RevocationUnfinishedError(username);
  }

  /** SS-05: logs out one device. Deleting a session that has already gone is a success. */
  async deleteSession(token: string): Promise<void> {
    if (token === '') {
      return;
    }
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key: { SessionToken: { S: token } } }));
  }

  /** SS-06: the tokens of a user's stored sessions, in no order; expired ones that are still stored included. */
  async listTokensOf(username: string): Promise<readonly string[]> {
    const listed: string[] = [];
    for await (const tokens of this.#tokenPages(username)) {
      listed.push(...tokens);
    }
    return listed;
  }

  /**
   * Gives items from before `TTL` existed the value that follows from their `ExpiresAt`, so that they expire like the
   * others. Can be run any number of times, and while sessions come and go: an item that has gone is not brought back.
   *
   * @returns how many items were changed.
   */
  async addMissingTtl(): Promise<number> {
    let changedCount = 0;
    const pages = paginateScan(
      { client: this.#client },
      {
        TableName: this.#tableName,
        FilterExpression: 'attribute_not_exists(#ttl)',
        ProjectionExpression: 'SessionToken, ExpiresAt',
        ExpressionAttributeNames: { '#ttl': 'TTL' },
      },
    );
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        changedCount += Number(await this.#addTtl(item));
      }
    }
    return changedCount;
  }

  async #addTtl(item: Item): Promise<boolean> {
    const expiresAtEpochSeconds = Math.floor(Date.parse(text(item, 'ExpiresAt')) / 1000);
    try {
      await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#tableName,
          Key: { SessionToken: { S: text(item, 'SessionToken') } },
          UpdateExpression: 'SET #ttl = :ttl',
          ConditionExpression: 'attribute_exists(SessionToken) AND attribute_not_exists(#ttl)',
          ExpressionAttributeNames: { '#ttl': 'TTL' },
          ExpressionAttributeValues: { ':ttl': { N: String(expiresAtEpochSeconds) } },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return false;
      }
      throw error;
    }
  }

  async *#tokenPages(username: string): AsyncGenerator<readonly string[]> {
    if (username === '') {
      return;
    }
    const pages = paginateQuery(
      { client: this.#client, ...(this.#indexPageSize !== undefined && { pageSize: this.#indexPageSize }) },
      {
        TableName: this.#tableName,
        IndexName: 'UserIndex',
        KeyConditionExpression: 'Username = :username',
        ExpressionAttributeValues: { ':username': { S: username } },
      },
    );
    for await (const { Items = [] } of pages) {
      yield Items.map((item) => text(item, 'SessionToken'));
    }
  }

  /**
   * A person has a handful of devices: one DeleteItem each, side by side, takes the time of one request. More than a
   * batch of them goes in batches.
   */
  async #deleteTokens(username: string, tokens: readonly string[]): Promise<void> {
    if (tokens.length <= BATCH_WRITES_MAX) {
      await Promise.all(tokens.map((token) => this.deleteSession(token)));
      return;
    }
    for (let start = 0; start < tokens.length; start += BATCH_WRITES_MAX) {
      if (!(await this.#deleteBatch(tokens.slice(start, start + BATCH_WRITES_MAX)))) {
        throw new RevocationUnfinishedError(username);
      }
    }
  }

  /**
   * A batch may be carried out in part: what the service hands back unprocessed is sent again.
   *
   * @returns whether all of it was deleted.
   */
  async #deleteBatch(tokens: readonly string[]): Promise<boolean> {
    let writes: WriteRequest[] = tokens.map((token) => ({ DeleteRequest: { Key: { SessionToken: { S: token } } } }));
    for (let attempt = 0; attempt < BATCH_ATTEMPTS_MAX; attempt += 1) {
      const { UnprocessedItems } = await this.#client.send(
        new BatchWriteItemCommand({ RequestItems: { [this.#tableName]: writes } }),
      );
      writes = UnprocessedItems?.[this.#tableName] ?? [];
      if (writes.length === 0) {
        return true;
      }
      await this.#pause(backoffMs(attempt));
    }
    return false;
  }
}

type Item = Record<string, AttributeValue>;

function sessionStartingAt(epochSeconds: number, owner: Pick<Session, 'token' | 'username'>): Session {
  return {
    ...owner,
    createdAt: new Date(epochSeconds * 1000),
    expiresAt: new Date((epochSeconds + SESSION_LIFETIME_SECONDS) * 1000),
  };
}

function itemOf(session: Session): Item {
  const expiresAtEpochSeconds = session.expiresAt.getTime() / 1000;
  return {
    SessionToken: { S: session.token },
    Username: { S: session.username },
    CreatedAt: { S: isoSeconds(session.createdAt.getTime() / 1000) },
    ExpiresAt: { S: isoSeconds(expiresAtEpochSeconds) },
    // Seconds, not milliseconds: read as seconds, those would be thousands of years ahead and never expire.
    TTL: { N: String(expiresAtEpochSeconds) },
  };
}

function sessionOf(item: Item): Session {
  return {
    token: text(item, 'SessionToken'),
    username: text(item, 'Username'),
    createdAt: new Date(text(item, 'CreatedAt')),
    expiresAt: new Date(text(item, 'ExpiresAt')),
  };
}

function text(item: Item, attributeName: string): string {
  const value = item[attributeName]?.S;
  if (value === undefined) {
    throw new UnreadableSessionError(attributeName);
  }
  return value;
}

function backoffMs(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, PAUSE_MS_MAX);
}
