import { describe, expect, test } from 'vitest';
import { mixed } from '../../test/patterns.model.ts';
import { shop } from '../../test/shop.model.ts';
import { type Model, tableDefinitions } from '../index.ts';
import { toCloudFormation } from './cloudformation.ts';
import { draftModel } from './draft.ts';
import { draftFromWorkbench } from './from-workbench.ts';
import { toWorkbench } from './workbench.ts';

const now = Date.UTC(2022, 2, 3, 23, 29);

describe('NoSQL Workbench', () => {
  test('a model goes out and comes back: tables, indexes, entities, attributes, keys', () => {
    const file = toWorkbench(shop, { now });
    expect(file.ModelMetadata).toMatchObject({
      DateCreated: 'Mar 03, 2022, 11:29 PM',
      AWSService: 'Amazon DynamoDB',
      Version: '3.0',
    });
    expect(file.ModelMetadata?.Description).toContain('EC-06 customerWithOrders (customer): Query on Shop');
    const [table] = file.DataModel;
    expect(
      table?.TableFacets?.map(({ FacetName, KeyAttributeAlias }) => [FacetName, KeyAttributeAlias]),
    ).toContainEqual(['Order', { PartitionKeyAlias: 'CUSTOMER#{username}', SortKeyAlias: '#ORDER#{orderId}' }]);
    expect(table?.TableData?.length).toBe(30);

    const draft = draftFromWorkbench(JSON.parse(JSON.stringify(file)));
    const sorted = (model: object): object[] =>
      tableDefinitions(model).map((definition) => ({
        ...definition,
        AttributeDefinitions: definition.AttributeDefinitions?.toSorted((a, b) =>
          a.AttributeName! < b.AttributeName! ? -1 : 1,
        ),
      }));
    expect(sorted(draftModel(draft))).toEqual(sorted(shop));
    for (const [name, entity] of Object.entries(shop.entities)) {
      const found = draft.entities.find((each) => each.name === name);
      expect(found?.attributes.map((each) => each.name).sort()).toEqual(Object.keys(entity.attributes).sort());
      const chart = shop.keys[name] ?? {};
      expect(Object.fromEntries(found?.keys.map(({ place, forms }) => [place, forms[0]?.templates]) ?? [])).toEqual(
        chart,
      );
    }
    expect(draft.notes).toContain('EC-06 customerWithOrders (customer): Query on Shop');
  });

  test('indexes that the format cannot hold are named in the description', () => {
    const file = toWorkbench(mixed, { now });
    const [first] = file.DataModel;
    expect(first?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual([
      'GSI1',
      'GSI2',
      'GSI3',
      'KeysOnly',
    ]);
    expect(file.ModelMetadata?.Description).toContain('Indexes that this format cannot hold: ByOrg');
    expect(first?.GlobalSecondaryIndexes?.[3]?.Projection).toEqual({
      ProjectionType: 'INCLUDE',
      NonKeyAttributes: ['ticketId', 'org', 'Type'],
    });
  });

  test('a file without data gives its facets as they are, and fields that are not known are ignored', () => {
    const draft = draftFromWorkbench({
      ModelName: 'Sales',
      ModelMetadata: { Version: '3.20', Description: 'Deals of a day' },
      Unknown: [1],
      DataModel: [
        {
          TableName: 'Sales',
          KeyAttributes: {
            PartitionKey: { AttributeName: 'PK', AttributeType: 'S' },
            SortKey: { AttributeName: 'SK', AttributeType: 'N' },
          },
          NonKeyAttributes: [
            { AttributeName: 'sku', AttributeType: 'S' },
            { AttributeName: 'tags', AttributeType: 'SS' },
          ],
          TableFacets: [
            {
              FacetName: 'daily sale',
              KeyAttributeAlias: { PartitionKeyAlias: 'ProcessedDate', SortKeyAlias: 'SKU' },
              NonKeyAttributes: ['sku', 'tags'],
            },
          ],
          AccessPatterns: [{ name: 'x' }],
        },
      ],
    });
    expect(draft.entities[0]).toMatchObject({
      name: 'DailySale',
      type: 'daily sale',
      keys: [{ forms: [{ templates: ['{PK}', '{SK}'] }] }],
    });
    expect(draft.tables).toEqual({ Sales: { key: ['PK', 'SK:N'] } });
    expect(draft.patterns.map(({ name }) => name)).toEqual([
      'putDailySale',
      'dailySale',
      'deleteDailySale',
      'dailySalesOfPK',
    ]);
  });

  test.each([[null], [{}], [{ DataModel: [{}] }], [{ DataModel: [{ TableName: 'A' }] }]])('%j is refused', (data) => {
    expect(() => draftFromWorkbench(data)).toThrow(expect.objectContaining({ code: 'not-workbench' }));
  });
});

test('CloudFormation gets tables, indexes, streams and time to live, and keeps the data', () => {
  const template = toCloudFormation(mixed, { tables: { Mixed: 'mixed-production' } });
  expect(Object.keys(template.Resources)).toEqual(['MixedTable', 'ReadingsTable']);
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = tableDefinitions(mixed)[0] ?? {};
  expect(template.Resources['MixedTable']).toMatchObject({
    Type: 'AWS::DynamoDB::Table',
    DeletionPolicy: 'Retain',
    Properties: {
      TableName: 'mixed-production',
      AttributeDefinitions,
      KeySchema,
      GlobalSecondaryIndexes,
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    },
  });
});

test('CloudFormation has every table, also where two names differ in signs only', () => {
  const key = { key: ['PK'] } as const;
  const tables = { 'my-orders': key, my_orders: key, MyOrders: key };
  const template = toCloudFormation({ ...(mixed as unknown as Model), tables, keys: {}, patterns: {}, served: {} });
  expect(Object.keys(template.Resources)).toEqual(['MyOrdersTable', 'MyOrdersTable2', 'MyOrdersTable3']);
  expect(Object.keys(template.Outputs)).toHaveLength(3);
});
