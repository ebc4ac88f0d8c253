import { useSyncExternalStore } from 'react';
import { inspect, NotToldError } from '../wire/inspect.ts';
import type { ModelAnswer, ModelEntity, ModelSummary } from '../wire/model-answers.ts';
import { RequestLog } from '../wire/request-log.ts';

/** The models that the server was started with. */
export interface ModelsState {
  /** `absent`: the endpoint has no models, because it is another database. */
  readonly status: 'loading' | 'ready' | 'absent' | 'failed';
  readonly error: Error | undefined;
  readonly summaries: readonly ModelSummary[];
  /** Those that could be read, in the same order. */
  readonly models: readonly ModelAnswer[];
}

/** The maximum number of models that are requested. */
const modelsMax = 50;

/** Requests the models once, when a view first needs them, and again on demand. */
class Models {
  readonly log = new RequestLog();
  #state: ModelsState = { status: 'loading', error: undefined, summaries: [], models: [] };
  readonly #listeners = new Set<() => void>();
  #running: Promise<void> | undefined;
  #isWanted = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (!this.#isWanted) void this.refresh();
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): ModelsState => this.#state;

  /** Waits for a running load and then loads again, since its answer may be too old. Concurrent calls share the second load. */
  async refresh(): Promise<void> {
    this.#isWanted = true;
    await this.#running;
    this.#running ??= this.#load().finally(() => (this.#running = undefined));
    await this.#running;
  }

  async #load(): Promise<void> {
    const options = { onExchange: this.log.add };
    try {
      const { models: summaries } = await inspect<{ models: readonly ModelSummary[] }>('models', options);
      const models: ModelAnswer[] = [];
      for (const { name, version } of summaries.slice(0, modelsMax)) {
        const known = this.#state.models.find((each) => each.name === name && each.version === version);
        const answer = known ?? (await readable(name, options));
        if (answer !== undefined) models.push(answer);
      }
      this.#set({ status: 'ready', error: undefined, summaries, models });
    } catch (error) {
      const status = error instanceof NotToldError ? 'absent' : 'failed';
      this.#set({ ...this.#state, status, error: error as Error }); // inspect() throws errors only
    }
  }

  #set(state: ModelsState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** @returns undefined for a file that could never be read, which has no model. */
async function readable(name: string, options: Parameters<typeof inspect>[1]): Promise<ModelAnswer | undefined> {
  try {
    return await inspect<ModelAnswer>(`models/${encodeURIComponent(name)}`, options);
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

export const models: Models = new Models();

export function useModels(): ModelsState {
  return useSyncExternalStore(models.subscribe, models.snapshot);
}

/** The entities that models declare in a table of the database; `'awaited'` until the models have been read for the first time. */
export function entitiesFor(state: ModelsState, tableName: string): readonly ModelEntity[] | 'awaited' {
  return state.status === 'loading' ? 'awaited' : entitiesIn(state, tableName);
}

/** The entities that models declare in a table of the database, in the order of their declaration. */
export function entitiesIn({ models: all }: ModelsState, tableName: string): readonly ModelEntity[] {
  return all.flatMap(({ tables, entities }) => entities.filter(({ table }) => tables[table] === tableName));
}
