import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RequestEvent } from '../../server/index.ts';
import { AuditLog } from './audit-log.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-audit-'));
  file = join(folder, 'audit.log');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function request(action: string | undefined, error?: string): RequestEvent {
  const measures = { durationMs: 1, requestBytes: 1, responseBytes: 1 };
  return { requestId: 'r', region: 'us-east-1', action, table: 'Shop', status: 200, error, ...measures };
}

function open(options: Partial<ConstructorParameters<typeof AuditLog>[0]> = {}): AuditLog {
  return new AuditLog({
    file,
    nowMs: () => Date.UTC(2026, 10, 20),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
}

function lines(path = file): readonly Record<string, unknown>[] {
  const text = readFileSync(path, 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('notes changes and refusals, and no action on items that was permitted', async () => {
  const audit = open();
  for (const action of ['GetItem', 'CreateTable', 'PutItem', 'DescribeTable', undefined])
    audit.request(request(action));
  audit.request(request('GetItem', 'AccessDeniedException'));
  audit.request(request('GetItem', 'ValidationException'));
  audit.request(request(undefined, 'MissingAuthenticationTokenException'));
  await audit.flush();
  expect(lines().map(({ action, error }) => [action, error])).toEqual([
    ['CreateTable', undefined],
    ['DescribeTable', undefined],
    ['GetItem', 'AccessDeniedException'],
    [undefined, 'MissingAuthenticationTokenException'],
  ]);
  expect(lines()[0]).toEqual({
    time: '2026-11-20T00:00:00.000Z',
    kind: 'request',
    requestId: 'r',
    action: 'CreateTable',
    table: 'Shop',
    region: 'us-east-1',
    status: 200,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('puts full files aside, and keeps a few', async () => {
  const audit = open({ fileBytesMax: 200, filesMax: 2 });
  for (let at = 0; at < 8; at += 1) {
    audit.request({ ...request('CreateTable'), requestId: `${at}` });
    audit.request({ ...request('DeleteTable'), requestId: `${at}` });
    await audit.flush();
  }
  expect(existsSync(file)).toBe(false);
  expect(lines(`${file}.1`).map(({ requestId }) => requestId)).toEqual(['7', '7']);
  expect(lines(`${file}.2`).map(({ requestId }) => requestId)).toEqual(['6', '6']);
  expect(existsSync(`${file}.3`)).toBe(false);
});

test('leaves lines out when too many wait, and says how many', async () => {
  const audit = open({ waitingMax: 3 });
  for (let at = 0; at < 10; at += 1) audit.request(request('CreateTable'));
  await audit.flush();
  expect(lines()).toHaveLength(4);
  expect(lines()[3]).toMatchObject({ kind: 'lines-left-out', count: 7 });
});

test('refuses at once a file that cannot be written', () => {
  expect(() => open({ file: join(folder, 'missing', 'audit.log') })).toThrow(/ENOENT/);
  expect(() => open({ file: folder })).toThrow(/EISDIR/);
});

test('says when it cannot write, continues, and says how many lines are missing', async () => {
  const errors: unknown[] = [];
  const audit = open({ onError: (error) => errors.push(error) });
  rmSync(folder, { recursive: true });
  audit.request(request('CreateTable'));
  audit.request(request('CreateTable'));
  await audit.flush();
  expect(errors).toHaveLength(1);
  mkdirSync(folder);
  audit.request(request('DeleteTable'));
  await audit.flush();
  expect(lines()).toMatchObject([{ action: 'DeleteTable' }, { kind: 'lines-left-out', count: 2 }]);
});
