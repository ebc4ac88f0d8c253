import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { createDatabase, type Database } from '../src/index.ts';
import { targetOf } from '../src/server/operations/index.ts';
import { openMemoryStore } from '../src/storage/memory/memory-store.ts';
import type { Store } from '../src/storage/store.ts';

/** Parsed JSON of unknown structure. */
export type Json = unknown;

type JsonObject = Readonly<Record<string, Json>>;

/** An answer whose body is JSON. */
export interface HostileAnswer {
  readonly status: number;
  /** The name of the error, without its namespace; undefined if there is no error. */
  readonly error: string | undefined;
  readonly body: JsonObject;
}

/** More store operations than any request on these few items needs. Exceeding it suggests an endless loop. */
const storeStepsMax = 20_000;

/** Nothing here takes a fraction of this, on the slowest machine. It is checked afterwards, and interrupts nothing. */
const elapsedMsMax = 20_000;

/** The tables that requests target. Their names, and those of their attributes and indexes, are part of the attack. */
export const hostileTables = {
  simple: 'Simple',
  indexed: 'Indexed',
  prototype: '__proto__',
  binary: 'toString',
} as const;

/** A table name of this database in the form that the SDKs use. */
export const arnOf = (tableName: string): string => `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}`;

/**
 * A database under attack, in memory. Each request is answered, not with a 500, with valid JSON and a bounded effort. A
 * refused request has no effect, and an accepted one has no effect on anything else.
 */
export class HostileDatabase {
  /** The layers that a request passes through. A test that bypasses one shows whether that would be noticed. */
  readonly database: Database;
  readonly store: Store;
  readonly #store: CountingStore;
  readonly #failures: unknown[];
  /** What the requests since the last comparison were allowed to change. */
  #addressed = new Addressed();
  #before: DatabaseState = new Map();
  #requests: string[] = [];
  #known: ReadonlyMap<string, string> | undefined;

  private constructor(store: CountingStore, database: Database, failures: unknown[]) {
    this.database = database;
    this.store = store;
    this.#store = store;
    this.#failures = failures;
  }

  static async open(): Promise<HostileDatabase> {
    const store = new CountingStore(openMemoryStore());
    const failures: unknown[] = [];
    const log = (event: { readonly level: string }): void => {
      if (event.level === 'error') failures.push(event);
    };
    const hostile = new HostileDatabase(store, await createDatabase({ store, log }), failures);
    for (const request of seedRequests) await hostile.#succeed(...request);
    await hostile.#takeState();
    return hostile;
  }

  /**
   * Looks up what requests cannot know: the stream of a table, a shard of it, and where to read there. By now the table may
   * have been deleted or its stream disabled; then the requests target a stream that does not exist.
   */
  async #learnStream(): Promise<ReadonlyMap<string, string>> {
    const ask = (action: string, input: object): Promise<Json> =>
      this.database.request(action, input).catch(() => undefined);
    const described = await ask('DescribeTable', { TableName: hostileTables.simple });
    const StreamArn = String(member(described, 'Table', 'LatestStreamArn'));
    const [shard] = listOf(member(await ask('DescribeStream', { StreamArn }), 'StreamDescription', 'Shards'));
    const ShardId = String(member(shard, 'ShardId'));
    const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    return new Map([
      ['$stream', StreamArn],
      ['$shard', ShardId],
      ['$iterator', String(member(await ask('GetShardIterator', start), 'ShardIterator'))],
      ['$sequence', String(member(shard, 'SequenceNumberRange', 'StartingSequenceNumber'))],
    ]);
  }

  /** Sends a body and checks the answer. `$stream` and the like represent the names found. */
  async send(
    action: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HostileAnswer> {
    const isAimed = typeof body === 'string' && placeholders.test(body);
    const sent = isAimed ? await this.#filledIn(body) : body;
    const bytes = typeof sent === 'string' ? Buffer.from(sent, 'utf8') : sent;
    this.#requests.push(`${action} ${shown(bytes)}`);
    this.#store.steps = 0;
    const startedMs = performance.now();
    const response = await this.database.handle({
      method: 'POST',
      url: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': targetOf(action),
        ...headers,
      },
      body: bytes,
    });
    const text = Buffer.from(response.body).toString('utf8');
    const answer = answerOf(response.status, text);
    if (this.#failures.length > 0) this.#fail('failed inside', this.#failures);
    if (![200, 400, 413].includes(answer.status)) this.#fail('was answered', [answer.status, text]);
    if (answer.status === 400 && answer.error === undefined) this.#fail('has an error without a name', text);
    if (this.#store.steps > storeStepsMax) this.#fail('took steps of the store', this.#store.steps);
    if (performance.now() - startedMs > elapsedMsMax) this.#fail('took milliseconds', performance.now() - startedMs);
    if (answer.status === 200) this.#addressed.add(action, JSON.parse(Buffer.from(bytes).toString('utf8')));
    return answer;
  }

  async #filledIn(body: string): Promise<string> {
    this.#known ??= await this.#learnStream();
    let text = body;
    for (const [name, value] of this.#known) text = text.replaceAll(name, value);
    return text;
  }

  /** Sends a request as JSON. */
  async call(action: string, input: Json): Promise<HostileAnswer> {
    return this.send(action, JSON.stringify(input));
  }

  /** Compares everything stored with its state at the last comparison. */
  async checkState(): Promise<void> {
    const after = await this.#state();
    for (const tableName of new Set([...this.#before.keys(), ...after.keys()])) {
      if (this.#addressed.tables.has(tableName)) continue;
      const [was, is] = [this.#before.get(tableName), after.get(tableName)];
      if (was?.description !== is?.description) this.#fail(`changed the table ${tableName}`, [was, is]);
      for (const key of new Set([...(was?.items.keys() ?? []), ...(is?.items.keys() ?? [])])) {
        const isAllowed = this.#addressed.items.has(`${tableName} ${key}`);
        if (!isAllowed && was?.items.get(key) !== is?.items.get(key)) {
          this.#fail(`changed the item ${key} of ${tableName}`, [was?.items.get(key), is?.items.get(key)]);
        }
      }
    }
    if (Object.keys(Object.prototype).length > 0) this.#fail('left something in all objects', Object.prototype);
    await this.#takeState(after);
  }

  /** The present state is the start of the next comparison. */
  async #takeState(state?: DatabaseState): Promise<void> {
    this.#before = state ?? (await this.#state());
    this.#addressed = new Addressed();
    this.#requests = [];
  }

  async close(): Promise<void> {
    await this.checkState();
    await this.database.close();
    if (this.#failures.length > 0) this.#fail('failed in the background', this.#failures);
  }

  async #succeed(action: string, input: Json): Promise<JsonObject> {
    const { status, body } = await this.call(action, input);
    if (status !== 200) this.#fail('was not done', body);
    return body;
  }

  async #state(): Promise<DatabaseState> {
    const { TableNames } = (await this.database.request('ListTables', {})) as { TableNames: readonly string[] };
    const state = new Map<string, TableState>();
    const catalog = new Catalog(this.#store, { nowMs: () => Date.now() });
    for (const tableName of TableNames) {
      const table = await catalog.load({ accountId: '000000000000', region: 'us-east-1' }, tableName);
      if (table === undefined) throw new Error(`listed and not there: ${tableName}`);
      const isFilled = table.record.globalIndexes.every(({ phase }) => phase === undefined);
      const problems = isFilled ? await findInconsistencies(this.#store, table) : [];
      if (problems.length > 0) this.#fail(`left ${tableName} inconsistent`, problems);
      const names = table.keyAttributes.map(({ attributeName }) => attributeName);
      const items = new Map<string, string>();
      for (const item of await this.#allItems(tableName)) items.set(keyText(item, names), JSON.stringify(item));
      const name = { TableName: tableName };
      const { Table } = (await this.database.request('DescribeTable', name)) as { Table: JsonObject };
      const others = [
        await this.database.request('DescribeTimeToLive', name),
        await this.database.request('ListTagsOfResource', { ResourceArn: arnOf(tableName) }),
      ];
      state.set(tableName, { description: JSON.stringify([withoutCounts(Table), others]), items });
    }
    return state;
  }

  async #allItems(tableName: string): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = [];
    let startKey: object = {};
    for (;;) {
      const page = (await this.database.request('Scan', { TableName: tableName, ...startKey })) as {
        readonly Items: readonly JsonObject[];
        readonly LastEvaluatedKey?: JsonObject;
      };
      items.push(...page.Items);
      if (page.LastEvaluatedKey === undefined) return items;
      startKey = { ExclusiveStartKey: page.LastEvaluatedKey };
    }
  }

  #fail(what: string, details: unknown): never {
    const requests = this.#requests.slice(-30).join('\n');
    throw new Error(`${what}: ${JSON.stringify(details, undefined, 1)}\nafter\n${requests}`);
  }
}

const placeholders = /\$(?:stream|shard|iterator|sequence)/;

type DatabaseState = ReadonlyMap<string, TableState>;

interface TableState {
  readonly description: string;
  /** Items as text, by their key. */
  readonly items: ReadonlyMap<string, string>;
}

function answerOf(status: number, text: string): HostileAnswer {
  const body = text === '' ? {} : (JSON.parse(text) as JsonObject);
  const type = body['__type'];
  return { status, error: typeof type === 'string' ? type.replace(/^.*#/, '') : undefined, body };
}

/** The items that accepted requests named. */
class Addressed {
  readonly tables = new Set<string>();
  readonly items = new Set<string>();

  add(action: string, input: Json): void {
    const request = objectOf(input);
    switch (action) {
      case 'CreateTable':
      case 'DeleteTable':
      case 'UpdateTable':
      case 'UpdateTimeToLive':
        this.tables.add(tableNameOf(request['TableName']));
        break;
      case 'TagResource':
      case 'UntagResource':
        this.tables.add(tableNameOf(request['ResourceArn']));
        break;
      case 'ExecuteStatement':
      case 'BatchExecuteStatement':
      case 'ExecuteTransaction':
        // The text of a statement names its item, so any item of the tables that it names may change.
        for (const tableName of Object.values(hostileTables)) {
          if (JSON.stringify(input).includes(tableName)) this.tables.add(tableName);
        }
        break;
      case 'PutItem':
        this.#addItem(request['TableName'], request['Item']);
        break;
      case 'UpdateItem':
      case 'DeleteItem':
        this.#addItem(request['TableName'], request['Key']);
        break;
      case 'BatchWriteItem':
        for (const [tableName, writes] of Object.entries(objectOf(request['RequestItems']))) {
          for (const write of listOf(writes)) {
            this.#addItem(tableName, member(write, 'PutRequest', 'Item'));
            this.#addItem(tableName, member(write, 'DeleteRequest', 'Key'));
          }
        }
        break;
      case 'TransactWriteItems':
        for (const each of listOf(request['TransactItems'])) {
          for (const kind of ['Put', 'Update', 'Delete']) {
            this.#addItem(member(each, kind, 'TableName'), member(each, kind, 'Item') ?? member(each, kind, 'Key'));
          }
        }
        break;
      default:
        break;
    }
  }

  #addItem(table: Json, item: Json): void {
    if (typeof item !== 'object' || item === null) return;
    const tableName = tableNameOf(table);
    const names = keyNames.get(tableName);
    if (names !== undefined) this.items.add(`${tableName} ${keyText(objectOf(item), names)}`);
  }
}

function tableNameOf(name: Json): string {
  return String(name).replace(/^arn:.*:table\//, '');
}

/** The same text for the same key, in any notation of its numbers and bytes. */
function keyText(item: JsonObject, names: readonly string[]): string {
  return names
    .map((name) => {
      const value = objectOf(own(item, name));
      const { S: text, N: number, B: bytes } = value;
      if (typeof number === 'string') return `N ${Number(number)}`;
      if (typeof bytes === 'string') return `B ${Buffer.from(bytes, 'base64').toString('hex')}`;
      // Half of a surrogate pair is not text: in UTF-8 all of them are the same.
      return `S ${Buffer.from(String(text), 'utf8').toString('utf8')}`;
    })
    .join(', ');
}

/** Tables that are created and filled during an attack have these statistics, which are checked separately. */
function withoutCounts(description: Json): Json {
  return JSON.parse(
    JSON.stringify(description, (name, value: Json) =>
      ['ItemCount', 'TableSizeBytes', 'IndexSizeBytes'].includes(name) ? undefined : value,
    ),
  );
}

function objectOf(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function own(object: JsonObject, name: string): Json {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function member(value: Json, ...names: readonly string[]): Json {
  return names.reduce<Json>((inner, name) => own(objectOf(inner), name), value);
}

function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 3000)).toString('utf8');
  return bytes.length > 3000 ? `${text}… (${bytes.length} bytes)` : text;
}

/** Counts the calls of a store. */
class CountingStore implements Store {
  readonly #store: Store;
  steps = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get manifest(): Store['manifest'] {
    return this.#store.manifest;
  }

  read: Store['read'] = (keys, body) => {
    this.steps += 1 + keys.length;
    return this.#store.read(keys, body);
  };

  range: Store['range'] = (request, visit) => {
    this.steps += 1;
    return this.#store.range(request, (key, value) => {
      this.steps += 1;
      return visit(key, value);
    });
  };

  write: Store['write'] = (keys, decide) => {
    this.steps += 1 + keys.length;
    return this.#store.write(keys, decide);
  };

  close(): Promise<void> {
    return this.#store.close();
  }
}

const keyNames: ReadonlyMap<string, readonly string[]> = new Map([
  [hostileTables.simple, ['pk']],
  [hostileTables.indexed, ['pk', 'sk']],
  [hostileTables.prototype, ['__proto__', 'constructor']],
  [hostileTables.binary, ['pk']],
]);

const hash = (AttributeName: string): object => ({ AttributeName, KeyType: 'HASH' });
const rangeKey = (AttributeName: string): object => ({ AttributeName, KeyType: 'RANGE' });
const defined = (AttributeName: string, AttributeType: string): object => ({ AttributeName, AttributeType });

const seedRequests: readonly (readonly [action: string, input: Json])[] = [
  [
    'CreateTable',
    {
      TableName: hostileTables.simple,
      AttributeDefinitions: [defined('pk', 'S')],
      KeySchema: [hash('pk')],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      Tags: [{ Key: 'constructor', Value: '' }],
    },
  ],
  [
    'CreateTable',
    {
      TableName: hostileTables.indexed,
      AttributeDefinitions: [
        defined('pk', 'S'),
        defined('sk', 'N'),
        defined('rank', 'N'),
        defined('owner', 'S'),
        defined('photo', 'B'),
      ],
      KeySchema: [hash('pk'), rangeKey('sk')],
      LocalSecondaryIndexes: [
        {
          IndexName: 'byRank',
          KeySchema: [hash('pk'), rangeKey('rank')],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byOwner',
          KeySchema: [hash('owner'), rangeKey('rank')],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['tag', 'hasOwnProperty'] },
        },
        { IndexName: 'constructor', KeySchema: [hash('photo')], Projection: { ProjectionType: 'ALL' } },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    },
  ],
  [
    'CreateTable',
    {
      TableName: hostileTables.prototype,
      AttributeDefinitions: [defined('__proto__', 'S'), defined('constructor', 'N'), defined('valueOf', 'S')],
      KeySchema: [hash('__proto__'), rangeKey('constructor')],
      GlobalSecondaryIndexes: [
        { IndexName: '__proto__', KeySchema: [hash('valueOf')], Projection: { ProjectionType: 'ALL' } },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    },
  ],
  [
    'CreateTable',
    {
      TableName: hostileTables.binary,
      AttributeDefinitions: [defined('pk', 'B')],
      KeySchema: [hash('pk')],
      BillingMode: 'PAY_PER_REQUEST',
    },
  ],
  ...['a', 'b', 'c'].map((pk): readonly [string, Json] => [
    'PutItem',
    {
      TableName: hostileTables.simple,
      Item: {
        pk: { S: pk },
        a: { S: 'text' },
        n: { N: '42' },
        list: { L: [{ S: 'x' }, { N: '1' }, { M: { a: { L: [{ N: '0' }] } } }] },
        map: { M: { ['__proto__']: { S: 'p' }, toString: { N: '1' }, a: { M: { b: { S: 'deep' } } } } },
        set: { SS: ['a', 'b'] },
        numbers: { NS: ['1', '2'] },
        bytes: { BS: ['AA==', 'AQ=='] },
        none: { NULL: true },
        yes: { BOOL: true },
      },
    },
  ]),
  ...[1, 2, 3, 4].map((sk): readonly [string, Json] => [
    'PutItem',
    {
      TableName: hostileTables.indexed,
      Item: {
        pk: { S: sk > 2 ? 'b' : 'a' },
        sk: { N: `${sk}` },
        ...(sk !== 2 && { rank: { N: `${10 - sk}` } }),
        ...(sk !== 3 && { owner: { S: 'x' } }),
        ...(sk !== 4 && { photo: { B: 'AAEC' } }),
        tag: { S: 't' },
        hasOwnProperty: { BOOL: false },
      },
    },
  ]),
  ...['p', 'q'].map((pk): readonly [string, Json] => [
    'PutItem',
    {
      TableName: hostileTables.prototype,
      Item: { ['__proto__']: { S: pk }, constructor: { N: '1' }, valueOf: { S: 'v' } },
    },
  ]),
  ['PutItem', { TableName: hostileTables.binary, Item: { pk: { B: 'AAEC' }, a: { S: 'x' } } }],
];
