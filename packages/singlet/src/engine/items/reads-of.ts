import type { Store } from '../../storage/store.ts';
import type { ReadConsistency } from '../../values/capacity-units.ts';
import type { ItemServices } from '../capacity/item-services.ts';
import type { Table } from '../catalog/table.ts';

/**
 * Where a request reads items: the store; or, if it may be stale, an earlier state of it, which the weather makes up or a replica has.
 */
export function readsOf(
  { store, weather, replicaReads }: ItemServices,
  {
    table,
    isGlobalIndex,
    consistency,
  }: { readonly table: Table; readonly isGlobalIndex: boolean; readonly consistency: ReadConsistency },
): Pick<Store, 'read' | 'range'> {
  if (consistency === 'strong') return store;
  if (weather !== undefined) return weather.reads(table.tableName, isGlobalIndex);
  return replicaReads ?? store;
}
