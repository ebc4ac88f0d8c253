import { describeStore } from '../testing/store-conformance.ts';
import { openMemoryStore } from './memory-store.ts';

describeStore('memory', async () => ({ store: openMemoryStore() }));
