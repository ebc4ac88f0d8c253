/** Singlet: a DynamoDB-compatible database, in this process or over HTTP. */
export {
  type Caller,
  createDatabase,
  type Database,
  type DatabaseOptions,
  type ForkOptions,
  type InspectionOptions,
} from './database/create-database.ts';
export type {
  ExplainedOperation,
  ExplainStatementInput,
  ExplainStatementOutput,
} from './database/explained-statement.ts';
export type { InProcessClientConfig } from './database/in-process-client.ts';
export type { BucketLocation } from './database/object-store.ts';
export { type DatabaseServer, serve, type ServeOptions } from './database/serve.ts';
export { ListenError, type RequestEvent, type WireRequest, type WireResponse } from './server/index.ts';
export type {
  CapacityReport,
  Clock,
  ContributorInsightsReport,
  EngineLogEvent,
  ReplicaLag,
  ReplicationRound,
  ReplicationRoute,
  NamedSettings,
  Throttle,
  WeatherChoice,
  WeatherForecast,
  WeatherKind,
  WeatherName,
  WeatherReport,
  WeatherSettings,
} from './engine/index.ts';
export { StorageError } from './storage/index.ts';
export { type Limits, serviceLimits } from './values/limits.ts';
export {
  ConditionalCheckFailedException,
  DynamoError,
  ThroughputExceededError,
  TransactionCanceledException,
  ValidationException,
} from './values/service-error.ts';
