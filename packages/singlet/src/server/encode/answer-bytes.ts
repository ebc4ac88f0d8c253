/** The bytes of an answer, joined or not. */
export type AnswerBytes = Buffer | UnjoinedBytes;

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * A long answer as the ranges that it consists of, which do not change.
 *
 * A page of items would be copied twice: into the answer, and with its head into the buffer from which it is sent. The memory for the first copy
 * is as large as the page and new for each answer, and the collector has to free it. Decision 0147 says what that costs.
 */
export class UnjoinedBytes {
  readonly length: number;
  readonly #ranges: readonly ByteRange[];
  #joined: Buffer | undefined;

  constructor(ranges: readonly ByteRange[]) {
    this.#ranges = ranges;
    let length = 0;
    for (const { start, end } of ranges) length += end - start;
    this.length = length;
  }

  copyTo(target: Uint8Array, offset: number): void {
    let at = offset;
    for (const { bytes, start, end } of this.#ranges) {
      target.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), at);
      at += end - start;
    }
  }

  /** The bytes in one piece. */
  join(): Buffer {
    if (this.#joined === undefined) {
      this.#joined = Buffer.allocUnsafe(this.length);
      this.copyTo(this.#joined, 0);
    }
    return this.#joined;
  }
}

export function joinedBytes(answer: AnswerBytes): Buffer {
  return answer instanceof UnjoinedBytes ? answer.join() : answer;
}
