import type { Store } from '../../storage/store.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import type { Weather } from '../weather/weather.ts';
import type { CapacityModel } from './capacity-model.ts';

/** What every operation that reads or writes items receives. */
export interface ItemServices extends CatalogServices {
  /** The consumption of tables, and whether they are throttled. */
  readonly capacity: CapacityModel;
  /** The disturbances that applications should encounter; undefined for a database without any. */
  readonly weather?: Weather | undefined;
  /** Earlier states of the store, for reads that may be stale; undefined where all reads are of the store itself. */
  readonly replicaReads?: Pick<Store, 'read' | 'range'> | undefined;
}
