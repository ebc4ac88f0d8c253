import { type Awaitable, chain } from '../../values/awaitable.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { KeySchema, Table } from '../catalog/table.ts';
import type { Tag } from '../catalog/table-description.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { findStream } from '../streams/find-stream.ts';

/** The facts about a table that policies use. */
export interface TableAccessFacts {
  readonly keys: KeyNames;
  /** By index name: secondary indexes and vector indexes. */
  readonly indexes: ReadonlyMap<string, KeyNames>;
  readonly tags: readonly Tag[];
  /** The text of the resource policy; undefined if the table has none. */
  readonly resourcePolicy: string | undefined;
}

/** The names of key attributes. */
export interface KeyNames {
  /** One, or up to four in an index. */
  readonly partition: readonly string[];
  readonly all: readonly string[];
}

const factsOfTables = new WeakMap<Table, TableAccessFacts>();

/**
 * The facts about a table that policies use, as it is now: the cached facts are checked against its fence. Returns at once if it can.
 *
 * @returns the same object until the table changes; undefined if there is no such table.
 */
export function tableAccessFacts(
  { catalog, store }: EngineServices,
  tableName: string,
  context: RequestContext,
): Awaitable<TableAccessFacts | undefined> {
  const load = async (): Promise<TableAccessFacts | undefined> => {
    const table = await catalog.load(context, tableName);
    return table && factsOf(table);
  };
  const known = catalog.known(context, tableName);
  if (known === undefined) return load();
  const isPresent = store.read([known.fenceKey], ([fence]) => fence !== undefined && known.fence.equals(fence));
  return chain(isPresent, (present) => (present ? factsOf(known) : load()));
}

function factsOf(table: Table): TableAccessFacts {
  let facts = factsOfTables.get(table);
  if (facts === undefined) {
    const indexes = [...table.localIndexes, ...table.globalIndexes, ...table.vectorIndexes];
    facts = {
      keys: namesOf(table.keySchema),
      indexes: new Map(indexes.map(({ indexName, keySchema }) => [indexName, namesOf(keySchema)])),
      tags: table.record.tags,
      resourcePolicy: table.record.resourcePolicy?.policy,
    };
    factsOfTables.set(table, facts);
  }
  return facts;
}

function namesOf({ partition, sort }: KeySchema): KeyNames {
  const names = partition.map(({ attributeName }) => attributeName);
  return { partition: names, all: [...names, ...sort.map(({ attributeName }) => attributeName)] };
}

/** The text of the resource policy of a stream, by its ARN; undefined if the stream has none, or does not exist. */
export async function streamPolicy(
  services: EngineServices,
  streamArn: string,
  context: RequestContext,
): Promise<string | undefined> {
  try {
    return (await findStream(services, streamArn, context)).resourcePolicy?.policy;
  } catch (error) {
    if (error instanceof ResourceNotFoundException || error instanceof ValidationException) return undefined;
    throw error;
  }
}
