import { InputError } from '../model-error.ts';

/**
 * A part of the run-time that comes with the first use of it: what a model does not declare is not loaded. Calls wait for it;
 * what has to answer at once takes it from `value`.
 */
export class Loadable<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #value: T | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  async load(): Promise<T> {
    this.#loading ??= this.#load();
    this.#value ??= await this.#loading;
    return this.#value;
  }

  /** @throws {InputError} `not-loaded` before it is there. */
  value(path: string): T {
    if (this.#value === undefined)
      throw new InputError('not-loaded', path, 'shows no request until its code is loaded: await ready(db) first');
    return this.#value;
  }
}
