import { createEngine } from '../../../engine/create-engine.ts';
import type { ActionName, Engine } from '../../../engine/index.ts';
import { type ManualClock, testServices } from '../../../engine/testing/test-services.ts';
import { joinedBytes } from '../../../server/encode/answer-bytes.ts';
import { operationOf } from '../../../server/operations/index.ts';
import type { Store } from '../../../storage/store.ts';
import { DynamoError } from '../../../values/service-error.ts';
import type { Caller, RequestOrigin } from '../../caller.ts';
import { parsePolicy, type PolicyDocument } from '../../policy/policy-document.ts';
import { type Authorizer, createAuthorizer, type Denial } from '../authorize-request.ts';

export const accountA = '111122223333';
export const accountB = '444455556666';
export const region = 'us-east-1';

export const tableArn = (name: string, accountId: string = accountA): string =>
  `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;

const origin: RequestOrigin = { sourceIp: '192.0.2.1', secureTransport: true, userAgent: 'test' };

/** Statements as an identity policy. */
export function identityPolicy(...statements: readonly object[]): PolicyDocument {
  return parsePolicy(JSON.stringify({ Version: '2012-10-17', Statement: statements }), 'identity');
}

/** `ann` of the first account. */
export function user(policies: readonly PolicyDocument[], more: Partial<Caller> = {}): Caller {
  const { accountId = accountA, userName = 'ann' } = more;
  const arn = `arn:aws:iam::${accountId}:user/${userName}`;
  return {
    kind: 'user',
    accountId,
    arn,
    principalArn: arn,
    userId: `AIDA${userName.toUpperCase()}0000000001`,
    userName,
    tags: new Map(),
    policies,
    ...more,
  };
}

/** The session `job` of the role `app`, with tags. */
export function session(policies: readonly PolicyDocument[], more: Partial<Caller> = {}): Caller {
  const { accountId = accountA } = more;
  return {
    kind: 'session',
    accountId,
    arn: `arn:aws:sts::${accountId}:assumed-role/app/job`,
    principalArn: `arn:aws:iam::${accountId}:role/app`,
    userId: 'AROAAPP00000000000001:job',
    tags: new Map(),
    policies,
    ...more,
  };
}

export function root(accountId: string = accountA): Caller {
  const arn = `arn:aws:iam::${accountId}:root`;
  return { kind: 'root', accountId, arn, principalArn: arn, userId: accountId, tags: new Map(), policies: [] };
}

/** A database in memory whose requests are decoded, authorised and run as in a server. */
export class PolicedDatabase {
  readonly engine: Engine;
  readonly denials: Denial[] = [];
  readonly clock: ManualClock;
  readonly #authorize: Authorizer;

  readonly #store: Store;

  /** @param shared - the store of another process; by default a new one in memory. */
  constructor(shared?: Store) {
    const { store, environment, clock } = testServices({
      nowMs: Date.UTC(2026, 10, 22, 10),
      ...(shared !== undefined && { store: shared }),
    });
    this.#store = store;
    this.clock = clock;
    this.engine = createEngine({ store, environment, backgroundWork: 'on-demand' });
    this.#authorize = createAuthorizer({
      engine: this.engine,
      nowMs: () => clock.nowMs(),
      onDenial: (denial) => this.denials.push(denial),
    });
  }

  /** Another process on the same store: an engine with its own caches. */
  secondProcess(): PolicedDatabase {
    return new PolicedDatabase(this.#store);
  }

  /** @returns the answer in wire form. @throws {DynamoError} */
  async call(caller: Caller, action: ActionName, input: object, from: Partial<RequestOrigin> = {}): Promise<unknown> {
    const operation = await operationOf(action);
    const context = { accountId: caller.accountId, region, callerArn: caller.arn };
    const prepared = operation.prepare(structuredClone(input), context);
    const { call, tableOwner } = prepared;
    const permit = await this.#authorize(
      caller,
      { ...origin, ...from },
      { call, touches: () => prepared.touches(), context, tableOwner },
    );
    const body = await prepared.run(this.engine, permit);
    return body.length === 0 ? {} : JSON.parse(joinedBytes(body).toString('utf8'));
  }

  /** The outcome of a request: `done`, or the name of its error. */
  async outcome(caller: Caller, action: ActionName, input: object, from?: Partial<RequestOrigin>): Promise<string> {
    return (await this.refusal(caller, action, input, from))?.name ?? 'done';
  }

  async refusal(
    caller: Caller,
    action: ActionName,
    input: object,
    from?: Partial<RequestOrigin>,
  ): Promise<DynamoError | undefined> {
    try {
      await this.call(caller, action, input, from);
      return undefined;
    } catch (error) {
      if (error instanceof DynamoError) return error;
      throw error;
    }
  }
}

const attribute = (AttributeName: string, AttributeType = 'S'): object => ({ AttributeName, AttributeType });
const key = (AttributeName: string, KeyType = 'HASH'): object => ({ AttributeName, KeyType });

/** `Orders`, by `pk` and `sk`, with an index by `owner`; `Counters`, by the number `id`; `Blobs`, by the binary `id`. */
export async function openOrders(): Promise<PolicedDatabase> {
  const database = new PolicedDatabase();
  for (const account of [accountA, accountB]) {
    await database.call(root(account), 'CreateTable', {
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [attribute('pk'), attribute('sk'), attribute('owner')],
      KeySchema: [key('pk'), key('sk', 'RANGE')],
      GlobalSecondaryIndexes: [
        { IndexName: 'byOwner', KeySchema: [key('owner')], Projection: { ProjectionType: 'ALL' } },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      Tags: [{ Key: 'Stage', Value: 'test' }],
    });
  }
  for (const [TableName, type] of [
    ['Counters', 'N'],
    ['Blobs', 'B'],
  ] as const) {
    await database.call(root(), 'CreateTable', {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [attribute('id', type)],
      KeySchema: [key('id')],
    });
  }
  for (const tenant of ['t1', 't2']) {
    for (const account of [accountA, accountB]) {
      await database.call(root(account), 'PutItem', {
        TableName: 'Orders',
        Item: { pk: { S: tenant }, sk: { S: 'a' }, owner: { S: tenant }, secret: { S: `of ${tenant}` } },
      });
    }
  }
  return database;
}
