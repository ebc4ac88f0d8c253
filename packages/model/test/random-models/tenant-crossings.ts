import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import {
  Authenticator,
  type Caller,
  IdentityDirectory,
  newAuthKeyText,
  noIdentities,
  originOf,
  parsePolicy,
  type PolicyDocument,
  readAuthKey,
} from '../../../singlet/src/access/index.ts';
import { createVerifiedDatabase } from '../../../singlet/src/database/create-database.ts';
import { patternPolicy, tenantPolicy, type TenantPolicyOptions } from '../../src/check/index.ts';
import type { Model } from '../../src/model.ts';
import { drawState, Pools, type State } from '../../src/prove/data.ts';
import { ProvingTables } from '../../src/prove/proving-tables.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { ReadCalls } from '../../src/prove/read-call.ts';
import { storedFunctions } from '../../src/prove/stored-functions.ts';
import { WriteCalls } from '../../src/prove/write-call.ts';
import type { PlaceInfo, ResolvedModel } from '../../src/resolve/resolved.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { fastClient } from './fast-client.ts';
import { nextTablePrefix } from './prove-script.ts';

/*
 * Tenants of a model on a database that checks policies. Each tenant has a session with its tag. What a tenant's patterns send must be
 * allowed to its own session, and denied to all others, as must be every other request for one of its items. Whose item it is follows from
 * its attribute, and not from its key.
 */

type StoredItem = Readonly<Record<string, { readonly [type: string]: unknown }>>;
/** A command of the SDK. */
export type Command = { readonly input: object };

const accountId = '111122223333';

/** A session of a role with policies and tags. */
export function sessionWith(policies: readonly PolicyDocument[], tags: Readonly<Record<string, string>> = {}): Caller {
  return {
    kind: 'session',
    accountId,
    arn: `arn:aws:sts::${accountId}:assumed-role/app/job`,
    principalArn: `arn:aws:iam::${accountId}:role/app`,
    userId: 'AROAAPP00000000000001:job',
    tags: new Map(Object.entries(tags)),
    policies,
  };
}

const operator = sessionWith([
  parsePolicy(
    JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }] }),
    'identity',
  ),
]);

/** Takes every request for one of the current caller, whatever its signature. */
class CurrentCaller extends Authenticator {
  caller = operator;

  override authenticate(
    request: Parameters<Authenticator['authenticate']>[0],
  ): ReturnType<Authenticator['authenticate']> {
    const { caller } = this;
    const context = { accountId, region: 'us-east-1', callerArn: caller.arn };
    return { caller, origin: originOf(request), context, accessKeyId: 'AKIACURRENT', session: undefined };
  }
}

/** A database whose requests are those of one caller after the other. */
export class PolicedDatabase {
  readonly client: DynamoDBClient;
  readonly close: () => Promise<void>;
  readonly #callers: CurrentCaller;

  private constructor(database: Awaited<ReturnType<typeof createVerifiedDatabase>>, callers: CurrentCaller) {
    this.#callers = callers;
    this.client = fastClient(database);
    this.close = () => database.close();
  }

  static async open(): Promise<PolicedDatabase> {
    const directory = new IdentityDirectory(noIdentities, readAuthKey(newAuthKeyText(randomBytes)));
    const callers = new CurrentCaller({ directory: () => directory, nowMs: () => Date.now(), region: 'us-east-1' });
    const database = await createVerifiedDatabase({ backgroundWork: 'on-demand' }, { authenticator: callers });
    return new PolicedDatabase(database, callers);
  }

  async as<T>(caller: Caller, act: () => Promise<T>): Promise<T> {
    this.#callers.caller = caller;
    try {
      return await act();
    } finally {
      this.#callers.caller = operator;
    }
  }

  /**
   * Whether a policy denies a request. One that is not denied runs, and may fail for other reasons. A batch of statements is denied if one of
   * them is.
   */
  async isDenied(caller: Caller, command: Command): Promise<boolean> {
    return this.as(caller, () =>
      this.client.send(command as never).then(
        (answer) => JSON.stringify(answer).includes('"Error":{"Code":"AccessDenied"'),
        (error: unknown) => (error as Error).name === 'AccessDeniedException',
      ),
    );
  }
}

/** What was compared for one model. */
export interface TenantComparison {
  /** Requests that a pattern sent for a tenant. */
  readonly own: number;
  /** Requests for another tenant's items, and requests that no tenant may send. */
  readonly foreign: number;
  /** Requests for foreign items that were allowed, and own ones that were denied. */
  readonly wrong: readonly string[];
}

const callsOfPattern = 3;
const itemsTried = 5;
/** Tenants that try to send the requests of another. */
const othersTried = 3;

/** How policies are made: for all items of a tenant, and for one pattern. */
export interface PolicyMakers {
  readonly all: (model: Model, options: TenantPolicyOptions) => object;
  readonly ofPattern: (model: Model, pattern: string, options: TenantPolicyOptions) => object;
}

/** The exported policies. */
export const exportedPolicies: PolicyMakers = {
  all: tenantPolicy,
  ofPattern: (model, pattern, options) => patternPolicy(model, [pattern], options).policy,
};

/**
 * Compares a model that `check` accepts with the policies that are exported for it.
 *
 * @param database - its tables are created with new names.
 */
export async function compareTenants(
  model: Model,
  database: PolicedDatabase,
  seed: number,
  policies: PolicyMakers = exportedPolicies,
): Promise<TenantComparison> {
  return new Comparison(model, database, seed, policies).run();
}

interface Sent {
  readonly command: Command;
  readonly denied: boolean;
}

class Comparison {
  readonly #model: Model;
  readonly #resolved: ResolvedModel;
  readonly #database: PolicedDatabase;
  readonly #random: RandomSource;
  readonly #tables: ProvingTables;
  /** The attribute with the tenant, in entities, inputs and stored items. */
  readonly #attribute: string;
  readonly #makers: PolicyMakers;
  readonly #policies = new Map<string, PolicyDocument>();
  readonly #wrong: string[] = [];
  #tenants: readonly string[] = [];
  #own = 0;
  #foreign = 0;

  constructor(model: Model, database: PolicedDatabase, seed: number, makers: PolicyMakers) {
    this.#model = model;
    this.#attribute = Object.values(model.tables).flatMap(({ tenant }) => tenant ?? [])[0] ?? '';
    this.#makers = makers;
    this.#resolved = resolve(model);
    this.#database = database;
    this.#random = new RandomSource(seed);
    this.#tables = new ProvingTables(model, database.client, nextTablePrefix());
  }

  async run(): Promise<TenantComparison> {
    const now = Date.UTC(2024, 2, 1, 12);
    await this.#tables.create();
    try {
      const pools = new Pools(this.#model, this.#random.fork(1), now);
      const drawn = drawState(this.#model, pools, this.#random.fork(2), 24);
      const state = await this.#tables.store(drawn);
      this.#tenants = this.#tenantsOf(pools);
      const items = await this.#storedItems();
      this.#comparePartitions(items);
      await this.#compareItems(items);
      await this.#comparePatterns(pools, state, now);
    } finally {
      await this.#tables.remove();
    }
    return { own: this.#own, foreign: this.#foreign, wrong: this.#wrong };
  }

  /** All values that the model's tenants have here, as a key writes them. */
  #tenantsOf(pools: Pools): readonly string[] {
    const values = Object.keys(this.#model.entities).flatMap((entity) => {
      const { values: all } = pools.domain(entity, this.#attribute);
      return [...pools.values(entity, this.#attribute), ...this.#random.some(all, 6)];
    });
    const texts = values
      .filter((value) => ['string', 'number', 'bigint', 'boolean'].includes(typeof value))
      .map(String);
    return [...new Set(texts)].filter((text) => text.isWellFormed());
  }

  /** The session of a tenant, with the policy of all of a tenant's items, or of one pattern. */
  #caller(tenant: string, pattern = ''): Caller {
    return sessionWith([this.#policy(pattern)], { [this.#attribute]: tenant });
  }

  #policy(pattern: string): PolicyDocument {
    const known = this.#policies.get(pattern);
    if (known !== undefined) return known;
    const options = { tables: this.#tables.names };
    const policy =
      pattern === '' ? this.#makers.all(this.#model, options) : this.#makers.ofPattern(this.#model, pattern, options);
    const parsed = parsePolicy(JSON.stringify(policy), 'identity');
    this.#policies.set(pattern, parsed);
    return parsed;
  }

  async #comparePatterns(pools: Pools, state: State, now: number): Promise<void> {
    const sent: Sent[] = [];
    const client = {
      send: async (command: Command): Promise<unknown> => {
        const answer = this.#database.client.send(command as never);
        const denied = await answer.then(
          () => false,
          (error: unknown) => (error as Error).name === 'AccessDeniedException',
        );
        sent.push({ command, denied });
        return answer;
      },
    } as unknown as DynamoDBClient; // The toolkit only calls `send` of a client.
    const functions = storedFunctions(this.#model, {
      client,
      tables: this.#tables.names,
      now: () => now,
      random: () => 0.5,
      pause: async () => undefined,
    });
    const writes = new WriteCalls(this.#model, pools, this.#random.fork(3));
    const reads = new ReadCalls(this.#model, pools, state, this.#random.fork(4));
    for (const [pattern, need] of Object.entries(this.#model.patterns)) {
      for (let call = 0; call < callsOfPattern; call += 1) {
        const drawn =
          need.reads === undefined ? writes.draw(pattern, need, state)?.input : inputOf(reads, pattern, need);
        if (drawn === undefined) continue;
        const given = tenantsIn(drawn, this.#attribute);
        const isOfAll = given.length === 0;
        const [tenant = this.#tenants[0] ?? '', ...further] = given;
        // The narrower policy of the pattern itself confines a tenant as well.
        const chosen = isOfAll || this.#random.chance(0.5) ? pattern : '';
        sent.length = 0;
        await this.#database.as(this.#caller(tenant, chosen), () => functions[pattern]!(drawn).catch(() => undefined));
        const requests = [...sent];
        if (isOfAll) continue;
        for (const { command, denied } of requests) {
          const what = `${pattern}(${shown(drawn)}) ${textOf(command)}`;
          if (further.length === 0) {
            this.#own += 1;
            if (denied) this.#wrong.push(`${tenant} is denied its own ${what}`);
          }
          for (const other of this.#othersThan(given)) {
            this.#foreign += 1;
            for (const policy of ['', pattern])
              if (!(await this.#database.isDenied(this.#caller(other, policy), command)))
                this.#wrong.push(
                  `${JSON.stringify(other)} is allowed ${what}${policy === '' ? '' : ' of the pattern'}`,
                );
          }
        }
      }
    }
  }

  #othersThan(tenants: readonly string[]): readonly string[] {
    return this.#random.some(
      this.#tenants.filter((tenant) => !tenants.includes(tenant)),
      othersTried,
    );
  }

  async #storedItems(): Promise<{ readonly table: string; readonly item: StoredItem }[]> {
    const found: { table: string; item: StoredItem }[] = [];
    for (const table of this.#resolved.tables.keys()) {
      const { Items = [] } = await this.#database.client.send(
        new ScanCommand({ TableName: this.#tables.names[table] }),
      );
      for (const item of Items) found.push({ table, item: item as unknown as StoredItem });
    }
    return found;
  }

  /** No partition of a table or an index has items of two tenants. */
  #comparePartitions(items: readonly { readonly table: string; readonly item: StoredItem }[]): void {
    const owners = new Map<string, string | undefined>();
    for (const { table, item } of items)
      for (const place of this.#placesOf(table)) {
        // A policy compares the first of several attributes.
        const value = item[place.partition[0]?.attribute ?? ''];
        if (value === undefined || !place.partition.every((each) => each.attribute in item)) continue;
        const id = `${place.name} ${JSON.stringify(value)}`;
        const owner = tenantIn(item, this.#attribute);
        if (owners.has(id) && owners.get(id) !== owner)
          this.#wrong.push(`${id} has items of ${String(owner)} and ${String(owners.get(id))}`);
        owners.set(id, owner);
      }
  }

  #placesOf(table: string): readonly PlaceInfo[] {
    const info = this.#resolved.tables.get(table);
    return info === undefined ? [] : [info.place, ...info.indexes];
  }

  /** Requests that no pattern sends, for single items and beside own ones. */
  async #compareItems(items: readonly { readonly table: string; readonly item: StoredItem }[]): Promise<void> {
    for (const { table, item } of this.#random.some(items, itemsTried)) {
      const owner = tenantIn(item, this.#attribute);
      for (const other of this.#othersThan(owner === undefined ? [] : [owner])) {
        const own = items.find((each) => each.table === table && tenantIn(each.item, this.#attribute) === other)?.item;
        const caller = this.#caller(other);
        for (const command of this.#requestsFor(table, item, own)) {
          this.#foreign += 1;
          if (!(await this.#database.isDenied(caller, command)))
            this.#wrong.push(`${JSON.stringify(other)} is allowed ${textOf(command)} on ${shown(item)}`);
        }
      }
      if (owner === undefined) continue;
      const TableName = this.#tables.names[table];
      const get = new GetItemCommand({ TableName, Key: this.#keyOf(table, item) as never });
      const queries = this.#placesOf(table).flatMap((place) => this.#queriesOf(TableName ?? '', place, item));
      for (const command of [get, ...queries]) {
        this.#own += 1;
        if (await this.#database.isDenied(this.#caller(owner), command))
          this.#wrong.push(`${JSON.stringify(owner)} is denied ${textOf(command)} on ${shown(item)}`);
      }
      const untagged = sessionWith([this.#policy('')]);
      if (!(await this.#database.isDenied(untagged, get)))
        this.#wrong.push(`a session without a tag is allowed ${textOf(get)} on ${shown(item)}`);
    }
  }

  #keyOf(table: string, item: StoredItem): StoredItem {
    const place = this.#resolved.tables.get(table)?.place;
    const attributes = [...(place?.partition ?? []), ...(place?.sort ?? [])].map(({ attribute }) => attribute);
    return Object.fromEntries(attributes.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
  }

  /** @param own - an item of the caller in the same table, if there is one. */
  #requestsFor(table: string, item: StoredItem, own: StoredItem | undefined): readonly Command[] {
    const TableName = this.#tables.names[table] ?? '';
    const Key = this.#keyOf(table, item) as never;
    const ownKey = own === undefined ? [] : [this.#keyOf(table, own) as never];
    const Item = item as never;
    const names = Object.keys(this.#keyOf(table, item));
    const where = names.map((name) => `"${name}" = ?`).join(' AND ');
    const Parameters = Object.values(this.#keyOf(table, item)) as never[];
    const select = `SELECT * FROM "${TableName}"`;
    const ownPuts = own === undefined ? [] : [{ Put: { TableName, Item: own as never } }];
    const ownGets = ownKey.map((each) => ({ Get: { TableName, Key: each } }));
    const foreignWrites = [
      { Put: { TableName, Item } },
      { Delete: { TableName, Key } },
      { Update: { TableName, Key, UpdateExpression: 'SET x = :x', ExpressionAttributeValues: { ':x': { N: '1' } } } },
      { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(x)' } },
    ];
    return [
      new GetItemCommand({ TableName, Key }),
      new PutItemCommand({ TableName, Item }),
      new DeleteItemCommand({ TableName, Key }),
      new UpdateItemCommand({ TableName, Key }),
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [...ownKey, Key] } } }),
      new BatchWriteItemCommand({
        RequestItems: {
          [TableName]: [...ownPuts.map(({ Put }) => ({ PutRequest: { Item: Put.Item } })), { DeleteRequest: { Key } }],
        },
      }),
      new TransactGetItemsCommand({ TransactItems: [...ownGets, { Get: { TableName, Key } }] }),
      ...foreignWrites.map((write) => new TransactWriteItemsCommand({ TransactItems: [...ownPuts, write] })),
      ...this.#placesOf(table).flatMap((place) => this.#queriesOf(TableName, place, item)),
      // The parameters of the first version of the API.
      new UpdateItemCommand({ TableName, Key, AttributeUpdates: { x: { Action: 'DELETE' } } }),
      new DeleteItemCommand({ TableName, Key, Expected: { x: { Exists: false } } }),
      new ScanCommand({ TableName }),
      ...this.#placesOf(table)
        .slice(1)
        .map(({ name }) => new ScanCommand({ TableName, IndexName: name })),
      new ExecuteStatementCommand({ Statement: `${select} WHERE ${where}`, Parameters }),
      new ExecuteStatementCommand({ Statement: select }),
      new ExecuteStatementCommand({ Statement: `DELETE FROM "${TableName}" WHERE ${where}`, Parameters }),
      new ExecuteStatementCommand({
        Statement: `INSERT INTO "${TableName}" VALUE ?`,
        Parameters: [{ M: item as never }],
      }),
      ...this.#placesOf(table)
        .slice(1)
        .map(({ name }) => new ExecuteStatementCommand({ Statement: `SELECT * FROM "${TableName}"."${name}"` })),
      new BatchExecuteStatementCommand({ Statements: [{ Statement: `${select} WHERE ${where}`, Parameters }] }),
      new ExecuteTransactionCommand({ TransactStatements: [{ Statement: `${select} WHERE ${where}`, Parameters }] }),
    ];
  }

  /** The whole partition of an item in one place. */
  #queriesOf(TableName: string, place: PlaceInfo, item: StoredItem): QueryCommand[] {
    if (![...place.partition, ...place.sort].every(({ attribute }) => item[attribute] !== undefined)) return [];
    const index = place.kind === 'table' ? {} : { IndexName: place.name };
    return [
      new QueryCommand({
        TableName,
        ...index,
        KeyConditions: Object.fromEntries(
          place.partition.map(({ attribute }) => [
            attribute,
            { ComparisonOperator: 'EQ', AttributeValueList: [item[attribute] as never] },
          ]),
        ),
      }),
      new QueryCommand({
        TableName,
        ...index,
        KeyConditionExpression: place.partition.map((_, i) => `#${i} = :${i}`).join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(place.partition.map(({ attribute }, i) => [`#${i}`, attribute])),
        ExpressionAttributeValues: Object.fromEntries(
          place.partition.map(({ attribute }, i) => [`:${i}`, item[attribute] as never]),
        ),
      }),
    ];
  }
}

/** The input of a read. */
export function inputOf(calls: ReadCalls, name: string, need: Model['patterns'][string]): unknown {
  const call = calls.draw(name, need);
  return need.each === true ? call?.inputs : call?.inputs[0];
}

/** The tenants that an input names. */
function tenantsIn(input: unknown, attribute: string): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value))
      if (name === attribute && each !== undefined && each !== null)
        for (const one of [each].flat()) found.add(String(one));
      else look(each);
  };
  look(input);
  return [...found];
}

/** The tenant of a stored item; undefined for an item that all tenants share. */
function tenantIn(item: StoredItem, attribute: string): string | undefined {
  const value = item[attribute];
  return value === undefined ? undefined : String(value['S'] ?? value['N'] ?? value['BOOL']);
}

/** A request, for a message. */
export function textOf(command: Command): string {
  return `${command.constructor.name.replace(/Command$/, '')} ${shown(command.input)}`;
}

/** A value, for a message. */
export function shown(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'bigint' ? `${each}n` : each instanceof Set ? [...each] : each,
    ) ?? 'undefined'
  ).slice(0, 600);
}
