import type {
  ProvisionedThroughput,
  ProvisionedThroughputDescription,
  TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { DesiredScaling } from '../../templates/desired-scaling.ts';
import type { DesiredTable } from '../../templates/desired-table.ts';

/**
 * A table as defined by a file, but with the throughput that it has been scaled to: the units in a file are only the initial ones. Throughput
 * outside the bounds of its target is set as in the file.
 */
export function withScaledThroughput(
  desired: DesiredTable,
  present: TableDescription | undefined,
  scalings: readonly DesiredScaling[],
): DesiredTable {
  if (present === undefined) return desired;
  const { create } = desired;
  const scaled = (wanted: Units, now: ProvisionedThroughputDescription | undefined, indexName?: string): Units => {
    if (wanted === undefined || now === undefined) return wanted;
    const unitsOf = (name: 'ReadCapacityUnits' | 'WriteCapacityUnits'): number | undefined => {
      const units = now[name] ?? 0;
      return isScaledTo(units, { tableName: create.TableName, indexName, name }, scalings) ? units : wanted[name];
    };
    return { ReadCapacityUnits: unitsOf('ReadCapacityUnits'), WriteCapacityUnits: unitsOf('WriteCapacityUnits') };
  };
  const units = scaled(create.ProvisionedThroughput, present.ProvisionedThroughput);
  const indexes = create.GlobalSecondaryIndexes?.map((index) => {
    const now = present.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.IndexName);
    const ofIndex = scaled(index.ProvisionedThroughput, now?.ProvisionedThroughput, index.IndexName);
    return { ...index, ...(ofIndex !== undefined && { ProvisionedThroughput: ofIndex }) };
  });
  return {
    ...desired,
    create: {
      ...create,
      ...(units !== undefined && { ProvisionedThroughput: units }),
      ...(indexes !== undefined && { GlobalSecondaryIndexes: indexes }),
    },
  };
}

type Units = ProvisionedThroughput | undefined;

interface Scaled {
  readonly tableName: string;
  readonly indexName: string | undefined;
  readonly name: 'ReadCapacityUnits' | 'WriteCapacityUnits';
}

function isScaledTo(
  units: number,
  { tableName, indexName, name }: Scaled,
  scalings: readonly DesiredScaling[],
): boolean {
  const isIndex = indexName !== undefined;
  const resourceId = isIndex ? `table/${tableName}/index/${indexName}` : `table/${tableName}`;
  const dimension = `dynamodb:${isIndex ? 'index' : 'table'}:${name}`;
  return scalings.some(({ kind, input }) => {
    if (kind !== 'target' || input.ResourceId !== resourceId || input.ScalableDimension !== dimension) return false;
    return units >= (input.MinCapacity ?? 0) && units <= (input.MaxCapacity ?? 0);
  });
}
