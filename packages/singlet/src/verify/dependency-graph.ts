/**
 * The graph of which operation must precede which, and cycles in it. Nodes are numbers. The kind of an edge is one bit, so that a search can be
 * restricted to some kinds.
 */
export const edgeKinds = {
  /** A write, and the next write of the same item. */
  ww: 1,
  /** A write, and a read that saw it. */
  wr: 2,
  /** A read, and the first write that it did not see. */
  rw: 4,
  /** One completed before the other was invoked. */
  realtime: 8,
} as const;

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: number;
  /** Why the edge exists; undefined for real-time edges. */
  readonly reason: string | undefined;
}

export class DependencyGraph {
  readonly #edges: Edge[][];

  constructor(nodeCount: number) {
    this.#edges = Array.from({ length: nodeCount }, () => []);
  }

  add(edge: Edge): void {
    if (edge.from !== edge.to) this.#edges[edge.from]?.push(edge);
  }

  edgesFrom(node: number): readonly Edge[] {
    return this.#edges[node] ?? [];
  }

  /**
   * Tarjan's strongly connected components over edges of the given kinds, without recursion because histories are long.
   *
   * @returns for each node the number of its component, and how many nodes each component has.
   */
  components(kinds: number): { readonly componentOf: Int32Array; readonly sizes: readonly number[] } {
    const count = this.#edges.length;
    const index = new Int32Array(count).fill(-1);
    const low = new Int32Array(count);
    const onStack = new Uint8Array(count);
    const componentOf = new Int32Array(count).fill(-1);
    const sizes: number[] = [];
    const stack: number[] = [];
    let next = 0;
    for (let root = 0; root < count; root += 1) {
      if (index[root] !== -1) continue;
      const frames: { readonly node: number; position: number }[] = [{ node: root, position: 0 }];
      while (frames.length > 0) {
        const frame = frames[frames.length - 1] as { readonly node: number; position: number };
        const { node } = frame;
        if (frame.position === 0 && index[node] === -1) {
          index[node] = low[node] = next;
          next += 1;
          stack.push(node);
          onStack[node] = 1;
        }
        const edge = this.edgesFrom(node)[frame.position];
        if (edge !== undefined) {
          frame.position += 1;
          if ((edge.kind & kinds) === 0) continue;
          if (index[edge.to] === -1) frames.push({ node: edge.to, position: 0 });
          else if (onStack[edge.to] === 1) low[node] = Math.min(low[node] ?? 0, index[edge.to] ?? 0);
          continue;
        }
        frames.pop();
        const parent = frames.at(-1);
        if (parent !== undefined) low[parent.node] = Math.min(low[parent.node] ?? 0, low[node] ?? 0);
        if (low[node] !== index[node]) continue;
        let size = 0;
        for (let member = -1; member !== node; size += 1) {
          member = stack.pop() ?? node;
          onStack[member] = 0;
          componentOf[member] = sizes.length;
        }
        sizes.push(size);
      }
    }
    return { componentOf, sizes };
  }

  /** The shortest path between two nodes over edges of the given kinds, through nodes that `isAllowed` accepts; undefined if there is none. */
  path(from: number, to: number, kinds: number, isAllowed: (node: number) => boolean): readonly Edge[] | undefined {
    const cameBy = new Map<number, Edge | undefined>([[from, undefined]]);
    let frontier = [from];
    while (frontier.length > 0 && !cameBy.has(to)) {
      const reached: number[] = [];
      for (const node of frontier) {
        for (const edge of this.edgesFrom(node)) {
          if ((edge.kind & kinds) === 0 || cameBy.has(edge.to) || !isAllowed(edge.to)) continue;
          cameBy.set(edge.to, edge);
          reached.push(edge.to);
        }
      }
      frontier = reached;
    }
    if (!cameBy.has(to)) return undefined;
    const path: Edge[] = [];
    for (let edge = cameBy.get(to); edge !== undefined; edge = cameBy.get(edge.from)) path.unshift(edge);
    return path;
  }
}
