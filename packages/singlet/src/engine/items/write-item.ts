import type { EngineServices } from '../services.ts';
import { type ItemWrite, type ItemWriteOutcome, ItemWritePlan } from './item-write.ts';

/** Writes one item durably. @throws what refuses the write, and StaleTableError for the catalog's retry. */
export async function writeItem(services: EngineServices, write: ItemWrite): Promise<ItemWriteOutcome> {
  const plan = new ItemWritePlan([write], services.limits, services.environment.clock.nowMs());
  await plan.prepare(services.store);
  return services.store.write(plan.keys, (values) => {
    const { writes, outcomes } = plan.decide(values, (error) => {
      throw error;
    });
    return { writes, answer: outcomes[0] as ItemWriteOutcome }; // one write that was not refused has one outcome
  });
}
