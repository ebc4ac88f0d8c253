import { ConditionalCheckFailedException } from '../../values/service-error.ts';
import type { EngineServices } from '../services.ts';
import { type ItemWrite, type ItemWriteOutcome, ItemWritePlan } from './item-write.ts';

/**
 * Writes one item durably.
 *
 * @throws what refuses the write, throttling included, and StaleTableError for the catalog's retry.
 */
export async function writeItem(services: EngineServices, write: ItemWrite): Promise<ItemWriteOutcome> {
  const { store, capacity, limits, environment } = services;
  capacity.admitWrite(write);
  const plan = new ItemWritePlan([write], limits, environment.clock.nowMs());
  if (plan.needsEntries) await plan.prepare(store);
  try {
    const written = await store.write(plan.keys, (values) => {
      const { writes, outcomes } = plan.decide(values, (error) => {
        throw error;
      });
      const outcome = outcomes[0] as ItemWriteOutcome; // one write that was not refused has one outcome
      capacity.admitIndexChanges(write, outcome.indexChanges);
      return { writes, answer: outcome };
    });
    capacity.consumeWrite(write, written, false);
    return written;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) capacity.consumeRefusedWrite(write, error);
    throw error;
  }
}
