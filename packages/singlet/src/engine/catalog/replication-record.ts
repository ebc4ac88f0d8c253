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
 * What a table's record says about the global table to which this replica belongs. It is absent in a table that is in one
 * region only.
 */
export interface ReplicationRecord {
  /** The id of the table with which the global table began. Unrelated tables of the same name have other ids. */
  readonly groupId: string;
  /** All replicas, including this one, in the order in which they became known here. */
  readonly members: readonly MemberRecord[];
  readonly settings: SharedSettings;
  readonly settingsVersion: Version;
  /** The state of replication between this region and each other region. */
  readonly peers: readonly PeerRecord[];
  /** The spaces of the items' versions, and of the deleted items' versions by the time of deletion. */
  readonly versionSpace: number;
  readonly tombstoneSpace: number;
  /**
   * Set while a replica has not received all items yet: the version of its membership when it was created. It is CREATING until
   * its membership is active and has another version.
   */
  readonly awaitsItemsSince?: Version;
}

/** A replica, as all replicas know it. Of two descriptions of it, the one with the later version is valid. */
export interface MemberRecord {
  readonly regionName: string;
  readonly version: Version;
  /** `gone`: no longer a replica. This has to be remembered, or a replica that has not learned it yet would add it again. */
  readonly state: 'creating' | 'active' | 'deleting' | 'gone';
  /** The region that received the request to add it and sends it the items; absent for the first replica. */
  readonly source?: string;
  readonly addedAtMs: number;
  /** The last requested change is reported as in progress until then. */
  readonly notBeforeMs: number;
  readonly overrides: ReplicaOverrides;
  /** The KMS key, as ARN, when the table does not use default encryption. */
  readonly kmsMasterKeyId?: string;
}

/** The settings in which a replica differs from the shared ones. */
export interface ReplicaOverrides {
  readonly readCapacityUnits?: number;
  readonly maxReadRequestUnits?: number;
  readonly tableClass?: TableClass;
  readonly indexes?: Readonly<
    Record<string, { readonly readCapacityUnits?: number; readonly maxReadRequestUnits?: number }>
  >;
}

/** The state of another region, as seen from this one. */
export interface PeerRecord {
  readonly regionName: string;
  /** The space of the keys of the items that are pending for it. Stored under this name. */
  readonly owedSpace: number;
  /** A digest of the last description of the global table that it has acknowledged. A different description is pending. */
  readonly settled?: string;
}

/** The settings that are kept equal in all replicas. */
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
  /** The attribute that holds the expiry time of an item. */
  readonly timeToLive?: string;
  readonly tableClass?: TableClass;
  /** `managed`: by the account's key in each region. `customer`: by keys that each replica names. */
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
