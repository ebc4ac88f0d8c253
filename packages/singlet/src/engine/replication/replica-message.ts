import type { AttributeMap } from '../../values/attribute-value.ts';
import type { Version } from '../catalog/item-version.ts';
import type { ReplicaDefinition } from './replication-change.ts';

/*
 * What replicas of a global table say to each other. In one server it is a call; to another server it goes over HTTP. All of
 * it may come twice, late and in any order.
 */

export type ReplicaMessage = InspectMessage | DefineMessage | WriteMessage;

/** Where a table is, or would be. */
export interface ReplicaAddress {
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
}

/** Asks whether there is a table. */
export interface InspectMessage extends ReplicaAddress {
  readonly kind: 'inspect';
}

/** Tells what the sender knows of the global table. Makes the replica if it is not there. */
export interface DefineMessage extends ReplicaAddress {
  readonly kind: 'define';
  readonly definition: ReplicaDefinition;
}

/** Sends items as they are in the sender's region. */
export interface WriteMessage extends ReplicaAddress {
  readonly kind: 'write';
  readonly groupId: string;
  /** The region that sends. */
  readonly sender: string;
  readonly changes: readonly ReplicatedChange[];
}

export interface ReplicatedChange {
  /** The item's key attributes. */
  readonly key: AttributeMap;
  /** The whole item; absent: it is deleted. */
  readonly item?: AttributeMap;
  readonly version: Version;
}

export type ReplicaAnswer =
  | { readonly kind: 'inspected'; readonly exists: boolean; readonly deletionProtectionEnabled: boolean }
  /** `refused`: there is another table of this name, or the sender is none of its replicas. */
  | { readonly kind: 'defined'; readonly outcome: 'known' | 'created' | 'refused'; readonly digest: string }
  /** `unknown`: there is no such replica. Nothing was written. */
  | { readonly kind: 'written'; readonly outcome: 'taken' | 'unknown' };

/**
 * Brings messages to the regions that another server has.
 *
 * @throws {ReplicaUnreachableError} when there is no answer.
 */
export interface ReplicaLink {
  send(message: ReplicaMessage): Promise<ReplicaAnswer>;
}

/** An operating error: another server cannot be reached, or does not accept what it is sent. It will be tried again. */
export class ReplicaUnreachableError extends Error {
  readonly code = 'replica-unreachable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ReplicaUnreachableError';
  }
}
