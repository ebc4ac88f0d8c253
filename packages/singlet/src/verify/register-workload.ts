/** Clients that put, delete and read single items, with and without conditions and returned values. */
import type { SeededRandom } from '../randomness/seeded-random.ts';
import type { Answer, Call } from './call.ts';
import type { HistoryRecorder, RegisterChange, RegisterOperation } from './history.ts';
import { outcomeOf, type Workload } from './list-workload.ts';

const activeItemCount = 3;
/** The number of operations after which an item is replaced: the search for an order grows with the history of one item. */
const operationsPerItemMax = 120;
/** The number of unanswered operations after which an item is replaced, since each of them may take effect at any later time. */
const unknownPerItemMax = 4;

interface ActiveItem {
  readonly key: string;
  operations: number;
  unknown: number;
  lastSeen: string | undefined;
}

export class RegisterWorkload implements Workload {
  readonly #call: Call;
  readonly #tableName: string;
  readonly #random: SeededRandom;
  readonly #history: HistoryRecorder<RegisterOperation>;
  #items: readonly ActiveItem[] = [];
  #itemCount = 0;
  #value = 0;

  constructor(parts: {
    readonly call: Call;
    readonly tableName: string;
    readonly random: SeededRandom;
    readonly history: HistoryRecorder<RegisterOperation>;
  }) {
    this.#call = parts.call;
    this.#tableName = parts.tableName;
    this.#random = parts.random;
    this.#history = parts.history;
  }

  async step(client: number): Promise<boolean> {
    const item = this.#nextItem();
    const change = this.#nextChange(item.lastSeen);
    const { action, input } = this.#request(item.key, change);
    const id = this.#history.nextId();
    const invokedAt = this.#history.now();
    const answer = await this.#call(action, input);
    const outcome = outcomeOf(answer);
    const seen = seenIn(answer, change);
    if (seen !== undefined) item.lastSeen = seen.value;
    if (outcome === 'unknown') item.unknown += 1;
    // Refused for a reason other than its condition, it reveals nothing about the item.
    if (outcome === 'failed' && !refusedByCondition(answer)) return true;
    this.#history.add({
      id,
      client,
      action,
      invokedAt,
      completedAt: outcome === 'unknown' ? Infinity : this.#history.now(),
      outcome,
      key: item.key,
      change,
      ...(seen !== undefined && { seen }),
    });
    return outcome !== 'unknown';
  }

  async finish(): Promise<void> {
    for (let at = 0; at < this.#itemCount; at += 1) {
      const key = itemKey(at);
      const { action, input } = this.#request(key, { kind: 'read' });
      const invokedAt = this.#history.now();
      const answer = await this.#call(action, input);
      const seen = seenIn(answer, { kind: 'read' });
      if (answer.kind !== 'ok' || seen === undefined) continue;
      this.#history.add({
        id: this.#history.nextId(),
        client: 0,
        action,
        invokedAt,
        completedAt: this.#history.now(),
        outcome: 'ok',
        key,
        change: { kind: 'read' },
        seen,
      });
    }
  }

  #nextItem(): ActiveItem {
    this.#items = this.#items.filter(
      ({ operations, unknown }) => operations < operationsPerItemMax && unknown < unknownPerItemMax,
    );
    while (this.#items.length < activeItemCount) this.#items = [...this.#items, this.#newItem()];
    const item = this.#items[this.#random.integer(0, this.#items.length - 1)] ?? this.#newItem();
    item.operations += 1;
    return item;
  }

  #newItem(): ActiveItem {
    this.#itemCount += 1;
    return { key: itemKey(this.#itemCount - 1), operations: 0, unknown: 0, lastSeen: undefined };
  }

  #nextChange(lastSeen: string | undefined): RegisterChange {
    const dice = this.#random.next();
    if (dice < 0.45) return { kind: 'read' };
    if (dice < 0.55) return { kind: 'delete' };
    this.#value += 1;
    const value = `v${this.#value}`;
    if (dice < 0.75) return { kind: 'put', value };
    return { kind: 'put-if', expected: lastSeen, value };
  }

  #request(key: string, change: RegisterChange): { readonly action: string; readonly input: object } {
    const TableName = this.#tableName;
    const Key = { pk: { S: 'registers' }, sk: { S: key } };
    switch (change.kind) {
      case 'read':
        return { action: 'GetItem', input: { TableName, Key, ConsistentRead: true } };
      case 'delete':
        return { action: 'DeleteItem', input: { TableName, Key, ReturnValues: 'ALL_OLD' } };
      case 'put':
        return {
          action: 'PutItem',
          input: { TableName, Item: { ...Key, v: { S: change.value } }, ReturnValues: 'ALL_OLD' },
        };
      case 'put-if':
        return {
          action: 'PutItem',
          input: {
            TableName,
            Item: { ...Key, v: { S: change.value } },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            ...(change.expected === undefined
              ? { ConditionExpression: 'attribute_not_exists(v)' }
              : { ConditionExpression: 'v = :v', ExpressionAttributeValues: { ':v': { S: change.expected } } }),
          },
        };
    }
  }
}

function itemKey(at: number): string {
  return `register-${at}`;
}

function refusedByCondition(answer: Answer): boolean {
  return answer.kind === 'refused' && answer.error === 'ConditionalCheckFailedException';
}

/** The state of the item before the operation, as shown by an answer. */
function seenIn(answer: Answer, { kind }: RegisterChange): { readonly value: string | undefined } | undefined {
  if (answer.kind === 'unknown') return undefined;
  if (answer.kind === 'refused')
    return refusedByCondition(answer) ? { value: valueOf(answer.body['Item']) } : undefined;
  // A successful conditional put shows no more than its condition.
  if (kind === 'put-if') return undefined;
  return { value: valueOf(answer.body[kind === 'read' ? 'Item' : 'Attributes']) };
}

function valueOf(item: unknown): string | undefined {
  return (item as { readonly v?: { readonly S: string } } | undefined)?.v?.S;
}
