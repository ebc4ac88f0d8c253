import { createHash } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type CreateTableCommandInput,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../clock.ts';
import { enableTimeToLive, tableIsNew } from '../table-lifecycle.ts';
import { HttpError } from './http-error.ts';
import { orAlready } from './or-already.ts';

// What is written twice if a request is sent twice: things whose ids are new, in lists ordered by time. The first attempt decides
// the id and the time. Every later attempt with the same key writes under the same, and the condition of that write finds what
// the first has written.
//
// An answer kept as a cache would be missing where the process ended with it. A time from the caller would order a conversation
// by the clocks of those who speak. The token of TransactWriteItems is valid for ten minutes, and for equal requests only. An
// attribute with a guard in each model would keep an item for ever, for the sake of minutes.

/** Keys are kept for a day. */
const KEPT_SECONDS = 86_400;
/** Longer than any request lasts. Until then an attempt without a result may still be under way. */
const UNDER_WAY_MS = 30_000;

/** One attempt of a request that creates something. */
export interface Attempt {
  /** Of the thing: a KSUID, that of the first attempt. */
  readonly id: string;
  /** The time of the first attempt, UTC with milliseconds. */
  readonly at: string;
  /** Whether an earlier attempt had the same key. */
  readonly isRepeated: boolean;
  /** What an earlier attempt has settled. */
  readonly result: string | undefined;
  /** Absent without a key: then nothing can be a repetition. */
  readonly requestId: string | undefined;
}

interface RequestsOptions {
  readonly client: DynamoDBClient;
  readonly clock: Clock;
  /** KSUIDs. */
  readonly newId: () => string;
  /** Of the application: names the table. */
  readonly name: string;
}

/** The requests of a day with an idempotency key, in a table beside the application. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #tableName: string;

  private constructor(options: RequestsOptions, tableName: string) {
    this.#options = options;
    this.#tableName = tableName;
  }

  /** Creates the table if it does not exist. */
  static async open(options: RequestsOptions): Promise<Requests> {
    const definition = tableOf(options.name);
    if (await tableIsNew(options.client, definition)) {
      await enableTimeToLive(options.client, {
        TableName: definition.TableName,
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      });
    }
    return new Requests(options, definition.TableName);
  }

  /**
   * The attempt that a request is. One conditional write if there is a key, none otherwise.
   *
   * @param scope - the operation, the caller and the subject: the same key elsewhere is another request.
   */
  async attempt(scope: readonly string[], key: string | undefined): Promise<Attempt> {
    const { client, newId } = this.#options;
    const nowMs = this.#options.clock.nowMs();
    const fresh = { id: newId(), at: new Date(nowMs).toISOString(), isRepeated: false, result: undefined };
    if (key === undefined) return { ...fresh, requestId: undefined };
    const requestId = createHash('sha256')
      .update(JSON.stringify([...scope, key]))
      .digest('hex');
    try {
      await client.send(
        new PutItemCommand({
          TableName: this.#tableName,
          Item: {
            requestId: { S: requestId },
            id: { S: fresh.id },
            at: { S: fresh.at },
            ttl: { N: String(Math.floor(nowMs / 1000) + KEPT_SECONDS) },
          },
          ConditionExpression: 'attribute_not_exists(requestId)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { ...fresh, requestId };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
      const { id, at, result } = error.Item;
      return { id: textOf(id), at: textOf(at), isRepeated: true, result: result?.S, requestId };
    }
  }

  /**
   * Creates something under a name that the caller chooses. A repetition finds the name taken, by what has the time of the first attempt;
   * what others have created has another time.
   *
   * @param named.isTaken - whether an error says that the name is taken.
   * @param named.find - what has the name.
   */
  async createNamed<Thing extends { readonly createdAt: string }>(
    scope: readonly string[],
    key: string | undefined,
    named: {
      readonly create: (createdAt: string) => Promise<Thing>;
      readonly isTaken: (error: unknown) => boolean;
      readonly find: () => Promise<Thing | undefined>;
    },
  ): Promise<Thing> {
    const { at, requestId } = await this.attempt(scope, key);
    return await orAlready(named.create(at), named.isTaken, async () => {
      const found = requestId === undefined ? undefined : await named.find();
      return found?.createdAt === at ? found : undefined;
    });
  }

  /** Keeps what an attempt has made, where that is not known before: a number. Nothing without a key. */
  async settle({ requestId }: Attempt, result: string): Promise<void> {
    if (requestId === undefined) return;
    await this.#options.client.send(
      new UpdateItemCommand({
        TableName: this.#tableName,
        Key: { requestId: { S: requestId } },
        UpdateExpression: 'SET #result = :result',
        ExpressionAttributeNames: { '#result': 'result' },
        ExpressionAttributeValues: { ':result': { S: result } },
      }),
    );
  }

  /**
   * Begins again what an earlier attempt has not done. Only one of several repetitions may.
   *
   * @returns the attempt, with its own time.
   * @throws {HttpError} 503 while the earlier one may be under way.
   */
  async beginAgain({ requestId = '', ...attempt }: Attempt): Promise<Attempt> {
    const nowMs = this.#options.clock.nowMs();
    if (nowMs - Date.parse(attempt.at) < UNDER_WAY_MS) throw underWay();
    const at = new Date(nowMs).toISOString();
    try {
      await this.#options.client.send(
        new UpdateItemCommand({
          TableName: this.#tableName,
          Key: { requestId: { S: requestId } },
          UpdateExpression: 'SET #at = :now',
          ConditionExpression: '#at = :before',
          ExpressionAttributeNames: { '#at': 'at' },
          ExpressionAttributeValues: { ':now': { S: at }, ':before': { S: attempt.at } },
        }),
      );
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) throw underWay();
      throw error;
    }
    return { ...attempt, requestId, at };
  }
}

function tableOf(name: string): CreateTableCommandInput & { readonly TableName: string } {
  return {
    TableName: `${name}-requests`,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'requestId', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'requestId', KeyType: 'HASH' }],
  };
}

function textOf(value: AttributeValue | undefined): string {
  return value?.S ?? '';
}

function underWay(): HttpError {
  return new HttpError(503, 'busy', 'The first attempt of this request may be under way. Try again in a moment.', {
    'retry-after': '5',
  });
}
