import { ValidationException } from '../../values/service-error.ts';
import type { ReplicaUpdate, TableUpdateRequest } from '../schema/table-update.ts';

/** The requested action: to add or remove one replica, or to change the overrides of some. */
export type ReplicaAction =
  | { readonly kind: 'create'; readonly create: NonNullable<ReplicaUpdate['create']> }
  | { readonly kind: 'delete'; readonly regionName: string }
  | { readonly kind: 'update'; readonly update: NonNullable<ReplicaUpdate['update']> };

/**
 * Checks a request's replica updates by themselves, before the table is read.
 *
 * @returns the actions; identical ones are merged.
 * @throws {ValidationException}
 */
export function replicaActions(request: TableUpdateRequest): readonly ReplicaAction[] {
  const { replicaUpdates = [], multiRegionConsistency, globalTableWitnessUpdates } = request;
  const actions = replicaUpdates.map(actionOf);
  if (globalTableWitnessUpdates !== undefined && multiRegionConsistency !== 'STRONG') {
    throw new ValidationException(
      'MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.',
    );
  }
  if (multiRegionConsistency === 'STRONG') refuseStrongConsistency(actions, globalTableWitnessUpdates?.length ?? 0);
  const kinds = new Set(actions.map(({ kind }) => kind));
  if (kinds.size > 1) throw moreThanOneType();
  const distinct = [...new Map(actions.map((action) => [JSON.stringify(action), action])).values()];
  const changesMembers = distinct.filter(({ kind }) => kind !== 'update');
  if (changesMembers.length > 1) {
    throw new ValidationException(
      'Update table operation with more than one create or delete replica actions not allowed',
    );
  }
  return distinct;
}

function actionOf({ create, update, delete: remove, disassociate }: ReplicaUpdate): ReplicaAction {
  const given = [create, update, remove, disassociate].filter((action) => action !== undefined);
  if (given.length > 1) throw moreThanOneType();
  if (create !== undefined) return { kind: 'create', create };
  if (remove !== undefined) return { kind: 'delete', regionName: remove.regionName };
  if (disassociate !== undefined) {
    throw new ValidationException('Singlet does not disassociate replicas. Delete the replica instead.');
  }
  if (update === undefined || !changesSomething(update)) throw noAction();
  return { kind: 'update', update };
}

function changesSomething({
  regionName: _name,
  globalSecondaryIndexes,
  ...rest
}: NonNullable<ReplicaUpdate['update']>): boolean {
  return (
    Object.values(rest).some((value) => value !== undefined) ||
    (globalSecondaryIndexes ?? []).some(
      (index) => index.provisionedThroughputOverride !== undefined || index.onDemandThroughputOverride !== undefined,
    )
  );
}

/**
 * A table with strong consistency over regions would have to answer a write only after another region has it, and read the
 * newest version in each. Singlet does not offer that, and refuses it instead of promising it.
 */
function refuseStrongConsistency(actions: readonly ReplicaAction[], witnessCount: number): never {
  if (actions.some(({ kind }) => kind !== 'create')) {
    throw new ValidationException(
      'Only Replica Create actions are supported when MultiRegionConsistency parameter is provided.',
    );
  }
  if (actions.length + witnessCount !== 2) {
    throw new ValidationException(
      'Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.',
    );
  }
  throw new ValidationException(
    'Singlet does not support MultiRegionConsistency STRONG, and no witnesses. Use EVENTUAL, which is the default.',
  );
}

function noAction(): ValidationException {
  return new ValidationException('There are no actions specified in the Replica Update Action of the request.');
}

function moreThanOneType(): ValidationException {
  return new ValidationException('Update table operation with more than one type of replica actions not allowed.');
}
