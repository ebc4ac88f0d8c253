/** Reads the stream of a table with one or several workers, from this database or any other that speaks its protocol. */
export type { ChangeRecord, ItemImage, ReadImage } from './change-record.ts';
export { type Consumer, createConsumer } from './consumer.ts';
export type { ConsumerEnvironment } from './consumer-environment.ts';
export { ConsumerError, type ConsumerErrorCode } from './consumer-error.ts';
export type {
  BatchContext,
  BatchHandler,
  BatchResponse,
  ConsumerEvent,
  ConsumerOptions,
  DeadLetter,
} from './consumer-options.ts';
export {
  type LambdaAttributeValue,
  lambdaEvent,
  type LambdaEvent,
  type LambdaImage,
  lambdaRecord,
  type LambdaRecord,
} from './lambda-event.ts';
export type { FilterPattern } from './record-filter.ts';
