import type { CatalogServices } from '../catalog/catalog-services.ts';
import { ClosingSignal, takeTurn } from '../background/background-pace.ts';
import { ScopeGraph } from './scope-graph.ts';
import type { CreateVectorGraph, LoadVectorGraphs } from './vector-graph.ts';
import { readJournalHeads } from '../followers/vectors/vector-journal.ts';
import type { VectorQuery } from './vector-query.ts';

/*
 * The approximate graphs of a process, by scope.
 *
 * A graph is built when an exact search has found more entries than it should compare. It is built in the background, from
 * the store, while searches remain exact; and again after a restart. A search reads the changes since then in the index's journal,
 * and compares those entries in addition to those that the graph finds. The graph applies them afterwards, in the background. So a
 * search sees every write that was acknowledged before it. If a graph cannot be used (the journal no longer has all changes, or there is no
 * memory for it) the search is exact, which is slower but never wrong.
 */

/** Numbers of vectors that are added before yielding to other requests: a few milliseconds of work. */
const elementsPerTurn = 4096;
const entriesPerTurnMax = 16;

/** The share of a graph's vectors that may be out of date before it is rebuilt. */
const staleShareMax = 0.3;

/** The graph for a search. */
export interface CurrentGraph {
  readonly graph: ScopeGraph;
  /** Store keys of entries that have changed and may be outdated in the graph. */
  readonly changedKeys: readonly Buffer[];
}

export class VectorGraphs {
  readonly #load: LoadVectorGraphs | undefined;
  #create: Promise<CreateVectorGraph | undefined> | undefined;
  /** Ordered by last use, the most recent last. */
  readonly #graphs = new Map<string, ScopeGraph>();
  /** Scopes that get no graph, because there is no memory or no library for it. */
  readonly #withoutGraph = new Set<string>();

  /** @param load - absent if graphs are not available. */
  constructor(load: LoadVectorGraphs | undefined) {
    this.#load = load;
  }

  /** The graph of the query's scope, with the changes acknowledged since; undefined if the search has to be exact. */
  async current(services: CatalogServices, query: VectorQuery): Promise<CurrentGraph | undefined> {
    const { name } = query.scope;
    const graph = this.#graphs.get(name);
    this.#graphs.delete(name);
    if (graph === undefined) return undefined;
    this.#graphs.set(name, graph);
    const changes = await graph.changes(services.store);
    if (changes === undefined) {
      this.#drop(name, graph);
      return undefined;
    }
    if (changes.keys.length > 0)
      this.#spawn(services, `changes of ${name}`, () => this.#catchUp(services, query, graph));
    return { graph, changedKeys: changes.keys };
  }

  /** Must be called with the number of entries that an exact search has compared: if there were too many, a graph is built. */
  searched(services: CatalogServices, query: VectorQuery, entryCount: number): void {
    const { name } = query.scope;
    if (entryCount <= services.limits.vectorExactSearchCountMax || this.#load === undefined) return;
    if (this.#graphs.has(name) || this.#withoutGraph.has(name)) return;
    this.#spawn(services, name, () => this.#build(services, query));
  }

  #spawn({ environment, backgroundJobs }: CatalogServices, name: string, work: () => Promise<void>): void {
    const job = `vector graph ${name}`;
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

  async #build(services: CatalogServices, query: VectorQuery): Promise<void> {
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
      if (!(await graph.catchUp(store, turn))) return; // the next search starts over
      if (!this.#hasRoomFor(services, graph)) {
        return this.#giveUp(services, query, 'there is no memory for a vector graph');
      }
      await turn();
    }
    this.#graphs.set(scope.name, graph);
    const { entryCount } = graph;
    environment.log({ level: 'info', event: 'vector-graph-built', indexName: index.indexName, entryCount });
  }

  #giveUp({ environment }: CatalogServices, { index, scope }: VectorQuery, reason: string): void {
    this.#withoutGraph.add(scope.name);
    environment.log({ level: 'warn', event: 'vector-searches-stay-exact', indexName: index.indexName, reason });
  }

  /** Applies changes. When much of the graph is out of date, its replacement is built while searches still use this one. */
  async #catchUp(services: CatalogServices, query: VectorQuery, graph: ScopeGraph): Promise<void> {
    const { name } = query.scope;
    const isCurrent = await graph.catchUp(services.store, () => takeTurn(services));
    if (!isCurrent || isSmall(services, graph) || !this.#hasRoomFor(services, graph)) {
      this.#drop(name, graph);
      return;
    }
    if (graph.staleCount > staleShareMax * graph.entryCount) {
      this.#spawn(services, name, () => this.#build(services, query));
    }
  }

  /** Drops the graph, unless another has already replaced it. */
  #drop(name: string, graph: ScopeGraph): void {
    if (this.#graphs.get(name) === graph) this.#graphs.delete(name);
  }

  /** Drops the least recently used graphs until there is room for this one. */
  #hasRoomFor({ limits }: CatalogServices, graph: ScopeGraph): boolean {
    const others = [...this.#graphs].filter(([, other]) => other !== graph);
    let sizeBytes = others.reduce((sum, [, other]) => sum + other.sizeBytes, graph.sizeBytes);
    for (const [name, other] of others) {
      if (sizeBytes <= limits.vectorGraphBytesMax) break;
      this.#graphs.delete(name);
      sizeBytes -= other.sizeBytes;
    }
    return sizeBytes <= limits.vectorGraphBytesMax;
  }
}

/** Whether so few entries are left that comparing them is as fast. Far fewer than make a graph, so that none is rebuilt repeatedly. */
function isSmall({ limits }: CatalogServices, { entryCount }: ScopeGraph): boolean {
  return entryCount <= limits.vectorExactSearchCountMax / 2;
}
