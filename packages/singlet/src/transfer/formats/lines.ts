import { FormatError } from './format-error.ts';

/** A line without its terminator. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

const lineFeed = 0x0a;

/**
 * Splits a stream of bytes into lines. Holds one line and one chunk at a time.
 *
 * @param chunks - must not be modified afterwards: lines are views of their memory.
 * @param lineBytesMax - a longer line ends the reading; without a bound, a file without line ends would fill the memory.
 * @throws {FormatError} for a line that is too long.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, lineBytesMax: number): AsyncGenerator<Line> {
  let number = 1;
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  const tooLong = (): FormatError => new FormatError(number, `the line is longer than ${lineBytesMax} bytes`);
  for await (const chunk of chunks) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, from);
      if (end < 0) break;
      const rest = chunk.subarray(from, end);
      if (begunBytes + rest.length > lineBytesMax) throw tooLong();
      yield { number, bytes: begunBytes === 0 ? rest : Buffer.concat([...begun, rest]) };
      begun = [];
      begunBytes = 0;
      number += 1;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    begunBytes += rest.length;
    if (begunBytes > lineBytesMax) throw tooLong();
    if (rest.length > 0) begun.push(rest);
  }
  if (begunBytes > 0) yield { number, bytes: Buffer.concat(begun) };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws {FormatError} for bytes that are not UTF-8. */
export function lineText({ number, bytes }: Line): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new FormatError(number, 'not UTF-8 text', { cause });
  }
}
