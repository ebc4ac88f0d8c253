import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileCheckpoints } from './file-checkpoints.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'singlet-checkpoints-'));
  file = join(folder, 'progress.json');
});
afterEach(async () => rm(folder, { recursive: true }));

test('checkpoints are read again for the same tables, and refused for others', async () => {
  const here = fileCheckpoints(file, 'http://127.0.0.1:8000 in eu-west-1');
  await here.write('state', 'begun');
  expect(await fileCheckpoints(file, 'http://127.0.0.1:8000 in eu-west-1').read('state')).toBe('begun');
  // What is migrated in one region is not in another: its items would be left out.
  expect(() => fileCheckpoints(file, 'http://127.0.0.1:8000 in eu-north-1')).toThrow(
    'has the checkpoints of http://127.0.0.1:8000 in eu-west-1, not of http://127.0.0.1:8000 in eu-north-1',
  );
});

test('a file without the place of its tables is continued', async () => {
  await writeFile(file, '{"state":"begun"}');
  expect(await fileCheckpoints(file, 'anywhere').read('state')).toBe('begun');
});
