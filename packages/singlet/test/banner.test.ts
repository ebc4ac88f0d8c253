import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';

/*
 * What `singlet serve` suggests when it starts works as it is printed, on a machine without any configuration of AWS. Needs `npm run build`.
 */
let home: string;
let server: SingletProcess;
let banner: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'singlet-banner-'));
  server = new SingletProcess(['serve', '--port', '0'], { cwd: home });
  await server.ready();
  await server.until(() => server.stderr.includes('serve --help'));
  banner = server.stderr;
});

afterAll(async () => {
  server.signal('SIGTERM');
  await server.ended;
  rmSync(home, { recursive: true });
});

/** The command that the banner suggests, on one line or several. */
function suggestedCommand(): string {
  return /Try, in another terminal:\n\n([\s\S]*?)\n\n/.exec(banner)?.[1] ?? '';
}

function shell(command: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  // The programs of this machine, and nothing else that it or its user has set.
  return spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      AWS_CONFIG_FILE: join(home, 'none'),
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  });
}

const hasAws = spawnSync('aws', ['--version']).status === 0;

describe('what the banner of singlet serve suggests', () => {
  test.skipIf(!hasAws)('the command answers with the tables', () => {
    const { status, stdout, stderr } = shell(suggestedCommand());
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ TableNames: [] });
  });

  test.skipIf(!hasAws).each([
    ['the region', /--region \S+/],
    ['the keys', /AWS_ACCESS_KEY_ID=\S+ AWS_SECRET_ACCESS_KEY=\S+/],
  ])('and would not without %s', (_, part) => {
    const command = suggestedCommand();
    expect(command).toMatch(part);
    expect(shell(command.replace(part, '')).status).not.toBe(0);
  });

  test('its pages are there', async () => {
    const pages = [...banner.matchAll(/^ {2}The \w+: (\S+)$/gm)].map(([, url = '']) => url);
    expect(pages).toHaveLength(2);
    for (const page of pages) {
      const answer = await fetch(page);
      expect(answer.status, page).toBe(200);
      expect(await answer.text()).toMatch(/<!doctype html>/i);
    }
  });

  test('its data is where it says', () => {
    const [, directory = ''] = /^ {2}Data is kept in (.*)\.$/m.exec(banner) ?? [];
    expect(shell(`ls ${directory}`).stdout).toContain('data.mdb');
  });

  test('its other command prints the options', async () => {
    const [, args = ''] = /More: npx singlet (.*)$/m.exec(banner) ?? [];
    const help = new SingletProcess(args.split(' '));
    expect(await help.ended).toEqual({ code: 0, signal: null });
    expect(help.stdout).toMatch(/^Usage: singlet serve/);
  });
});
