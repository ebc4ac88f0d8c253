/** Operations that no pattern may do: reading a whole table in parallel, for exports, repairs and counts. */
export { scanAll, type ScanAllOptions, type ScanAllReport } from './scan-all.ts';
export type { CheckpointStore } from '../migrate/checkpoints.ts';
