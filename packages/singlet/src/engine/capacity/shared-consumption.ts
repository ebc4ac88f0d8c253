import type { AttributeMap } from '../../values/attribute-value.ts';
import type { RequestContext } from '../environment.ts';
import type { Table } from '../catalog/table.ts';
import type { Partition } from './partition.ts';
import type { ThroughputKind, ThroughputLimit } from './throughput-settings.ts';

/*
 * Several processes that serve the same data share one throughput. Each keeps its own model and receives, every few
 * milliseconds, what the others have consumed. It takes that from its own buckets, which may become negative. So the processes
 * together admit as much as one alone, and any one of them may use all of it. Any excess that they admit before they know
 * of each other becomes a debt, which is paid before anything else is admitted.
 *
 * Decision 0078 says why.
 */

/** What a process has consumed of one table or global index since its last note to the others. Survives JSON. */
export interface ConsumptionNote {
  readonly context: Pick<RequestContext, 'accountId' | 'region'>;
  readonly tableName: string;
  /** The space of the items or of the index's entries, the same in all processes. */
  readonly space: number;
  /** One for each partition and kind. */
  readonly uses: readonly ConsumedUnits[];
  readonly refusals: readonly RefusedRequests[];
}

interface ConsumedUnits {
  readonly kind: ThroughputKind;
  /** The last store key used, as base64: other processes may have split their partitions elsewhere. */
  readonly key: string;
  readonly units: number;
  /** The part of them to take from the buckets: less than `units` if some requests would have been refused. */
  readonly bucketUnits: number;
}

/** Requests that were refused, or would have been. */
export interface RefusedRequests {
  readonly kind: ThroughputKind;
  readonly limits: readonly ThroughputLimit[];
  /** The partition key, if known. */
  readonly key: AttributeMap | undefined;
  readonly count: number;
}

/** The maximum number of a table's refusals in one note; beyond it, the keys are left out. */
const refusalsMax = 100;

interface OpenUse {
  key: Uint8Array;
  units: number;
  bucketUnits: number;
}

/** Collects the notes to the other processes about one table or index. */
export class SharedConsumption {
  readonly #table: Table;
  readonly #space: number;
  readonly #onFirst: (open: SharedConsumption) => void;
  readonly #uses = { Read: new Map<Partition, OpenUse>(), Write: new Map<Partition, OpenUse>() };
  readonly #refusals = new Map<string, { -readonly [Member in keyof RefusedRequests]: RefusedRequests[Member] }>();

  /** @param onFirst - called when there is something to report, once until it is taken. */
  constructor(table: Table, space: number, onFirst: (open: SharedConsumption) => void) {
    this.#table = table;
    this.#space = space;
    this.#onFirst = onFirst;
  }

  consumed(
    kind: ThroughputKind,
    { partition, key }: { readonly partition: Partition; readonly key: Uint8Array },
    units: number,
    bucketUnits: number,
  ): void {
    const use = this.#uses[kind].get(partition);
    if (use === undefined) {
      this.#begin();
      this.#uses[kind].set(partition, { key, units, bucketUnits });
      return;
    }
    use.key = key;
    use.units += units;
    use.bucketUnits += bucketUnits;
  }

  refused(refusal: Omit<RefusedRequests, 'count'>): void {
    const isFull = this.#refusals.size >= refusalsMax;
    const { kind, limits } = refusal;
    const key = isFull ? undefined : refusal.key;
    const name = JSON.stringify([kind, limits, key]);
    const known = this.#refusals.get(name);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.#begin();
    this.#refusals.set(name, { kind, limits, key, count: 1 });
  }

  take(): ConsumptionNote {
    const { accountId, region, tableName } = this.#table.record;
    const uses = (['Read', 'Write'] as const).flatMap((kind) =>
      Array.from(this.#uses[kind].values(), ({ key, units, bucketUnits }) => ({
        kind,
        key: Buffer.from(key).toString('base64'),
        units,
        bucketUnits,
      })),
    );
    const refusals = [...this.#refusals.values()];
    for (const map of [this.#uses.Read, this.#uses.Write, this.#refusals]) map.clear();
    return { context: { accountId, region }, tableName, space: this.#space, uses, refusals };
  }

  #begin(): void {
    const { Read: reads, Write: writes } = this.#uses;
    if (reads.size === 0 && writes.size === 0 && this.#refusals.size === 0) this.#onFirst(this);
  }
}
