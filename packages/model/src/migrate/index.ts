/** Migrations: from one version of a model to another while the application keeps writing. */
export { migration, refusals } from './migration.ts';
export type { Migration, MigrationFunctions, Step } from './migration.ts';
export type { MigrateItem } from './item-form.ts';
export { migrationFile, plan, stepText, type MigrationPlan } from './plan.ts';
export { memoryCheckpoints, resume, run, status, undo } from './run.ts';
export type { MigrateOptions, MigrationReport, Progress } from './run.ts';
export { verify } from './verify.ts';
export type { Fault, VerifyOptions, VerifyReport } from './verify.ts';
export type { IndexCount } from './verify-index.ts';
export { connectDuring } from './connect-during.ts';
export type { CheckpointStore } from './checkpoints.ts';
export type { MigrationState, SegmentCount } from './progress.ts';
export type { TrafficOptions } from './traffic.ts';
export { MigrationError } from './migration-error.ts';
