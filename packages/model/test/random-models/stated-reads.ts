import { BatchGetItemCommand, type DynamoDBClient, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { RangeRequest } from '../../src/check/index.ts';
import { explainAll, type Explanation } from '../../src/cost/index.ts';
import type { Model } from '../../src/model.ts';
import { drawState, Pools } from '../../src/prove/data.ts';
import { ProvingTables } from '../../src/prove/proving-tables.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { type ReadCall, ReadCalls } from '../../src/prove/read-call.ts';
import { storedFunctions } from '../../src/prove/stored-functions.ts';
import type { PlaceInfo, ResolvedModel } from '../../src/resolve/resolved.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { nextTablePrefix } from './prove-script.ts';
import { RecordingClient, type SentRequest } from './recording-client.ts';
import { filledText, matchesTemplate, meetsText } from './stated-texts.ts';

/*
 * What `explain` states about patterns that read, compared with what they send and with what the service examines. For each request there is a
 * stated one such that:
 *
 * - operation and place are equal, and the partition key is the stated text with the inputs in it;
 * - each examined item is one of `reads` or `alsoThere`, by its type and the form of its key, and its sort key is within the stated range;
 * - each item of `reads` that meets all texts of `filter` is in the answer, and no other item is. The answer to a range may lack more, since
 *   an interval may leave out some keys that lie between its ends.
 *
 * Examined items are those of the same request without its filter, of which there are as many as its ScannedCount. For each page:
 *
 * - requests from the start of a range ≤ requests stated, by place and in all; further ones only if `readsOn`;
 * - the limit of a request is `looksAt`, and one more for each end of an interval that is left out;
 * - read units ≤ those stated, if what was examined has no more bytes than stated.
 */

/** What was compared for one model. */
export interface ReadComparison {
  readonly requests: number;
  readonly examined: number;
  /** Items that a filter removed. */
  readonly dropped: number;
  readonly wrong: readonly string[];
}

type StoredItem = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
type Values = Readonly<Record<string, unknown>>;

const callsOfPattern = 6;

/** Compares a model that `check` accepts with what is stated about it. */
export async function compareReads(
  model: Model,
  client: DynamoDBClient,
  seed: number,
  explained: (model: Model) => readonly Explanation[] = explainAll,
): Promise<ReadComparison> {
  return new Comparison(model, client, seed).run(explained(model));
}

class Comparison {
  readonly #model: Model;
  readonly #resolved: ResolvedModel;
  readonly #client: DynamoDBClient;
  readonly #random: RandomSource;
  readonly #tables: ProvingTables;
  readonly #nowMs = Date.UTC(2024, 2, 1, 12);
  readonly #wrong: string[] = [];
  #requests = 0;
  #examined = 0;
  #dropped = 0;

  constructor(model: Model, client: DynamoDBClient, seed: number) {
    this.#model = model;
    this.#resolved = resolve(model);
    this.#client = client;
    this.#random = new RandomSource(seed);
    this.#tables = new ProvingTables(model, client, nextTablePrefix());
  }

  async run(explanations: readonly Explanation[]): Promise<ReadComparison> {
    await this.#tables.create();
    try {
      const pools = new Pools(this.#model, this.#random.fork(1), this.#nowMs);
      const state = await this.#tables.store(drawState(this.#model, pools, this.#random.fork(2), 30));
      const recorder = new RecordingClient(this.#client);
      const functions = storedFunctions(this.#model, {
        client: recorder.client,
        tables: this.#tables.names,
        now: () => this.#nowMs,
        random: () => 0.5,
        pause: async () => undefined,
      });
      const calls = new ReadCalls(this.#model, pools, state, this.#random.fork(3));
      for (const explanation of explanations) {
        const { pattern } = explanation;
        const need = this.#model.patterns[pattern];
        if (need?.reads === undefined) continue;
        for (let number = 0; number < callsOfPattern; number += 1) {
          const drawn = calls.draw(pattern, need);
          if (drawn === undefined) continue;
          const input = need.each === true ? drawn.inputs : drawn.inputs[0];
          // A page of the pattern's own size is what is stated.
          const options = drawn.limit === undefined || number % 2 === 0 ? {} : { limit: drawn.limit };
          const sent = await recorder.during(() => functions[pattern]!(input, options));
          if (sent === undefined || sent.length === 0) continue;
          await this.#comparePage(explanation, drawn, sent, options.limit);
        }
      }
    } finally {
      await this.#tables.remove();
    }
    return { requests: this.#requests, examined: this.#examined, dropped: this.#dropped, wrong: this.#wrong };
  }

  async #comparePage(
    { pattern, ranges, served, cost }: Explanation,
    call: ReadCall,
    sent: readonly SentRequest[],
    limit: number | undefined,
  ): Promise<void> {
    const { each, range, among, reads, unproven, where = {} } = this.#model.patterns[pattern] ?? {};
    const say = (text: string): void => void this.#wrong.push(`${pattern}: ${text}; ${JSON.stringify(call.inputs)}`);
    if (ranges === undefined || served === undefined || cost === undefined) return say('is not explained');
    const inputs = each === true ? call.inputs : call.inputs.slice(0, 1);
    const stated = ranges.cases.flatMap(({ requests }) => requests);
    const begun = sent.filter(({ input }) => !('ExclusiveStartKey' in input));
    const [input = {}] = inputs;
    const interval = range === undefined ? undefined : (input[range] as Values | undefined);
    const excluded = ['after', 'before'].filter((end) => interval?.[end] !== undefined).length;
    // A read of several keys by an index sends the requests of each.
    const share = served.operation === 'Query' ? inputs.length : 1;
    // A walk for one item continues until it is found.
    const isEndless = ranges.pages.readsOn && ranges.pages.limit === 1 && typeof reads === 'string';
    if (begun.length > served.requests * share && !isEndless)
      say(`sends ${begun.length} requests, and ${served.requests} are stated`);
    for (const { place } of stated) {
      const most = Math.max(...ranges.cases.map(({ requests }) => timesOf(requests, place)));
      const count = begun.filter((request) => placeOf(request, this.#tables) === place).length;
      if (count > most * share && !isEndless) say(`sends ${count} requests to ${place}, and ${most} are stated`);
    }
    if (limit === undefined && begun.length < sent.length && !ranges.pages.readsOn && excluded === 0) say('reads on');
    let bytes = 0;
    for (const request of sent) {
      this.#requests += 1;
      const { Limit } = request.input as { readonly Limit?: number };
      const { looksAt } = ranges.pages;
      const isFirst = begun.includes(request);
      if (limit === undefined && isFirst && Limit !== looksAt && (Limit ?? 0) - (looksAt ?? 0) > excluded)
        say(`evaluates ${String(Limit)} items, and ${String(looksAt)} are stated`);
      const examined = await this.#examinedBy(request);
      bytes += JSON.stringify(examined).length;
      const scanned = (request.answer as { readonly ScannedCount?: number }).ScannedCount;
      if (scanned !== undefined && scanned !== examined.length) say(`examined ${scanned}, and not ${examined.length}`);
      this.#examined += examined.length;
      // The items of a batch are those of several inputs.
      const parts = request.operation === 'BatchGetItem' ? examined.map((item) => [item]) : [examined];
      for (const part of parts) {
        const why = stated.flatMap((each) =>
          inputs.map((given) =>
            this.#differs(each, {
              request,
              examined: part,
              input: given,
              among,
              where,
              hasInterval: interval !== undefined,
              isProven: unproven === undefined,
            }),
          ),
        );
        if (!why.includes(undefined))
          say(`${request.operation} ${JSON.stringify(request.input)} is not stated: ${why.join(' | ')}`);
      }
    }
    const units = begun.reduce((sum, request) => sum + request.units, 0);
    const walks = served.requests > cost.requests || isEndless;
    const isOfUsual = served.operation !== 'BatchGetItem';
    if (isOfUsual && !walks && bytes <= cost.bytes && units > cost.readUnits * share + 1e-9)
      say(`consumes ${units} read units, and ${cost.readUnits} are stated`);
  }

  /** Why a request is not the stated one; undefined if it is. */
  #differs(
    stated: RangeRequest,
    {
      request,
      examined,
      input,
      among,
      where,
      hasInterval,
      isProven,
    }: {
      readonly request: SentRequest;
      readonly examined: readonly StoredItem[];
      readonly input: Values;
      readonly among: unknown;
      readonly where: object;
      readonly hasInterval: boolean;
      readonly isProven: boolean;
    },
  ): string | undefined {
    const { operation, place, partition, equal, range, reads, alsoThere, filter } = stated;
    if (request.operation !== operation) return `${operation} is`;
    if (placeOf(request, this.#tables) !== place) return `${place} is`;
    const info = this.#placeNamed(place);
    const table = this.#resolved.tables.get(info.table);
    const separator = table?.separator ?? '#';
    const values = valuesOf(input);
    // One of a list of inputs is in each request.
    for (const name of Object.keys(Object(among) as object)) delete values[name];
    // A key has the constant of a condition, and not the value of a filter with the same name.
    for (const name of Object.keys(where)) delete values[name];
    const answer = (request.answer ?? {}) as { readonly Items?: readonly StoredItem[] };
    const answered = new Set((answer.Items ?? []).map((item) => keyOf(item, table?.place)));
    const ends = endsOf(request);
    for (const item of examined) {
      const type = this.#nameOf(item, info.table);
      const last = textOf(item[[...info.partition, ...info.sort].at(-1)?.attribute ?? '']);
      const isOf = (residents: typeof reads): boolean =>
        residents.some(({ name, key }) => name === type && (key === 'any' || matchesTemplate(key, last)));
      const isRead = isOf(reads);
      // The key at an open end is examined, and left out.
      if (!isRead && ends.includes(last)) continue;
      for (const [attribute, text] of [...Object.entries(partition), ...Object.entries(equal)]) {
        const { text: known, isOpen } = filledText(text, values, separator);
        const actual = textOf(item[attribute]);
        if (isOpen ? !matchesTemplate(text, actual) || !actual.startsWith(known) : actual !== known)
          return `${attribute} ${actual} is not ${text}`;
      }
      // Without a proof, an interval may be in another order than the keys.
      if (range !== undefined && (isProven || !hasInterval)) {
        const actual = textOf(item[range.attribute]);
        const isNumber = item[range.attribute]?.['N'] !== undefined;
        const low = filledText(range.from, values, separator);
        const high = filledText(range.to, values, separator);
        const isBelow = isNumber
          ? low.text !== '' && Number(actual) < Number(low.text)
          : compareBytes(actual, low.text) < 0;
        const isAbove = isNumber
          ? high.text !== '' && Number(actual) > Number(high.text)
          : compareBytes(actual, high.text) > 0 &&
            !((high.isOpen || range.toBeginnings) && actual.startsWith(high.text));
        if (isBelow || isAbove) return `${actual} is not from ${range.from} to ${range.to}`;
      }
      // A scan of a table examines everything.
      if (!isRead && !isOf(alsoThere) && operation !== 'Scan') return `${type} ${last} is not there`;
      if (operation === 'GetItem' || operation === 'BatchGetItem') continue;
      const context = { item: this.#named(item, type), input, now: Math.floor(this.#nowMs / 1000) };
      const tests = filter.filter((text) => operation !== 'Scan' || !text.endsWith('is missing or above now'));
      const meets = isRead && tests.every((text) => meetsFilter(text, type, context));
      // A count has no items.
      if (answer.Items === undefined) continue;
      const isAnswered = answered.has(keyOf(item, table?.place));
      if (!isAnswered) this.#dropped += 1;
      if (isAnswered && !meets) return `${last} does not meet ${filter.join(', ')}`;
      if (!isAnswered && meets && !hasInterval) return `${last} is not answered`;
    }
    return undefined;
  }

  #placeNamed(name: string): PlaceInfo {
    const places = [...this.#resolved.tables.values()].flatMap(({ place, indexes }) => [place, ...indexes]);
    const found = places.find((place) => place.name === name);
    if (found === undefined) throw new TypeError(`no table or index is named ${name}`);
    return found;
  }

  /** An item with the names of attributes, which may be stored under others. */
  #named(item: StoredItem, entity: string): StoredItem {
    const attributes = this.#resolved.entities.get(entity)?.attributes.values() ?? [];
    return Object.fromEntries([...attributes].map(({ name, stored }) => [name, item[stored]]));
  }

  /** The entity of an item, or the type of a guard. */
  #nameOf(item: StoredItem, table: string): string {
    const { typeAttribute } = this.#resolved.tables.get(table) ?? {};
    // Only a table of one entity has no types.
    if (typeAttribute === undefined)
      return [...this.#resolved.entities.values()].find((each) => each.table.name === table)?.name ?? '';
    const type = textOf(item[typeAttribute]);
    const entity = [...this.#resolved.entities.values()].find((each) => each.type === type);
    return entity?.name ?? type;
  }

  /** The whole items that a request examines. */
  async #examinedBy({ operation, input }: SentRequest): Promise<readonly StoredItem[]> {
    const {
      TableName = '',
      IndexName,
      Key,
      RequestItems,
    } = input as {
      readonly TableName?: string;
      readonly IndexName?: string;
      readonly Key?: StoredItem;
      readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly StoredItem[] }>>;
    };
    if (operation === 'GetItem') return this.#wholeItems(TableName, [Key ?? {}]);
    if (operation === 'BatchGetItem') {
      const [[name, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems ?? {});
      return this.#wholeItems(name, Keys);
    }
    const whole = { ...input, FilterExpression: undefined, ProjectionExpression: undefined, Select: undefined };
    const names = onlyUsed(whole, 'ExpressionAttributeNames');
    const values = onlyUsed(whole, 'ExpressionAttributeValues');
    const request = { ...whole, ...names, ...values };
    const { Items = [] } = (await this.#client.send(
      (operation === 'Scan' ? new ScanCommand(request as never) : new QueryCommand(request as never)) as never,
    )) as { readonly Items?: readonly StoredItem[] };
    if (IndexName === undefined) return Items;
    const place = this.#resolved.tables.get(this.#tableOf(TableName))?.place;
    const keys = Items.map((item) => Object.fromEntries(keyAttributes(place).map((name) => [name, item[name]])));
    return this.#wholeItems(TableName, keys);
  }

  #tableOf(name: string): string {
    return Object.entries(this.#tables.names).find(([, each]) => each === name)?.[0] ?? '';
  }

  async #wholeItems(table: string, keys: readonly StoredItem[]): Promise<readonly StoredItem[]> {
    const unique = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
    const found: StoredItem[] = [];
    for (let at = 0; at < unique.length; at += 100) {
      const Keys = unique.slice(at, at + 100) as never[];
      const { Responses = {} } = await this.#client.send(
        new BatchGetItemCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
      );
      found.push(...((Responses[table] ?? []) as unknown as StoredItem[]));
    }
    return found;
  }
}

/** The maximum number of requests to one place. */
function timesOf(requests: readonly RangeRequest[], place: string): number {
  return requests.filter((each) => each.place === place).reduce((sum, { times }) => sum + times, 0);
}

function placeOf({ input }: SentRequest, { names }: ProvingTables): string {
  const { TableName, IndexName, RequestItems } = input as {
    readonly TableName?: string;
    readonly IndexName?: string;
    readonly RequestItems?: object;
  };
  if (IndexName !== undefined) return IndexName;
  const [table = TableName] = Object.keys(RequestItems ?? {});
  return Object.entries(names).find(([, name]) => name === table)?.[0] ?? '';
}

/** Inputs by name, and the ends of an interval as `n.from` and `n.to`. An input under another name is that of each attribute. */
function valuesOf(input: Values): Record<string, unknown> {
  const values: Record<string, unknown> = { ...input };
  for (const [name, given] of Object.entries(input)) {
    if (typeof given !== 'object' || given === null || given instanceof Uint8Array || Array.isArray(given)) continue;
    const { from, after, begins, to, before } = given as Values;
    delete values[name];
    values[`${name}.from`] = from ?? after ?? begins;
    values[`${name}.to`] = to ?? before ?? begins;
    if ([from, after, begins].filter((each) => each !== undefined).length > 1) delete values[`${name}.from`];
    if ([to, before, begins].filter((each) => each !== undefined).length > 1) delete values[`${name}.to`];
    if (begins !== undefined) delete values[`${name}.to`];
  }
  return values;
}

/** The sort keys at the ends of a request. */
function endsOf({ input }: SentRequest): readonly string[] {
  const { ExpressionAttributeValues: values = {} } = input as {
    readonly ExpressionAttributeValues?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return [values[':a'], values[':b']].filter((value) => value !== undefined).map(textOf);
}

function keyAttributes(place: PlaceInfo | undefined): readonly string[] {
  return [...(place?.partition ?? []), ...(place?.sort ?? [])].map(({ attribute }) => attribute);
}

function keyOf(item: StoredItem, place: PlaceInfo | undefined): string {
  return JSON.stringify(keyAttributes(place).map((name) => item[name]));
}

function textOf(value: Readonly<Record<string, unknown>> | undefined): string {
  return value === undefined ? '' : String(Object.values(value)[0]);
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** A text that begins with an entity is a condition on its items alone. */
function meetsFilter(text: string, type: string, context: Parameters<typeof meetsText>[1]): boolean {
  const [, entity, rest] = /^(\w+): (.*)$/s.exec(text) ?? [];
  if (entity === undefined || rest === undefined) return meetsText(text, context);
  return entity !== type || meetsText(rest, context);
}

/** The placeholders of a key condition. An unused one is an error. */
function onlyUsed(request: Values, member: string): object {
  const { KeyConditionExpression: condition = '', [member]: given } = request;
  const used = Object.entries(Object(given) as object).filter(([name]) =>
    new RegExp(`${name}(?!\\w)`).test(String(condition)),
  );
  return { [member]: used.length === 0 ? undefined : Object.fromEntries(used) };
}
