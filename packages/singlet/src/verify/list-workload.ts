/**
 * Clients that append to lists and read them, in every way in which the API can do that atomically: single updates with and without a returned
 * item, write transactions, read transactions, and read-modify-write transactions whose conditions contain what was read.
 */
import type { SeededRandom } from '../randomness/seeded-random.ts';
import type { Answer, Call } from './call.ts';
import type { HistoryRecorder, ListOperation, ListStep, Outcome } from './history.ts';

/** Lists in use at one time: few, so that clients conflict. */
const activeListCount = 5;
/** The number of appends after which a list is replaced by another. */
const appendsPerListMax = 40;
/** Lists share partitions, so that some transactions span several partitions and others stay within one. */
const partitionCount = 3;

export interface Workload {
  /** Performs one operation of a client. Resolves to whether it was answered. */
  step(client: number): Promise<boolean>;
  /** Reads every item once more, after all clients have stopped. */
  finish(): Promise<void>;
}

export class ListWorkload implements Workload {
  readonly #call: Call;
  readonly #tableName: string;
  readonly #random: SeededRandom;
  readonly #history: HistoryRecorder<ListOperation>;
  readonly #lists: { readonly key: string; appends: number }[] = [];
  #listCount = 0;
  #value = 0;

  constructor(parts: {
    readonly call: Call;
    readonly tableName: string;
    readonly random: SeededRandom;
    readonly history: HistoryRecorder<ListOperation>;
  }) {
    this.#call = parts.call;
    this.#tableName = parts.tableName;
    this.#random = parts.random;
    this.#history = parts.history;
  }

  async step(client: number): Promise<boolean> {
    const dice = this.#random.next();
    if (dice < 0.25) return this.#read(client);
    if (dice < 0.45) return this.#transactRead(client, this.#someKeys(2, 4));
    if (dice < 0.6) return this.#append(client, this.#random.chance(0.5));
    if (dice < 0.8) return this.#transactAppend(client);
    return this.#readThenAppend(client);
  }

  async finish(): Promise<void> {
    for (let at = 0; at < this.#listCount; at += 1) {
      const key = listKey(at);
      await this.#recorded(
        0,
        'GetItem',
        { TableName: this.#tableName, Key: keyOf(key), ConsistentRead: true },
        [],
        (body) => [{ kind: 'read', key, values: valuesOf(body['Item']) }],
      );
    }
  }

  async #read(client: number): Promise<boolean> {
    const [key = ''] = this.#someKeys(1, 1);
    const input = { TableName: this.#tableName, Key: keyOf(key), ConsistentRead: true };
    return this.#recorded(client, 'GetItem', input, [], (body) => [
      { kind: 'read', key, values: valuesOf(body['Item']) },
    ]);
  }

  async #transactRead(client: number, keys: readonly string[]): Promise<boolean> {
    const TransactItems = keys.map((key) => ({ Get: { TableName: this.#tableName, Key: keyOf(key) } }));
    return this.#recorded(client, 'TransactGetItems', { TransactItems }, [], (body) => readsOf(keys, body));
  }

  async #append(client: number, returns: boolean): Promise<boolean> {
    const [key = ''] = this.#someKeys(1, 1, true);
    const value = this.#nextValue();
    const input = { ...this.#update(key, value), ReturnValues: returns ? 'ALL_NEW' : 'NONE' };
    const append: ListStep = { kind: 'append', key, value };
    return this.#recorded(client, 'UpdateItem', input, [append], (body) =>
      returns ? [append, { kind: 'read', key, values: valuesOf(body['Attributes']) }] : [append],
    );
  }

  async #transactAppend(client: number): Promise<boolean> {
    const appends = this.#someKeys(2, 4, true).map((key) => ({
      kind: 'append' as const,
      key,
      value: this.#nextValue(),
    }));
    const TransactItems = appends.map(({ key, value }) => ({ Update: this.#update(key, value) }));
    return this.#recorded(client, 'TransactWriteItems', { TransactItems }, appends, () => appends);
  }

  /** Reads some lists and appends to one of them, on the condition that all are as read: one transaction, in two requests. */
  async #readThenAppend(client: number): Promise<boolean> {
    const keys = this.#someKeys(2, 3, true);
    const TransactItems = keys.map((key) => ({ Get: { TableName: this.#tableName, Key: keyOf(key) } }));
    const answer = await this.#call('TransactGetItems', { TransactItems });
    if (answer.kind !== 'ok') return answer.kind !== 'unknown';
    const reads = readsOf(keys, answer.body);
    const [target = ''] = keys;
    const value = this.#nextValue();
    const actions = reads.map(({ key, values }) => {
      const condition = conditionOn(values.length);
      if (key !== target) return { ConditionCheck: { TableName: this.#tableName, Key: keyOf(key), ...condition } };
      const update = this.#update(key, value);
      return {
        Update: {
          ...update,
          ConditionExpression: condition.ConditionExpression,
          ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ...condition.ExpressionAttributeValues },
        },
      };
    });
    const append: ListStep = { kind: 'append', key: target, value };
    return this.#recorded(client, 'TransactWriteItems', { TransactItems: actions }, [append], () => [...reads, append]);
  }

  async #recorded(
    client: number,
    action: string,
    input: object,
    appends: readonly ListStep[],
    stepsOf: (body: Readonly<Record<string, unknown>>) => readonly ListStep[],
  ): Promise<boolean> {
    const id = this.#history.nextId();
    const invokedAt = this.#history.now();
    const answer = await this.#call(action, input);
    const outcome = outcomeOf(answer);
    this.#history.add({
      id,
      client,
      action,
      invokedAt,
      completedAt: outcome === 'unknown' ? Infinity : this.#history.now(),
      outcome,
      steps: answer.kind === 'ok' ? stepsOf(answer.body) : appends,
    });
    return outcome !== 'unknown';
  }

  #update(key: string, value: number) {
    return {
      TableName: this.#tableName,
      Key: keyOf(key),
      UpdateExpression: 'SET l = list_append(if_not_exists(l, :none), :value)',
      ExpressionAttributeValues: { ':none': { L: [] }, ':value': { L: [{ N: `${value}` }] } },
    };
  }

  #nextValue(): number {
    this.#value += 1;
    return this.#value;
  }

  /** Different lists in random order. Lists to be appended to count as used up after a while. */
  #someKeys(min: number, max: number, isAppended = false): readonly string[] {
    while (this.#lists.length < activeListCount) {
      this.#lists.push({ key: listKey(this.#listCount), appends: 0 });
      this.#listCount += 1;
    }
    const count = this.#random.integer(min, max);
    const shuffled = this.#lists
      .map((list) => ({ list, rank: this.#random.next() }))
      .toSorted((a, b) => a.rank - b.rank);
    const chosen = shuffled.slice(0, count).map(({ list }) => list);
    if (isAppended) {
      for (const list of chosen) {
        list.appends += 1;
        if (list.appends >= appendsPerListMax) this.#lists.splice(this.#lists.indexOf(list), 1);
      }
    }
    return chosen.map(({ key }) => key);
  }
}

export function outcomeOf(answer: Answer): Outcome {
  if (answer.kind === 'ok') return 'ok';
  return answer.kind === 'refused' ? 'failed' : 'unknown';
}

function listKey(at: number): string {
  return `list-${at % partitionCount}-${at}`;
}

/** The partition is part of the key's name. */
function keyOf(key: string): object {
  return { pk: { S: key.split('-').slice(0, 2).join('-') }, sk: { S: key } };
}

function conditionOn(length: number) {
  return length === 0
    ? { ConditionExpression: 'attribute_not_exists(l)' }
    : { ConditionExpression: 'size(l) = :length', ExpressionAttributeValues: { ':length': { N: `${length}` } } };
}

function readsOf(keys: readonly string[], body: Readonly<Record<string, unknown>>) {
  // The shape of the answer to TransactGetItems.
  const responses = (body['Responses'] ?? []) as readonly { readonly Item?: unknown }[];
  return keys.map((key, at) => ({ kind: 'read' as const, key, values: valuesOf(responses[at]?.Item) }));
}

function valuesOf(item: unknown): readonly number[] {
  const list = (item as { readonly l?: { readonly L: readonly { readonly N: string }[] } } | undefined)?.l?.L ?? [];
  return list.map(({ N }) => Number(N));
}
