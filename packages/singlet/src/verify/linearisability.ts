/**
 * Checks a history of operations on single items for linearisability: each operation takes effect at one moment between its invocation and its
 * completion.
 *
 * Items are independent of each other, so each is checked separately. The search is Wing and Gong's with Lowe's cache of configurations. A
 * configuration is the set of operations that have taken effect, and the item's value after them.
 */
import { type Anomaly, describeOperation, type RegisterOperation } from './history.ts';

/** The number of configurations examined for one item before the search gives up and reports that. */
const configurationsMax = 200_000;

export interface LinearisabilityResult {
  readonly anomalies: readonly Anomaly[];
  /** Items whose history was too large to decide. */
  readonly undecidedKeys: readonly string[];
}

export function checkRegisters(history: readonly RegisterOperation[]): LinearisabilityResult {
  const byKey = new Map<string, RegisterOperation[]>();
  for (const operation of history) {
    const operations = byKey.get(operation.key);
    if (operations === undefined) byKey.set(operation.key, [operation]);
    else operations.push(operation);
  }
  const anomalies: Anomaly[] = [];
  const undecidedKeys: string[] = [];
  for (const [key, operations] of byKey) {
    const verdict = linearise(operations.filter(hasMeaning));
    if (verdict === 'undecided') undecidedKeys.push(key);
    else if (verdict !== 'linearisable') anomalies.push(anomalyOf(key, verdict));
  }
  return { anomalies, undecidedKeys };
}

/** A refused write is meaningful only if it has a condition; an unanswered read is not. */
function hasMeaning({ outcome, change }: RegisterOperation): boolean {
  if (outcome === 'failed') return change.kind === 'put-if';
  return outcome === 'ok' || change.kind !== 'read';
}

/** @returns the longest sequence of operations that could be ordered, if not all could. */
function linearise(
  operations: readonly RegisterOperation[],
): 'linearisable' | 'undecided' | readonly RegisterOperation[] {
  const byInvocation = operations.toSorted((a, b) => a.invokedAt - b.invokedAt);
  const mustHappen = byInvocation.filter(({ outcome }) => outcome !== 'unknown').length;
  const visited = new Set<string>();
  const taken = new Uint8Array(byInvocation.length);
  const sequence: RegisterOperation[] = [];
  const states: (string | undefined)[] = [undefined];
  const positions: number[] = [0];
  let ordered = 0;
  let longest: readonly RegisterOperation[] = [];
  for (;;) {
    if (ordered === mustHappen) return 'linearisable';
    if (visited.size > configurationsMax) return 'undecided';
    const depth = sequence.length;
    const state = states[depth];
    const deadline = earliestCompletion(byInvocation, taken);
    let position = positions[depth] ?? 0;
    let next: RegisterOperation | undefined;
    for (; position < byInvocation.length; position += 1) {
      const candidate = byInvocation[position];
      if (candidate === undefined || candidate.invokedAt > deadline) break;
      if (taken[position] === 1) continue;
      const after = applied(candidate, state);
      if (after === undefined) continue;
      taken[position] = 1;
      const configuration = `${Buffer.from(taken).toString('latin1')} ${after.value ?? ''} ${after.value === undefined}`;
      if (visited.has(configuration)) {
        taken[position] = 0;
        continue;
      }
      visited.add(configuration);
      next = candidate;
      states[depth + 1] = after.value;
      break;
    }
    if (next !== undefined) {
      positions[depth] = position + 1;
      positions[depth + 1] = 0;
      sequence.push(next);
      if (next.outcome !== 'unknown') ordered += 1;
      if (sequence.length > longest.length) longest = [...sequence];
      continue;
    }
    const undone = sequence.pop();
    if (undone === undefined) return longest;
    taken[(positions[depth - 1] ?? 1) - 1] = 0;
    if (undone.outcome !== 'unknown') ordered -= 1;
  }
}

/** No operation may take effect after this moment before the operation that completed then. */
function earliestCompletion(operations: readonly RegisterOperation[], taken: Uint8Array): number {
  let earliest = Infinity;
  for (let position = 0; position < operations.length; position += 1) {
    const operation = operations[position];
    if (operation === undefined || operation.invokedAt > earliest) break;
    if (taken[position] === 0 && operation.completedAt < earliest) earliest = operation.completedAt;
  }
  return earliest;
}

/** The item's value after the operation; undefined if the operation contradicts the value before. */
function applied(
  { change, outcome, seen }: RegisterOperation,
  state: string | undefined,
): { readonly value: string | undefined } | undefined {
  if (seen !== undefined && seen.value !== state) return undefined;
  switch (change.kind) {
    case 'read':
      return { value: state };
    case 'put':
      return { value: change.value };
    case 'delete':
      return { value: undefined };
    case 'put-if': {
      const holds = change.expected === state;
      if (outcome === 'unknown') return { value: holds ? change.value : state };
      if (holds !== (outcome === 'ok')) return undefined;
      return { value: holds ? change.value : state };
    }
  }
}

function anomalyOf(key: string, longest: readonly RegisterOperation[]): Anomaly {
  const last = longest.slice(-6).map((operation) => `${describeOperation(operation)} ${wordsOf(operation)}`);
  const rest =
    last.length === 0 ? 'not even the first operation can be explained' : `the last that fit were ${last.join('; ')}`;
  return {
    name: 'not linearisable',
    explanation: `no order of the operations on ${key} explains all answers: ${rest}`,
    operations: longest,
  };
}

function wordsOf({ change, seen }: RegisterOperation): string {
  const found = seen === undefined ? '' : ` and found ${seen.value ?? 'nothing'}`;
  switch (change.kind) {
    case 'read':
      return `read${found}`;
    case 'put':
      return `put ${change.value}${found}`;
    case 'delete':
      return `deleted${found}`;
    case 'put-if':
      return `put ${change.value} where it expected ${change.expected ?? 'nothing'}${found}`;
  }
}
