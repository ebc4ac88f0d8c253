import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { explainAll, type Explanation } from '../../src/cost/index.ts';
import type { Model } from '../../src/model.ts';
import { drawState, Pools } from '../../src/prove/data.ts';
import { ProvingTables } from '../../src/prove/proving-tables.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { storedFunctions } from '../../src/prove/stored-functions.ts';
import { type WriteCall, WriteCalls } from '../../src/prove/write-call.ts';
import type { AttributeScript, ModelScript } from './model-script.ts';
import { nextTablePrefix } from './prove-script.ts';
import { RecordingClient, type SentRequest } from './recording-client.ts';
import { matchesTemplate } from './stated-texts.ts';

/*
 * What `explain` states about patterns that write, compared with what they send and consume. For each call that succeeds:
 *
 * - operations sent ⊆ operations stated; a transaction of one action is sent as that action, and an upsert of a missing or expired item as a put;
 * - requests sent ≤ requests stated;
 * - each written key is one of the stated keys;
 * - write units, read units ≤ those stated, if no item is larger than declared, and a put or an upsert does not replace an item.
 *
 * Of a write of several items, requests and units grow with the items. Calls that repeat a request, because its condition failed, are compared by
 * their keys alone.
 */

/** What was compared for one model. */
export interface WriteComparison {
  readonly calls: number;
  /** Calls that consumed exactly the units that are stated. */
  readonly exact: number;
  readonly wrong: readonly string[];
}

const callsOfPattern = 4;
/** `cost` takes a write of a list for one of ten items. */
const usualItems = 10;

/** Items without a declared size take one unit. */
const usualBytes = 900;

/** The model with items of three to four kilobytes, as it declares them. */
export function withLargeItems(script: ModelScript): ModelScript {
  const pad: AttributeScript = { type: 'enum', values: ['p'.repeat(3072)], default: 'p'.repeat(3072) };
  return {
    ...script,
    entities: Object.fromEntries(
      Object.entries(script.entities).map(([name, { attributes, rules }]) => [
        name,
        { attributes: { ...attributes, pad }, rules: { ...rules, expects: { items: 100, bytes: 4096 } } },
      ]),
    ),
  };
}

/** Compares a model that `check` accepts with what is stated about it. */
export async function compareWrites(
  model: Model,
  client: DynamoDBClient,
  seed: number,
  explained: (model: Model) => readonly Explanation[] = explainAll,
): Promise<WriteComparison> {
  const random = new RandomSource(seed);
  const now = Date.UTC(2024, 2, 1, 12);
  const tables = new ProvingTables(model, client, nextTablePrefix());
  const found = { calls: 0, exact: 0, wrong: [] as string[] };
  await tables.create();
  try {
    const pools = new Pools(model, random.fork(1), now);
    const state = await tables.store(drawState(model, pools, random.fork(2), 16));
    const recorder = new RecordingClient(client);
    const functions = storedFunctions(model, {
      client: recorder.client,
      tables: tables.names,
      now: () => now,
      random: () => 0.5,
      pause: async () => undefined,
    });
    const writes = new WriteCalls(model, pools, random.fork(3));
    for (const explanation of explained(model)) {
      const { pattern } = explanation;
      const need = model.patterns[pattern];
      if (need === undefined || need.reads !== undefined) continue;
      for (let number = 0; number < callsOfPattern; number += 1) {
        const call = writes.draw(pattern, need, state);
        if (call === undefined) continue;
        const present = await keysIn(client, tables);
        const sent = await recorder.during(() => functions[pattern]!(call.input));
        if (sent === undefined || sent.length === 0) continue;
        const { wrong, isExact } = comparedWrite(model, explanation, { call, sent, present });
        found.calls += 1;
        if (isExact) found.exact += 1;
        found.wrong.push(...wrong.map((each) => `${pattern}: ${each}`));
      }
    }
  } finally {
    await tables.remove();
  }
  return found;
}

interface SentCall {
  readonly call: WriteCall;
  readonly sent: readonly SentRequest[];
  /** The keys of all items before the call. */
  readonly present: ReadonlySet<string>;
}

function comparedWrite(
  model: Model,
  { pattern, served, writes = [], cost }: Explanation,
  { call, sent, present }: SentCall,
): { readonly wrong: readonly string[]; readonly isExact: boolean } {
  const need = model.patterns[pattern] ?? {};
  if (served === undefined || cost === undefined) return { wrong: ['is not explained'], isExact: false };
  const wrong: string[] = [];
  const written = sent.flatMap(writtenBy);
  for (const { key } of written)
    if (!writes.some((text) => matchesKey(text, key)))
      wrong.push(`writes ${JSON.stringify(key)}, which is not among ${JSON.stringify(writes)}`);
  for (const { operation } of sent)
    if (!isStated(operation, served.operation.split(' then '), need))
      wrong.push(`sends ${operation}, and ${served.operation} is stated`);
  // A request that fails is sent again in another form.
  if (sent.some(({ hasFailed }) => hasFailed)) return { wrong, isExact: false };
  // The cost of a list is that of items with one parent, from which they take their numbers together.
  if (sent.filter(({ operation }) => operation === 'UpdateItem').length > 1) return { wrong, isExact: false };
  const isList = Array.isArray(call.input);
  const count = isList ? (call.input as readonly unknown[]).length : 1;
  const share = isList ? count / usualItems : 1;
  if (!isList && sent.length > served.requests)
    wrong.push(`sends ${sent.length} requests, and ${served.requests} are stated`);
  if (sent.length > Math.ceil(cost.requests * Math.max(share, 1)))
    wrong.push(`sends ${sent.length} requests of ${count} items, and its cost is that of ${cost.requests}`);
  const units = (isRead: boolean): number =>
    sent.filter(({ operation }) => /Get/.test(operation) === isRead).reduce((sum, { units: each }) => sum + each, 0);
  const isReplaced = written.some(({ verb, key }) => verb !== 'Delete' && present.has(textOf(key)) && !isUpdate(need));
  const most = Math.max(...Object.values(model.entities).map(({ rules }) => rules.expects?.bytes ?? usualBytes));
  if (isReplaced || written.some(({ bytes }) => bytes > most)) return { wrong, isExact: false };
  const [reads, all] = [units(true), units(false)];
  if (reads > cost.readUnits * share + rounding)
    wrong.push(`consumes ${reads} read units, and ${cost.readUnits} are stated`);
  if (all > cost.writeUnits * share + rounding)
    wrong.push(`consumes ${all} write units, and ${cost.writeUnits} are stated`);
  return { wrong, isExact: Math.abs(all - cost.writeUnits * share) < rounding };
}

/** Of fractions of units. */
const rounding = 1e-9;

/** Whether existing items are changed in place, whose cost is stated for an item that exists. */
function isUpdate(need: Model['patterns'][string]): boolean {
  return [need, ...Object.values(need.transacts ?? {})].every(
    ({ creates, puts, upserts, orCreates }) => (creates ?? puts ?? upserts) === undefined && orCreates !== true,
  );
}

function isStated(operation: string, stated: readonly string[], need: Model['patterns'][string]): boolean {
  if (stated.includes(operation)) return true;
  if (stated.includes('TransactWriteItems')) return /^(?:Put|Update|Delete)Item$/.test(operation);
  return operation === 'PutItem' && stated.includes('UpdateItem') && !isUpdate(need);
}

interface Written {
  readonly verb: 'Put' | 'Update' | 'Delete';
  /** The item, or its key. */
  readonly key: object;
  readonly bytes: number;
}

interface TransactedAction {
  readonly Put?: { readonly Item: object };
  readonly Update?: { readonly Key: object };
  readonly Delete?: { readonly Key: object };
}

interface BatchedWrite {
  readonly PutRequest?: { readonly Item: object };
  readonly DeleteRequest?: { readonly Key: object };
}

function writtenBy({ operation, input }: SentRequest): readonly Written[] {
  const { Item, Key, TransactItems, RequestItems } = input as {
    readonly Item?: object;
    readonly Key?: object;
    readonly TransactItems?: readonly TransactedAction[];
    readonly RequestItems?: Readonly<Record<string, readonly BatchedWrite[]>>;
  };
  const one = (verb: Written['verb'], key: object | undefined): Written[] =>
    key === undefined ? [] : [{ verb, key, bytes: JSON.stringify(key).length }];
  switch (operation) {
    case 'PutItem':
      return one('Put', Item);
    case 'UpdateItem':
      return one('Update', Key);
    case 'DeleteItem':
      return one('Delete', Key);
    case 'TransactWriteItems':
      return (TransactItems ?? []).flatMap(({ Put, Update, Delete }) => [
        ...one('Put', Put?.Item),
        ...one('Update', Update?.Key),
        ...one('Delete', Delete?.Key),
      ]);
    case 'BatchWriteItem':
      return Object.values(RequestItems ?? {})
        .flat()
        .flatMap(({ PutRequest, DeleteRequest }) => [
          ...one('Put', PutRequest?.Item),
          ...one('Delete', DeleteRequest?.Key),
        ]);
    default:
      return [];
  }
}

/** Whether an item has the key of a text such as `PK = ORDER#{id}, SK = ORDER`. */
function matchesKey(text: string, item: object): boolean {
  const values = item as Readonly<Record<string, object | undefined>>;
  return text.split(', ').every((part) => {
    const [attribute = '', ...template] = part.split(' = ');
    const [value] = Object.values(values[attribute] ?? {}) as (string | undefined)[];
    return value !== undefined && matchesTemplate(template.join(' = '), value);
  });
}

/** All random models have their keys in these attributes. */
function textOf(item: object): string {
  const { PK, SK } = item as { readonly PK?: object; readonly SK?: object };
  return JSON.stringify([PK, SK]);
}

async function keysIn(client: DynamoDBClient, { names }: ProvingTables): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const TableName of Object.values(names)) {
    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    for (const item of Items) found.add(textOf(item));
  }
  return found;
}
