import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { directoryOf, openTarget } from './open-target.ts';

const parent = mkdtempSync(join(tmpdir(), 'singlet-open-target-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('a directory may be named by its path or by a URL', async () => {
  expect(directoryOf('backups')).toBe(join(process.cwd(), 'backups'));
  expect(directoryOf('file:///mnt/my%20backups')).toBe('/mnt/my backups');
  expect(directoryOf('s3://bucket/prefix')).toBeUndefined();
  const made = join(parent, 'made');
  await openTarget(pathToFileURL(made).href, { create: true });
  expect(existsSync(made)).toBe(true);
});

test.each(['gs://bucket/backups', 'https://example.org/x', 's3:///backups'])('%s is refused', async (target) => {
  await expect(openTarget(target, { create: true })).rejects.toThrow(
    `A backup goes to a directory or to s3://BUCKET/PREFIX, not to ${target}.`,
  );
});
