import type { Engine, RequestContext } from '../engine/index.ts';
import { ResourceNotFoundException } from '../values/service-error.ts';

/** The number of tables whose key names are cached. */
const knownTablesMax = 1_000;

/** The names of partition keys by table and index, requested from the engine once for each table. */
export class KeyNames {
  readonly #engine: Engine;
  readonly #known = new Map<string, ReadonlyMap<string | undefined, string>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Undefined when there is no such table or index. */
  async partitionKey(context: RequestContext, tableName: string, indexName?: string): Promise<string | undefined> {
    const id = `${context.accountId}/${context.region}/${tableName}`;
    const known = this.#known.get(id)?.get(indexName);
    if (known !== undefined) return known;
    const names = await this.#ask(context, tableName);
    if (this.#known.size >= knownTablesMax) this.#known.clear();
    this.#known.set(id, names);
    return names.get(indexName);
  }

  async #ask(context: RequestContext, tableName: string): Promise<ReadonlyMap<string | undefined, string>> {
    const names = new Map<string | undefined, string>();
    try {
      const { table } = await this.#engine.describeTable({ tableName }, context);
      const add = (indexName: string | undefined, schema: typeof table.keySchema): void => {
        const name = schema?.find(({ keyType }) => keyType === 'HASH')?.attributeName;
        if (name !== undefined) names.set(indexName, name);
      };
      add(undefined, table.keySchema);
      for (const index of [...(table.localSecondaryIndexes ?? []), ...(table.globalSecondaryIndexes ?? [])]) {
        add(index.indexName, index.keySchema);
      }
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
    return names;
  }
}
