/** The engine's entry for `singlet doctor`. A server does not load it. */
export type { Finding } from './doctor/finding.ts';
export { inspectStore } from './doctor/inspect-store.ts';
export { type FoundTable, itemOfEntry, tableOfEntry } from './doctor/single-entry.ts';
