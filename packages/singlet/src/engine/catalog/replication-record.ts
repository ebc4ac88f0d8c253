import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  StreamViewType,
  TableClass,
  WarmThroughput,
} from './table-description.ts';
import type { Version } from './item-version.ts';

/**
 * What a table's record says about the global table that it is a replica of. It is absent in a table that is in one region
 * only.
 */
export interface ReplicationRecord {
  /** The id of the table that the global table began with. Tables of the same name that are none of it have others. */
  readonly groupId: string;
  /** All replicas, this one included, in the order in which they became known here. */
  readonly members: readonly MemberRecord[];
  readonly settings: SharedSettings;
  readonly settingsVersion: Version;
  /** What this region has to do with each other region. */
  readonly peers: readonly PeerRecord[];
  /** Where the versions of the items lie, and those of deleted items by the time of their deletion. */
  readonly versionSpace: number;
  readonly tombstoneSpace: number;
  /**
   * Of a replica that has not got all items yet: the version of its membership when it was made. It is CREATING until its
   * membership is active, and of another version.
   */
  readonly awaitsItemsSince?: Version;
}

/** A replica, as all replicas know it. Of two accounts of it, the one of the later version holds. */
export interface MemberRecord {
  readonly regionName: string;
  readonly version: Version;
  /** `gone`: it is not a replica any more. That has to be remembered, or a replica that does not know it yet would bring it back. */
  readonly state: 'creating' | 'active' | 'deleting' | 'gone';
  /** The region that was asked to add it and gives it the items; absent for the first of all. */
  readonly source?: string;
  readonly addedAtMs: number;
  /** Until then, what was asked for last is said to be under way. */
  readonly notBeforeMs: number;
  readonly overrides: ReplicaOverrides;
  /** The KMS key, as ARN, where the table is not encrypted by default. */
  readonly kmsMasterKeyId?: string;
}

/** Where a replica departs from the settings that all share. */
export interface ReplicaOverrides {
  readonly readCapacityUnits?: number;
  readonly maxReadRequestUnits?: number;
  readonly tableClass?: TableClass;
  readonly indexes?: Readonly<
    Record<string, { readonly readCapacityUnits?: number; readonly maxReadRequestUnits?: number }>
  >;
}

/** Another region, from here. */
export interface PeerRecord {
  readonly regionName: string;
  /** The space of the keys of the items that are pending for it. Stored under this name. */
  readonly owedSpace: number;
  /** The last description of the global table that it has acknowledged, as a digest. Another one is pending. */
  readonly settled?: string;
}

/** The settings that are kept in step in all replicas. */
export interface SharedSettings {
  readonly attributeDefinitions: readonly AttributeDefinition[];
  readonly keySchema: readonly KeySchemaElement[];
  readonly localIndexes: readonly SharedIndex[];
  readonly globalIndexes: readonly SharedGlobalIndex[];
  readonly billingMode: BillingMode;
  readonly readCapacityUnits: number;
  readonly writeCapacityUnits: number;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughput;
  /** The attribute that says when an item expires. */
  readonly timeToLive?: string;
  readonly tableClass?: TableClass;
  /** `managed`: by the key of the account in each region. `customer`: by keys that each replica names. */
  readonly encryption: 'default' | 'managed' | 'customer';
  readonly streamViewType: StreamViewType;
}

export interface SharedIndex {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
}

export interface SharedGlobalIndex extends SharedIndex {
  readonly readCapacityUnits: number;
  readonly writeCapacityUnits: number;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughput;
}
