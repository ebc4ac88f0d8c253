import type { AttributeMap } from '../../values/attribute-value.ts';
import type { CancellationReason } from '../../values/service-error.ts';

/** What a write would do, determined by deciding it without writing. */
export interface WritePreview {
  /** Whether the request would be carried out. */
  readonly ok: boolean;
  /** The error that it would receive, as the API would answer. */
  readonly error?: PreviewedError;
  /** One for each item of the request, in its order; none for a request that is refused before any item is read. */
  readonly items: readonly ItemEffect[];
  readonly capacity: PreviewedCapacity;
}

export interface PreviewedError {
  readonly name: string;
  readonly message: string;
  /** For a transaction: one for each action. */
  readonly reasons?: readonly CancellationReason[];
  /** For a false condition whose request asked for the item. */
  readonly item?: AttributeMap;
}

export interface ItemEffect {
  readonly table: string;
  readonly key: AttributeMap;
  readonly action: 'put' | 'update' | 'delete' | 'check';
  /** The present item; null when there is none. */
  readonly old: AttributeMap | null;
  /** The item after the write; null when there would be none. For a refused write: the present item. */
  readonly new: AttributeMap | null;
  /** Sizes by the service's formula; 0 for no item. */
  readonly oldBytes: number;
  readonly newBytes: number;
  /** Present when the items are too large to be shown, with both of them null: the size of the answer is limited. */
  readonly imagesOmitted?: true;
  /** Every index of the table, in the order of its description. */
  readonly indexes: readonly IndexEffect[];
  /** The record in the table's stream; null when there is no stream, or nothing changes. */
  readonly stream: { readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE'; readonly view: string } | null;
  readonly ttl: { readonly expiresAtEpochMs: number | null } | null;
  /** Size of the item collection afterwards; null in a table without a local index. */
  readonly collectionBytes: number | null;
  /** The regions to which the change is sent. */
  readonly replicas: readonly string[];
  /** Units of the table itself, without those of global and local indexes. */
  readonly writes: number;
}

export interface IndexEffect {
  readonly name: string;
  readonly kind: 'local' | 'global' | 'vector';
  /**
   * `put`: an entry is added; `delete`: it is removed; `replace`: its content changes but not its place; `move`: it moves from one place
   * to another; `none`: it stays as it is; `absent`: the item is not in the index, before or after.
   */
  readonly change: 'put' | 'delete' | 'replace' | 'move' | 'none' | 'absent';
  /** Why the item is not in the index after the write. */
  readonly reason?: string;
  readonly oldKey?: AttributeMap;
  readonly newKey?: AttributeMap;
  readonly writes: number;
  /** The metering of a vector index, instead of units. */
  readonly vectorWriteBytes?: number;
}

export interface PreviewedCapacity {
  /** For a transaction whose token was used before, which only reads; 0 for all others. */
  readonly reads: number;
  /** The sum over tables and indexes. */
  readonly writes: number;
  /** Units of the table itself, by table. */
  readonly tables: Readonly<Record<string, { readonly writes: number }>>;
  /** By index; `TABLE/INDEX` where several tables are written to. */
  readonly indexes: Readonly<Record<string, { readonly writes: number }>>;
}
