import type { CatalogServices } from '../catalog/catalog-services.ts';
import { ClosingSignal, takeTurn } from '../background/background-pace.ts';
import { ScopeGraph } from './scope-graph.ts';
import type { CreateVectorGraph, LoadVectorGraphs } from './vector-graph.ts';
import { readJournalHeads } from '../followers/vectors/vector-journal.ts';
import type { VectorQuery } from './vector-query.ts';

/*
 * The approximate graphs that a process holds, by the scope they are about.
 *
 * A graph comes to be when an exact search has found more entries than it should compare: it is built in the background, out of
 * the store, while searches keep being exact; and again after a restart. A search reads in the index's journal what has changed
 * since, and looks at those entries besides what the graph finds; the graph takes them in afterwards, in the background. So a
 * search sees every write that was acknowledged before it. When a graph cannot be used (the journal has forgotten, there is no
 * memory for it) the search is exact, which is slower and never wrong.
 */

/** Numbers of vectors that are taken in before others have their turn: a few milliseconds of work. */
const elementsPerTurn = 4096;
const entriesPerTurnMax = 16;

/** Of a graph's vectors, the share that may be out of date before it is rebuilt. */
const staleShareMax = 0.3;

/** What a search asks. */
export interface CurrentGraph {
  readonly graph: ScopeGraph;
  /** Store keys of entries that have changed, and that the graph may not know as they are. */
  readonly changedKeys: readonly Buffer[];
}

export class VectorGraphs {
  readonly #load: LoadVectorGraphs | undefined;
  #create: Promise<CreateVectorGraph | undefined> | undefined;
  /** The one used last comes last. */
  readonly #graphs = new Map<string, ScopeGraph>();
  /** Scopes that get no graph, for want of memory or of a library. */
  readonly #withoutGraph = new Set<string>();

  /** @param load - absent where there are no graphs. */
  constructor(load: LoadVectorGraphs | undefined) {
    this.#load = load;
  }

  /** The graph of the query's scope, with what has been acknowledged since; undefined when the search has to be exact. */
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

  /** To be told how many entries an exact search has compared: with too many of them, a graph is built. */
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

  /** Takes in what has changed. When much of the graph is out of date, the next one is built while this one is asked. */
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

  /** Another one may have come in its place. */
  #drop(name: string, graph: ScopeGraph): void {
    if (this.#graphs.get(name) === graph) this.#graphs.delete(name);
  }

  /** Drops graphs that have not been used for longest until there is room for this one. */
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

/** Whether so few entries are left that they are compared as soon. Far fewer than make a graph, so that none comes and goes. */
function isSmall({ limits }: CatalogServices, { entryCount }: ScopeGraph): boolean {
  return entryCount <= limits.vectorExactSearchCountMax / 2;
}
