/**
 * The same twenty entities and hundred patterns as `largeModel`, and the same application, written for electrodb: the comparison for
 * the time that type checking takes.
 */
export function largeElectrodb(entities: number): string {
  const names = Array.from({ length: entities }, (_, i) => `Entity${i}`);
  return [
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
    `import { Entity, Service } from 'electrodb';`,
    `const client = new DynamoDBClient({});`,
    ...names.map(entity),
    `export const large = new Service({ ${names.join(', ')} }, { client, table: 'Large' });`,
    `const db = large.entities;`,
    `export async function use(): Promise<void> {`,
    ...names.flatMap(uses),
    `}`,
  ].join('\n');
}

const attributes = `tenantId: { type: 'string', required: true }, id: { type: 'string', required: true },
  ownerId: { type: 'string', required: true }, createdAt: { type: 'string', required: true },
  status: { type: ['active', 'done', 'gone'] as const, required: true }, title: { type: 'string', required: true },
  count: { type: 'number', required: true }, note: { type: 'string' },
  tags: { type: 'list', items: { type: 'string' }, default: () => [] }`;

function entity(name: string): string {
  return `const ${name} = new Entity({ model: { entity: '${name}', version: '1', service: 'large' },
  attributes: { ${attributes} },
  indexes: {
    main: { pk: { field: 'PK', composite: ['tenantId'] }, sk: { field: 'SK', composite: ['id'] } },
    byOwner: { index: 'GSI1', pk: { field: 'GSI1PK', composite: ['ownerId'] }, sk: { field: 'GSI1SK', composite: ['createdAt'] } },
    byStatus: { index: 'GSI2', pk: { field: 'GSI2PK', composite: ['tenantId'] }, sk: { field: 'GSI2SK', composite: ['status', 'createdAt', 'id'] } },
  } }, { client, table: 'Large' });`;
}

function uses(name: string): string[] {
  return [
    `  await db.${name}.create({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 }).go();`,
    `  const one${name} = await db.${name}.get({ tenantId: 't', id: 'i' }).go();`,
    `  one${name}.data?.title.length.toFixed();`,
    `  const page${name} = await db.${name}.query.byOwner({ ownerId: 'o' }).gte({ createdAt: '2020' }).go({ order: 'desc', limit: 25 });`,
    `  page${name}.data.map(({ note }) => note?.length);`,
    `  (await db.${name}.query.byStatus({ tenantId: 't', status: 'done' }).go({ order: 'desc', limit: 25 })).data.length.toFixed();`,
    `  (await db.${name}.patch({ tenantId: 't', id: 'i' }).set({ title: 'x', note: 'y' }).go({ response: 'all_new' })).data.tags?.length.toFixed();`,
  ];
}
