import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConnectOptions, Model } from '@singlet/model';
import { observeRequests, type ObservedRequest } from '../measurement/observe-requests.ts';
import { figuresOf, type RequestFigures } from '../measurement/request-figures.ts';
import { type ListedItem, listedItems } from './listed-items.ts';

/** One request to the database, and its cost. */
export interface Cost extends RequestFigures {
  /** DynamoDB's name for it: `Query`, `TransactWriteItems`. */
  readonly operation: string;
  /** The table, and the index if one was read: `EcommerceTable GSI1`. */
  readonly place: string;
  /** The item collection that was read, if it was one, and its key is no secret. */
  readonly collection: Collection | undefined;
  /** The first items that a read returned. None whose key is a secret. */
  readonly items: readonly ListedItem[];
  /** Unknown for a request that no model made, such as those of the table of repeated requests. */
  readonly pattern: AskedPattern | undefined;
  /** Whether a query read against the order of the sort key. */
  readonly isBackwards: boolean;
  /** Whether DynamoDB refused it, or did not answer. */
  readonly isRefused: boolean;
}

/** The access pattern of a model that made a request. */
export interface AskedPattern {
  readonly name: string;
  /** In the requirements: `EC-06`. Patterns that only help others have none. */
  readonly id: string | undefined;
  /** Of the catalogue: `S-29`. */
  readonly strategy: string | undefined;
}

/** A request that was counted; its pattern becomes known a moment later. */
interface CountedRequest extends Cost {
  pattern: AskedPattern | undefined;
}

/** The tokens of sessions. Who has one is its user, so it is neither shown on a page nor in an address that a page links to. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['SessionToken']);

/** Items with one partition key, in a table or an index. */
export interface Collection {
  readonly table: string;
  readonly index: string | undefined;
  /** The partition key with its type: `S:CUSTOMER#alexdebrie`. */
  readonly partitionKey: string;
  /** Which part of it was read, as the workbench writes it: `begins_with:#ORDER#`. Undefined for all of it. */
  readonly sortCondition: string | undefined;
}

type Client = Parameters<typeof observeRequests>[0];

/**
 * Tracks what each answer of an application cost: every request of its clients is counted for the HTTP request that
 * caused it, however deep inside, and for no other.
 */
export class Costs {
  readonly #running = new AsyncLocalStorage<CountedRequest[]>();

  /** Counts the requests of a client. */
  static of(client: Client): Costs {
    const costs = new Costs();
    costs.watch(client);
    return costs;
  }

  /** Counts everything that a client, and document clients made from it later, send from now on. */
  watch(client: Client): void {
    observeRequests(client, (request) => this.#running.getStore()?.push(costOf(request)));
  }

  /** For `connect`: notes which pattern of a model made each request that was counted. */
  patternsOf({ patterns }: Pick<Model, 'patterns'>): NonNullable<ConnectOptions['onRequest']> {
    return ({ pattern: name, operation, tables, index }) => {
      const place = placeOf(tables, index);
      // Of equal requests at the same time, the first that was answered is also the first that is reported here.
      const cost = this.#running
        .getStore()
        ?.find((each) => each.pattern === undefined && each.operation === operation && each.place === place);
      if (cost !== undefined) {
        const { id, strategy } = patterns[name] ?? {};
        cost.pattern = { name, id, strategy };
      }
    };
  }

  /** Runs a function whose requests are counted together. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    return await this.#running.run([], run);
  }

  /** Starts work that outlasts the answer. Its requests are counted for none. */
  apart<Result>(begin: () => Result): Result {
    return this.#running.exit(begin);
  }

  /** What the current one has cost so far, in the order of the answers. */
  soFar(): readonly Cost[] {
    return this.#running.getStore() ?? [];
  }
}

function costOf(request: ObservedRequest): CountedRequest {
  const { operation, input, output } = request;
  const { IndexName: index } = input;
  return {
    ...figuresOf(request),
    operation,
    place: placeOf(tablesOf(input), typeof index === 'string' ? index : undefined),
    collection: collectionOf(input),
    items: listedItems(request, SECRET_KEYS),
    pattern: undefined,
    isBackwards: input['ScanIndexForward'] === false,
    isRefused: output === undefined,
  };
}

function collectionOf(input: Readonly<Record<string, unknown>>): Collection | undefined {
  const { TableName: table, IndexName: index, Key: key, KeyConditionExpression: condition } = input;
  const text = typeof condition === 'string' ? condition : '';
  // Models name the partition key first, in keys and in conditions.
  const [, placeholder = '', value] = /([#\w]+) = (:\w+)/.exec(text) ?? [];
  const values = (input['ExpressionAttributeValues'] ?? {}) as Readonly<Record<string, unknown>>;
  const names = (input['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
  const [first, second] = Object.entries(key ?? {});
  const name = value === undefined ? first?.[0] : (names[placeholder] ?? placeholder);
  const partitionKey = typedText(value === undefined ? first?.[1] : values[value]);
  if (typeof table !== 'string' || partitionKey === undefined || SECRET_KEYS.has(name ?? '')) return undefined;
  const sortKey = typedText(second?.[1])?.slice(2);
  return {
    table,
    index: typeof index === 'string' ? index : undefined,
    partitionKey,
    sortCondition: sortKey === undefined ? sortConditionIn(text, values) : `=:${sortKey}`,
  };
}

/** Separates the two ends of an interval in an address of the workbench. */
const ENDS_PARTED = '\u001F';

/** The condition on the sort key in a key condition, which names its values `:a` and `:b`. */
function sortConditionIn(condition: string, values: Readonly<Record<string, unknown>>): string | undefined {
  const [, prefixed, compared] = /(begins_with|BETWEEN)|(=|<=|<|>=|>) :a\b/.exec(condition) ?? [];
  const operator = prefixed?.toLowerCase() ?? compared;
  const ends = [':a', ':b'].flatMap((end) => typedText(values[end])?.slice(2) ?? []);
  return operator === undefined || ends.length === 0 ? undefined : `${operator}:${ends.join(ENDS_PARTED)}`;
}

/** A text or a number, typed (`{ S: 'x' }`) or plain; undefined for others. */
function typedText(value: unknown): string | undefined {
  if (typeof value === 'string') return `S:${value}`;
  if (typeof value === 'number') return `N:${value}`;
  const { S: text, N: number } = (typeof value === 'object' && value !== null ? value : {}) as {
    S?: string;
    N?: string;
  };
  if (text !== undefined) return `S:${text}`;
  return number === undefined ? undefined : `N:${number}`;
}

function placeOf(tables: readonly string[], index: string | undefined): string {
  return [...tables, ...(index === undefined ? [] : [index])].join(' ');
}

function tablesOf(input: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof input['TableName'] === 'string') return [input['TableName']];
  if (typeof input['RequestItems'] === 'object') return Object.keys(input['RequestItems'] ?? {});
  const actions = Array.isArray(input['TransactItems']) ? (input['TransactItems'] as readonly object[]) : [];
  const names = actions.flatMap((action) =>
    Object.values(action).map(({ TableName }: { TableName: string }) => TableName),
  );
  return [...new Set(names)];
}
