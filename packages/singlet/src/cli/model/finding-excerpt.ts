import { readFileSync } from 'node:fs';

/** Some lines of a model's file. */
export interface FindingExcerpt {
  /** Counted from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** The number of lines shown before and after that of a finding. */
const linesAround = 3;
const lineLengthMax = 200;

/** The lines around a place such as `shop.model.ts:12:3`; null if only the file is known. */
export function findingExcerpt(file: string, place: string): FindingExcerpt | null {
  const [, line] = /:(\d+):\d+$/.exec(place) ?? [];
  if (line === undefined) return null;
  const from = Math.max(0, Number(line) - 1 - linesAround);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(from, Number(line) + linesAround)
    .map((text) => text.slice(0, lineLengthMax));
  return { firstLine: from + 1, lines };
}
