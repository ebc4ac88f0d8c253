import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CacheOptions, cacheSettingsOf } from './cache-options.ts';
import { type CacheFigures, CacheStatistics } from './cache-statistics.ts';
import { CachedReads } from './cached-reads.ts';
import { type HttpOptions, type HttpReply, type HttpRequest, readReply, readRequest } from './http-exchange.ts';
import { ItemCache } from './item-cache.ts';
import { KeySchemas } from './key-schemas.ts';
import { QueryCache } from './query-cache.ts';
import { WriteThrough } from './write-through.ts';

/** What can be asked of the cache itself. */
export interface CacheControl {
  /** What the cache has done so far, and what it holds. */
  statistics(): CacheFigures;
  /** Forgets everything. */
  clear(): void;
  /** Resolves when what transactions have written has been read again. */
  settled(): Promise<void>;
}

/** A client like the one it was made from, with a cache in front. */
export type CachedClient = DynamoDBClient & { readonly cache: CacheControl };

/**
 * A client that answers reads from a cache, as DynamoDB Accelerator does: items by key, results of queries and scans by request.
 * It has the interface of the client that it is in front of, also inside `DynamoDBDocumentClient.from(…)`, and shares
 * its connections; destroying one destroys both. What may be stale, and for how long: docs/cache.md.
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
        // Transactional reads, statements, everything about tables: to the server, and past the cache.
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
  // All that a client asks of its handler once it has been made.
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
 * A client that is another one but for some members. Not a second client made from the configuration of the first: what has been
 * added to the first, middleware for one, would be missing from it. The SDK's clients have no private members.
 */
function inFrontOf<Members extends object>(client: DynamoDBClient, members: Members): DynamoDBClient & Members {
  const inherited = Object.create(client) as DynamoDBClient;
  return Object.assign(inherited, members);
}
