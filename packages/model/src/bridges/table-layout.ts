import type { TableDescription } from '@aws-sdk/client-dynamodb';
import type { IndexLayout, TableLayout } from '../keys/layout.ts';

type KeySchema = NonNullable<TableDescription['KeySchema']>;

/** A table's layout from the output of DescribeTable or the input of CreateTable. */
export function tableLayout(table: TableDescription): { readonly name: string; readonly layout: TableLayout } {
  const types = new Map(
    (table.AttributeDefinitions ?? []).map((each) => [each.AttributeName ?? '', each.AttributeType]),
  );
  const named = (schema: KeySchema, kind: 'HASH' | 'RANGE'): string[] =>
    schema.flatMap(({ AttributeName = '', KeyType }) =>
      KeyType === kind ? [typed(AttributeName, types.get(AttributeName))] : [],
    );
  const key = (schema: KeySchema): string[] => [...named(schema, 'HASH'), ...named(schema, 'RANGE')];
  const indexes: Record<string, IndexLayout> = {};
  for (const { IndexName = '', KeySchema = [], Projection } of table.GlobalSecondaryIndexes ?? []) {
    const partition = named(KeySchema, 'HASH');
    const sort = named(KeySchema, 'RANGE');
    const project = projectionOf(Projection);
    const short = project === 'ALL' && partition.length === 1 && sort.length <= 1;
    indexes[IndexName] = short
      ? (key(KeySchema) as unknown as IndexLayout)
      : { partition, ...(sort.length > 0 && { sort }), ...(project !== 'ALL' && { project }) };
  }
  for (const { IndexName = '', KeySchema = [], Projection } of table.LocalSecondaryIndexes ?? []) {
    const [local = ''] = named(KeySchema, 'RANGE');
    const project = projectionOf(Projection);
    indexes[IndexName] = { local, ...(project !== 'ALL' && { project }) };
  }
  const { StreamSpecification: stream } = table;
  const view = stream?.StreamEnabled === true ? stream.StreamViewType : undefined;
  return {
    name: table.TableName ?? 'Table',
    layout: {
      // The service has one or two key attributes on every table.
      key: key(table.KeySchema ?? []) as unknown as TableLayout['key'],
      ...(Object.keys(indexes).length > 0 && { indexes }),
      ...(view !== undefined && { stream: view }),
    },
  };
}

/** `PK`, or `at:N` for a type other than text. */
export function typed(attribute: string, type: string | undefined): string {
  return type === 'N' || type === 'B' ? `${attribute}:${type}` : attribute;
}

function projectionOf(
  projection:
    { readonly ProjectionType?: string | undefined; readonly NonKeyAttributes?: string[] | undefined } | undefined,
): 'ALL' | 'KEYS_ONLY' | readonly string[] {
  if (projection?.ProjectionType === 'KEYS_ONLY') return 'KEYS_ONLY';
  return projection?.ProjectionType === 'INCLUDE' ? (projection.NonKeyAttributes ?? []) : 'ALL';
}
