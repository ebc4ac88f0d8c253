import type { Entities, ItemOf } from '../entities/entity.ts';
import type { CheckpointStore } from '../migrate/checkpoints.ts';
import { scanPage } from '../migrate/scan-table.ts';
import { Traffic, type TrafficOptions } from '../migrate/traffic.ts';
import { InputError, ModelError } from '../model-error.ts';
import type { Model, Needs } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { turnedItem } from '../run/coded.ts';
import { expiresAttribute } from '../run/input-values.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec } from '../run/item-codec.ts';
import { keyId } from '../run/key-id.ts';
import { isExpired } from '../run/stored-item.ts';

/** How to read a whole table, and why. */
export interface ScanAllOptions extends Omit<TrafficOptions, 'writeUnits'> {
  /** Why the scan is justified: an export, a repair, a count. For readers of the code. */
  readonly because: string;
  /** Segments to read in parallel, from 1 to 1,000,000. 4 by default. */
  readonly segments?: number;
  /** Items to read per request. A page of 1 MB by default. */
  readonly pageItems?: number;
  /** Also returns expired items that are still stored. */
  readonly expired?: boolean;
  /** Stores a checkpoint of each segment. A scan under the same name continues there. */
  readonly checkpoints?: { readonly store: CheckpointStore; readonly name: string };
}

/** The counts since the beginning. */
export interface ScanAllReport {
  /** Items that were read and paid for. */
  readonly scanned: number;
  /** How many of these belong to the entity and were passed to the caller. */
  readonly items: number;
}

/** The checkpoint of one segment, stored as JSON. */
interface Reached extends ScanAllReport {
  readonly version: 1;
  readonly segments: number;
  readonly done: boolean;
  readonly last?: StoredItem;
}

const segmentsMax = 1_000_000;

/**
 * Reads all items of an entity with consistent reads, in parallel segments. No pattern can do this. It is meant for maintenance, and takes
 * longer with every item of the table.
 *
 * @param take - receives each page. A segment writes its checkpoint and continues when `take` has finished. After an interruption it may
 *   receive the last page of each segment again. For an entity with copies it receives the first copy.
 * @throws {InputError} for invalid options, and {ModelError} if the model has faults. An error of `take` ends all
 *   segments after their pages.
 */
export async function scanAll<D extends Entities, P extends Needs, N extends keyof D & string>(
  model: Model<D, P>,
  entity: N,
  options: ScanAllOptions,
  take: (items: readonly ItemOf<D[N]>[]) => Promise<void> | void,
): Promise<ScanAllReport> {
  const { entities, problems } = resolve(model);
  if (problems.length > 0) throw new ModelError(problems);
  const info = entities.get(entity);
  if (info === undefined) throw new InputError('unknown-entity', entity, 'has no keys in the model');
  const { segments = 4, because } = options;
  if (typeof because !== 'string' || because.trim() === '')
    throw new InputError('no-reason', 'because', 'is missing: say why a whole table is read');
  if (!Number.isInteger(segments) || segments < 1 || segments > segmentsMax)
    throw new InputError('bad-option', 'segments', `must be a whole number from 1 to 1,000,000, not ${segments}`);

  const traffic = new Traffic(options);
  const reader = readerOf(info, options);
  const failures: unknown[] = [];
  const reached = await Promise.all(
    Array.from({ length: segments }, async (_, segment) => {
      let at = await begin(options, segments, segment);
      try {
        while (!at.done && failures.length === 0) {
          const read = { table: info.table, types: [info.type], segment, segments, pageItems: options.pageItems };
          const page = await scanPage(traffic, read, at.last);
          const items = page.items.flatMap((item) => reader(item, traffic.now()));
          // The decoder returns the attributes that the entity declares.
          if (items.length > 0) await take(items as readonly ItemOf<D[N]>[]);
          at = {
            version: 1,
            segments,
            scanned: at.scanned + page.scanned,
            items: at.items + items.length,
            done: page.last === undefined,
            ...(page.last !== undefined && { last: page.last }),
          };
          await options.checkpoints?.store.write(checkpointName(options, segment), JSON.stringify(at));
        }
      } catch (error) {
        failures.push(error);
      }
      return at;
    }),
  );
  if (failures.length > 0) throw failures[0];
  return {
    scanned: reached.reduce((sum, { scanned }) => sum + scanned, 0),
    items: reached.reduce((sum, { items }) => sum + items, 0),
  };
}

async function begin(options: ScanAllOptions, segments: number, segment: number): Promise<Reached> {
  const text = await options.checkpoints?.store.read(checkpointName(options, segment));
  if (text === undefined) return { version: 1, segments, scanned: 0, items: 0, done: false };
  const known = JSON.parse(text) as Reached;
  if (known.version !== 1 || known.segments !== segments)
    throw new InputError(
      'bad-checkpoint',
      options.checkpoints?.name ?? '',
      `was started with ${known.segments} segments, by this or another version: continue with as many, or choose another name`,
    );
  return known;
}

function checkpointName({ checkpoints }: ScanAllOptions, segment: number): string {
  return `${checkpoints?.name ?? ''}.${segment}`;
}

/** Decodes a stored item into the application's form; none if it is not to be returned. */
function readerOf(
  entity: EntityInfo,
  { expired = false }: ScanAllOptions,
): (item: StoredItem, now: number) => readonly Record<string, unknown>[] {
  const codec = new ItemCodec(entity, evaluator);
  const expires = expired ? undefined : expiresAttribute(entity);
  const keys = [...entity.key.partition, ...entity.key.sort].map(({ attribute }) => attribute);
  return (item, now) => {
    if (isExpired(item, expires, now)) return [];
    const values = codec.decode(item);
    const isFirst = (): boolean =>
      keyId(codec.key({ ...values, copy: 1 })) ===
      keyId(Object.fromEntries(keys.map((name) => [name, item[name]])) as StoredItem);
    return entity.rules.copies === undefined || isFirst() ? [turnedItem('decode', entity, values)] : [];
  };
}
