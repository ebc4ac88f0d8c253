import { InputError } from '../model-error.ts';

/**
 * A part of the run-time that comes with the first use of it: what a model does not declare is not loaded. Calls wait for it;
 * what has to answer at once takes it from `value`.
 */
export class Loadable<T> {
  /** Undefined until it is there. */
  loaded: T | undefined;
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  async load(): Promise<T> {
    this.#loading ??= this.#load();
    try {
      this.loaded = await this.#loading;
      return this.loaded;
    } catch (error) {
      this.#loading = undefined; // code that did not come may come the next time
      throw error;
    }
  }

  /** @throws {InputError} `not-loaded` before it is there. */
  value(path: string): T {
    if (this.loaded === undefined)
      throw new InputError('not-loaded', path, 'shows its request once its code is loaded: await ready(db) first');
    return this.loaded;
  }
}
