import { deleteItem } from '../../src/engine/operations/delete-item.ts';
import {
  firstDataSpace,
  hashOf,
  restOf,
  space,
  spaceOf,
  spaceStart,
  storeKey,
} from '../../src/engine/layout/spaces.ts';
import { lastMomentOf } from '../../src/engine/layout/moment.ts';
import { testContext, type TestServices } from '../../src/engine/testing/test-services.ts';
import type { FileSystem } from '../../src/storage/files/file-system.ts';
import type { LmdbHost } from '../../src/storage/lmdb/lmdb-environment.ts';
import type {
  Decision,
  RangeEnd,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
  StoreWrite,
} from '../../src/storage/store.ts';
import { keyOf } from './simulated-items.ts';
import { hasExpired, storedItems } from './simulated-jobs.ts';
import { type Plant, simulatedTable, type TableSpaces } from './simulated-server.ts';

/** A plausible bug. */
export interface PlantedBug {
  readonly what: string;
  readonly plant: Plant;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    what: 'an entry of an index is not deleted',
    plant: { store: (inner, spaces) => new ForgetfulStore(inner, spaces) },
  },
  { what: 'writes to the log are not synced', plant: { host: withoutSync } },
  {
    what: 'records of a stream change places',
    plant: { store: (inner, spaces) => new ReorderingStore(inner, spaces) },
  },
  {
    what: 'a read after the acknowledgement finds what was before',
    plant: { store: (inner, spaces) => new StaleStore(inner, spaces) },
  },
  {
    what: 'a decision is written in two parts',
    plant: { store: (inner, spaces) => new SplittingStore(inner, spaces) },
  },
  {
    what: 'a decision rests on what was read before its transaction',
    plant: { store: (inner, spaces) => new HastyStore(inner, spaces) },
  },
  {
    what: 'the work on a new index rests on what was read before its transaction',
    plant: { store: (inner, spaces) => new HastyBackfillStore(inner, spaces) },
  },
  { what: 'an item is deleted although its life was extended', plant: { sweep: sweepWithoutCondition } },
  {
    what: 'a purge removes items of the table that has the name now',
    plant: { store: (inner, spaces) => new PurgingByNameStore(inner, spaces) },
  },
  {
    what: 'a restore ignores the changes of the first millisecond after its moment',
    plant: { store: (inner, spaces) => new LateRestoreStore(inner, spaces) },
  },
  {
    what: 'groups of the log are not chained',
    plant: { host: () => ({ rules: { chain: false } }), ending: 'damaged-log' },
  },
  {
    what: 'values are not checked',
    plant: { store: (inner, spaces) => new UncheckedStore(inner, spaces), ending: 'damaged-value' },
  },
];

/** A store that delegates to another one. Each bug changes one operation. */
class SoundStore implements Store {
  readonly manifest: StoreManifest;
  protected readonly inner: Store;
  protected readonly spaces: TableSpaces;

  constructor(inner: Store, spaces: TableSpaces) {
    this.manifest = inner.manifest;
    this.inner = inner;
    this.spaces = spaces;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
    return this.inner.read(keys, body);
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
    return this.inner.range(request, visit);
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.inner.write(keys, decide);
  }

  async close(): Promise<void> {
    await this.inner.close();
  }
}

class ForgetfulStore extends SoundStore {
  override write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.inner.write(keys, (values) => {
      const { answer, writes } = decide(values);
      return {
        answer,
        writes: writes.filter(({ key, value }) => value !== undefined || spaceOf(key) !== this.spaces.globalIndex),
      };
    });
  }
}

/** Sometimes swaps an incoming record with the one before it. */
class ReorderingStore extends SoundStore {
  #previous: StoreWrite | undefined;

  override write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.inner.write(keys, (values) => {
      const { answer, writes } = decide(values);
      return { answer, writes: this.#reordered(writes) };
    });
  }

  #reordered(writes: readonly StoreWrite[]): readonly StoreWrite[] {
    const record = writes.find(({ key, value }) => spaceOf(key) === this.spaces.stream && isRecord(key, value));
    const previous = this.#previous;
    if (record === undefined) return writes;
    this.#previous = { key: Buffer.from(record.key), value: record.value && Buffer.from(record.value) };
    if (previous === undefined || !sameShard(previous.key, record.key)) return writes;
    this.#previous = undefined;
    return [
      ...writes.filter((write) => write !== record),
      { key: record.key, value: previous.value },
      { key: previous.key, value: record.value },
    ];
  }
}

const positionBytes = 8;

function isRecord(key: Uint8Array, value: StoreValue): boolean {
  return value !== undefined && key.at(-1) !== 0xff;
}

function sameShard(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).subarray(0, -positionBytes).equals(Buffer.from(other).subarray(0, -positionBytes));
}

/** Every second read returns the state before its last write. */
class StaleStore extends SoundStore {
  readonly #before = new Map<string, Buffer | undefined>();
  #reads = 0;

  override read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
    this.#reads += 1;
    const isStale = this.#reads % 2 === 0;
    return this.inner.read(keys, (values) =>
      body(values.map((value, at) => (isStale ? this.#earlier(keys[at], value) : value))),
    );
  }

  #earlier(key: Uint8Array | undefined, value: StoreValue): StoreValue {
    const name = key === undefined ? '' : nameOf(key);
    return this.#before.has(name) ? this.#before.get(name) : value;
  }

  override write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.inner.write(keys, (values) => {
      const decision = decide(values);
      for (const { key } of decision.writes) {
        const at = keys.findIndex((each) => nameOf(each) === nameOf(key));
        if (at < 0 || spaceOf(key) !== this.spaces.items) continue;
        const value = values[at];
        this.#before.set(nameOf(key), value && Buffer.from(value));
      }
      return decision;
    });
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1');
}

/** The second half of a decision's writes follows when the first half is on disk. */
class SplittingStore extends SoundStore {
  override async write<T>(
    keys: readonly Uint8Array[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
  ): Promise<T> {
    let rest: readonly StoreWrite[] = [];
    const answer = await this.inner.write(keys, (values) => {
      const decision = decide(values);
      const half = Math.ceil(decision.writes.length / 2);
      rest = decision.writes.slice(half).map(({ key, value }) => ({
        key: Buffer.from(key),
        value: value && Buffer.from(value),
      }));
      return { answer: decision.answer, writes: decision.writes.slice(0, half) };
    });
    if (rest.length > 0) await this.inner.write([], () => ({ answer: undefined, writes: rest }));
    return answer;
  }
}

/** Another process, or another request, may have written since the values were read. */
class HastyStore extends SoundStore {
  override async write<T>(
    keys: readonly Uint8Array[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
  ): Promise<T> {
    const read = await this.inner.read(keys, (values) => values.map((value) => value && Buffer.from(value)));
    return this.inner.write([], () => decide(read));
  }
}

/** Turns of the event loop between the read and the write of a bug that takes its time. */
const pauseTurns = 20;

async function pause(): Promise<void> {
  for (let turn = 0; turn < pauseTurns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The work on an index writes its entries and counts only, and no item. */
class HastyBackfillStore extends SoundStore {
  override async write<T>(
    keys: readonly Uint8Array[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
  ): Promise<T> {
    const isOfIndex = ({ key }: StoreWrite): boolean => {
      const id = spaceOf(key);
      return id === space.statistics || (id >= firstDataSpace && !this.#isOfTable(id));
    };
    const read = await this.inner.read(keys, (values) => values.map((value) => value && Buffer.from(value)));
    const early = attempt(() => decide(read));
    const hasEntry = early?.writes.some(({ key, value }) => value !== undefined && spaceOf(key) >= firstDataSpace);
    if (early === undefined || hasEntry !== true || !early.writes.every(isOfIndex))
      return this.inner.write(keys, decide);
    await pause();
    return this.inner.write([], () => early);
  }

  #isOfTable(id: number): boolean {
    const { items, globalIndex, stream, changeLog, other } = this.spaces;
    return [items, globalIndex, stream, changeLog, other].includes(id);
  }
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined; // it is made again, and fails again
  }
}

/** Deletes the items that it has found expired, whatever they have become. */
async function sweepWithoutCondition(services: TestServices): Promise<void> {
  const expired = [...(await storedItems(services, simulatedTable))].filter(([, item]) => hasExpired(item));
  await pause();
  for (const [name] of expired) {
    await deleteItem(services, { tableName: simulatedTable, key: keyOf(name) }, testContext);
  }
}

class PurgingByNameStore extends SoundStore {
  override write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.inner.write(keys, (values) => {
      const { answer, writes } = decide(values);
      return { answer, writes: writes.flatMap((write) => [write, ...this.#ofNewTable(write)]) };
    });
  }

  #ofNewTable({ key, value }: StoreWrite): readonly StoreWrite[] {
    const { other, formerOthers } = this.spaces;
    if (value !== undefined || other === undefined || !formerOthers.includes(spaceOf(key))) return [];
    return [{ key: storeKey(other, hashOf(key), restOf(key)), value: undefined }];
  }
}

/** Moments of a millisecond. */
const momentsOfMs = lastMomentOf(1) - lastMomentOf(0);

class LateRestoreStore extends SoundStore {
  override range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
    const { from } = request;
    const isOfLog = from !== undefined && spaceOf(from) === this.spaces.changeLog && request.reverse === true;
    if (!isOfLog) return this.inner.range(request, visit);
    const later = Buffer.from(from);
    later.writeDoubleBE(later.readDoubleBE(momentAt) + momentsOfMs, momentAt);
    return this.inner.range({ ...request, from: later }, visit);
  }
}

/** Where the moment is in a key of a change log. */
const momentAt: number = spaceStart(0).length;

/** Claims that nothing between a write and its read could damage a value, as only memory may. */
class UncheckedStore extends SoundStore {
  override readonly manifest: StoreManifest;

  constructor(inner: Store, spaces: TableSpaces) {
    super(inner, spaces);
    this.manifest = { ...inner.manifest, readsOwnMemory: true };
  }
}

/** Opens files in a way that may lose their writes. */
function withoutSync({ files }: LmdbHost): Partial<LmdbHost> {
  const careless: FileSystem = {
    open: async (path, options) => await files.open(path, { ...options, isDurable: false }),
    readFile: async (path) => await files.readFile(path),
    readDirectory: async (path) => await files.readDirectory(path),
    rename: async (from, to) => await files.rename(from, to),
    link: async (existing, name) => await files.link(existing, name),
    unlink: async (path) => await files.unlink(path),
    makeDirectory: async (path) => await files.makeDirectory(path),
    syncDirectory: async (path) => await files.syncDirectory(path),
  };
  return { files: careless };
}
