import type { StoredItem } from '../../run/attribute-value.ts';
import { keyId } from '../../run/key-id.ts';

/** Runs tasks for different items concurrently, and tasks for one item one after the other. */
export class KeyLanes {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(table: string, key: StoredItem, task: () => Promise<T>): Promise<T> {
    const id = `${table} ${keyId(key)}`;
    const before = this.#last.get(id);
    const own = before === undefined ? task() : before.then(task, task);
    this.#last.set(id, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(id) === own) this.#last.delete(id);
    }
  }
}
