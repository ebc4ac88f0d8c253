import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** What a command does when its standard output cannot be written. */
const program = fileURLToPath(new URL('../bin/singlet.js', import.meta.url));
const shop = fileURLToPath(new URL('../../model/test/shop.model.ts', import.meta.url));

async function end(args: readonly string[], stdout: 'pipe' | number): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', stdout, 'pipe'] });
  child.stdout?.destroy(); // long before the program writes
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

test.each([['check', shop], ['cost', shop], ['docs', shop], ['ksuid']])(
  '%s ends quietly when the reader of its output has gone',
  async (...args) => {
    expect(await end(args, 'pipe')).toEqual({ code: 141, stderr: '' });
  },
);

describe.skipIf(!existsSync('/dev/full'))('a full disk is reported in a sentence', () => {
  test.each([['cost', shop], ['--help'], ['cost', '--help'], ['--version']])('%s', async (...args) => {
    const full = openSync('/dev/full', 'w');
    try {
      expect(await end(args, full)).toEqual({
        code: 1,
        stderr: 'singlet: The output cannot be written: ENOSPC: no space left on device, write.\n',
      });
    } finally {
      closeSync(full);
    }
  });
});
