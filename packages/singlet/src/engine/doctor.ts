/** The engine's entry for `singlet doctor`: not loaded by a server. */
export type { Finding } from './doctor/finding.ts';
export { inspectStore } from './doctor/inspect-store.ts';
export { type FoundTable, itemOfEntry, tableOfEntry } from './doctor/single-entry.ts';
