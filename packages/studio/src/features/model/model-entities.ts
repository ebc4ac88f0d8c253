import { entitiesIn, type ModelsState } from '../../app/models.ts';
import { Entities, type Entity } from '../../grid/entities.ts';
import type { ModelAnswer } from '../../wire/model-answers.ts';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';

/** The entities of a model, with the colours that their items have in the item collections. */
export class ModelEntities {
  readonly #byTable = new Map<string, Entities>();
  readonly #tables: ReadonlyMap<string, string>;

  constructor(state: ModelsState, model: ModelAnswer) {
    this.#tables = new Map(model.entities.map(({ name, table }) => [name, model.tables[table] ?? table]));
    for (const table of new Set(this.#tables.values())) {
      this.#byTable.set(table, new Entities({ KeySchema: [] }, entitiesIn(state, table)));
    }
  }

  named(name: string): Entity | undefined {
    return this.#byTable.get(this.#tables.get(name) ?? '')?.named(name);
  }

  /** By the key of an item in a table of the database. */
  ofKey(table: string, key: AttributeMap): Entity | undefined {
    return this.#byTable.get(table)?.ofKey(key);
  }
}
