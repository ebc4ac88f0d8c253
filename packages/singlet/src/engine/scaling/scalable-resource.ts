import { ValidationException } from '../../values/service-error.ts';

/** What can be scaled of a table or global index, in the words of the API. */
export const scalableDimensions = [
  'dynamodb:table:ReadCapacityUnits',
  'dynamodb:table:WriteCapacityUnits',
  'dynamodb:index:ReadCapacityUnits',
  'dynamodb:index:WriteCapacityUnits',
] as const;

/** One of {@link scalableDimensions}. */
export type ScalableDimension = (typeof scalableDimensions)[number];

/** What a target is told apart by; the service has one target for each, in an account and region. */
export interface ScalableReference {
  /** `table/Orders` or `table/Orders/index/byCustomer`. */
  readonly resourceId: string;
  readonly scalableDimension: ScalableDimension;
}

/** What a reference is about. */
export interface ScalableResource {
  readonly tableName: string;
  /** Undefined for the table itself. */
  readonly indexName: string | undefined;
  readonly kind: 'Read' | 'Write';
}

/** @throws {ValidationException} for an id that is not one of a table or index, or does not go with the dimension. */
export function scalableResourceOf({ resourceId, scalableDimension }: ScalableReference): ScalableResource {
  const [, tableName, indexName] = /^table\/([^/]+)(?:\/index\/([^/]+))?$/.exec(resourceId) ?? [];
  const isIndex = scalableDimension.startsWith('dynamodb:index:');
  if (tableName === undefined || (indexName !== undefined) !== isIndex) {
    throw new ValidationException('Unsupported service namespace, resource type or scalable dimension');
  }
  return { tableName, indexName, kind: scalableDimension.endsWith('ReadCapacityUnits') ? 'Read' : 'Write' };
}
