import { ValidationException } from '../../values/service-error.ts';
import { checkEncryption } from './encryption.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import type { GlobalSecondaryIndexUpdate, TableUpdateRequest, VectorIndexUpdate } from './table-update.ts';
import { checkThroughputBounds } from './throughput-changes.ts';
import { checkNoCrossAccountParameters } from './unsupported-parameters.ts';
import { checkDefinedOnce } from './validate-key-schema.ts';

/**
 * Checks an UpdateTable request by itself, before the table is read.
 *
 * @throws {ValidationException}
 */
export function validateTableUpdate(request: TableUpdateRequest): void {
  checkNoCrossAccountParameters(request);
  checkAsksForSomething(request);
  checkGoesTogether(request);
  checkBilling(request);
  // Assumed: the text of CreateTable.
  checkDefinedOnce(request.attributeDefinitions ?? []);
  checkGlobalIndexUpdates(request.globalSecondaryIndexUpdates ?? []);
  checkVectorIndexUpdates(request.vectorIndexUpdates ?? []);
  checkStream(request);
  checkEncryption(request.sseSpecification);
}

/** The members that change something, by the wire's name. */
function changesOf(request: TableUpdateRequest): ReadonlySet<string> {
  const members = {
    ProvisionedThroughput: request.provisionedThroughput,
    BillingMode: request.billingMode,
    StreamSpecification: request.streamSpecification,
    GlobalSecondaryIndexUpdates: request.globalSecondaryIndexUpdates,
    VectorIndexUpdates: request.vectorIndexUpdates,
    SSESpecification: request.sseSpecification,
    DeletionProtectionEnabled: request.deletionProtectionEnabled,
    OnDemandThroughput: request.onDemandThroughput,
    WarmThroughput: request.warmThroughput,
    TableClass: request.tableClass,
    ReplicaUpdates: request.replicaUpdates,
  };
  return new Set(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [name])));
}

function checkAsksForSomething(request: TableUpdateRequest): void {
  const changes = changesOf(request);
  const isEmptyList = request.globalSecondaryIndexUpdates?.length === 0;
  if (changes.size === (isEmptyList ? 1 : 0)) {
    // A member that is present, and changes nothing by itself, is not mentioned.
    const consistency = request.multiRegionConsistency === undefined ? 'MultiRegionConsistency, ' : '';
    throw new ValidationException(
      `At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, ${consistency}DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required`,
    );
  }
  if (isEmptyList) throw invalidParameter('List of GlobalSecondaryIndexUpdates is empty');
  if (request.vectorIndexUpdates?.length === 0) throw invalidParameter('List of VectorIndexUpdates is empty');
}

/** The service makes one change at a time, with few exceptions. The order of these checks is its order of precedence. */
function checkGoesTogether(request: TableUpdateRequest): void {
  const changes = changesOf(request);
  const isAlone = changes.size === 1;
  const mustBeAlone = [
    ['SSESpecification', 'Server-Side Encryption'],
    ['TableClass', 'TableClass'],
    ['DeletionProtectionEnabled', 'DeletionProtection'],
  ] as const;
  // If replicas are to be updated, the service names them, whatever else is present.
  if (!isAlone && changes.has('ReplicaUpdates')) {
    throw invalidParameter('Replica modification must be the only operation in the request');
  }
  for (const [member, name] of mustBeAlone) {
    if (!isAlone && changes.has(member)) {
      throw invalidParameter(`${name} modification must be the only operation in the request`);
    }
  }
  if (changes.has('OnDemandThroughput') && !isAlone) {
    const billing = new Set(['OnDemandThroughput', 'BillingMode', 'ProvisionedThroughput']);
    if (!changes.has('BillingMode') || [...changes].some((member) => !billing.has(member))) {
      throw invalidParameter('OnDemandThroughput can only be combined with BillingMode in an UpdateTable request');
    }
  }
  const indexUpdates = request.globalSecondaryIndexUpdates ?? [];
  if (changes.has('WarmThroughput') && !isAlone) {
    throw invalidParameter(
      indexUpdates.some((update) => update.create !== undefined)
        ? 'Create global secondary index cannot be specified when updating WarmThroughput'
        : 'WarmThroughput must be the only operation in the request',
    );
  }
  const changesCapacity = changes.has('ProvisionedThroughput') || request.billingMode === 'PROVISIONED';
  if (changes.has('StreamSpecification') && changesCapacity) {
    throw invalidParameter('You cannot modify stream status while updating table IOPS');
  }
  if (
    changes.has('VectorIndexUpdates') ||
    indexUpdates.some((update) => update.create !== undefined || update.delete !== undefined)
  ) {
    if (changesCapacity) throw invalidParameter('You cannot create or delete index while updating table IOPS');
    if (changes.has('StreamSpecification')) {
      throw invalidParameter('You cannot create or delete index while changing stream status');
    }
  }
}

function checkBilling({ billingMode, provisionedThroughput }: TableUpdateRequest): void {
  if (billingMode === 'PROVISIONED' && provisionedThroughput === undefined) {
    throw invalidParameter('ProvisionedThroughput must be specified when BillingMode is PROVISIONED');
  }
  if (billingMode === 'PAY_PER_REQUEST' && provisionedThroughput !== undefined) {
    throw invalidParameter('ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST');
  }
  if (provisionedThroughput !== undefined) checkThroughputBounds(provisionedThroughput);
}

function checkGlobalIndexUpdates(updates: readonly GlobalSecondaryIndexUpdate[]): void {
  const indexNames = new Set<string>();
  for (const update of updates) {
    const actions = [update.update, update.create, update.delete].filter((action) => action !== undefined);
    const [action] = actions;
    if (action === undefined) {
      throw invalidParameter(
        'One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null',
      );
    }
    if (actions.length > 1) {
      throw invalidParameter('Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object');
    }
    if (indexNames.has(action.indexName)) {
      throw invalidParameter(
        `Only one global secondary index update per index is allowed simultaneously. Index: ${action.indexName}`,
      );
    }
    indexNames.add(action.indexName);
  }
}

/** Assumed: the text for an update without an action is that for global indexes, with the different name. */
function checkVectorIndexUpdates(updates: readonly VectorIndexUpdate[]): void {
  for (const { create, delete: remove } of updates) {
    if (create === undefined && remove === undefined) {
      throw invalidParameter('One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null');
    }
    if (create !== undefined && remove !== undefined) {
      throw invalidParameter('Only one vector index action is allowed per VectorIndexUpdate object');
    }
  }
}

function checkStream({ streamSpecification }: TableUpdateRequest): void {
  if (streamSpecification === undefined) return;
  const { streamEnabled, streamViewType } = streamSpecification;
  if (streamEnabled && streamViewType === undefined) {
    throw invalidParameter('If stream is being enabled then UpdateViewType is required');
  }
  if (!streamEnabled && streamViewType !== undefined) {
    throw invalidParameter('If stream is being disabled, then UpdateViewType must not be specified');
  }
}
