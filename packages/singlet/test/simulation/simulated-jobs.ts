import { isDeepStrictEqual } from 'node:util';
import { createTable } from '../../src/engine/operations/create-table.ts';
import { deleteTable } from '../../src/engine/operations/delete-table.ts';
import { putItem } from '../../src/engine/operations/put-item.ts';
import { restoreTableFromBackup } from '../../src/engine/operations/restore-table-from-backup.ts';
import { transactWriteItems } from '../../src/engine/operations/transact-write-items.ts';
import { updateTable } from '../../src/engine/operations/update-table.ts';
import { spaceStart } from '../../src/engine/layout/spaces.ts';
import { listPurges } from '../../src/engine/tables/purge.ts';
import { backup, itemsOf, restoreTo } from '../../src/engine/testing/backup-requests.ts';
import { isStoreFailure } from '../../src/engine/testing/store-failure.ts';
import { inconsistencies } from '../../src/engine/testing/test-engine.ts';
import { index, keys, onDemandTable, strings } from '../../src/engine/testing/table-requests.ts';
import { testContext, testStartMs, type TestServices } from '../../src/engine/testing/test-services.ts';
import { sweepExpiredItems } from '../../src/engine/ttl/sweep-expired-items.ts';
import type { AttributeMap } from '../../src/values/attribute-value.ts';
import { DynamoError } from '../../src/values/service-error.ts';
import { simulatedTable, type TableSpaces } from './simulated-server.ts';
import { keyOf, nameOf, shown, type State, WrongError } from './simulated-items.ts';

/** The index that comes and goes. */
const laterIndex = 'later';
/** The table that comes and goes. */
const otherTable = 'other';
const otherNames = ['0/0', '0/1', '1/0', '1/1'];
const restoresMax = 3;

/** Times of items that have expired, and of those that never do. */
export const expiryTimes = { past: testStartMs / 1000 - 100, future: testStartMs / 1000 + 1e6 } as const;

/** Whether the service may delete the item. */
export function hasExpired(item: AttributeMap | undefined): boolean {
  return isDeepStrictEqual(item?.['expires'], { N: String(expiryTimes.past) });
}

/** What jobs need from the history that they are part of. */
export interface JobHost {
  readonly spaces: TableSpaces;
  /** How expired items are swept. */
  readonly sweep: ((services: TestServices) => Promise<unknown>) | undefined;
  /** A number from 0, below the bound. */
  below(bound: number): number;
  /** Those of any live process. */
  anyServices(): TestServices | undefined;
  /** All items, if no write is in flight or undecided. */
  certainItems(): State | undefined;
  /** The present time. It advances by a millisecond afterwards. */
  moment(): number;
  note(event: string): void;
}

/** A request about a table or a backup. One is in flight at a time. */
interface Operation {
  readonly services: TestServices;
  /** Whether no item may be written meanwhile. */
  readonly isExclusive: boolean;
  readonly ended: (outcome: 'done' | 'refused' | 'unknown') => void;
}

interface Restore {
  readonly tableName: string;
  readonly items: State;
  /** Whether it was acknowledged. */
  isCertain: boolean;
}

/**
 * The background jobs of a history: an index that is created over existing items and deleted, the deletion of expired items, the purge of a table
 * that is deleted and created again, backups, and restores of those and of moments.
 */
export class SimulatedJobs {
  readonly #host: JobHost;
  readonly #moments: { readonly atMs: number; readonly items: State }[] = [];
  readonly #backups: { readonly backupArn: string; readonly items: State }[] = [];
  readonly #restores: Restore[] = [];
  /** What the other table contains if it is there: one of these. */
  #otherItems: readonly State[] = [new Map()];
  /** Undefined if it is unknown. */
  #isOtherThere: boolean | undefined = false;
  #operation: Operation | undefined;
  #problem: Error | undefined;
  #count = 0;

  constructor(host: JobHost) {
    this.#host = host;
  }

  /** Whether no item may be written now. */
  get isExclusive(): boolean {
    return this.#operation?.isExclusive === true;
  }

  get isBusy(): boolean {
    return this.#operation !== undefined;
  }

  /** Begins one. */
  begin(): void {
    const services = this.#host.anyServices();
    if (services === undefined) return;
    const drawn = this.#host.below(12);
    if (drawn < 2) return this.#sweep(services);
    if (drawn < 4) return this.#remember();
    if (this.#operation !== undefined) return;
    if (drawn < 5) this.#changeIndex(services);
    else if (drawn < 6) this.#backUp(services);
    else if (drawn < 8) this.#restore(services);
    else this.#changeOther(services);
  }

  /** A process has died: the outcome of its request is unknown. */
  died(services: TestServices | undefined): void {
    const operation = this.#operation;
    if (operation === undefined || (services !== undefined && operation.services !== services)) return;
    this.#operation = undefined;
    operation.ended('unknown');
  }

  /** Compares what is certain after a start, or at the end, and finds out what happened to requests without an answer. */
  async settle(services: TestServices): Promise<void> {
    if (this.#problem !== undefined) throw new WrongError(`a job fails: ${this.#problem.message}`);
    if (this.#operation !== undefined) return;
    const table = await services.catalog.load(testContext, otherTable);
    const isThere = table !== undefined && table.record.transition?.status !== 'DELETING';
    if (this.#isOtherThere !== undefined && this.#isOtherThere !== isThere) {
      throw new WrongError(`the other table ${isThere ? 'is there' : 'is not there'}`);
    }
    this.#isOtherThere = isThere;
    if (!isThere) {
      this.#otherItems = [new Map()];
      return;
    }
    this.#otherIsIn(table.record.itemSpace);
    const stored = await storedItems(services, otherTable);
    const [first = new Map(), ...others] = this.#otherItems;
    const found = others.find((items) => isDeepStrictEqual(stored, items)) ?? first;
    compareItems(stored, found, otherTable);
    this.#otherItems = [found];
    const [problem] = await inconsistencies(services, otherTable);
    if (problem !== undefined) throw new WrongError(`${otherTable}: ${problem}`);
  }

  /** Compares all restored tables, once no job runs any more, and deletes them. */
  async checkRestores(services: TestServices): Promise<void> {
    for (const { tableName, items, isCertain } of this.#restores.splice(0)) {
      const table = await services.catalog.load(testContext, tableName);
      if (table === undefined && !isCertain) continue;
      if (table === undefined) throw new WrongError(`${tableName} is missing`);
      if (table.record.restore !== undefined) throw new WrongError(`${tableName} is not complete`);
      compareItems(await storedItems(services, tableName), items, tableName);
      const [problem] = await inconsistencies(services, tableName);
      if (problem !== undefined) throw new WrongError(`${tableName}: ${problem}`);
      this.#host.note('restored');
      await deleteTable(services, { tableName }, testContext);
    }
  }

  /** Once no job runs any more. */
  async checkPurged(services: TestServices): Promise<void> {
    const left = await listPurges(services);
    if (left.length > 0) throw new WrongError(`the purge of ${left.join()} does not end`);
    for (const former of this.#host.spaces.formerOthers) {
      const count = await countEntries(services, former);
      if (count > 0) throw new WrongError(`${count} items of a deleted table are left`);
    }
  }

  #sweep(services: TestServices): void {
    const sweep = this.#host.sweep ?? sweepExpiredItems;
    sweep(services).then(
      () => this.#host.note('swept'),
      (error: unknown) => {
        if (!isStoreFailure(error)) this.#problem ??= error instanceof Error ? error : new WrongError(String(error));
      },
    );
  }

  #remember(): void {
    const items = this.#host.certainItems();
    if (items !== undefined) this.#moments.push({ atMs: this.#host.moment(), items: new Map(items) });
  }

  #changeIndex(services: TestServices): void {
    const isMade = this.#host.below(3) > 0;
    const change = isMade ? { create: index(laterIndex, 'g', 'sk') } : { delete: { indexName: laterIndex } };
    const request = {
      tableName: simulatedTable,
      attributeDefinitions: strings('pk', 'sk', 'g'),
      globalSecondaryIndexUpdates: [change],
    };
    this.#begin(isMade ? 'index-created' : 'index-deleted', {
      services,
      perform: () => updateTable(services, request, testContext),
    });
  }

  #backUp(services: TestServices): void {
    const certain = this.#host.certainItems();
    if (certain === undefined) return;
    const items = new Map(certain);
    this.#begin('backup', {
      services,
      isExclusive: true,
      perform: async () => {
        const backupArn = await backup(services, simulatedTable);
        this.#backups.push({ backupArn, items });
      },
    });
  }

  #restore(services: TestServices): void {
    if (this.#restores.length === restoresMax) return;
    const tableName = `restored-${(this.#count += 1)}`;
    const saved = this.#backups[this.#host.below(this.#backups.length)];
    const moment = this.#moments[this.#host.below(this.#moments.length)];
    const restore = (items: State, kind: string, perform: () => Promise<unknown>): void =>
      this.#begin(kind, {
        services,
        perform,
        ended: (outcome) => {
          if (outcome !== 'refused') this.#restores.push({ tableName, items, isCertain: outcome === 'done' });
        },
      });
    if (saved !== undefined && this.#host.below(3) === 0) {
      const request = { backupArn: saved.backupArn, targetTableName: tableName };
      restore(saved.items, 'restore-of-backup', () => restoreTableFromBackup(services, request, testContext));
    } else if (moment !== undefined) {
      const { atMs, items } = moment;
      restore(items, 'restore-of-moment', () => restoreTo(services, { from: simulatedTable, to: tableName, atMs }));
    }
  }

  #changeOther(services: TestServices): void {
    switch (this.#isOtherThere) {
      case undefined:
        return;
      case false:
        return this.#recreateOther(services);
      case true:
        if (this.#host.below(2) === 0) this.#recreateOther(services);
        else if (this.#host.below(4) === 0) this.#deleteOther(services);
        else this.#putIntoOther(services);
    }
  }

  /** Deletes the table if it is there, and creates it with items while the other one is being purged. */
  #recreateOther(services: TestServices): void {
    const request = onDemandTable({
      tableName: otherTable,
      keySchema: keys('pk', 'sk'),
      attributeDefinitions: strings('pk', 'sk', 'g'),
      // The entries of indexes are purged first, so that writes of the new table overtake the purge of the items.
      globalSecondaryIndexes: [index('byG', 'g', 'pk')],
      localSecondaryIndexes: [index('byLocalG', 'pk', 'g')],
    });
    const isThere = this.#isOtherThere === true;
    const items = otherNames.map((name) => this.#otherItem(name));
    const transactItems = items.map((item) => ({ put: { tableName: otherTable, item } }));
    const after = new Map(items.map((item) => [nameOf(item), item]));
    this.#begin(isThere ? 'table-recreated' : 'table-created', {
      services,
      perform: async () => {
        if (isThere) await deleteTable(services, { tableName: otherTable }, testContext);
        await createTable(services, request, testContext);
        await transactWriteItems(services, { transactItems }, testContext);
        const table = await services.catalog.load(testContext, otherTable);
        if (table !== undefined) this.#otherIsIn(table.record.itemSpace);
      },
      ended: (outcome) => {
        this.#isOtherThere = outcome === 'done' ? true : undefined;
        this.#otherItems = outcome === 'done' ? [after] : [...this.#otherItems, new Map(), after];
      },
    });
  }

  #deleteOther(services: TestServices): void {
    this.#begin('table-deleted', {
      services,
      perform: () => deleteTable(services, { tableName: otherTable }, testContext),
      ended: (outcome) => {
        this.#isOtherThere = outcome === 'done' ? false : undefined;
      },
    });
  }

  #putIntoOther(services: TestServices): void {
    const item = this.#otherItem(otherNames[this.#host.below(otherNames.length)] ?? '');
    const [before = new Map()] = this.#otherItems;
    const after = new Map([...before, [nameOf(item), item]]);
    this.#begin('other-put', {
      services,
      perform: async () => putItem(services, { tableName: otherTable, item }, testContext),
      ended: (outcome) => {
        if (outcome !== 'done') this.#isOtherThere = undefined;
        this.#otherItems = outcome === 'done' ? [after] : [before, after];
      },
    });
  }

  #otherItem(name: string): AttributeMap {
    return { ...keyOf(name), g: { S: 'g' }, n: { N: String((this.#count += 1)) } };
  }

  #otherIsIn(itemSpace: number): void {
    const { spaces } = this.#host;
    if (spaces.other === itemSpace) return;
    if (spaces.other !== undefined) spaces.formerOthers.push(spaces.other);
    spaces.other = itemSpace;
  }

  #begin(
    kind: string,
    job: {
      readonly services: TestServices;
      readonly isExclusive?: boolean;
      readonly perform: () => Promise<unknown>;
      readonly ended?: Operation['ended'];
    },
  ): void {
    const { services, isExclusive = false, perform, ended = () => undefined } = job;
    const operation: Operation = { services, isExclusive, ended };
    this.#operation = operation;
    const end = (outcome: 'done' | 'refused' | 'unknown'): void => {
      // A request without an answer has already been counted as one.
      if (this.#operation !== operation) return;
      this.#operation = undefined;
      this.#host.note(`${kind} ${outcome}`);
      ended(outcome);
    };
    perform().then(
      () => end('done'),
      (error: unknown) => {
        if (!(error instanceof DynamoError) && !isStoreFailure(error))
          this.#problem ??= error instanceof Error ? error : new WrongError(String(error));
        end(error instanceof DynamoError ? 'refused' : 'unknown');
      },
    );
  }
}

/** Ignores that an index is not filled yet. */
export async function certainInconsistencies(services: TestServices): Promise<readonly string[]> {
  const table = await services.catalog.load(testContext, simulatedTable);
  const later = table?.record.globalIndexes.find(({ indexName }) => indexName === laterIndex);
  const problems = await inconsistencies(services, simulatedTable);
  if (later?.phase === undefined) return problems;
  return problems.filter(
    (problem) => !problem.startsWith(`${laterIndex} lacks`) && !problem.startsWith(`space ${later.space} counts`),
  );
}

export async function storedItems(services: TestServices, tableName: string): Promise<State> {
  const stored = await itemsOf(services, tableName);
  return new Map(Array.from(stored.values(), (item) => [nameOf(item), item]));
}

/** Expired items may have been deleted. */
function compareItems(found: State, expected: State, what: string): void {
  for (const name of new Set([...found.keys(), ...expected.keys()])) {
    const [one, other] = [found.get(name), expected.get(name)];
    if (isDeepStrictEqual(one, other) || (one === undefined && hasExpired(other))) continue;
    throw new WrongError(`${what}: ${name} is ${shown(one)} and should be ${shown(other)}`);
  }
}

async function countEntries({ store }: TestServices, spaceId: number): Promise<number> {
  let count = 0;
  await store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, () => {
    count += 1;
    return true;
  });
  return count;
}
