import type { Store, StoreWrite } from '../../storage/store.ts';
import type { Table } from '../catalog/table.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { Finding } from './finding.ts';

export interface InspectionOptions {
  /** Whether data that can be derived from sound data is rewritten. */
  readonly repair: boolean;
  /** Receives each finding as it is made. */
  readonly onFinding: (finding: Finding) => void;
  /** Receives every sound item, with its table. */
  readonly onItem?: ((table: Table, item: StoredItem) => void) | undefined;
  /** Receives the number of inspected entries at intervals. */
  readonly onProgress?: ((entries: number) => void) | undefined;
}

/** The inspection of a store: the state that all its parts share. No other process may write to the store meanwhile. */
export class Inspection {
  readonly store: Store;
  readonly #options: InspectionOptions;
  #entries = 0;

  constructor(store: Store, options: InspectionOptions) {
    this.store = store;
    this.#options = options;
  }

  get entryCount(): number {
    return this.#entries;
  }

  seen(entries: number): void {
    this.#entries += entries;
    this.#options.onProgress?.(this.#entries);
  }

  found(finding: Finding): void {
    this.#options.onFinding(finding);
  }

  /** Reports a finding that can be derived from sound data, and repairs it on request. */
  async repairable(finding: Omit<Finding, 'outcome'>, writes: readonly StoreWrite[]): Promise<void> {
    this.#options.onFinding({ ...finding, outcome: 'repairable' });
    if (this.#options.repair) await this.store.write([], () => ({ answer: undefined, writes }));
  }

  exportItem(table: Table, item: StoredItem): void {
    this.#options.onItem?.(table, item);
  }
}
