import type { SeededRandom } from '../src/randomness/seeded-random.ts';
import { wireCall } from './wire-call.ts';

/** An item in wire form. */
export type WireItem = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Items by key, as {@link itemName} writes it. */
export type Items = ReadonlyMap<string, WireItem>;

export const crashTableName = 'Crash';

/** All writers share `pk`, so that their items are in the same collections. */
const collectionCount = 6;

const slotCount = 5;

/**
 * A client that writes its own items, one request at a time, and knows what the answers promised: every acknowledged write
 * happened. The unanswered one may have happened or not, but as a whole, unless it was a batch.
 */
export class CrashWriter {
  readonly #id: number;
  readonly #random: SeededRandom;
  #items: Items = new Map();
  #sent: SentWrite | undefined;
  #serial = 0;

  constructor(id: number, random: SeededRandom) {
    this.#id = id;
    this.#random = random;
  }

  /** The write that was sent but not answered. */
  get unanswered(): SentWrite | undefined {
    return this.#sent;
  }

  /** Writes until no more answers arrive. */
  async writeUntilKilled(url: string, onAnswer: () => void): Promise<void> {
    for (;;) {
      const write = this.#nextWrite();
      this.#sent = write;
      let answer;
      try {
        answer = await wireCall(url, write.action, write.input);
      } catch (error) {
        // The connection broke, before the answer or in the middle of it.
        if (error instanceof TypeError) return;
        throw error;
      }
      const name = answer.status === 200 ? undefined : String(answer.body['__type']).replace(/^.*#/, '');
      if (name !== write.error) throw new Error(`${write.action} was answered ${JSON.stringify(answer)}`);
      this.#items = write.after;
      this.#sent = undefined;
      onAnswer();
    }
  }

  /**
   * Compares everything found with what the answers promised.
   *
   * @returns one sentence for each promise that was broken.
   */
  brokenPromises(found: Items): readonly string[] {
    const own = this.#ownOf(found);
    const [before, after] = [this.#items, this.#sent?.after ?? this.#items];
    if (this.#sent?.isAtomic !== false) {
      if (text(own) === text(before) || text(own) === text(after)) return [];
      return [`${this.#described()}: found ${text(own)}, neither ${text(before)} nor ${text(after)}`];
    }
    const names = new Set([...own.keys(), ...before.keys(), ...after.keys()]);
    return [...names]
      .filter((name) => ![text(before.get(name)), text(after.get(name))].includes(text(own.get(name))))
      .map((name) => `${this.#described()}: found ${text(own.get(name))} as ${name}`);
  }

  /** Accepts the found items as the state from here on: the unanswered write has happened by now, or never will. */
  accept(found: Items): void {
    this.#items = this.#ownOf(found);
    this.#sent = undefined;
  }

  /** The unanswered write was sent again and was answered. */
  unansweredHappened(): void {
    this.#items = this.#sent?.after ?? this.#items;
    this.#sent = undefined;
  }

  #ownOf(items: Items): Items {
    return new Map([...items].filter(([, item]) => item['sk']?.['S']?.toString().startsWith(`${this.#id}-`)));
  }

  #described(): string {
    return `writer ${this.#id} after ${this.#sent?.action ?? 'nothing'} unanswered`;
  }

  #nextWrite(): SentWrite {
    const dice = this.#random.next();
    if (dice < 0.55) return this.#writeOfOne();
    return dice < 0.7 ? this.#batch() : this.#transaction();
  }

  #writeOfOne(): SentWrite {
    const [change] = this.#changes(1) as [Change];
    const condition = this.#random.chance(0.2) ? { ConditionExpression: 'attribute_not_exists(pk)' } : {};
    const error =
      'ConditionExpression' in condition && this.#items.has(itemName(change.key))
        ? 'ConditionalCheckFailedException'
        : undefined;
    const actions = { put: 'PutItem', update: 'UpdateItem', delete: 'DeleteItem' } as const;
    return this.#sending(actions[change.kind], { ...parametersOf(change), ...condition }, [change], { error });
  }

  #batch(): SentWrite {
    const changes = this.#changes(this.#random.integer(2, 8)).filter(({ kind }) => kind !== 'update');
    if (changes.length === 0) return this.#writeOfOne();
    const requests = changes.map((change) =>
      change.kind === 'put' ? { PutRequest: { Item: change.item } } : { DeleteRequest: { Key: change.key } },
    );
    const input = { RequestItems: { [crashTableName]: requests } };
    return this.#sending('BatchWriteItem', input, changes, { isAtomic: false });
  }

  /** Items in several collections and a count, under one token; sometimes with a condition, which may be false. */
  #transaction(): SentWrite {
    const changes = this.#changes(this.#random.integer(2, 6));
    const checked = this.#random.chance(0.3) ? changes.pop() : undefined;
    changes.push({
      kind: 'update',
      key: this.#counterKey,
      set: this.#attributes(`${this.#id}:${this.#serial}`),
      remove: [],
    });
    const kinds = { put: 'Put', update: 'Update', delete: 'Delete' } as const;
    const actions: object[] = changes.map((change) => ({ [kinds[change.kind]]: parametersOf(change) }));
    if (checked !== undefined) {
      const { TableName, Key } = parametersOf({ kind: 'delete', key: checked.key });
      actions.push({ ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } });
    }
    const isRefused = checked !== undefined && !this.#items.has(itemName(checked.key));
    const input = { TransactItems: actions, ClientRequestToken: `${this.#id}:${this.#serial}` };
    const error = isRefused ? 'TransactionCanceledException' : undefined;
    return this.#sending('TransactWriteItems', input, changes, { error });
  }

  #sending(
    action: string,
    input: object,
    changes: readonly Change[],
    { error, isAtomic = true }: { readonly error?: string | undefined; readonly isAtomic?: boolean },
  ): SentWrite {
    const after = error === undefined ? changes.reduce(changed, this.#items) : this.#items;
    return { action, input, after, isAtomic, error };
  }

  /** Changes of the given number of different items, with one tag. */
  #changes(count: number): Change[] {
    this.#serial += 1;
    const tag = `${this.#id}:${this.#serial}`;
    const keys = new Map<string, WireItem>();
    while (keys.size < count) {
      const key = {
        pk: { S: `collection-${this.#random.integer(1, collectionCount)}` },
        sk: { S: `${this.#id}-${this.#random.integer(1, slotCount)}` },
      };
      keys.set(itemName(key), key);
    }
    return Array.from(keys.values(), (key): Change => {
      const dice = this.#random.next();
      if (dice < 0.25) return { kind: 'delete', key };
      const attributes = this.#attributes(tag);
      if (dice < 0.6) return { kind: 'put', key, item: { ...key, ...attributes } };
      const others = optionalAttributes.filter((name) => !(name in attributes));
      return { kind: 'update', key, set: attributes, remove: others.filter(() => this.#random.chance(0.4)) };
    });
  }

  /** Every transaction increments this count, which reveals one that happens twice. */
  get #counterKey(): WireItem {
    return { pk: { S: `collection-${(this.#id % collectionCount) + 1}` }, sk: { S: `${this.#id}-0` } };
  }

  /** Some of the attributes that make an entry in one index or the other, or none. */
  #attributes(tag: string): WireItem {
    const maybe = (name: string, value: Readonly<Record<string, unknown>>): WireItem =>
      this.#random.chance(0.6) ? { [name]: value } : {};
    return {
      tag: { S: tag },
      ...maybe('embedding', { L: [1, 2, 3].map(() => ({ N: `${this.#random.integer(-9, 9)}` })) }),
      ...maybe('owner', { S: `owner-${this.#random.integer(1, 3)}` }),
      ...maybe('rank', { N: `${this.#random.integer(-50, 50)}` }),
      ...maybe('state', { S: this.#random.chance(0.5) ? 'open' : 'done' }),
      ...maybe('note', { S: 'x'.repeat(this.#random.integer(0, 600)) }),
    };
  }
}

export interface SentWrite {
  readonly action: string;
  readonly input: object;
  /** The writer's items once the write has happened. */
  readonly after: Items;
  readonly isAtomic: boolean;
  /** The error that must answer it. */
  readonly error: string | undefined;
}

type Change =
  | { readonly kind: 'put'; readonly key: WireItem; readonly item: WireItem }
  | { readonly kind: 'update'; readonly key: WireItem; readonly set: WireItem; readonly remove: readonly string[] }
  | { readonly kind: 'delete'; readonly key: WireItem };

/** All but `note` make an entry in an index. */
const optionalAttributes = ['owner', 'rank', 'state', 'note', 'embedding'];

/** Every update adds one to it. */
const counter = 'hits';

function changed(items: Items, change: Change): Items {
  const next = new Map(items);
  const name = itemName(change.key);
  if (change.kind === 'delete') next.delete(name);
  if (change.kind === 'put') next.set(name, change.item);
  if (change.kind === 'update') {
    const old = items.get(name) ?? change.key;
    const kept = Object.entries(old).filter(([attribute]) => !change.remove.includes(attribute));
    const hits = { N: `${Number(old[counter]?.['N'] ?? 0) + 1}` };
    next.set(name, { ...Object.fromEntries(kept), ...change.set, [counter]: hits });
  }
  return next;
}

function parametersOf(change: Change): Readonly<Record<string, unknown>> {
  if (change.kind === 'put') return { TableName: crashTableName, Item: change.item };
  const parameters = { TableName: crashTableName, Key: change.key };
  if (change.kind === 'delete') return parameters;
  const names = Object.keys(change.set);
  const remove = change.remove.length > 0 ? ` REMOVE ${change.remove.map((name) => `#${name}`).join(', ')}` : '';
  return {
    ...parameters,
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}${remove} ADD #${counter} :one`,
    ExpressionAttributeNames: Object.fromEntries(
      [...names, ...change.remove, counter].map((name) => [`#${name}`, name]),
    ),
    ExpressionAttributeValues: {
      ':one': { N: '1' },
      ...Object.fromEntries(Object.entries(change.set).map(([name, value]) => [`:${name}`, value])),
    },
  };
}

export function itemName(item: WireItem): string {
  return `${String(item['pk']?.['S'])} ${String(item['sk']?.['S'])}`;
}

/** The same text for the same items, regardless of their order and that of their attributes. */
function text(value: Items | WireItem | undefined): string {
  const sorted = (entries: Iterable<readonly [string, unknown]>): object =>
    Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (value === undefined) return 'nothing';
  if (!(value instanceof Map)) return JSON.stringify(sorted(Object.entries(value)));
  return JSON.stringify(sorted((value as Items).entries()), (_name, part: unknown) =>
    typeof part === 'object' && part !== null ? sorted(Object.entries(part)) : part,
  );
}
