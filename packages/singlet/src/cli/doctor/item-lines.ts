import { closeSync, openSync, writeSync } from 'node:fs';

/** Collected before they are written, bytes. */
const chunkBytes = 1024 * 1024;

/** A file of JSON lines, `{"table": …, "item": …}`, that takes what can still be read of damaged data. */
export class ItemLines {
  readonly #fd: number;
  #text = '';
  #count = 0;

  /** @param path - of a file that does not exist yet: what was saved once is not written over. */
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
