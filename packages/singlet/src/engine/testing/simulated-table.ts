import { FaultStore } from '../../storage/testing/fault-store.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { isStoreFailure } from './store-failure.ts';
import { assert } from '../../values/assert.ts';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import { DynamoError } from '../../values/service-error.ts';
import { tendBackups } from '../backups/backup-upkeep.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { restoreTableFromBackup } from '../operations/restore-table-from-backup.ts';
import { updateTable } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { tendStreams } from '../streams/stream-upkeep.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { sweepExpiredItems } from '../ttl/sweep-expired-items.ts';
import { backup, enableRecovery, itemsOf, restoreTo } from './backup-requests.ts';
import { newestStreamArn, replayed, streamRecords } from './stream-reader.ts';
import { createdTable, inconsistencies } from './test-engine.ts';
import { index, keys, onDemandTable, strings } from './table-requests.ts';
import { testContext, type TestServices, testServices } from './test-services.ts';

/*
 * A table with all followers of its items (a local and a global index, a second global one that comes and goes, time to
 * live, a stream, a limit of its collections, point-in-time recovery, backups), and a plain map of what it must hold. Two
 * processes work on it over a store that injects faults, and die.
 *
 * If the answer to a write was lost, the model reads what it did: the old state or the intended one, and for a transaction all or none.
 */

export const simulatedTable = 'simulated';

/** The changes that a write intends, by item name; undefined for a removal. */
export interface Intent {
  readonly after: ReadonlyMap<string, AttributeMap | undefined>;
  /** Whether it is all or nothing. */
  readonly isAtomic: boolean;
  /** Whether its condition holds. */
  readonly isAllowed: boolean;
  readonly perform: (services: TestServices) => Promise<unknown>;
}

type State = ReadonlyMap<string, AttributeMap>;

/** Including the entry in the local index: room for two or three of the items that the histories write. */
const collectionBytesMax = 2000;

/** Faults while items are written, expired items are removed and background work continues. */
const trouble = {
  writeRefused: 0.08,
  outcomeUnknown: 0.08,
  readFailed: 0.04,
  decisionRepeated: 0.3,
  answerDelayed: 0.3,
};

/** Faults that are not reported: for requests whose outcome the model must know. */
const quietTrouble = { decisionRepeated: 0.3, answerDelayed: 0.3 };

/** Turns of the event loop within which background work must end. */
const turnsMax = 50_000;

const yearMs = 365 * 24 * 3_600_000;

export interface SimulatedTableOptions {
  /** Empty stores on the same data, one for each of the two processes; by default one store in memory for both. */
  readonly stores?: readonly [Store, Store];
  /** Lets background work run. A second of the simulated time passes in 20 turns. */
  readonly nextTurn?: () => Promise<void>;
}

export class SimulatedTable {
  /** One for each process; the same one if both have the same store. */
  readonly #stores: readonly FaultStore[];
  readonly #processes: TestServices[];
  readonly #nextTurn: () => Promise<void>;
  readonly #items = new Map<string, AttributeMap>();
  /** What the table held at each time, for restores to that time. */
  readonly #states: { readonly atMs: number; readonly state: State }[] = [];
  readonly #backups: { readonly backupArn: string; readonly state: State }[] = [];
  readonly #restores: { readonly tableName: string; readonly state: State }[] = [];
  #restoreCount = 0;
  #changeCount = 0;
  #expiredCount = 0;
  #expires = false;
  #lastAnswer = '';

  private constructor(stores: readonly FaultStore[], processes: TestServices[], nextTurn: () => Promise<void>) {
    this.#stores = stores;
    this.#processes = processes;
    this.#nextTurn = nextTurn;
  }

  static async open(
    seed: number,
    { stores, nextTurn = nextTurnOfLoop }: SimulatedTableOptions = {},
  ): Promise<SimulatedTable> {
    const faulty = (stores ?? [openMemoryStore()]).map(
      (store, at) => new FaultStore(store, { seed: seed + at, rates: {} }),
    );
    const processes = [0, 1].map((at) => openProcess(storeOf(faulty, at), seed + at));
    const table = new SimulatedTable(faulty, processes, nextTurn);
    await createdTable(
      table.#process(0),
      onDemandTable({
        tableName: simulatedTable,
        keySchema: keys('pk', 'sk'),
        attributeDefinitions: strings('pk', 'sk', 'g', 'l'),
        localSecondaryIndexes: [index('byL', 'pk', 'l')],
        globalSecondaryIndexes: [index('byG', 'g', 'sk')],
        streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    await enableRecovery(table.#process(0), simulatedTable);
    await table.#remember();
    return table;
  }

  get nowMs(): number {
    return this.#process(0).clock.nowMs();
  }

  itemOf(name: string): AttributeMap | undefined {
    return this.#items.get(name);
  }

  /** The answer to the last request, for counting the outcomes of a history. */
  get lastAnswer(): string {
    return this.#lastAnswer;
  }

  /** Executes a write, and compares the table with the expected state. */
  async write(processNumber: number, intent: Intent): Promise<void> {
    const answer = await this.#answerOf(intent.perform(this.#process(processNumber)), trouble);
    const wouldFit = this.#wouldFit(intent);
    const stored = await this.#storedItems();
    const changed = [...intent.after].filter(([name, after]) => !isSame(this.#items.get(name), after));
    const done = changed.filter(([name, after]) => isSame(stored.get(name), after)).map(([name]) => name);
    switch (answer) {
      case 'done':
        assert(intent.isAllowed, 'a write whose condition fails is refused');
        assert(done.length === changed.length, 'what was acknowledged is there');
        break;
      case 'unknown':
        assert(!intent.isAtomic || done.length === 0 || done.length === changed.length, 'all or nothing');
        break;
      default:
        // The writes of a batch are made one by one, so some may have fitted.
        assert(!intent.isAtomic || done.length === 0, `what was refused (${answer}) is not there`);
        assert(!intent.isAllowed || !wouldFit, `a write was refused without a reason: ${answer}`);
    }
    for (const name of done) this.#accept(name, intent.after.get(name));
    await this.#remember(stored);
  }

  /** Several increments of one item at the same time. */
  async race(name: string, additions: readonly ((services: TestServices) => Promise<unknown>)[]): Promise<void> {
    this.#setRates(trouble);
    const answers = await Promise.all(
      additions.map(async (add, number) => answerTo(add(this.#process(number % this.#processes.length)))),
    );
    const stored = await this.#storedItems();
    const before = countOf(this.#items.get(name));
    const added = countOf(stored.get(name)) - before;
    const certain = answers.filter((answer) => answer === 'done').length;
    const possible = certain + answers.filter((answer) => answer === 'unknown').length;
    assert(added >= certain && added <= possible, `${certain} to ${possible} were added, and ${added} are there`);
    const after = stored.get(name);
    if (added > 0) {
      assert(after !== undefined, 'what was added to is there');
      const expected = { ...(this.#items.get(name) ?? keyOf(name)), count: { N: String(before + added) } };
      assert(isSame(after, expected), 'nothing but the count has changed');
      this.#items.set(name, expected);
      this.#changeCount += added;
    }
    await this.#remember(stored);
  }

  /** Removes expired items. */
  async sweep(processNumber: number): Promise<void> {
    const answer = await this.#answerOf(sweepExpiredItems(this.#process(processNumber)), trouble);
    const stored = await this.#storedItems();
    for (const [name, item] of this.#items) {
      if (!this.#hasExpired(item)) continue;
      if (stored.has(name)) {
        assert(answer !== 'done', 'a sweep that ended has removed all that had expired');
        continue;
      }
      this.#accept(name, undefined);
      this.#expiredCount += 1;
    }
    await this.#remember(stored);
  }

  /** Switches the time to live on or off; not more than once an hour. */
  async switchExpiry(processNumber: number): Promise<void> {
    const timeToLiveSpecification = { enabled: !this.#expires, attributeName: 'expires' };
    const request = { tableName: simulatedTable, timeToLiveSpecification };
    const answer = await this.#administer(updateTimeToLive(this.#process(processNumber), request, testContext));
    if (answer === 'done') this.#expires = !this.#expires;
  }

  /** Starts to create or delete the index that comes and goes; refused while either is in progress. */
  async switchIndex(processNumber: number, isMade: boolean): Promise<void> {
    const change = isMade ? { create: index('comesAndGoes', 'l', 'g') } : { delete: { indexName: 'comesAndGoes' } };
    const request = {
      tableName: simulatedTable,
      attributeDefinitions: strings('pk', 'sk', 'g', 'l'),
      globalSecondaryIndexUpdates: [change],
    };
    await this.#administer(updateTable(this.#process(processNumber), request, testContext));
  }

  async backUp(processNumber: number): Promise<void> {
    let backupArn = '';
    const answer = await this.#administer(
      backup(this.#process(processNumber), simulatedTable).then((arn) => (backupArn = arn)),
    );
    if (answer === 'done') this.#backups.push({ backupArn, state: new Map(this.#items) });
  }

  /** Begins to restore a backup, or the table as it was at a time. {@link check} checks the result. */
  async restore(
    processNumber: number,
    { from, which }: { readonly from: 'backup' | 'time'; readonly which: number },
  ): Promise<void> {
    const services = this.#process(processNumber);
    const tableName = `restored-${(this.#restoreCount += 1)}`;
    const saved = this.#backups[which % this.#backups.length];
    const moment = this.#states[which % this.#states.length];
    if (from === 'backup' && saved !== undefined) {
      const request = { backupArn: saved.backupArn, targetTableName: tableName };
      const answer = await this.#administer(restoreTableFromBackup(services, request, testContext));
      if (answer === 'done') this.#restores.push({ tableName, state: saved.state });
    } else if (from === 'time' && moment !== undefined) {
      const request = { from: simulatedTable, to: tableName, atMs: moment.atMs };
      const answer = await this.#administer(restoreTo(services, request));
      if (answer === 'done') this.#restores.push({ tableName, state: moment.state });
    }
  }

  /** Advances the time, and runs the background work that is due. */
  async wait(processNumber: number, ms: number): Promise<void> {
    for (const { clock } of this.#processes) clock.advance(ms);
    const services = this.#process(processNumber);
    await this.#answerOf(
      tendStreams(services).then(() => tendBackups(services)),
      trouble,
    );
    await this.#remember();
  }

  /** A process dies at one of its next pauses. Another process replaces it, and resumes its work. */
  async kill(processNumber: number, afterPauses: number): Promise<void> {
    const dying = this.#process(processNumber);
    dying.tasks.killAfterPauses(afterPauses);
    const successor = openProcess(
      storeOf(this.#stores, processNumber),
      this.#restoreCount + 100 * processNumber,
      this.nowMs,
    );
    this.#processes[processNumber] = successor;
    resumeBackgroundWork(successor);
    await this.#nextTurn();
  }

  /** Lets all background work end, and compares everything that follows the items with them. */
  async check(): Promise<void> {
    this.#setRates({});
    await this.#settle();
    const services = this.#process(0);
    assertNone(await inconsistencies(services, simulatedTable));
    const records = await streamRecords(services, await newestStreamArn(services, simulatedTable), 7);
    assert(records.length === this.#changeCount, `${this.#changeCount} changes, and ${records.length} records`);
    const removedByService = records.filter(({ userIdentity }) => userIdentity !== undefined);
    assert(removedByService.length === this.#expiredCount, 'the removals of expired items, and no others, are marked');
    const replayedItems = new Map(Array.from(replayed(records).values(), (item) => [nameOf(item), item]));
    assertSameItems(replayedItems, this.#items, 'what the stream replays into');
    for (const { tableName, state } of this.#restores.splice(0)) {
      assertSameItems(await itemsOf(services, tableName), state, tableName);
      assertNone(await inconsistencies(services, tableName));
      await deleteTable(services, { tableName }, testContext);
    }
    await this.#settle();
    await this.#remember();
  }

  async close(): Promise<void> {
    for (const services of this.#processes) services.close();
    await Promise.all(this.#stores.map((store) => store.close()));
  }

  #process(number: number): TestServices {
    const services = this.#processes[number];
    assert(services !== undefined, 'there are two processes');
    return services;
  }

  /** Resumes work that a process left to one that then died, as engines do periodically. */
  async #settle(): Promise<void> {
    await this.#run();
    for (const services of this.#processes) resumeBackgroundWork(services);
    await this.#run();
  }

  async #run(): Promise<void> {
    const running = new Set(this.#processes);
    for (const services of this.#processes) void services.tasks.settle().then(() => running.delete(services));
    for (let turn = 0; running.size > 0; turn += 1) {
      assert(turn < turnsMax, 'background work comes to an end');
      // A process that met a fault waits a second.
      if (turn % 20 === 19) for (const { clock } of this.#processes) clock.advance(1000);
      await this.#nextTurn();
    }
  }

  #setRates(rates: Parameters<FaultStore['setRates']>[0]): void {
    for (const store of this.#stores) store.setRates(rates);
  }

  async #answerOf(request: Promise<unknown>, rates: Parameters<FaultStore['setRates']>[0]): Promise<string> {
    this.#setRates(rates);
    this.#lastAnswer = await answerTo(request);
    return this.#lastAnswer;
  }

  async #administer(request: Promise<unknown>): Promise<string> {
    const answer = await this.#answerOf(request, quietTrouble);
    assert(answer !== 'unknown', 'without trouble every answer is known');
    await this.#remember();
    return answer;
  }

  async #storedItems(): Promise<State> {
    this.#setRates({});
    return itemsOf(this.#process(0), simulatedTable);
  }

  #accept(name: string, item: AttributeMap | undefined): void {
    if (item === undefined) this.#items.delete(name);
    else this.#items.set(name, item);
    this.#changeCount += 1;
  }

  /** Compares the items, and records them as the state of this millisecond. */
  async #remember(stored?: State): Promise<void> {
    assertSameItems(stored ?? (await this.#storedItems()), this.#items, simulatedTable);
    const isBounded = fits(this.#items.keys(), (name) => sizeOf(this.#items.get(name)));
    assert(isBounded, 'no item collection has grown above its limit');
    this.#states.push({ atMs: this.nowMs, state: new Map(this.#items) });
    for (const { clock } of this.#processes) clock.advance(1);
  }

  #hasExpired({ expires }: AttributeMap): boolean {
    if (!this.#expires || expires === undefined || !('N' in expires)) return false;
    const ms = Number(expires.N) * 1000;
    const nowMs = Math.floor(this.nowMs / 1000) * 1000;
    return ms < nowMs && ms >= nowMs - 5 * yearMs;
  }

  /** Whether every collection stays below the limit after a write, and during it. */
  #wouldFit({ after }: Intent): boolean {
    const names = new Set([...this.#items.keys(), ...after.keys()]);
    return fits(names, (name) => {
      return Math.max(sizeOf(this.#items.get(name)), after.has(name) ? sizeOf(after.get(name)) : 0);
    });
  }
}

/** Whether no item collection is larger than it may be. */
function fits(names: Iterable<string>, sizeBytesOf: (name: string) => number): boolean {
  const sizes = new Map<string, number>();
  for (const name of names) {
    const collection = JSON.stringify(keyOf(name)['pk']);
    sizes.set(collection, (sizes.get(collection) ?? 0) + sizeBytesOf(name));
  }
  return [...sizes.values()].every((sizeBytes) => sizeBytes <= collectionBytesMax);
}

function openProcess(store: FaultStore, seed: number, nowMs?: number): TestServices {
  const limits = { itemCollectionBytesMax: collectionBytesMax, streamShardSplitInterval: 2, streamShardCountMax: 12 };
  return testServices({ store, seed, limits, processId: `process ${seed}`, ...(nowMs !== undefined && { nowMs }) });
}

/** `done`, the name of a refusal, or `unknown` when the store has failed. */
async function answerTo(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'done';
  } catch (error) {
    if (isStoreFailure(error)) return 'unknown';
    if (error instanceof DynamoError) return error.name;
    throw error;
  }
}

function storeOf(stores: readonly FaultStore[], processNumber: number): FaultStore {
  const store = stores[processNumber % stores.length];
  assert(store !== undefined, 'there is a store');
  return store;
}

async function nextTurnOfLoop(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** The name of an item here: its key, as `itemsOf` writes it. */
export function nameOf(item: AttributeMap): string {
  return JSON.stringify([item['pk'], item['sk']]);
}

export function keyOf(name: string): AttributeMap {
  const [pk, sk] = JSON.parse(name) as readonly [AttributeValue, AttributeValue]; // as nameOf wrote it
  return { pk, sk };
}

function countOf(item: AttributeMap | undefined): number {
  const count = item?.['count'];
  return count !== undefined && 'N' in count ? Number(count.N) : 0;
}

/** The size of an item and its entry in the local index. */
function sizeOf(item: AttributeMap | undefined): number {
  if (item === undefined) return 0;
  return itemSizeBytes(item) * (item['l'] === undefined ? 1 : 2);
}

function isSame(one: AttributeMap | undefined, other: AttributeMap | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return attributeValuesEqual({ M: one }, { M: other });
}

function assertSameItems(found: State, expected: State, what: string): void {
  for (const name of new Set([...found.keys(), ...expected.keys()])) {
    if (isSame(found.get(name), expected.get(name))) continue;
    const text = (item: AttributeMap | undefined): string => JSON.stringify(item) ?? 'nothing';
    assert(false, `${what}: ${name} is ${text(found.get(name))} and should be ${text(expected.get(name))}`);
  }
}

function assertNone(problems: readonly string[]): void {
  assert(problems.length === 0, problems.join('; '));
}
