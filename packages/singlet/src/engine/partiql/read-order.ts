import { ValidationException } from '../../values/service-error.ts';
import type { SelectStatement } from '../../partiql/index.ts';
import type { KeyAttribute } from '../catalog/table.ts';
import { byPartition, type OrderedRead } from './planned-read.ts';

/**
 * Sorts the reads of a SELECT in the order that ORDER BY requests, or else by key.
 *
 * Only keys can be ordered by. If only the partition key is named, its items come in descending order, as in
 * the service.
 *
 * @throws {ValidationException} for an order that reads by key cannot give.
 */
export function resolveReadOrder(
  { orderBy, where }: SelectStatement,
  keys: { readonly partitionKey: KeyAttribute; readonly sortKey?: KeyAttribute | undefined },
  reads: readonly OrderedRead[],
  keyed: boolean,
): { readonly reads: readonly OrderedRead[]; readonly reverse: boolean } {
  const ascending = reads.toSorted(byPartition);
  if (orderBy === undefined) return { reads: ascending, reverse: false };
  if (where === undefined) {
    throw new ValidationException('Must have WHERE clause in the statement when using ORDER BY clause.');
  }
  const directions = new Map<string, 'asc' | 'desc'>();
  for (const { expression, direction } of orderBy) {
    const name = expression.kind === 'path' ? [expression.root, ...expression.elements.map(() => '')].join('.') : '';
    if (name !== keys.partitionKey.attributeName && name !== keys.sortKey?.attributeName) {
      throw new ValidationException(`Attribute ${name} in ORDER BY clause must be part of the primary key`);
    }
    directions.set(name, direction ?? 'asc');
  }
  if (!keyed) {
    throw new ValidationException(
      'Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.',
    );
  }
  const partitionDirection = directions.get(keys.partitionKey.attributeName);
  const [first] = ascending;
  const isOnePartition = ascending.every(
    ({ partition }) => JSON.stringify(partition) === JSON.stringify(first?.partition),
  );
  if (partitionDirection === undefined && !isOnePartition) {
    throw new ValidationException(
      'Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.',
    );
  }
  const sortDirection = keys.sortKey && directions.get(keys.sortKey.attributeName);
  const reverse = sortDirection !== 'asc';
  const ordered = ascending.toSorted((a, b) => {
    const isSame = JSON.stringify(a.partition) === JSON.stringify(b.partition);
    const isDescending = isSame ? reverse : partitionDirection === 'desc';
    return isDescending ? byPartition(b, a) : byPartition(a, b);
  });
  return { reads: ordered, reverse };
}
