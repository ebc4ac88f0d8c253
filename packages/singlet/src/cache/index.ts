/** A cache in front of a DynamoDB client, with the client's own interface and the rules of DynamoDB Accelerator. */
export { type CacheControl, type CachedClient, cachedClient } from './cached-client.ts';
export type { CacheOptions } from './cache-options.ts';
export type { CacheFigures } from './cache-statistics.ts';
