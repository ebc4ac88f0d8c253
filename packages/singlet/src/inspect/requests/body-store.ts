/** The maximum bytes of bodies kept in total, and of one body. */
const keptBytesMax: number = 16 * 1024 * 1024;
export const keptBodyBytesMax: number = 64 * 1024;

interface Bodies {
  /** Undefined for a body that is too long to be kept. */
  readonly request: Buffer | undefined;
  readonly response: Buffer | undefined;
}

/** The bodies of the last requests and their answers. The oldest are evicted first. */
export class BodyStore {
  readonly #bodies = new Map<number, Bodies>();
  #bytes = 0;

  keep(seq: number, request: Uint8Array, response: Uint8Array): void {
    const bodies = { request: copied(request), response: copied(response) };
    this.#bodies.set(seq, bodies);
    this.#bytes += sizeOf(bodies);
    for (const [oldest, kept] of this.#bodies) {
      if (this.#bytes <= keptBytesMax) break;
      this.#bodies.delete(oldest);
      this.#bytes -= sizeOf(kept);
    }
  }

  /** Undefined if they have been evicted. */
  get(seq: number): Bodies | undefined {
    return this.#bodies.get(seq);
  }

  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
  }
}

function copied(body: Uint8Array): Buffer | undefined {
  return body.length > keptBodyBytesMax ? undefined : Buffer.from(body);
}

/** Includes an estimate of an entry's overhead. */
function sizeOf({ request, response }: Bodies): number {
  return 400 + (request?.length ?? 0) + (response?.length ?? 0);
}
