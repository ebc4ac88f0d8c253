/**
 * Checks a history of list operations for strict serialisability: there is one order of all operations that explains what each of them read,
 * and that agrees with real time.
 *
 * The method is that of Elle (Kingsbury and Alvaro, VLDB 2020). Lists show the order of the writes to each item, so dependencies between
 * operations can be derived instead of searched for. A cycle of dependencies is an anomaly, and the kinds of its edges determine its name (Adya
 * 1999). Anomalies that are not visible in the order (a value read that was never written, an acknowledged value that is missing at the end)
 * are checked first.
 *
 * A history must end with reads of every item.
 */
import { DependencyGraph, type Edge, edgeKinds } from './dependency-graph.ts';
import { type Anomaly, describeOperation, type ListOperation } from './history.ts';

/** The number of anomalies of one name that are reported; more add no information. */
const anomaliesOfNameMax = 5;

/** @returns the violations of strict serialisability, at most some of each name; empty if there are none. */
export function findListAnomalies(history: readonly ListOperation[]): readonly Anomaly[] {
  const lists = new Lists(history);
  const found = [...lists.findImpossibleReads(), ...lists.findLostAppends()];
  // Without an order of the writes there are no dependencies to follow.
  if (!found.some(({ name }) => name === 'incompatible order')) found.push(...findCycles(history, lists));
  const counts = new Map<string, number>();
  return found.filter(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= anomaliesOfNameMax;
  });
}

/** The history of each item: who appended what, and in which order. */
class Lists {
  readonly #history: readonly ListOperation[];
  readonly #writers = new Map<string, Map<number, ListOperation>>();
  readonly #orders = new Map<string, readonly number[]>();

  constructor(history: readonly ListOperation[]) {
    this.#history = history;
    for (const operation of history) {
      for (const step of operation.steps) {
        if (step.kind === 'append') {
          const writers = this.#writers.get(step.key) ?? new Map<number, ListOperation>();
          this.#writers.set(step.key, writers.set(step.value, operation));
        } else if (operation.outcome === 'ok' && step.values.length > this.orderOf(step.key).length) {
          this.#orders.set(step.key, step.values);
        }
      }
    }
  }

  /** The longest list that was read of an item, which is the order of its appends. */
  orderOf(key: string): readonly number[] {
    return this.#orders.get(key) ?? [];
  }

  get keys(): Iterable<string> {
    return this.#orders.keys();
  }

  writerOf(key: string, value: number | undefined): ListOperation | undefined {
    return value === undefined ? undefined : this.#writers.get(key)?.get(value);
  }

  /** Whether an operation took effect, as far as the final lists show. */
  happened(operation: ListOperation): boolean {
    if (operation.outcome !== 'unknown') return operation.outcome === 'ok';
    return operation.steps.some((step) => step.kind === 'append' && this.orderOf(step.key).includes(step.value));
  }

  *findImpossibleReads(): Iterable<Anomaly> {
    for (const operation of this.#history) {
      if (operation.outcome !== 'ok') continue;
      const own = new Map<string, number>();
      for (const step of operation.steps) {
        if (step.kind === 'append') own.set(step.key, step.value);
        if (step.kind !== 'read') continue;
        const { key, values } = step;
        const at = describeOperation(operation);
        const order = this.orderOf(key);
        const seen = `read ${key} as [${values.join(', ')}]`;
        if (new Set(values).size < values.length) {
          yield {
            name: 'duplicate append',
            explanation: `${at} ${seen}: one append took effect twice`,
            operations: [operation],
          };
        } else if (values.some((value, position) => order[position] !== value)) {
          yield {
            name: 'incompatible order',
            explanation: `${at} ${seen}, which is not a beginning of [${order.join(', ')}], read by another operation`,
            operations: [operation],
          };
        }
        if (own.has(key) && values.at(-1) !== own.get(key)) {
          yield {
            name: 'internal inconsistency',
            explanation: `${at} appended ${own.get(key)} to ${key} and then ${seen}`,
            operations: [operation],
          };
        }
        for (const value of values) {
          const writer = this.writerOf(key, value);
          if (writer === undefined) {
            yield {
              name: 'phantom value',
              explanation: `${at} ${seen}, but ${value} was never written`,
              operations: [operation],
            };
          } else if (writer.outcome === 'failed') {
            yield {
              name: 'G1a: aborted read',
              explanation: `${at} ${seen}, but ${describeOperation(writer)}, which appended ${value}, was refused`,
              operations: [operation, writer],
            };
          }
        }
      }
    }
  }

  *findLostAppends(): Iterable<Anomaly> {
    for (const operation of this.#history) {
      if (operation.outcome === 'failed') continue;
      const appends = operation.steps.filter((step) => step.kind === 'append');
      const missing = appends.filter(({ key, value }) => !this.orderOf(key).includes(value));
      if (missing.length === 0 || (operation.outcome === 'unknown' && missing.length === appends.length)) continue;
      const names = missing.map(({ key, value }) => `${value} to ${key}`).join(', ');
      yield missing.length < appends.length
        ? {
            name: 'partial transaction',
            explanation: `${describeOperation(operation)} took effect in part: it did not append ${names}`,
            operations: [operation],
          }
        : {
            name: 'lost append',
            explanation: `${describeOperation(operation)} was acknowledged, but its append of ${names} is in no list`,
            operations: [operation],
          };
    }
  }
}

function findCycles(history: readonly ListOperation[], lists: Lists): readonly Anomaly[] {
  const nodes = history.filter((operation) => lists.happened(operation));
  const graph = graphOf(nodes, lists);
  const { ww, wr, rw, realtime } = edgeKinds;
  const found: Anomaly[] = [];
  // From the most to the least severe; a cycle without real-time edges is more severe than one with them.
  for (const [time, suffix] of [
    [0, ''],
    [realtime, ', against real time'],
  ] as const) {
    const names: readonly (readonly [string, number])[] = [
      [`G0: dirty write${suffix}`, ww],
      [`G1c: circular information flow${suffix}`, ww | wr],
    ];
    for (const [name, kinds] of names) {
      const cycles = cyclesOf(graph, kinds | time, kinds);
      found.push(...cycles.map((cycle) => anomalyOf(name, cycle, nodes)));
      if (cycles.length > 0) return found;
    }
    const single = cyclesOf(graph, ww | wr | rw | time, rw, ww | wr | time);
    const skewed = single.length > 0 ? single : cyclesOf(graph, ww | wr | rw | time, rw);
    const name =
      single.length > 0 ? (time === 0 ? 'G-single: read skew' : 'G-single: stale read') : 'G2-item: write skew';
    found.push(...skewed.map((cycle) => anomalyOf(`${name}${suffix}`, cycle, nodes)));
    if (skewed.length > 0) return found;
  }
  return found;
}

/**
 * Cycles over edges of `kinds` that begin with an edge of `first`, one for each strongly connected component that has one.
 *
 * @param rest - the kinds of the other edges, when only some may follow.
 */
function cyclesOf(
  graph: DependencyGraph,
  kinds: number,
  first: number,
  rest: number = kinds,
): readonly (readonly Edge[])[] {
  const { componentOf, sizes } = graph.components(kinds);
  const done = new Set<number>();
  const cycles: (readonly Edge[])[] = [];
  componentOf.forEach((component, node) => {
    if ((sizes[component] ?? 0) < 2 || done.has(component)) return;
    for (const edge of graph.edgesFrom(node)) {
      if ((edge.kind & first) === 0 || componentOf[edge.to] !== component) continue;
      const back = graph.path(edge.to, node, rest, (other) => componentOf[other] === component);
      if (back === undefined) continue;
      done.add(component);
      cycles.push([edge, ...back]);
      return;
    }
  });
  return cycles;
}

function graphOf(nodes: readonly ListOperation[], lists: Lists): DependencyGraph {
  const nodeOf = new Map(nodes.map((operation, node) => [operation, node]));
  const completions = nodes.filter(({ completedAt }) => completedAt !== Infinity).toSorted(byCompletion);
  const graph = new DependencyGraph(nodes.length + completions.length);
  const connect = (
    from: ListOperation | undefined,
    to: ListOperation | undefined,
    kind: number,
    reason: string,
  ): void => {
    const [source, target] = [from && nodeOf.get(from), to && nodeOf.get(to)];
    if (source !== undefined && target !== undefined) graph.add({ from: source, to: target, kind, reason });
  };
  for (const key of lists.keys) {
    const order = lists.orderOf(key);
    order.forEach((value, position) => {
      if (position === 0) return;
      const before = order[position - 1];
      const reason = `appended ${before} to ${key}, after which the next appended ${value}`;
      connect(lists.writerOf(key, before), lists.writerOf(key, value), edgeKinds.ww, reason);
    });
  }
  for (const operation of nodes) {
    for (const step of operation.steps) {
      if (step.kind !== 'read' || operation.outcome !== 'ok') continue;
      const { key, values } = step;
      const [last, next] = [values.at(-1), lists.orderOf(key)[values.length]];
      connect(lists.writerOf(key, last), operation, edgeKinds.wr, `appended ${last} to ${key}, which the next read`);
      const unseen = `read ${key} without ${next}, which the next appended`;
      connect(operation, lists.writerOf(key, next), edgeKinds.rw, unseen);
    }
  }
  addRealTime(graph, nodes, completions, nodeOf);
  return graph;
}

/**
 * Edges from each operation to those invoked after it completed. They lead over a chain of extra nodes, one for each completion; direct edges
 * would be quadratic in number.
 */
function addRealTime(
  graph: DependencyGraph,
  nodes: readonly ListOperation[],
  completions: readonly ListOperation[],
  nodeOf: ReadonlyMap<ListOperation, number>,
): void {
  const kind = edgeKinds.realtime;
  const momentNode = (position: number): number => nodes.length + position;
  completions.forEach((operation, position) => {
    graph.add({ from: nodeOf.get(operation) ?? 0, to: momentNode(position), kind, reason: undefined });
    if (position > 0) graph.add({ from: momentNode(position - 1), to: momentNode(position), kind, reason: undefined });
  });
  let completed = 0;
  for (const operation of nodes.toSorted((a, b) => a.invokedAt - b.invokedAt)) {
    while ((completions[completed]?.completedAt ?? Infinity) < operation.invokedAt) completed += 1;
    if (completed === 0) continue;
    graph.add({ from: momentNode(completed - 1), to: nodeOf.get(operation) ?? 0, kind, reason: undefined });
  }
}

function byCompletion(a: ListOperation, b: ListOperation): number {
  return a.completedAt - b.completedAt;
}

function anomalyOf(name: string, cycle: readonly Edge[], nodes: readonly ListOperation[]): Anomaly {
  const lines: string[] = [];
  const operations: ListOperation[] = [];
  for (const { from, reason } of cycle) {
    const operation = nodes[from];
    if (operation === undefined) continue;
    operations.push(operation);
    lines.push(`${describeOperation(operation)} ${reason ?? 'completed before the next was invoked'}`);
  }
  return { name, explanation: `${lines.join('; ')}; and the last comes before the first`, operations };
}
