import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { serveCommand } from './serve-command.ts';
import { UsageError } from './usage-error.ts';

/** The command, made to throw instead of ending the process. */
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
    ['--region not/one', '--region takes the name of a region such as eu-west-1, not "not/one".'],
    ['--account twelve', '--account takes twelve digits, not "twelve".'],
    ['--lifecycle-delay soon', '--lifecycle-delay takes a number of milliseconds of up to nine digits, not "soon".'],
    [
      '--kinesis-endpoint here',
      'A Kinesis endpoint is a URL, http://HOST:PORT or https://kinesis.REGION.amazonaws.com, not "here".',
    ],
    ['--expiry-sweep 0', '--expiry-sweep takes a number of milliseconds above zero, of up to nine digits, not "0".'],
    [
      '--replication-interval 0',
      '--replication-interval takes a number of milliseconds above zero, of up to nine digits, not "0".',
    ],
    [
      '--replica-endpoint eu-west-1',
      '--replica-endpoint takes a region and a URL, as in eu-west-1=http://127.0.0.1:8001, not "eu-west-1".',
    ],
    [
      '--replica-endpoint eu-west-1=http://127.0.0.1:1',
      '--replica-endpoint needs --replica-secret-file: the other servers have to know this one.',
    ],
    ['--replica-secret-file /nowhere', 'There is no /nowhere.'],
    ['--s3-endpoint ftp://x', '--s3-endpoint takes a URL such as http://127.0.0.1:9000, not "ftp://x".'],
    ['--workers 0', '--workers takes auto or a number from 1 to 32, not "0".'],
    ...['--memory', '--store memory:'].map((store): [string, string] => [
      `--workers 2 ${store}`,
      '--workers needs data that several processes can share: keep it in a directory (--data), or serve with one process.',
    ]),
    ['--memory --backup-verify', '--backup-verify goes with --backup-to.'],
    ['--workers 2 --replica-secret-file /nowhere', 'There is no /nowhere.'],
    ['--connections-per-address 0', '--connections-per-address takes a number from 1 to 999999, not "0".'],
    ['--connections-per-address 1e3', '--connections-per-address takes a number from 1 to 999999, not "1e3".'],
    ['--requests-per-identity none', '--requests-per-identity takes a number from 1 to 999999, not "none".'],
    ['--requests-per-identity 5', '--requests-per-identity counts by identity, so it needs --auth.'],
    ['--memory-budget 31', '--memory-budget takes a number of megabytes from 32 to 999999, not "31".'],
    ['--memory-budget lots', '--memory-budget takes a number of megabytes from 32 to 999999, not "lots".'],
    ...['address', 'identity'].flatMap((of): [string, string][] => [
      [`--memory-per-${of} 31`, `--memory-per-${of} takes a number of megabytes from 32 to 999999, not "31".`],
      [
        `--memory-per-${of} 64`,
        'Limits on the memory of callers need --auth: without it, all callers are on this machine.',
      ],
    ]),
    ['--log-level loud', '--log-level takes one of debug, info, warn, error, not "loud".'],
    ['--log-format xml', '--log-format takes one of text, json, not "xml".'],
    [
      '--store lmdb:',
      'There is no store "lmdb:". Use memory: for a store in memory, lmdb:DIRECTORY for one on disk, or postgres://HOST/DATABASE for one in PostgreSQL.',
    ],
    ...['::', '0.0.0.0', '192.168.1.1', 'example.com', '127.0.0.1.example.com'].map((host): [string, string] => [
      `--host ${host}`,
      `Singlet accepts any credentials, so it listens on this machine only: use --host 127.0.0.1, not ${host}. With --auth FILE it authenticates requests and may listen on any address.`,
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
