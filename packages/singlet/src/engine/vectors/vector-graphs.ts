import type { EngineServices } from '../services.ts';
import { ClosingSignal, takeTurn } from '../tables/background-pace.ts';
import { ScopeGraph } from './scope-graph.ts';
import type { CreateVectorGraph, LoadVectorGraphs } from './vector-graph.ts';
import { readJournalHeads } from './vector-journal.ts';
import type { VectorQuery } from './vector-query.ts';

/*
 * The approximate graphs that a process holds, by the scope they are about.
 *
 * A graph comes to be when an exact search has found more entries than it should compare: it is built in the background, out of
 * the store, while searches go on being exact; and again after a restart. It follows the journal of its index before each use,
 * so a search sees every write that was acknowledged before it. When a graph cannot be used (it is far behind, the journal has
 * forgotten, there is no memory for it) the search is exact, which is slower and never wrong.
 */

/** Changes that a search itself waits for. Of more than that a background task takes care, and the search is exact. */
const changesPerSearchMax = 128;

/** Numbers of vectors that are taken in before others have their turn: a few milliseconds of work. */
const elementsPerTurn = 4096;
const entriesPerTurnMax = 16;

/** Of a graph's vectors, the share that may be out of date before it is built anew. */
const staleShareMax = 0.3;

interface HeldGraph {
  readonly graph: ScopeGraph;
  /** Resolves when whoever is catching up is done. */
  turn: Promise<unknown>;
}

export class VectorGraphs {
  readonly #load: LoadVectorGraphs | undefined;
  #create: Promise<CreateVectorGraph | undefined> | undefined;
  /** The one used last comes last. */
  readonly #graphs = new Map<string, HeldGraph>();
  /** Scopes that get no graph, for want of memory or of a library. */
  readonly #withoutGraph = new Set<string>();

  /** @param load - absent where there are no graphs. */
  constructor(load: LoadVectorGraphs | undefined) {
    this.#load = load;
  }

  /** The graph of the query's scope, knowing all that is acknowledged by now; undefined when the search has to be exact. */
  async current(services: EngineServices, query: VectorQuery): Promise<ScopeGraph | undefined> {
    const { scope } = query;
    const held = this.#graphs.get(scope.name);
    if (held === undefined) return undefined;
    this.#graphs.delete(scope.name);
    this.#graphs.set(scope.name, held);
    const state = await inTurn(held, () =>
      held.graph.catchUp(services.store, changesPerSearchMax, () => services.environment.tasks.pause(0)),
    );
    if (state === 'current') {
      const { staleCount, entryCount } = held.graph;
      if (entryCount <= services.limits.vectorExactSearchCountMax / 2) {
        this.#graphs.delete(scope.name);
        return undefined;
      }
      // It goes on being asked while the next one is built.
      if (staleCount > staleShareMax * entryCount)
        this.#spawn(services, scope.name, () => this.#build(services, query));
      return held.graph;
    }
    if (state === 'lost') this.#graphs.delete(scope.name);
    else this.#spawn(services, scope.name, () => this.#catchUp(services, scope.name, held));
    return undefined;
  }

  /** To be told how many entries an exact search has compared: with too many of them, a graph is built. */
  searched(services: EngineServices, query: VectorQuery, entryCount: number): void {
    const { name } = query.scope;
    if (entryCount <= services.limits.vectorExactSearchCountMax || this.#load === undefined) return;
    if (this.#graphs.has(name) || this.#withoutGraph.has(name)) return;
    this.#spawn(services, name, () => this.#build(services, query));
  }

  #spawn({ environment, backgroundJobs }: EngineServices, scopeName: string, work: () => Promise<void>): void {
    const job = `vector graph ${scopeName}`;
    if (backgroundJobs.has(job)) return;
    backgroundJobs.add(job);
    environment.tasks.spawn('vector graph', async () => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof ClosingSignal)) throw error;
      } finally {
        backgroundJobs.delete(job);
      }
    });
  }

  async #build(services: EngineServices, query: VectorQuery): Promise<void> {
    const { index, scope } = query;
    const { store, environment } = services;
    const create = await (this.#create ??= this.#load?.());
    if (create === undefined) return this.#giveUp(services, query, 'there is no library for vector graphs');
    const { dimensions, distanceFunction } = index.vector;
    const entriesPerTurn = Math.max(1, Math.min(entriesPerTurnMax, Math.floor(elementsPerTurn / dimensions)));
    const graph = new ScopeGraph({
      index,
      scope,
      graph: create({ dimensions, distanceFunction }),
      heads: await readJournalHeads(store, index),
    });
    const turn = (): Promise<void> => takeTurn(services);
    for (let isWhole = false; !isWhole;) {
      isWhole = await graph.build(store, entriesPerTurn);
      if ((await graph.catchUp(store, Infinity, turn)) === 'lost') return; // the next search begins anew
      if (!this.#hasRoomFor(services, graph)) {
        return this.#giveUp(services, query, 'there is no memory for a vector graph');
      }
      await turn();
    }
    this.#graphs.set(scope.name, { graph, turn: Promise.resolve() });
    const { entryCount } = graph;
    environment.log({ level: 'info', event: 'vector graph built', indexName: index.indexName, entryCount });
  }

  #giveUp({ environment }: EngineServices, { index, scope }: VectorQuery, reason: string): void {
    this.#withoutGraph.add(scope.name);
    environment.log({ level: 'warn', event: 'vector searches stay exact', indexName: index.indexName, reason });
  }

  async #catchUp(services: EngineServices, scopeName: string, held: HeldGraph): Promise<void> {
    const state = await inTurn(held, () => held.graph.catchUp(services.store, Infinity, () => takeTurn(services)));
    if (state === 'lost' || !this.#hasRoomFor(services, held.graph)) this.#graphs.delete(scopeName);
  }

  /** Drops graphs that have not been used for longest until there is room for this one. */
  #hasRoomFor({ limits }: EngineServices, graph: ScopeGraph): boolean {
    const others = [...this.#graphs].filter(([, held]) => held.graph !== graph);
    let sizeBytes = others.reduce((sum, [, held]) => sum + held.graph.sizeBytes, graph.sizeBytes);
    for (const [name, held] of others) {
      if (sizeBytes <= limits.vectorGraphBytesMax) break;
      this.#graphs.delete(name);
      sizeBytes -= held.graph.sizeBytes;
    }
    return sizeBytes <= limits.vectorGraphBytesMax;
  }
}

/** Those who bring a graph up to date take turns; a failure of one is not that of the next. */
async function inTurn<T>(held: HeldGraph, work: () => Promise<T>): Promise<T> {
  const result = held.turn.then(work, work);
  held.turn = result.catch(() => undefined);
  return result;
}
