import { ValidationException } from '../../values/service-error.ts';

/** What can be scaled of a table or global index, by its name in the API. */
export const scalableDimensions = [
  'dynamodb:table:ReadCapacityUnits',
  'dynamodb:table:WriteCapacityUnits',
  'dynamodb:index:ReadCapacityUnits',
  'dynamodb:index:WriteCapacityUnits',
] as const;

/** One of {@link scalableDimensions}. */
export type ScalableDimension = (typeof scalableDimensions)[number];

/** The identity of a target; in an account and region, the service has one target for each. */
export interface ScalableReference {
  /** `table/Orders` or `table/Orders/index/byCustomer`. */
  readonly resourceId: string;
  readonly scalableDimension: ScalableDimension;
}

/** The table or index of a reference. */
export interface ScalableResource {
  readonly tableName: string;
  /** Undefined for the table itself. */
  readonly indexName: string | undefined;
  readonly kind: 'Read' | 'Write';
}

/** @throws {ValidationException} for an id that is not that of a table or index, or does not match the dimension. */
export function scalableResourceOf({ resourceId, scalableDimension }: ScalableReference): ScalableResource {
  const [, tableName, indexName] = /^table\/([^/]+)(?:\/index\/([^/]+))?$/.exec(resourceId) ?? [];
  const isIndex = scalableDimension.startsWith('dynamodb:index:');
  if (tableName === undefined || (indexName !== undefined) !== isIndex) {
    throw new ValidationException('Unsupported service namespace, resource type or scalable dimension');
  }
  return { tableName, indexName, kind: scalableDimension.endsWith('ReadCapacityUnits') ? 'Read' : 'Write' };
}
