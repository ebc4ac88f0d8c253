import { ConditionalCheckFailedException } from '../../values/service-error.ts';
import type { ItemServices } from '../capacity/item-services.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { ItemWritePlan } from './item-write-plan.ts';

/**
 * Writes one item durably.
 *
 * @throws the refusal of the write, throttling included, and StaleTableError for the catalog's retry.
 */
export function writeItem(services: ItemServices, write: ItemWrite): Promise<ItemWriteOutcome> {
  try {
    services.capacity.admitWrite(write);
    return writeAdmitted(services, write);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** {@link writeItem} after admission: its table has the throughput for it. */
export function writeAdmitted(services: ItemServices, write: ItemWrite): Promise<ItemWriteOutcome> {
  const plan = new ItemWritePlan([write], services, services.environment.clock.nowMs());
  return plan.needsPreparation
    ? plan.prepare(services.store).then(() => decide(services, write, plan))
    : decide(services, write, plan);
}

function decide({ store, capacity }: ItemServices, write: ItemWrite, plan: ItemWritePlan): Promise<ItemWriteOutcome> {
  const written = store.write(plan.keys, (values) => {
    const { writes, outcomes } = plan.decide(values, rethrow);
    const outcome = outcomes[0] as ItemWriteOutcome; // one write that was not refused has one outcome
    capacity.admitIndexChanges(write, outcome.indexChanges);
    return { writes, answer: outcome };
  });
  return written.then(
    (outcome) => {
      capacity.consumeWrite(write, outcome, false);
      return outcome;
    },
    (error: unknown) => {
      if (error instanceof ConditionalCheckFailedException) capacity.consumeRefusedWrite(write, error);
      throw error;
    },
  );
}

function rethrow(error: unknown): never {
  throw error;
}
