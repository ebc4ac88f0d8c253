import { describeModel, type DescribedModel } from '../model/described-model.ts';
import { type LoadedModel, loadModels } from '../model/load-models.ts';
import { fingerprintsOf } from '../model/model-fingerprint.ts';
import { UsageError } from '../usage-error.ts';

/** A model as a tool uses it. */
export interface AssistantModel {
  readonly loaded: LoadedModel;
  readonly described: DescribedModel;
}

/** The models given on the command line. They are loaded again when a file in their directories has changed, so that the next call sees an edit. */
export class AssistantModels {
  readonly #paths: readonly string[];
  readonly #tables: Readonly<Record<string, string>>;
  #fingerprint: string | undefined;
  #models: readonly AssistantModel[] = [];

  constructor(paths: readonly string[], tables: Readonly<Record<string, string>>) {
    this.#paths = paths;
    this.#tables = tables;
  }

  /** @throws {UsageError} if a file cannot be run, or contains no model. */
  async all(): Promise<readonly AssistantModel[]> {
    const fingerprint = fingerprintsOf(this.#paths);
    if (fingerprint === this.#fingerprint) return this.#models;
    const models: AssistantModel[] = [];
    for (const path of this.#paths) {
      for (const loaded of await loadModels(path, { isFresh: true })) {
        models.push({ loaded, described: await describeModel(loaded, this.#tables) });
      }
    }
    this.#models = models;
    this.#fingerprint = fingerprint;
    return models;
  }

  /**
   * @param name - optional if there is only one model.
   * @throws {UsageError} if there is no such model, or the name is missing and there are several.
   */
  async one(name: string | undefined): Promise<AssistantModel> {
    const models = await this.all();
    const found = name === undefined ? models : models.filter(({ described }) => described.name === name);
    const names = models.map(({ described }) => described.name).join(', ');
    const [only] = found;
    if (only === undefined) throw new UsageError(`There is no model ${name ?? ''}; the models are ${names}.`);
    if (found.length > 1) throw new UsageError(`Say which model: ${names}.`);
    return only;
  }
}
