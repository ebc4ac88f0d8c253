/** Singlet's modelling toolkit: access patterns first, for DynamoDB and every service with its API. */
export { model, type Declared, type Model } from './model.ts';
export { codec, type CodedSchema, type Coding } from './entities/codec.ts';
export {
  type Computed,
  entity,
  type Duplicate,
  type Entity,
  type EntityRules,
  type ItemOf,
  type NewItemOf,
} from './entities/entity.ts';
export type { Cardinality, Relationship, RelationshipRules } from './entities/relationship.ts';
export type { Need, WriteNeed } from './patterns/need.ts';
export type { Procedure } from './patterns/procedure.ts';
export type { OperationName, QueryServed, ScanServed, Served, TimeWalk } from './patterns/served.ts';
export type {
  Cursor,
  Interval,
  Page,
  PageOptions,
  ReadCollection,
  ReadCount,
  ReadEach,
  ReadMany,
  ReadOne,
  ReadOptions,
  SdkRequest,
  Signature,
  Write,
  WriteOperation,
} from './patterns/signature.ts';
export {
  add,
  append,
  attribute,
  type AttributeReference,
  type Change,
  type Condition,
  exclude,
  type Guard,
  include,
  initial,
  type InputReference,
  ref,
  remove,
} from './patterns/value.ts';
export type { StandardSchema } from './schema/standard-schema.ts';
export { encoderNamed, shardNumber } from './keys/encoders.ts';
export { ksuid, type KsuidParts, ksuidParts, ksuidTime, ulid, ulidTime, uuidv7 } from './keys/ids.ts';
export { InputError, ModelError, type ModelProblem } from './model-error.ts';
export { connect, type Connected, type ConnectOptions, ready, transact } from './run/connect.ts';
export type { RunWarning, SentRequest } from './run/watch.ts';
export { RuleError, type RuleCode, type RuleFailure, UnexpectedItemError, UnprocessedError } from './run/rule-error.ts';
export { type EntityItem, itemReader, type ItemReader } from './run/item-reader.ts';
export { tableDefinitions, timeToLiveAttributes } from './resolve/table-definitions.ts';
