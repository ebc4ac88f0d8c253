import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { WriteStep, WrongWrite } from '../../src/prove/index.ts';
import type { ModelScript } from './model-script.ts';
import type { ScriptCase } from './smallest-script.ts';

/** The cases of a folder by file name. */
export interface Corpus {
  readonly reads: ReadonlyMap<string, ScriptCase>;
  readonly writes: ReadonlyMap<string, StepsCase>;
}

export function readCorpus(folder: string): Corpus {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const cases = files.toSorted().map((file) => [file, fromJson(readFileSync(join(folder, file), 'utf8'))] as const);
  return {
    reads: new Map(cases.filter((each): each is [string, ScriptCase] => 'call' in each[1])),
    writes: new Map(cases.filter((each): each is [string, StepsCase] => 'steps' in each[1])),
  };
}

/** A sequence of writes that has a wrong result. */
export interface StepsCase {
  readonly script: ModelScript;
  readonly steps: readonly WriteStep[];
  readonly kind: WrongWrite['kind'];
  readonly message: string;
}

/** Writes a case. Its name is derived from its content, so the same case is written once. @returns the name of the file. */
export function writeCase(folder: string, given: ScriptCase | StepsCase): string {
  mkdirSync(folder, { recursive: true });
  const { kind, message: _, ...what } = given;
  const hash = createHash('sha256').update(toJson(what)).digest('hex').slice(0, 8);
  const file = `${kind.replaceAll(' ', '-')}-${hash}.json`;
  writeFileSync(join(folder, file), `${toJson(given)}\n`);
  return file;
}

/** JSON with encodings for types that it lacks: `{ $set }`, `{ $bigint }`, `{ $bytes }`. */
export function toJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each: unknown) => {
      if (typeof each === 'bigint') return { $bigint: String(each) };
      if (each instanceof Set) return { $set: [...each] };
      return each instanceof Uint8Array ? { $bytes: [...each] } : each;
    },
    2,
  );
}

export function fromJson(text: string): ScriptCase | StepsCase {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$bigint' in value) return BigInt(String(value.$bigint));
    if ('$set' in value && Array.isArray(value.$set)) return new Set(value.$set);
    return '$bytes' in value && Array.isArray(value.$bytes) ? Uint8Array.from(value.$bytes as number[]) : value;
  }) as ScriptCase | StepsCase;
}
