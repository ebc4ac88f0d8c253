export { type CheckAtStart, checksAtStart } from './check-at-start.ts';
export { StorageError } from './storage-error.ts';
export type { StorageErrorCode } from './storage-error.ts';
export { partitionPrefixBytes } from './store.ts';
export type {
  Decision,
  RangeEnd,
  RangeGuard,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
  StoreWrite,
} from './store.ts';
