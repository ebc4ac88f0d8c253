import { dirname, basename } from 'node:path';
import type { FileSystem, OpenFile, OpenOptions } from '../files/file-system.ts';
import type { SeededRandom } from '../../randomness/seeded-random.ts';

/** A write that fails, because the disk is full or broken. */
export interface SystemFailure {
  readonly code: 'ENOSPC' | 'EIO';
  /** The share of the bytes that reached the disk all the same: from 0 to 1, from the beginning. */
  readonly keptShare: number;
}

/** The unit that a disk writes atomically. */
const sectorBytes = 512;

/**
 * A file system in memory that knows what a power cut may leave.
 *
 * - Of a write that is not durable yet, any of its sectors may be on disk and any may not, whether or not it was reported as done.
 * - Of the names that were created, changed or removed since the directory was synced, any may be as they were.
 * - What is durable stays. A write never changes a sector that it does not touch.
 *
 * Writes and syncs wait until the test lets them complete, in any order, so that every moment between can be checked.
 */
export class SimulatedFiles implements FileSystem {
  readonly #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #nameChanges: NameChange[] = [];
  /** Created directories; their names may be lost like those of files. */
  readonly #directories = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  /** Nothing waits: for recovery from an image. */
  isInstant = false;
  /** Called before each write of bytes: returns its failure, if any. */
  failure: () => SystemFailure | undefined = () => undefined;

  /** How many operations wait for completion. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Completes one waiting operation. */
  complete(at: number): void {
    this.#waiting.splice(at, 1)[0]?.();
  }

  /** Waits like a file operation. */
  wait(): Promise<void> {
    return this.isInstant ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  inode(path: string): Inode | undefined {
    return this.#names.get(path);
  }

  async open(path: string, { create = false, isDurable = false }: OpenOptions): Promise<OpenFile> {
    let inode = this.#names.get(path);
    if (inode === undefined) {
      if (!create) throw Object.assign(new TypeError(`there is no ${path}`), { code: 'ENOENT' });
      inode = new Inode();
      this.#change({ set: [path, inode] });
    }
    return new SimulatedFile(this, inode, isDurable);
  }

  async readFile(path: string): Promise<Buffer | undefined> {
    const inode = this.#names.get(path);
    return inode && Buffer.from(inode.bytes);
  }

  async readDirectory(path: string): Promise<readonly string[]> {
    return [...this.#names.keys()].filter((name) => dirname(name) === path).map((name) => basename(name));
  }

  async rename(from: string, to: string): Promise<void> {
    const inode = this.#names.get(from);
    if (inode === undefined) throw Object.assign(new TypeError(`there is no ${from}`), { code: 'ENOENT' });
    this.#change({ set: [to, inode], remove: from });
  }

  async link(existing: string, name: string): Promise<boolean> {
    const inode = this.#names.get(existing);
    if (inode === undefined || this.#names.has(name)) return false;
    this.#change({ set: [name, inode] });
    return true;
  }

  async unlink(path: string): Promise<void> {
    if (this.#names.has(path)) this.#change({ remove: path });
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.#names.has(path)) return;
    this.#directories.add(path);
    this.#change({ set: [path, new Inode()] });
  }

  async syncDirectory(path: string): Promise<void> {
    const changes = this.#nameChanges.filter((change) => directoryOf(change) === path);
    await this.wait();
    for (const change of changes) {
      if (!this.#nameChanges.includes(change)) continue;
      applyChange(this.#durableNames, change);
      this.#nameChanges = this.#nameChanges.filter((other) => other !== change);
    }
  }

  #change(change: NameChange): void {
    applyChange(this.#names, change);
    this.#nameChanges.push(change);
  }

  /** How many things may or may not be on disk, each independently. */
  get uncertainCount(): number {
    return this.#nameChanges.length + this.#uncertainSectors().length;
  }

  /**
   * What a power cut would leave now, as a separate file system.
   *
   * @param isOnDisk - called for each thing that may or may not be on disk.
   * @param adopt - called with each new inode and the inode of this file system that it was made from.
   */
  image(isOnDisk: (at: number) => boolean, adopt: (old: Inode, made: Inode) => void): SimulatedFiles {
    const names = new Map(this.#durableNames);
    let at = 0;
    for (const change of this.#nameChanges) if (isOnDisk(at++)) applyChange(names, change);
    for (const name of names.keys()) {
      const parent = dirname(name);
      if (this.#directories.has(parent) && !names.has(parent)) names.delete(name);
    }
    const kept = new Map<Inode, Sector[]>();
    for (const sector of this.#uncertainSectors()) {
      if (!isOnDisk(at++)) continue;
      kept.set(sector.inode, [...(kept.get(sector.inode) ?? []), sector]);
    }
    const image = new SimulatedFiles();
    for (const path of this.#directories) image.#directories.add(path);
    image.isInstant = true;
    const made = new Map<Inode, Inode>();
    for (const [name, inode] of names) {
      let copy = made.get(inode);
      if (copy === undefined) {
        copy = inode.left(kept.get(inode) ?? []);
        made.set(inode, copy);
        adopt(inode, copy);
      }
      image.#names.set(name, copy);
    }
    image.#durableNames = new Map(image.#names);
    return image;
  }

  /** A copy in which nothing is lost, as a separate file system. */
  copy(adopt: (old: Inode, made: Inode) => void): SimulatedFiles {
    return this.image(() => true, adopt);
  }

  #uncertainSectors(): Sector[] {
    const inodes = new Set([...this.#names.values(), ...this.#durableNames.values()]);
    return [...inodes].flatMap((inode) => inode.uncertainSectors());
  }
}

function systemError(code: SystemFailure['code']): Error {
  return Object.assign(new TypeError(`${code}: simulated`), { code });
}

interface NameChange {
  readonly set?: readonly [string, Inode];
  readonly remove?: string;
}

/** Both names of a renamed file are in the same directory. */
function directoryOf({ set, remove = '' }: NameChange): string {
  return dirname(set?.[0] ?? remove);
}

function applyChange(names: Map<string, Inode>, { set, remove }: NameChange): void {
  if (remove !== undefined) names.delete(remove);
  if (set !== undefined) names.set(set[0], set[1]);
}

interface Sector {
  readonly inode: Inode;
  readonly bytes: Buffer;
  readonly position: number;
}

interface UncertainWrite {
  readonly bytes: Buffer;
  readonly position: number;
}

/** A file, independent of its names. */
export class Inode {
  /** As programs see it. */
  bytes: Buffer = Buffer.alloc(0);
  #durable: Buffer = Buffer.alloc(0);
  #uncertain: UncertainWrite[] = [];

  write(bytes: Uint8Array, position: number): UncertainWrite {
    const write = { bytes: Buffer.from(bytes), position };
    this.bytes = written(this.bytes, write);
    this.#uncertain.push(write);
    return write;
  }

  /** Makes everything that was written durable; or only some writes. */
  makeDurable(writes: readonly UncertainWrite[] = this.#uncertain): void {
    for (const write of writes) this.#durable = written(this.#durable, write);
    this.#uncertain = this.#uncertain.filter((write) => !writes.includes(write));
  }

  get uncertain(): readonly UncertainWrite[] {
    return [...this.#uncertain];
  }

  uncertainSectors(): Sector[] {
    return this.#uncertain.flatMap(({ bytes, position }) => {
      const sectors: Sector[] = [];
      for (let at = 0; at < bytes.length;) {
        const end = Math.min(bytes.length, at + sectorBytes - ((position + at) % sectorBytes));
        sectors.push({ inode: this, bytes: bytes.subarray(at, end), position: position + at });
        at = end;
      }
      return sectors;
    });
  }

  /** What is left if only these of the uncertain sectors are on disk. */
  left(sectors: readonly Sector[]): Inode {
    const inode = new Inode();
    inode.#durable = Buffer.from(this.#durable);
    for (const sector of sectors) inode.#durable = written(inode.#durable, sector);
    inode.bytes = Buffer.from(inode.#durable);
    return inode;
  }
}

/** Changes the buffer in place if it is long enough. */
function written(file: Buffer, { bytes, position }: UncertainWrite): Buffer {
  const end = position + bytes.length;
  const longer = end <= file.length ? file : Buffer.concat([file, Buffer.alloc(end - file.length)]);
  longer.set(bytes, position);
  return longer;
}

class SimulatedFile implements OpenFile {
  readonly #files: SimulatedFiles;
  readonly #inode: Inode;
  readonly #isDurable: boolean;

  constructor(files: SimulatedFiles, inode: Inode, isDurable: boolean) {
    this.#files = files;
    this.#inode = inode;
    this.#isDurable = isDurable;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    const failure = this.#files.failure();
    if (failure !== undefined) {
      const kept = bytes.subarray(0, Math.floor(bytes.length * failure.keptShare));
      const rest = this.#inode.write(kept, position);
      await this.#files.wait();
      this.#inode.makeDurable([rest]);
      throw systemError(failure.code);
    }
    const write = this.#inode.write(bytes, position);
    await this.#files.wait();
    if (this.#isDurable) this.#inode.makeDurable([write]);
  }

  async read(length: number, position: number): Promise<Buffer> {
    return Buffer.from(this.#inode.bytes.subarray(position, position + length));
  }

  async sync(): Promise<void> {
    const writes = this.#inode.uncertain;
    await this.#files.wait();
    this.#inode.makeDurable(writes.filter((write) => this.#inode.uncertain.includes(write)));
  }

  async close(): Promise<void> {
    // Closing makes nothing durable.
  }
}

/** Subsets of uncertain things: all of them when there are few, otherwise a random sample that includes none and all. */
export function* subsets(count: number, limit: number, random: SeededRandom): Generator<(at: number) => boolean> {
  if (2 ** count <= limit) {
    for (let bits = 0; bits < 2 ** count; bits += 1) yield (at) => (bits & (1 << at)) !== 0;
    return;
  }
  yield () => false;
  yield () => true;
  for (let made = 2; made < limit; made += 1) {
    const share = random.next();
    const chosen = Array.from({ length: count }, () => random.next() < share);
    yield (at) => chosen[at] === true;
  }
}
