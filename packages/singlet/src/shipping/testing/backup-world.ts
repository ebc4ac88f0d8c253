/** A directory that is backed up, for tests in one process. */
import { join } from 'node:path';
import type { FileSystem } from '../../storage/files/file-system.ts';
import { nodeFileSystem } from '../../storage/files/node-file-system.ts';
import type { Store } from '../../storage/store.ts';
import { type Bucket, directoryBucket } from '../../transfer/buckets/index.ts';
import { BackupTarget } from '../backup-target.ts';
import type { LogShipper } from '../log-shipper.ts';
import { openBackedUpStore } from '../open-backed-up-store.ts';
import { type Fate, flakyBucket } from './flaky-bucket.ts';
import { lastNumber, numberedWrite } from './numbered-writes.ts';

/** When each write was acknowledged, by its number. */
export type WriteTimes = Map<number, number>;

export class BackupWorld {
  readonly directory: string;
  readonly url: string;
  readonly bucket: Bucket;
  readonly events: { readonly event: string; readonly [detail: string]: unknown }[] = [];
  readonly times: WriteTimes = new Map();
  /** The outcome of the next requests to the target. */
  fate: (what: string) => Fate = () => 'well';
  spoolBytesMax = 1e9;
  everyMs = 1;
  /** Called whenever objects may be removed. */
  keepMs: () => number = () => 1e9;
  closingMs = 5_000;
  /** The file system that the shipper uses. */
  files: FileSystem = nodeFileSystem;

  constructor(parent: string, bucket: Bucket = directoryBucket(join(parent, 'target'))) {
    this.directory = join(parent, 'data');
    this.url = join(parent, 'target');
    this.bucket = bucket;
  }

  /** The target without its injected failures. */
  get target(): BackupTarget {
    return new BackupTarget(this.url, this.bucket);
  }

  async open(directory: string = this.directory): Promise<OpenWorld> {
    const keepMs = (): number => this.keepMs();
    const { store, shipper } = await openBackedUpStore({
      directory,
      url: this.url,
      openTarget: async () =>
        new BackupTarget(
          this.url,
          flakyBucket(this.bucket, (what) => this.fate(what)),
        ),
      settings: {
        everyMs: this.everyMs,
        snapshotEveryMs: 1e9,
        spoolBytesMax: this.spoolBytesMax,
        get keepMs() {
          return keepMs();
        },
      },
      pauses: { firstMs: 1, longestMs: 5 },
      closingMs: this.closingMs,
      files: this.files,
      log: (event) => this.events.push(event),
    });
    return new OpenWorld(this, store, shipper);
  }

  named(event: string): readonly { readonly [detail: string]: unknown }[] {
    return this.events.filter((its) => its.event === event);
  }
}

export class OpenWorld {
  readonly store: Store;
  readonly shipper: LogShipper;
  readonly #world: BackupWorld;

  constructor(world: BackupWorld, store: Store, shipper: LogShipper) {
    this.#world = world;
    this.store = store;
    this.shipper = shipper;
  }

  /** Makes the next writes, each acknowledged in a different millisecond. */
  async write(count: number, padding = 30): Promise<void> {
    const { times } = this.#world;
    for (let number = (await lastNumber(this.store)) + 1; count > 0; number += 1, count -= 1) {
      await this.store.write([], () => ({ answer: undefined, writes: numberedWrite(number, padding) }));
      const ms = Date.now();
      times.set(number, ms);
      while (Date.now() === ms) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    await this.shipper.close(() => this.store.close());
  }
}

/** Waits until a condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}
