/** Singlet: a DynamoDB-compatible database, in this process or over HTTP. */
export { createDatabase, type Database, type DatabaseOptions } from './cli/create-database.ts';
export type { InProcessClientConfig } from './cli/in-process-client.ts';
export type { BucketLocation } from './cli/object-store.ts';
export { type DatabaseServer, serve, type ServeOptions } from './cli/serve.ts';
export { ListenError, type RequestEvent, type WireRequest, type WireResponse } from './server/index.ts';
export type { Clock, EngineLogEvent } from './engine/index.ts';
export { StorageError } from './storage/index.ts';
export { type Limits, serviceLimits } from './values/limits.ts';
export {
  ConditionalCheckFailedException,
  DynamoError,
  TransactionCanceledException,
  ValidationException,
} from './values/service-error.ts';
