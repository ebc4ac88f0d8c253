import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { modelRefused, type PatternRequest } from '../../inspect/index.ts';
import { plainJson } from './plain-json.ts';
import type { DescribedModel } from './described-model.ts';
import type { LoadedModel } from './load-models.ts';
import type { PatternFunction } from './pattern-function.ts';
import type { ModelDatabase } from './model-database.ts';

/** The result of running a pattern. */
interface PatternRun {
  readonly result: unknown;
  readonly requests: readonly SentRequest[];
  /** The items returned, in their order; at most {@link runKeysMax}. */
  readonly read: readonly TouchedKey[];
  readonly written: readonly TouchedKey[];
  /** The number of items that were read but not returned. */
  readonly filteredAway: number;
  /** Their keys, found by reading again without the filter; at most {@link runKeysMax}. */
  readonly filtered: readonly TouchedKey[];
  readonly error: { readonly name: string; readonly message: string } | null;
}

interface SentRequest {
  readonly operation: string;
  readonly input: unknown;
  readonly ms: number;
  readonly capacity: unknown;
}

interface TouchedKey {
  readonly table: string;
  /** `table`, or the name of the index that was read. */
  readonly place: string;
  readonly key: unknown;
}

/** The maximum number of keys and requests in an answer. */
const runKeysMax = 1_000;
const runRequestsMax = 200;

/**
 * Runs a pattern in this process, and reports the requests that it sent and the items that they touched.
 *
 * @throws {DynamoError} `ModelRefused` for a model that is not proven, an unknown pattern, and input that the pattern refuses.
 */
export async function runServedPattern(
  {
    loaded: { model },
    check,
    database,
    tables,
  }: {
    readonly loaded: LoadedModel;
    readonly check: DescribedModel['check'];
    readonly database: ModelDatabase;
    readonly tables: Readonly<Record<string, string>>;
  },
  pattern: string,
  { input, cursor, dryRun }: PatternRequest,
): Promise<object> {
  const wrong = check.findings.find(({ level }) => level === 'error');
  if (wrong !== undefined) throw modelRefused(`${wrong.place} ${wrong.code}: ${wrong.message}`);
  const [{ DynamoDBClient }, { connect, ready }, { storedForm }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@singlet/model'),
    import('@singlet/model/bridges'),
  ]);
  const client = new DynamoDBClient(database.clientConfig());
  try {
    const record = new RunRecord(client);
    const functions = (await ready(connect(storedForm(model), { client, tables }))) as unknown as Readonly<
      Record<string, PatternFunction>
    >;
    const run = Object.hasOwn(functions, pattern) ? functions[pattern] : undefined;
    if (run === undefined) throw modelRefused(`${model.name} has no pattern ${JSON.stringify(pattern)}.`);
    if (dryRun) return { requests: plainJson([requestOf(run, input)].flat()) };
    let result: unknown = null;
    let error: PatternRun['error'] = null;
    try {
      result = await run(input, cursor === undefined ? undefined : { cursor });
    } catch (cause) {
      error = problemOf(cause);
    }
    return { ...(await record.finish(database)), result: plainJson(result), error } satisfies PatternRun;
  } finally {
    client.destroy();
  }
}

function requestOf(run: PatternFunction, input: unknown): unknown {
  try {
    return run.request(input);
  } catch (error) {
    problemOf(error);
    throw modelRefused(error instanceof Error ? error.message : String(error));
  }
}

/** Errors of the database or of a rule of the model are results of the run. Input that the pattern refuses is not. */
function problemOf(error: unknown): NonNullable<PatternRun['error']> {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'InputError' || error.name === 'ModelError') throw modelRefused(error.message);
  return { name: error.name, message: error.message };
}

/** The members of the SDK's inputs and outputs that are used here. */
interface AnyInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: object;
  readonly Item?: object;
  readonly RequestItems?: Readonly<
    Record<string, readonly { readonly PutRequest?: AnyInput; readonly DeleteRequest?: AnyInput }[]>
  >;
  readonly TransactItems?: readonly Readonly<Record<string, AnyInput | undefined>>[];
}

/** The members of a Query or Scan that change when its filter is left out. */
interface FilteredInput extends AnyInput {
  readonly KeyConditionExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

interface AnyOutput {
  readonly Item?: object;
  readonly Items?: readonly object[];
  readonly Count?: number;
  readonly ScannedCount?: number;
  readonly Responses?: Readonly<Record<string, readonly object[]>> | readonly { readonly Item?: object }[];
  readonly ConsumedCapacity?: unknown;
}

const countedOperations: ReadonlySet<string> = new Set([
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
  'BatchGetItem',
  'BatchWriteItem',
  'TransactGetItems',
  'TransactWriteItems',
]);

const writingOperations: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** Records the requests and answers of a client. */
class RunRecord {
  readonly #requests: SentRequest[] = [];
  readonly #read: { readonly table: string; readonly place: string; readonly item: object }[] = [];
  readonly #written: { readonly table: string; readonly item: object }[] = [];
  #filteredAway = 0;
  readonly #filters: { readonly operation: string; readonly input: AnyInput; readonly items: readonly object[] }[] = [];

  constructor(client: DynamoDBClient) {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const operation = (context['commandName'] ?? '').replace(/Command$/, '');
        const startedMs = performance.now();
        const counted = countedOperations.has(operation) ? { ReturnConsumedCapacity: 'INDEXES' } : {};
        const sent = await next({ ...args, input: { ...args.input, ...counted } });
        const ms = Math.round((performance.now() - startedMs) * 1000) / 1000;
        this.#note(operation, { input: args.input as AnyInput, output: sent.output as AnyOutput, ms });
        return sent;
      },
      { step: 'initialize', name: 'noteRequests' },
    );
  }

  async finish(database: ModelDatabase): Promise<Omit<PatternRun, 'result' | 'error'>> {
    const names = new KeyAttributes(database);
    const read: TouchedKey[] = [];
    for (const { table, place, item } of this.#read.slice(0, runKeysMax)) {
      read.push({ table, place, key: plainJson(await names.keyOf(table, item)) });
    }
    const written: TouchedKey[] = [];
    for (const { table, item } of this.#written.slice(0, runKeysMax)) {
      written.push({ table, place: 'table', key: plainJson(await names.keyOf(table, item)) });
    }
    const filtered: TouchedKey[] = [];
    for (const filter of this.#filters) {
      if (filtered.length >= runKeysMax) break;
      filtered.push(...(await filteredKeys(filter, { database, names })).slice(0, runKeysMax - filtered.length));
    }
    const requests = this.#requests.slice(0, runRequestsMax);
    return { requests, read, written, filteredAway: this.#filteredAway, filtered };
  }

  #note(
    operation: string,
    { input, output, ms }: { readonly input: AnyInput; readonly output: AnyOutput; readonly ms: number },
  ): void {
    const { TableName = '', IndexName } = input;
    this.#requests.push({
      operation,
      input: plainJson(input),
      ms,
      capacity: plainJson(output.ConsumedCapacity ?? null),
    });
    const place = IndexName ?? 'table';
    if (output.Items !== undefined) {
      for (const item of output.Items) this.#read.push({ table: TableName, place, item });
      const filteredAway = (output.ScannedCount ?? 0) - (output.Count ?? 0);
      this.#filteredAway += filteredAway;
      if (filteredAway > 0) this.#filters.push({ operation, input, items: output.Items });
    }
    if (output.Item !== undefined) this.#read.push({ table: TableName, place, item: output.Item });
    this.#noteResponses(input, output.Responses);
    if (writingOperations.has(operation)) this.#noteWrite(TableName, input);
    for (const part of input.TransactItems ?? []) {
      for (const [kind, action] of Object.entries(part)) {
        if (action !== undefined && kind !== 'ConditionCheck' && kind !== 'Get')
          this.#noteWrite(action.TableName ?? '', action);
      }
    }
    if (operation !== 'BatchWriteItem') return;
    for (const [table, writes] of Object.entries(input.RequestItems ?? {})) {
      for (const { PutRequest, DeleteRequest } of writes) this.#noteWrite(table, PutRequest ?? DeleteRequest ?? {});
    }
  }

  #noteResponses({ TransactItems = [] }: AnyInput, responses: AnyOutput['Responses']): void {
    if (responses === undefined) return;
    if (!Array.isArray(responses)) {
      for (const [table, items] of Object.entries(responses)) {
        for (const item of items as readonly object[]) this.#read.push({ table, place: 'table', item });
      }
      return;
    }
    for (const [at, { Item }] of (responses as readonly { readonly Item?: object }[]).entries()) {
      const table = TransactItems[at]?.['Get']?.TableName ?? '';
      if (Item !== undefined) this.#read.push({ table, place: 'table', item: Item });
    }
  }

  #noteWrite(table: string, { Key, Item }: AnyInput): void {
    const item = Key ?? Item;
    if (item !== undefined) this.#written.push({ table, item });
  }
}

/** The keys of the items that a filter left out: those that the same request returns without the filter, but not with it. */
async function filteredKeys(
  {
    operation,
    input,
    items,
  }: { readonly operation: string; readonly input: AnyInput; readonly items: readonly object[] },
  { database, names }: { readonly database: ModelDatabase; readonly names: KeyAttributes },
): Promise<readonly TouchedKey[]> {
  const table = input.TableName ?? '';
  const answer = (await database.request(operation, plainJson(withoutFilter(input)) as object)) as AnyOutput;
  const came = new Set<string>();
  for (const item of items) came.add(JSON.stringify(plainJson(await names.keyOf(table, item))));
  const filtered: TouchedKey[] = [];
  for (const item of answer.Items ?? []) {
    const key = await names.keyOf(table, item);
    if (!came.has(JSON.stringify(plainJson(key)))) filtered.push({ table, place: input.IndexName ?? 'table', key });
  }
  return filtered;
}

/** Names and values used only by the filter have to be removed, because the database would refuse them. */
function withoutFilter(input: FilteredInput): object {
  const texts = `${input.KeyConditionExpression ?? ''} ${input.ProjectionExpression ?? ''}`;
  const used = new Set(texts.match(/[#:]\w+/g));
  const part = (map: Readonly<Record<string, unknown>> = {}): object | undefined => {
    const entries = Object.entries(map).filter(([name]) => used.has(name));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return {
    ...input,
    FilterExpression: undefined,
    ExpressionAttributeNames: part(input.ExpressionAttributeNames),
    ExpressionAttributeValues: part(input.ExpressionAttributeValues),
  };
}

/** The key attributes of tables, requested once. */
class KeyAttributes {
  readonly #database: ModelDatabase;
  readonly #names = new Map<string, readonly string[]>();

  constructor(database: ModelDatabase) {
    this.#database = database;
  }

  async keyOf(table: string, item: object): Promise<object> {
    let names = this.#names.get(table);
    if (names === undefined) {
      const { Table } = (await this.#database.request('DescribeTable', { TableName: table })) as {
        readonly Table: { readonly KeySchema: readonly { readonly AttributeName: string }[] };
      };
      names = Table.KeySchema.map(({ AttributeName }) => AttributeName);
      this.#names.set(table, names);
    }
    const values = item as Readonly<Record<string, unknown>>;
    return Object.fromEntries(names.map((name) => [name, values[name]]));
  }
}
