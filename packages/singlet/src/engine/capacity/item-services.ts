import type { CatalogServices } from '../catalog/catalog-services.ts';
import type { Weather } from '../weather/weather.ts';
import type { CapacityModel } from './capacity-model.ts';

/** What everything that reads or writes items is given. */
export interface ItemServices extends CatalogServices {
  /** What tables consume, and whether they are throttled. */
  readonly capacity: CapacityModel;
  /** What the service does to applications now and then; undefined where a database is asked for none of it. */
  readonly weather?: Weather | undefined;
}
