import type { ModelServices } from '../endpoint.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** Reports models whose files have changed. */
export class ModelChanges {
  readonly #services: ModelServices;
  #versions: ReadonlyMap<string, number> | undefined;

  constructor(services: ModelServices) {
    this.#services = services;
  }

  async poll(): Promise<readonly InspectionEvent[]> {
    const models = (await this.#services.models?.list()) ?? [];
    const before = this.#versions;
    this.#versions = new Map(models.map(({ name, version }) => [name, version]));
    if (before === undefined) return [];
    return models
      .filter(({ name, version }) => before.get(name) !== version)
      .map((model) => ({ topic: 'model', data: model }));
  }
}
