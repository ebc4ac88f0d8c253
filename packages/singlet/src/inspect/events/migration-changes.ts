import type { InspectionRequest } from '../../server/index.ts';
import type { ModelServices } from '../endpoint.ts';
import { latestJob } from '../migrations.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** Reports what becomes of the current migration: its state, its progress, its failures. */
export class MigrationChanges {
  readonly #services: ModelServices;
  readonly #context: InspectionRequest['context'];
  #known: string | undefined;

  constructor(services: ModelServices, context: InspectionRequest['context']) {
    this.#services = services;
    this.#context = context;
  }

  async poll(): Promise<readonly InspectionEvent[]> {
    const job = await latestJob(this.#services, this.#context);
    const before = this.#known;
    this.#known = JSON.stringify(job);
    return job === null || before === undefined || before === this.#known ? [] : [{ topic: 'migration', data: job }];
  }
}
