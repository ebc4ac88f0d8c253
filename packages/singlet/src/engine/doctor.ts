/** The engine's entry for commands that examine a store: `singlet doctor`, `singlet store status`. A server does not load it. */
export type { Finding } from './doctor/finding.ts';
export { type HeldLease, heldLeases } from './doctor/held-leases.ts';
export { inspectStore } from './doctor/inspect-store.ts';
export { type FoundTable, itemOfEntry, tableOfEntry } from './doctor/single-entry.ts';
