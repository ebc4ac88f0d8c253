/** Versions of a model: a snapshot to commit, and the differences between two of them. */
export { modelOf, readSnapshot, snapshot, snapshotText, versionOf } from './snapshot.ts';
export type { AttributeKind, Snapshot, SnapshotAttribute, Version } from './snapshot.ts';
export { diff } from './diff.ts';
export type { Change, ChangeClass, Deploy } from './change.ts';
