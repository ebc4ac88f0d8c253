import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { BenchError } from '../bench-error.ts';

/*
 * A build of the server without what protects its data and its memory, to measure what that costs. It writes data that a usual build refuses, so
 * it exists during the measurement only.
 */

const singlet = fileURLToPath(new URL('../../../packages/singlet/', import.meta.url));

/** What replaces which text, by source file. Every text must occur once. */
export const withouts: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  // Checksums of values, and their verification.
  'src/engine/layout/value-checksum.ts': [
    [
      'return bytes.length > loopBytesMax ? zlib.crc32(bytes, checksum >>> 0) | 0 : crc32OfShort(bytes, checksum);',
      'return 0;',
    ],
    [
      `return value.length > loopBytesMax
    ? zlib.crc32(value, crc32Before(value, start) >>> 0) | 0
    : crc32OfShort(value, 0, start);`,
      'return 0;',
    ],
    ['  head[0] = format;', '  return 0;\n  head[0] = format;'],
  ],
  // The verification of items. Without their checksums, that of an answer is computed from all its bytes.
  'src/engine/layout/item-codec.ts': [
    [
      `  const sizeBytes = readSize(value);
  const checksum = crc32From(value, headerBytes);`,
      `  return new StoredItem(value, readSize(value), undefined, headerBytes, value.length);
  const sizeBytes = readSize(value);
  const checksum = crc32From(value, headerBytes);`,
    ],
    [
      '  return readCheck(value, checkOffset) ^ headChecksum',
      '  return undefined;\n  return readCheck(value, checkOffset) ^ headChecksum',
    ],
    ['headerBytes, value.length, readCheck(value, checkOffset));', 'headerBytes, value.length);'],
  ],
  // The chain of the write-ahead log, and the checksums of its groups.
  'src/storage/lmdb/write-ahead-log-format.ts': [
    ["import { crc32 } from 'node:zlib';", 'const crc32 = (): number => 0;'],
  ],
  // The work of a request.
  'src/values/work-units.ts': [['  units += count;\n', '  return;\n']],
  // The memory of all requests.
  'src/server/memory-budget.ts': [
    ['    if (this.#waiting[kind].length > 0', '    return true;\n    if (this.#waiting[kind].length > 0'],
    ['    this.#usedBytes += bytes;\n  }\n\n  give', '    return;\n  }\n\n  give'],
    ['    this.#usedBytes -= bytes;', '    return;'],
  ],
};

/**
 * Builds `singlet` without checksums, chain and budgets.
 *
 * @returns the file of the command, and the directory to remove.
 * @throws {BenchError} `missing` when a source file no longer contains what is replaced.
 */
export async function buildWithout(): Promise<{ readonly program: string; readonly directory: string }> {
  // Beside `dist`, so that paths relative to the program are the same.
  const directory = mkdtempSync(join(singlet, 'dist-without-'));
  await build({
    absWorkingDir: singlet,
    entryPoints: ['src/cli/main.ts'],
    outbase: 'src',
    outdir: directory,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'error',
    plugins: [replacing],
  });
  return { program: join(directory, 'cli/main.js'), directory };
}

const replacing: Plugin = {
  name: 'replacing',
  setup: (plugin) => {
    for (const [file, replacements] of Object.entries(withouts)) {
      const path = join(singlet, file);
      const filter = new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
      plugin.onLoad({ filter }, () => ({
        contents: replaced(readFileSync(path, 'utf8'), file, replacements),
        loader: 'ts',
      }));
    }
  },
};

/** @throws {BenchError} `missing` unless every text occurs once. */
export function replaced(source: string, file: string, replacements: readonly (readonly [string, string])[]): string {
  let text = source;
  for (const [from, to] of replacements) {
    const parts = text.split(from);
    if (parts.length !== 2) {
      throw new BenchError('missing', `${file} contains ${parts.length - 1} times what is to be replaced: ${from}`);
    }
    text = parts.join(to);
  }
  return text;
}
