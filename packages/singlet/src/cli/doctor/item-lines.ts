import { closeSync, openSync, writeSync } from 'node:fs';

/** Bytes collected before they are written. */
const chunkBytes = 1024 * 1024;

/** A file of JSON lines, `{"table": …, "item": …}`, for what can still be read of damaged data. */
export class ItemLines {
  readonly #fd: number;
  #text = '';
  #count = 0;

  /** @param path - must not exist yet: saved data is never overwritten. */
  constructor(path: string) {
    this.#fd = openSync(path, 'wx', 0o600);
  }

  get count(): number {
    return this.#count;
  }

  /** @param item - JSON text of its attributes. */
  add(table: string, item: string): void {
    this.#text += `{"table":${JSON.stringify(table)},"item":${item}}\n`;
    this.#count += 1;
    if (this.#text.length >= chunkBytes) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#fd);
  }

  #flush(): void {
    if (this.#text !== '') writeSync(this.#fd, this.#text);
    this.#text = '';
  }
}
