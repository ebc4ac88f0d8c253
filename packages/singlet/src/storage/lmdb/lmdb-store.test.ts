import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../testing/store-conformance.ts';
import { openLmdbStore } from './lmdb-store.ts';

describeStore('lmdb', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'singlet-lmdb-'));
  return {
    store: await openLmdbStore({ directory }),
    openAgain: async () => openLmdbStore({ directory }),
    dispose: async () => rm(directory, { recursive: true }),
  };
});
