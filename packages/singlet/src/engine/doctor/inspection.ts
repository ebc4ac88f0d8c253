import type { Store, StoreWrite } from '../../storage/store.ts';
import type { Table } from '../catalog/table.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { Finding } from './finding.ts';

export interface InspectionOptions {
  /** Whether what follows from what is sound is rewritten. */
  readonly repair: boolean;
  /** Sees each finding as it is made. */
  readonly onFinding: (finding: Finding) => void;
  /** Sees every item that is sound, with its table. */
  readonly onItem?: ((table: Table, item: StoredItem) => void) | undefined;
  /** How many entries have been looked at, now and then. */
  readonly onProgress?: ((entries: number) => void) | undefined;
}

/** A look through a store: what all parts of it share. Nothing else may write to the store meanwhile. */
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

  /** Reports what follows from what is sound, and repairs it where that is asked for. */
  async repairable(finding: Omit<Finding, 'outcome'>, writes: readonly StoreWrite[]): Promise<void> {
    this.#options.onFinding({ ...finding, outcome: 'repairable' });
    if (this.#options.repair) await this.store.write([], () => ({ answer: undefined, writes }));
  }

  exportItem(table: Table, item: StoredItem): void {
    this.#options.onItem?.(table, item);
  }
}
