import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { serveCommand } from './serve-command.ts';
import { UsageError } from './usage-error.ts';

/** The command, which speaks up instead of ending the process. */
function quietCommand(): { readonly command: Command; readonly printed: string[] } {
  const printed: string[] = [];
  const command = serveCommand().exitOverride();
  const { outputError } = command.configureOutput();
  command.configureOutput({ outputError: (text) => outputError?.(text, (line) => void printed.push(line)) });
  return { command, printed };
}

async function refusal(...args: readonly string[]): Promise<string> {
  const { command, printed } = quietCommand();
  const error: unknown = await command.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof UsageError ? error.message : printed.join('');
}

describe('singlet serve', () => {
  test.each<[string, string]>([
    ['--port 65536', '--port takes a number from 0 to 65535, not "65536".'],
    ['--port -1', '--port takes a number from 0 to 65535, not "-1".'],
    ['--port 0x50', '--port takes a number from 0 to 65535, not "0x50".'],
    ['--account twelve', '--account takes twelve digits, not "twelve".'],
    ['--lifecycle-delay soon', '--lifecycle-delay takes a number of milliseconds of up to nine digits, not "soon".'],
    ['--expiry-sweep 0', '--expiry-sweep takes a number of milliseconds above zero, of up to nine digits, not "0".'],
    ['--s3-endpoint ftp://x', '--s3-endpoint takes a URL such as http://127.0.0.1:9000, not "ftp://x".'],
    ['--log-level loud', '--log-level takes one of debug, info, warn, error, not "loud".'],
    ['--log-format xml', '--log-format takes one of text, json, not "xml".'],
    [
      '--store lmdb:',
      'There is no store "lmdb:". Use memory: for a store in memory, or lmdb:DIRECTORY for one on disk.',
    ],
    ...['::', '0.0.0.0', '192.168.1.1', 'example.com', '127.0.0.1.example.com'].map((host): [string, string] => [
      `--host ${host}`,
      `Singlet accepts any credentials, so it listens on this machine only: use --host 127.0.0.1, not ${host}.`,
    ]),
    [
      '--memory --store memory:',
      "singlet: option '-m, --memory' cannot be used with option '--store <url>' (see singlet serve --help)\n",
    ],
    [
      '--store memory: --data here',
      "singlet: option '--store <url>' cannot be used with option '-d, --data <directory>' (see singlet serve --help)\n",
    ],
    ['--prot 1', "singlet: unknown option '--prot' (Did you mean --port?) (see singlet serve --help)\n"],
  ])('refuses %s', async (line, sentence) => {
    expect(await refusal(...line.split(' '))).toBe(sentence);
  });

  test('explains every option', () => {
    const help = serveCommand().helpInformation();
    for (const option of serveCommand().options) {
      expect(help).toContain(option.flags);
      expect(option.description).not.toBe('');
    }
  });
});
