import { DynamoError } from '../../values/service-error.ts';
import type { ItemServices } from '../capacity/item-services.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { ItemWritePlan } from './item-write-plan.ts';
import { writeAdmitted } from './write-item.ts';

/** The maximum bytes of new items written in one decision, because other writes have to wait for it. */
const togetherBytesMax = 1024 * 1024;

/**
 * Writes items with different keys durably and independently: if one is refused, the others are written all the same. As
 * long as none is, they are written in one decision, which takes two thirds of the time of one for each.
 *
 * @returns the result of each, in order: a refusal is as of writeItem.
 * @throws {StaleTableError} for the catalog's retry, and {StorageError}, when no item is written, or the result is unknown.
 */
export async function writeItems(
  services: ItemServices,
  writes: readonly ItemWrite[],
): Promise<readonly PromiseSettledResult<ItemWriteOutcome>[]> {
  const admitted: ItemWrite[] = [];
  const refusals = new Map<ItemWrite, unknown>();
  for (const write of writes) {
    try {
      services.capacity.admitWrite(write);
      admitted.push(write);
    } catch (error) {
      refusals.set(write, error);
    }
  }
  const outcomes = isSmall(admitted) ? await writeTogether(services, admitted) : undefined;
  const settled =
    outcomes === undefined
      ? await Promise.allSettled(admitted.map((write) => writeAdmitted(services, write)))
      : outcomes.map((value): PromiseSettledResult<ItemWriteOutcome> => ({ status: 'fulfilled', value }));
  if (refusals.size === 0) return settled;
  const next = settled.values();
  return writes.map(
    (write) =>
      refusals.has(write)
        ? { status: 'rejected', reason: refusals.get(write) }
        : (next.next().value as PromiseSettledResult<ItemWriteOutcome>), // one for each that was admitted
  );
}

function isSmall(writes: readonly ItemWrite[]): boolean {
  let bytes = 0;
  for (const { change } of writes) bytes += change.kind === 'put' ? change.item.sizeBytes : 0;
  return bytes <= togetherBytesMax;
}

/** @returns undefined when any is refused: then nothing is written. */
async function writeTogether(
  services: ItemServices,
  writes: readonly ItemWrite[],
): Promise<readonly ItemWriteOutcome[] | undefined> {
  const { store, capacity, environment } = services;
  const plan = new ItemWritePlan(writes, services, environment.clock.nowMs());
  if (plan.needsPreparation) await plan.prepare(store);
  const outcomes = await store.write(plan.keys, (values) => {
    try {
      const decided = plan.decide(values, rethrow);
      for (const [at, write] of writes.entries()) {
        // One outcome for each, since none was refused.
        capacity.admitIndexChanges(write, (decided.outcomes[at] as ItemWriteOutcome).indexChanges);
      }
      return { writes: decided.writes, answer: decided.outcomes };
    } catch (error) {
      if (!(error instanceof DynamoError)) throw error;
      return { writes: [], answer: undefined };
    }
  });
  if (outcomes !== undefined) {
    for (const [at, write] of writes.entries()) capacity.consumeWrite(write, outcomes[at] as ItemWriteOutcome, false);
  }
  return outcomes;
}

function rethrow(error: unknown): never {
  throw error;
}
