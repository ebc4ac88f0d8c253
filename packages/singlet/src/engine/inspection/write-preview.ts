import type { AttributeMap } from '../../values/attribute-value.ts';
import type { CancellationReason } from '../../values/service-error.ts';

/** What a write would do, found out by deciding it and not writing it. */
export interface WritePreview {
  /** Whether the request would be carried out. */
  readonly ok: boolean;
  /** What it would be refused with, as the API would answer. */
  readonly error?: PreviewedError;
  /** One for each item of the request, in its order; none of a request that is refused before any item is looked at. */
  readonly items: readonly ItemEffect[];
  readonly capacity: PreviewedCapacity;
}

export interface PreviewedError {
  readonly name: string;
  readonly message: string;
  /** Of a transaction: one for each action. */
  readonly reasons?: readonly CancellationReason[];
  /** Of a false condition whose request asked for it. */
  readonly item?: AttributeMap;
}

export interface ItemEffect {
  readonly table: string;
  readonly key: AttributeMap;
  readonly action: 'put' | 'update' | 'delete' | 'check';
  /** The item as it is; null when there is none. */
  readonly old: AttributeMap | null;
  /** The item as it would be; null when there would be none. Of a write that is refused: as it is. */
  readonly new: AttributeMap | null;
  /** Sizes by the service's formula; 0 for no item. */
  readonly oldBytes: number;
  readonly newBytes: number;
  /** Present when the items are too large to be shown, with both of them null: the answer has a limit. */
  readonly imagesOmitted?: true;
  /** Every index of the table, in the order of its description. */
  readonly indexes: readonly IndexEffect[];
  /** The record in the table's stream; null when there is no stream, or nothing changes. */
  readonly stream: { readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE'; readonly view: string } | null;
  readonly ttl: { readonly expiresAtEpochMs: number | null } | null;
  /** Size of the item collection afterwards; null in a table without a local index. */
  readonly collectionBytes: number | null;
  /** The regions that the change is sent to. */
  readonly replicas: readonly string[];
  /** Units of the table itself; those of global and local indexes are theirs. */
  readonly writes: number;
}

export interface IndexEffect {
  readonly name: string;
  readonly kind: 'local' | 'global' | 'vector';
  /**
   * `put`: an entry appears; `delete`: it goes; `replace`: it stays in its place with other content; `move`: it goes from one place
   * to another; `none`: it stays as it is; `absent`: the item is not in the index, before or after.
   */
  readonly change: 'put' | 'delete' | 'replace' | 'move' | 'none' | 'absent';
  /** Why the item is not in the index afterwards. */
  readonly reason?: string;
  readonly oldKey?: AttributeMap;
  readonly newKey?: AttributeMap;
  readonly writes: number;
  /** What a vector index is metered in instead. */
  readonly vectorWriteBytes?: number;
}

export interface PreviewedCapacity {
  /** Of a transaction whose token was used before, which only reads; 0 for all others. */
  readonly reads: number;
  /** Of tables and indexes together. */
  readonly writes: number;
  /** Units of the table itself, by table. */
  readonly tables: Readonly<Record<string, { readonly writes: number }>>;
  /** By index; `TABLE/INDEX` where several tables are written to. */
  readonly indexes: Readonly<Record<string, { readonly writes: number }>>;
}
