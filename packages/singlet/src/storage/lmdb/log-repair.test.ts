/** The contents of a damaged log, and their repair, in a directory whose process ended without closing it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../files/node-file-system.ts';
import { keyAt, stoppedDirectory, valueAt } from '../testing/stopped-directory.ts';
import { textsOf } from '../testing/store-probe.ts';
import { readMarker } from './directory-marker.ts';
import { openLmdbStore } from './lmdb-store.ts';
import { readAnyGeneration } from './log-file-reader.ts';
import type { LogInspection } from './log-inspection.ts';
import { acceptLogDamage, inspectDirectoryLogs, type LogRepair, restoreMarker } from './log-repair.ts';

const puts = 24;
const keys = Array.from({ length: puts }, (_, at) => keyAt(at));
const all = keys.map((_, at) => valueAt(at));
/** A previous process, which closed its store, wrote the first four. */
const logged = puts - 4;

let parent: string;
/** The directory of a process that was killed at rest. */
let directory: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-repair-'));
  ({ path: directory } = await stoppedDirectory(parent, 'at rest', puts));
});

afterEach(async () => rm(parent, { recursive: true }));

async function damage(change: (file: Buffer, offsets: readonly number[]) => void): Promise<string> {
  for (const name of ['log-0', 'log-1']) {
    const file = await readFile(join(directory, name));
    const groups = readAnyGeneration(file)?.groups ?? [];
    if (groups.length === 0) continue;
    change(
      file,
      groups.map(({ offset }) => offset),
    );
    await writeFile(join(directory, name), file);
    return name;
  }
  throw new TypeError('there is no log');
}

const flip = (file: Buffer, at: number): void => void (file[at] = file[at]! ^ 1);

async function inspect(): Promise<LogInspection> {
  return inspectDirectoryLogs(directory, (await readMarker(nodeFileSystem, directory))!);
}

async function accept(behind: 'apply' | 'leave'): Promise<LogRepair> {
  return acceptLogDamage(directory, (await readMarker(nodeFileSystem, directory))!, { behind, suffix: 'damaged' });
}

async function valuesNow(): Promise<readonly (string | undefined)[]> {
  const store = await openLmdbStore({ directory });
  try {
    return await textsOf(store, keys);
  } finally {
    await store.close();
  }
}

test('a sound log is described, and there is nothing to repair', async () => {
  const { plan, refusal, files } = await inspect();
  expect([plan.action, refusal]).toEqual(['apply', undefined]);
  const filled = files.find(({ groups }) => groups > 0)!;
  expect(filled).toMatchObject({
    format: 3,
    groups: logged,
    writes: logged,
    groupsBehind: 0,
    nextGroupBytes: undefined,
  });
  expect(filled.lastCertainMs).toBeGreaterThan(Date.now() - 60_000);
  expect(files.find(({ groups }) => groups === 0)?.witness).toEqual({
    generation: filled.generation,
    groups: logged + 1,
  });
  await expect(accept('leave')).rejects.toThrow('there is nothing to repair');
  expect(await valuesNow()).toEqual(all);
});

test('a damaged "begin" is derived, and nothing is lost', async () => {
  await damage((file) => flip(file, 4096 + 50));
  const { plan } = await inspect();
  expect(plan.action === 'apply' && plan.generations[0]?.begin).toBe('damaged');
  expect(await valuesNow()).toEqual(all);
});

describe('damage in a group', () => {
  const seventh = 6;

  beforeEach(async () => {
    const name = await damage((file, offsets) => flip(file, offsets[seventh]! + 50));
    const { refusal, files } = await inspect();
    expect(refusal).toContain(`in ${name} (generation`);
    expect(files.find((file) => file.name === name)).toMatchObject({
      groups: seventh,
      writes: seventh,
      groupsBehind: logged - seventh - 1,
      writesBehind: logged - seventh - 1,
      nextGroupBytes: expect.any(Number) as number,
    });
  });

  test('what comes behind is left, handed out, and the files are kept', async () => {
    const { applied, left, moved } = await accept('leave');
    expect(applied).toBe(seventh);
    expect(left.map(({ value, group }) => [value?.toString(), group])).toEqual(
      all.slice(4 + seventh + 1).map((value, at) => [value, seventh + 2 + at]),
    );
    expect(moved).toEqual([join(directory, 'log-0.damaged'), join(directory, 'log-1.damaged')]);
    expect(await valuesNow()).toEqual(all.map((value, at) => (at < 4 + seventh ? value : undefined)));
    expect(await readdir(directory)).toEqual(expect.arrayContaining(['log-0.damaged', 'log-1.damaged']));
  });

  test('what comes behind is applied on demand', async () => {
    const { applied, left } = await accept('apply');
    expect([applied, left]).toEqual([logged - 1, []]);
    expect(await valuesNow()).toEqual(all.map((value, at) => (at === 4 + seventh ? undefined : value)));
  });
});

test('a log that is gone can be given up', async () => {
  for (const name of ['log-0', 'log-1']) await rm(join(directory, name));
  await expect(valuesNow()).rejects.toMatchObject({ code: 'damaged' });
  expect(await accept('leave')).toEqual({ applied: 0, left: [], moved: [] });
  expect(await valuesNow()).toEqual(all.map((value, at) => (at < 4 ? value : undefined)));
});

test('a marker is rewritten from the data file', async () => {
  const marker = join(directory, 'singlet.json');
  const whole = await readMarker(nodeFileSystem, directory);
  await writeFile(marker, (await readFile(marker, 'utf8')).replace('ready', 'reody'));
  await expect(valuesNow()).rejects.toMatchObject({ code: 'damaged' });
  expect(await restoreMarker(directory)).toEqual(whole);
  expect(await valuesNow()).toEqual(all);
});
