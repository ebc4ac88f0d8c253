import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CacheOptions, cacheSettingsOf } from './cache-options.ts';
import { type CacheFigures, CacheStatistics } from './cache-statistics.ts';
import { CachedReads } from './cached-reads.ts';
import { type HttpOptions, type HttpReply, type HttpRequest, readReply, readRequest } from './http-exchange.ts';
import { ItemCache } from './item-cache.ts';
import { KeySchemas } from './key-schemas.ts';
import { QueryCache } from './query-cache.ts';
import { WriteThrough } from './write-through.ts';

/** Operations on the cache itself. */
export interface CacheControl {
  /** What the cache has done so far, and what it contains. */
  statistics(): CacheFigures;
  /** Empties the cache. */
  clear(): void;
  /** Resolves when all items written by transactions have been read again. */
  settled(): Promise<void>;
}

/** A client like the original, with a cache in front of it. */
export type CachedClient = DynamoDBClient & { readonly cache: CacheControl };

/**
 * A client that serves reads from a cache, as DynamoDB Accelerator does: items by key, results of queries and scans by request. It has the
 * interface of the original client, also inside `DynamoDBDocumentClient.from(…)`, and shares its connections; destroying one destroys both.
 * docs/cache.md says what may be stale, and for how long.
 *
 * @throws {RangeError} for an option out of its range.
 */
export function cachedClient(client: DynamoDBClient, options: CacheOptions = {}): CachedClient {
  const { nowMs, itemBytesMax, itemTtlMs, queryBytesMax, queryTtlMs } = cacheSettingsOf(options);
  const items = new ItemCache({ bytesMax: itemBytesMax, ttlMs: itemTtlMs, nowMs });
  const queries = new QueryCache({ bytesMax: queryBytesMax, ttlMs: queryTtlMs, nowMs });
  const schemas = new KeySchemas(client);
  const statistics = new CacheStatistics();
  const reads = new CachedReads({ client, items, queries, statistics });
  const writes = new WriteThrough({ client, items, schemas });
  const { requestHandler, streamCollector } = client.config;

  const handle = async (request: HttpRequest, httpOptions?: HttpOptions): Promise<HttpReply> => {
    const send = async (): ReturnType<typeof readReply> =>
      readReply(await requestHandler.handle(request, httpOptions), streamCollector);
    const { action = '', input = {} } = readRequest(request) ?? {};
    switch (action) {
      case 'GetItem':
        return reads.getItem(input, send);
      case 'BatchGetItem':
        return reads.batchGetItem(input, send);
      case 'Query':
      case 'Scan':
        return reads.query(action, input, send);
      case 'PutItem':
        return writes.putItem(input, send);
      case 'UpdateItem':
        return writes.updateItem(input, send);
      case 'DeleteItem':
        return writes.deleteItem(input, send);
      case 'BatchWriteItem':
        return writes.batchWriteItem(input, send);
      case 'TransactWriteItems':
        return writes.transactWriteItems(input, send);
      case 'DeleteTable': {
        const { reply } = await send();
        const table = String(input['TableName']);
        items.forgetTable(table);
        schemas.forget(table);
        return reply;
      }
      default:
        // Transactional reads, statements and everything about tables bypass the cache.
        return requestHandler.handle(request, httpOptions);
    }
  };
  const cache: CacheControl = {
    statistics: () => ({
      itemHits: statistics.itemHits,
      itemMisses: statistics.itemMisses,
      queryHits: statistics.queryHits,
      queryMisses: statistics.queryMisses,
      itemCount: items.size.count,
      itemBytes: items.size.bytes,
      queryCount: queries.size.count,
      queryBytes: queries.size.bytes,
      evictedCount: items.size.evictedCount + queries.size.evictedCount,
    }),
    clear: () => {
      items.clear();
      queries.clear();
    },
    settled: () => writes.settled(),
  };
  // All that a client uses of its handler once it has been created.
  const cachingHandler = {
    ...(requestHandler.metadata && { metadata: requestHandler.metadata }),
    handle,
    destroy: (): void => requestHandler.destroy?.(),
  } as typeof requestHandler;
  return inFrontOf(client, {
    config: { ...client.config, requestHandler: cachingHandler },
    cache,
    handlers: undefined,
  });
}

/**
 * A client that differs from another only in some members. It is not a second client created from the first one's configuration, which would
 * lack what has been added to the first, such as middleware. The SDK's clients have no private members.
 */
function inFrontOf<Members extends object>(client: DynamoDBClient, members: Members): DynamoDBClient & Members {
  const inherited = Object.create(client) as DynamoDBClient;
  return Object.assign(inherited, members);
}
