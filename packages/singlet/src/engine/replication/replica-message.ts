import type { AttributeMap } from '../../values/attribute-value.ts';
import type { Version } from '../catalog/item-version.ts';
import type { ReplicaDefinition } from './replication-change.ts';

/*
 * The messages between replicas of a global table. Within one server a message is a call; between servers it is sent over HTTP.
 * Every message may arrive twice, late and in any order.
 */

export type ReplicaMessage = InspectMessage | DefineMessage | WriteMessage;

/** The address of a table that may not exist yet. */
export interface ReplicaAddress {
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
}

/** Asks whether there is a table. */
export interface InspectMessage extends ReplicaAddress {
  readonly kind: 'inspect';
}

/** Sends the sender's definition of the global table. Creates the replica if it does not exist. */
export interface DefineMessage extends ReplicaAddress {
  readonly kind: 'define';
  readonly definition: ReplicaDefinition;
}

/** Sends items as they are in the sender's region. */
export interface WriteMessage extends ReplicaAddress {
  readonly kind: 'write';
  readonly groupId: string;
  /** The sending region. */
  readonly sender: string;
  readonly changes: readonly ReplicatedChange[];
}

export interface ReplicatedChange {
  /** The item's key attributes. */
  readonly key: AttributeMap;
  /** The whole item; absent if it is deleted. */
  readonly item?: AttributeMap;
  readonly version: Version;
}

export type ReplicaAnswer =
  | { readonly kind: 'inspected'; readonly exists: boolean; readonly deletionProtectionEnabled: boolean }
  /** `refused`: there is another table of this name, or the sender is not one of its replicas. */
  | { readonly kind: 'defined'; readonly outcome: 'known' | 'created' | 'refused'; readonly digest: string }
  /** `unknown`: there is no such replica. Nothing was written. */
  | { readonly kind: 'written'; readonly outcome: 'taken' | 'unknown' };

/**
 * Sends messages to the regions of another server.
 *
 * @throws {ReplicaUnreachableError} if there is no answer.
 */
export interface ReplicaLink {
  send(message: ReplicaMessage): Promise<ReplicaAnswer>;
}

/** An operating error: another server cannot be reached, or does not accept a message. The message is retried. */
export class ReplicaUnreachableError extends Error {
  readonly code = 'replica-unreachable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ReplicaUnreachableError';
  }
}
