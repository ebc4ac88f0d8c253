/**
 * A history of everything under the engine, from a seed: concurrent requests, a disk that is slow, reorders, fails and is full, power cuts,
 * processes that die, and damage. A plain map is the reference. The checks:
 *
 * - an answer agrees with the map, wherever the map is certain; an unanswered request has happened in full, or not at all;
 * - background jobs run meanwhile (`simulated-jobs.ts`), and every restored table is as its moment was;
 * - after each start, and at the end, every acknowledged write is present, indexes, counts and collection sizes agree with the items, and the stream
 *   replays into the table;
 * - damage is refused or answered with an error, and never with a wrong answer.
 *
 * Decisions 0089 and 0110 say why.
 */
import { isDeepStrictEqual } from 'node:util';
import { resumeBackgroundWork } from '../../src/engine/jobs/background-work.ts';
import { batchWriteItem } from '../../src/engine/operations/batch-write-item.ts';
import { deleteItem } from '../../src/engine/operations/delete-item.ts';
import { getItem } from '../../src/engine/operations/get-item.ts';
import { putItem } from '../../src/engine/operations/put-item.ts';
import { query } from '../../src/engine/operations/query.ts';
import { transactWriteItems } from '../../src/engine/operations/transact-write-items.ts';
import { updateItem } from '../../src/engine/operations/update-item.ts';
import { updateTimeToLive } from '../../src/engine/operations/update-time-to-live.ts';
import { enableRecovery } from '../../src/engine/testing/backup-requests.ts';
import { newestStreamArn, replayed, streamRecords } from '../../src/engine/testing/stream-reader.ts';
import { createdTable, mapOf, presentTable } from '../../src/engine/testing/test-engine.ts';
import { index, keys, onDemandTable, strings } from '../../src/engine/testing/table-requests.ts';
import { testContext, testStartMs, type TestServices } from '../../src/engine/testing/test-services.ts';
import { SeededRandom } from '../../src/randomness/seeded-random.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { SimulatedFiles } from '../../src/storage/testing/simulated-files.ts';
import { SimulatedLmdb } from '../../src/storage/testing/simulated-lmdb.ts';
import type { AttributeMap } from '../../src/values/attribute-value.ts';
import { DynamoError } from '../../src/values/service-error.ts';
import { damageLog, damageValue } from './damage.ts';
import { keyOf, nameOf, shown, type State, WrongError } from './simulated-items.ts';
import {
  certainInconsistencies,
  expiryTimes,
  hasExpired,
  type JobHost,
  SimulatedJobs,
  storedItems,
} from './simulated-jobs.ts';
import {
  directory,
  endings,
  type Plant,
  simulatedTable,
  SimulatedServer,
  type TableSpaces,
} from './simulated-server.ts';

const tableName = simulatedTable;
/** Keys of items, each in a collection of four. */
const names = Array.from({ length: 12 }, (_, at) => `${Math.floor(at / 4)}/${at % 4}`);
const stepsMin = 30;
const stepsMax = 120;
/** Maximum number of concurrent requests. */
const pendingMax = 4;
/** Writes before the log is damaged. */
const lastWrites = 12;
/** Turns within which all waiting work must complete. */
const turnsMax = 20_000;

export interface HistoryResult {
  /** The failure, in a sentence; undefined if everything was right. */
  readonly problem: string | undefined;
  /** The events that the history reached, by name. */
  readonly events: ReadonlyMap<string, number>;
}

export interface HistoryOptions {
  readonly seed: number;
  readonly plant?: Plant;
}

/** Runs one history. */
export async function playHistory({ seed, plant = {} }: HistoryOptions): Promise<HistoryResult> {
  const history = new History(seed, plant);
  try {
    await history.play();
    return { problem: undefined, events: history.events };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), events: history.events };
  }
}

/** A write in flight: the resulting items, by name; undefined for a removal. */
interface Pending {
  readonly after: ReadonlyMap<string, AttributeMap | undefined>;
  readonly isAtomic: boolean;
  /** The process that received it. */
  services?: TestServices;
}

class History implements JobHost {
  readonly events = new Map<string, number>();
  readonly #plant: Plant;
  readonly #random: SeededRandom;
  readonly #lmdb = new SimulatedLmdb();
  readonly #items = new Map<string, AttributeMap>();
  readonly spaces: TableSpaces = { formerOthers: [] };
  readonly sweep: JobHost['sweep'];
  readonly #jobs = new SimulatedJobs(this);
  readonly #pending = new Set<Pending>();
  /** Writes that ended in an error, or whose process died: they may or may not have happened. */
  #open: Pending[] = [];
  #files = new SimulatedFiles();
  /** Of several that share the directory, the one with the background work. */
  #server: SimulatedServer | undefined;
  #others: SimulatedServer[] = [];
  /** How many processes share the directory; one owns it alone. */
  readonly #processCount: number;
  #starts = 0;
  #writes = 0;
  #isTableThere = false;
  /** Whether a write to the disk has failed since the last start. The store may then refuse further writes until it is opened again. */
  #hasFaultyStore = false;
  #nowMs = testStartMs;

  constructor(seed: number, plant: Plant) {
    this.#random = new SeededRandom(seed);
    this.#processCount = seed % 3 === 0 ? 3 : 1;
    this.#plant = plant;
    this.sweep = plant.sweep;
  }

  async play(): Promise<void> {
    await this.#start();
    for (let left = this.below(stepsMax - stepsMin) + stepsMin; left > 0; left -= 1) await this.#step();
    await this.#calmDown();
    await this.#endJobs();
    await this.#checkAll();
    this.#files.isInstant = true;
    await this.#jobs.checkRestores(this.#services);
    this.#files.isInstant = false;
    await this.#endJobs();
    await this.#jobs.checkPurged(this.#services);
    await this.#end();
  }

  get #services(): TestServices {
    if (this.#server === undefined) throw new WrongError('no server runs');
    return this.#server.services;
  }

  /** Those of any live process. */
  anyServices(): TestServices | undefined {
    const living = [this.#server, ...this.#others];
    return living[this.below(living.length)]?.services;
  }

  certainItems(): State | undefined {
    return this.#isTableThere && this.#pending.size === 0 && this.#open.length === 0 ? this.#items : undefined;
  }

  moment(): number {
    const nowMs = this.#nowMs;
    this.#advance(1);
    return nowMs;
  }

  /** All processes have the clock of the machine. */
  #advance(ms: number): void {
    this.#nowMs += ms;
    for (const server of [this.#server, ...this.#others]) server?.services.clock.advance(ms);
  }

  #isLiving(services: TestServices): boolean {
    return [this.#server, ...this.#others].some((server) => server?.services === services);
  }

  async #step(): Promise<void> {
    const drawn = this.#random.next();
    if (drawn < 0.33) this.#write();
    else if (drawn < 0.4) await this.#read();
    else if (drawn < 0.55) this.#jobs.begin();
    else if (drawn < 0.85) this.#complete();
    else if (drawn < 0.93) this.#server?.ring((count) => this.below(count));
    else if (drawn < 0.95) this.#disturbDisk();
    else if (drawn < 0.97) await this.#dies('power-cut');
    else if (drawn < 0.985) await this.#dies('death');
    else await this.#oneDies();
    await progress();
  }

  /** Starts a write of items that no other write in flight concerns. */
  #write(): void {
    const busy = new Set([...this.#pending, ...this.#open].flatMap(({ after }) => [...after.keys()]));
    const free = names.filter((name) => !busy.has(name));
    if (this.#pending.size >= pendingMax || free.length < 3 || this.#jobs.isExclusive) return;
    const chosen = Array.from({ length: 3 }, () => free.splice(this.below(free.length), 1)[0] ?? '');
    const { pending, perform } = this.#drawnWrite(chosen);
    this.#pending.add(pending);
    const services = this.anyServices();
    if (services === undefined) return;
    pending.services = services;
    perform(services).then(
      () => this.#answered(pending, services),
      (error: unknown) => this.#failed(pending, services, error),
    );
  }

  #drawnWrite([one = '', two = '', three = '']: readonly string[]): {
    pending: Pending;
    perform: (services: TestServices) => Promise<unknown>;
  } {
    const whole = (after: Pending['after']): Pending => ({ after, isAtomic: true });
    // What an update changes must be certain, and an expired item may be deleted at any time.
    const kind = this.below(6);
    switch (kind === 1 && hasExpired(this.#items.get(one)) ? 5 : kind) {
      case 0:
        return {
          pending: whole(new Map([[one, undefined]])),
          perform: async (services) => deleteItem(services, { tableName, key: keyOf(one) }, testContext),
        };
      case 1: {
        const count = { N: String((this.#writes += 1)) };
        const request = {
          tableName,
          key: keyOf(one),
          updateExpression: 'SET n = :n REMOVE g',
          expressionAttributeValues: { ':n': count },
        };
        const { g: _removed, ...before } = this.#items.get(one) ?? keyOf(one);
        return {
          pending: whole(new Map([[one, { ...before, n: count }]])),
          perform: async (services) => updateItem(services, request, testContext),
        };
      }
      case 2: {
        const after = new Map([one, two, three].map((name) => [name, this.#drawnItem(name)]));
        const transactItems = Array.from(after.values(), (item) => ({ put: { tableName, item } }));
        return {
          pending: whole(after),
          perform: async (services) => transactWriteItems(services, { transactItems }, testContext),
        };
      }
      case 3: {
        const after = new Map([
          [one, this.#drawnItem(one)],
          [two, undefined],
        ]);
        const requests = [{ putRequest: { item: after.get(one)! } }, { deleteRequest: { key: keyOf(two) } }];
        return {
          pending: { after, isAtomic: false },
          perform: async (services) =>
            batchWriteItem(services, { requestItems: { [tableName]: requests } }, testContext),
        };
      }
      default: {
        const item = this.#drawnItem(one, this.#random.chance(0.3));
        return {
          pending: whole(new Map([[one, item]])),
          perform: async (services) => putItem(services, { tableName, item }, testContext),
        };
      }
    }
  }

  #drawnItem(name: string, isExpired = false): AttributeMap {
    const expires = isExpired ? expiryTimes.past : this.#random.chance(0.3) ? expiryTimes.future : undefined;
    return {
      ...keyOf(name),
      n: { N: String((this.#writes += 1)) },
      ...(this.#random.chance(0.7) && { g: { S: `g${this.below(3)}` } }),
      ...(expires !== undefined && { expires: { N: String(expires) } }),
      data: { S: 'x'.repeat(this.below(400)) },
    };
  }

  #answered(pending: Pending, services: TestServices): void {
    // An answer that was not sent before its process died does not count.
    if (!this.#isLiving(services) || !this.#pending.delete(pending)) return;
    this.note('acknowledged');
    for (const [name, item] of pending.after) this.#accept(name, item);
  }

  #failed(pending: Pending, services: TestServices, error: unknown): void {
    if (!this.#isLiving(services) || !this.#pending.delete(pending)) return;
    this.note(
      error instanceof StorageError || error instanceof DynamoError ? 'write-failed' : `failed: ${String(error)}`,
    );
    this.#open.push(pending);
  }

  #accept(name: string, item: AttributeMap | undefined): void {
    if (item === undefined) this.#items.delete(name);
    else this.#items.set(name, item);
  }

  /** Reads an item, or the entries of an index, and compares them with the map. */
  async #read(): Promise<void> {
    const services = this.anyServices();
    if (!this.#isTableThere || services === undefined) return;
    const name = names[this.below(names.length)] ?? '';
    if (this.#random.chance(0.6)) {
      const { item } = await getItem(services, { tableName, key: keyOf(name), consistentRead: true }, testContext);
      this.#compare(name, mapOf(item), 'GetItem');
      return;
    }
    const g = `g${this.below(3)}`;
    const request = {
      tableName,
      indexName: 'byG',
      keyConditionExpression: 'g = :g',
      expressionAttributeValues: { ':g': { S: g } },
    };
    const { items = [] } = await query(services, request, testContext);
    const found = new Map(items.map((item) => [nameOf(mapOf(item)), mapOf(item)]));
    for (const each of names) {
      const item = found.get(each);
      const known = this.#items.get(each);
      if (item !== undefined) this.#compare(each, item, 'Query of byG');
      else if (isDeepStrictEqual(known?.['g'], { S: g })) this.#compare(each, undefined, 'byG');
    }
  }

  /** An item must be as in the map, or as a write in flight makes it. */
  #compare(name: string, found: AttributeMap | undefined, by: string): void {
    const possible = [...this.#pending, ...this.#open].filter(({ after }) => after.has(name));
    if (isDeepStrictEqual(found, this.#items.get(name))) return;
    const mayHaveExpired = [this.#items.get(name), ...possible.map(({ after }) => after.get(name))].some(hasExpired);
    if (found === undefined && mayHaveExpired) return;
    if (possible.some(({ after }) => isDeepStrictEqual(found, after.get(name)))) return;
    // An entry of an index disappears with the attribute of its key.
    if (by === 'byG' && possible.length > 0) return;
    throw new WrongError(`${by} finds ${shown(found)} for ${name}, which is ${shown(this.#items.get(name))}`);
  }

  #complete(): void {
    const { waitingCount } = this.#files;
    if (waitingCount > 0) this.#files.complete(this.below(waitingCount));
  }

  /** For a while, writes fail, or the disk is full. */
  #disturbDisk(): void {
    const code = this.#random.chance(0.5) ? 'ENOSPC' : 'EIO';
    const keptShare = this.#random.chance(0.5) ? 0 : this.#random.next();
    let left = 1 + this.below(3);
    this.#files.failure = () => {
      if (left === 0) return undefined;
      left -= 1;
      this.#hasFaultyStore = true;
      this.note(code);
      return { code, keptShare };
    };
  }

  /**
   * A power cut keeps any part of what is not durable; the death of a process keeps everything it has requested. Then a server starts on the result.
   */
  async #dies(how: 'power-cut' | 'death'): Promise<void> {
    this.note(how);
    for (const server of [this.#server, ...this.#others.splice(0)]) server?.kill();
    this.#server = undefined;
    this.#jobs.died(undefined);
    this.#open.push(...this.#pending);
    this.#pending.clear();
    const share = this.#random.next();
    const isOnDisk = (): boolean => how === 'death' || this.#random.next() < share;
    const isCommitted = this.#random.chance(0.5);
    this.#files = this.#files.image(isOnDisk, (old, made) => this.#lmdb.leave(old, made, isCommitted));
    await this.#start();
  }

  /** Kills one of several processes and starts another. Its requested writes happened or not, as the next start of all of them finds. */
  async #oneDies(): Promise<void> {
    const chosen = this.#others[this.below(this.#others.length)];
    if (chosen === undefined) return;
    this.note('death-of-one');
    chosen.kill();
    this.#jobs.died(chosen.services);
    this.#others = this.#others.filter((server) => server !== chosen);
    for (const pending of [...this.#pending].filter(({ services }) => services === chosen.services)) {
      this.#pending.delete(pending);
      this.#open.push(pending);
    }
    this.#others.push(await this.#opened());
  }

  async #start(): Promise<void> {
    this.#files.isInstant = true;
    this.#hasFaultyStore = false;
    this.#server = await this.#opened();
    while (this.#others.length + 1 < this.#processCount) this.#others.push(await this.#opened());
    if (!this.#isTableThere) await this.#makeTable();
    await this.#settle();
    await this.#checkAll();
    this.#files.isInstant = false;
    for (const services of this.#allServices()) resumeBackgroundWork(services);
  }

  #allServices(): readonly TestServices[] {
    return [this.#server, ...this.#others].flatMap((server) => (server === undefined ? [] : [server.services]));
  }

  /** Waits for all background work, and for that which processes left that died. */
  async #endJobs(): Promise<void> {
    for (let pass = 0; pass < 2; pass += 1) {
      const running = new Set(this.#allServices());
      for (const services of this.#allServices()) {
        resumeBackgroundWork(services);
        void services.tasks.settle().then(() => running.delete(services));
      }
      for (let turn = 0; running.size > 0 || this.#files.waitingCount > 0; turn += 1) {
        if (turn > turnsMax) throw new WrongError('background work does not come to an end');
        this.#complete();
        // Work that met a fault waits a second.
        if (turn % 20 === 19) this.#advance(1000);
        await progress();
      }
    }
  }

  async #opened(): Promise<SimulatedServer> {
    const seed = (this.#starts += 1);
    this.#advance(1000);
    return SimulatedServer.open({
      files: this.#files,
      lmdb: this.#lmdb,
      seed,
      nowMs: this.#nowMs,
      processId: `process ${seed}`,
      plant: this.#plant,
      spaces: this.spaces,
      isShared: this.#processCount > 1,
    });
  }

  async #makeTable(): Promise<void> {
    const { record, globalIndexes } = await createdTable(
      this.#services,
      onDemandTable({
        tableName,
        keySchema: keys('pk', 'sk'),
        attributeDefinitions: strings('pk', 'sk', 'g'),
        globalSecondaryIndexes: [index('byG', 'g', 'pk')],
        localSecondaryIndexes: [index('byLocalG', 'pk', 'g')],
        streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    await updateTimeToLive(
      this.#services,
      { tableName, timeToLiveSpecification: { enabled: true, attributeName: 'expires' } },
      testContext,
    );
    await enableRecovery(this.#services, tableName);
    await this.#services.tasks.settle();
    this.#isTableThere = true;
    const [byG] = globalIndexes;
    const { changeLog } = (await presentTable(this.#services, tableName)).record;
    Object.assign(this.spaces, {
      items: record.itemSpace,
      globalIndex: byG?.space,
      stream: record.stream?.space,
      changeLog: changeLog?.space,
    });
  }

  /** Completes all waiting work, without faults. */
  async #calmDown(): Promise<void> {
    this.#files.failure = () => undefined;
    for (let turn = 0; this.#pending.size > 0 || this.#jobs.isBusy; turn += 1) {
      if (turn > turnsMax) throw new WrongError('what waits does not come to an end');
      this.#complete();
      if (turn % 20 === 19) this.#advance(1000);
      await progress();
    }
    // Which part of a write a failing disk kept is known only once a process has started on it. It may have been a write of a job.
    if (this.#open.length > 0 || this.#hasFaultyStore) await this.#dies('death');
  }

  /** Finds out which unanswered writes happened, in the order in which they were made. */
  async #settle(): Promise<void> {
    const stored = await this.#stored();
    for (const { after, isAtomic } of this.#open.splice(0)) {
      const isThere = ([name, item]: readonly [string, AttributeMap | undefined]): boolean =>
        isDeepStrictEqual(stored.get(name), item);
      // It may have been written, and deleted since.
      for (const [name, item] of after) if (hasExpired(item) && !stored.has(name)) this.#accept(name, undefined);
      const done = [...after].filter(isThere);
      const changes = [...after].filter(([name, item]) => !isDeepStrictEqual(this.#items.get(name), item));
      const made = changes.filter(([name]) => done.some(([other]) => other === name));
      if (isAtomic && made.length > 0 && made.length < changes.length) throw new WrongError('half of a write is there');
      for (const [name, item] of made) this.#accept(name, item);
    }
  }

  async #stored(): Promise<State> {
    return storedItems(this.#services, tableName);
  }

  /** No request is in flight now. */
  async #checkAll(): Promise<void> {
    const stored = await this.#stored();
    for (const [name, item] of this.#items) {
      if (!hasExpired(item) || stored.has(name)) continue;
      this.note('expired');
      this.#accept(name, undefined);
    }
    for (const name of new Set([...stored.keys(), ...this.#items.keys()])) {
      if (isDeepStrictEqual(stored.get(name), this.#items.get(name))) continue;
      throw new WrongError(`${name} is ${shown(stored.get(name))} and should be ${shown(this.#items.get(name))}`);
    }
    const [problem] = await certainInconsistencies(this.#services);
    if (problem !== undefined) throw new WrongError(problem);
    const records = await streamRecords(this.#services, await newestStreamArn(this.#services, tableName), 7);
    const replay = new Map(Array.from(replayed(records).values(), (item) => [nameOf(item), item]));
    if (!isDeepStrictEqual(replay, new Map([...replay.keys()].map((name) => [name, this.#items.get(name)])))) {
      throw new WrongError('the stream does not replay into the table');
    }
    if (replay.size !== this.#items.size) throw new WrongError('the stream lacks an item of the table');
    await this.#jobs.settle(this.#services);
  }

  /** The last server ends in one of several ways. Its directory may then be damaged, and is opened once more. */
  async #end(): Promise<void> {
    const ending = this.#plant.ending ?? endings[this.below(endings.length)];
    if (ending === 'death') return await this.#dies('death');
    this.#files.isInstant = true;
    if (ending === 'damaged-log') return await this.#endWithDamagedLog();
    for (const server of [...this.#others.splice(0), this.#server]) await server?.close();
    this.#files = this.#files.copy((old, made) => this.#lmdb.leave(old, made, true));
    if (ending === 'closed') return await this.#start();
    const isDamaged = damageValue(this.#lmdb.entriesOf(this.#files.inode(`${directory}/data.mdb`)), this.#random);
    if (!isDamaged) return;
    this.note('damaged-value');
    this.#server = await this.#opened();
    for (const name of names) await this.#readDamaged(name);
    await this.#server.close();
  }

  /** Correct, or an error that reports the damage. */
  async #readDamaged(name: string): Promise<void> {
    const pk = keyOf(name)['pk']!;
    const request = { tableName, keyConditionExpression: 'pk = :pk', expressionAttributeValues: { ':pk': pk } };
    const reads = [
      async () =>
        [mapOf((await getItem(this.#services, { tableName, key: keyOf(name) }, testContext)).item)].filter(
          (item) => item !== undefined,
        ),
      async () =>
        ((await query(this.#services, request, testContext)).items ?? [])
          .map((item) => mapOf(item))
          .filter((item) => nameOf(item) === name),
    ];
    for (const read of reads) {
      const found = await read().catch((error: unknown) => {
        if (error instanceof StorageError || error instanceof DynamoError) return undefined;
        throw new WrongError(`a damaged value is answered with ${String(error)}`);
      });
      if (found !== undefined && !isDeepStrictEqual(found[0], this.#items.get(name))) {
        throw new WrongError(`a damaged value is answered: ${shown(found[0])} for ${name}`);
      }
    }
  }

  async #endWithDamagedLog(): Promise<void> {
    // So that there is something to damage, with something after it.
    for (let writes = 0; writes < lastWrites; writes += 1) {
      this.#write();
      await progress();
    }
    for (const server of [this.#server, ...this.#others.splice(0)]) server?.kill();
    this.#files = this.#files.copy((old, made) => this.#lmdb.leave(old, made, true));
    this.#files.isInstant = true;
    if (!damageLog(this.#files, directory, this.#random)) return;
    this.note('damaged-log');
    try {
      this.#server = await this.#opened();
    } catch (error) {
      if (error instanceof StorageError && error.code === 'damaged') return;
      throw error;
    }
    await this.#checkAll();
    await this.#server.close();
  }

  below(bound: number): number {
    return bound === 0 ? 0 : this.#random.integer(0, bound - 1);
  }

  note(event: string): void {
    this.events.set(event, (this.events.get(event) ?? 0) + 1);
  }
}

/** Until every operation waits for the disk. */
async function progress(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
