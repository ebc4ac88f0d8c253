import { InputError } from '../model-error.ts';

/**
 * A part of the run-time that is loaded on first use, so that code for features a model does not declare is not loaded. Calls wait for it;
 * synchronous code takes it from `value`.
 */
export class Loadable<T> {
  /** Undefined until it is loaded. */
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
      this.#loading = undefined; // code that failed to load may load the next time
      throw error;
    }
  }

  /** @throws {InputError} `not-loaded` before it is loaded. */
  value(path: string): T {
    if (this.loaded === undefined)
      throw new InputError('not-loaded', path, 'shows its request once its code is loaded: await ready(db) first');
    return this.loaded;
  }
}
