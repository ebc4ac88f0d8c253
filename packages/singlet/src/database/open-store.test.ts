import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore, storeLocationOf } from './open-store.ts';

describe('storeLocationOf', () => {
  test('memory:', () => expect(storeLocationOf('memory:')).toEqual({ kind: 'memory' }));
  test('lmdb:DIRECTORY', () => {
    expect(storeLocationOf('lmdb:/var/lib/shop')).toEqual({ kind: 'directory', directory: '/var/lib/shop' });
    expect(storeLocationOf('lmdb:a:b')).toEqual({ kind: 'directory', directory: 'a:b' });
  });
  test('postgres://HOST/DATABASE', () => {
    const url = 'postgres://singlet@db.example:5433/shop?schema=orders';
    expect(storeLocationOf(url)).toEqual({ kind: 'postgres', url });
    expect(storeLocationOf('postgresql://db/shop')).toEqual({ kind: 'postgres', url: 'postgresql://db/shop' });
  });
  test.each([
    '',
    'memory',
    'memory:x',
    'lmdb:',
    'lmdb',
    '/var/lib/shop',
    'MEMORY:',
    'postgres:',
    'postgres://',
    'mysql://db/shop',
  ])('refuses "%s"', (url) => {
    expect(() => storeLocationOf(url)).toThrow(
      expect.objectContaining({ code: 'open', message: expect.stringContaining(`There is no store "${url}"`) }),
    );
  });
});

test('the message about a URL does not show its password', () => {
  expect(() => storeLocationOf('mysql://ann:se@cret@db/shop')).toThrow('There is no store "mysql://ann@db/shop".');
});

describe('openStore', () => {
  test('in memory', async () => {
    const store = await openStore({ kind: 'memory' });
    expect(store.manifest.durability).toBe('none');
    await store.close();
  });

  test('in a directory, which it creates', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'singlet-open-'));
    try {
      const store = await openStore({ kind: 'directory', directory: join(parent, 'data') });
      expect(store.manifest.durability).toBe('disk');
      await store.close();
      expect(await readdir(parent)).toEqual(['data']);
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});
