/**
 * The source of a model with the given number of entities, each with nine attributes, two indexes and five patterns, and of an
 * application that calls every pattern. The type budget is measured on it.
 */
export function largeModel(entities: number, index: string): string {
  const names = Array.from({ length: entities }, (_, i) => `Entity${i}`);
  return [
    `import { z } from 'zod';`,
    `import { connect, entity, model } from ${JSON.stringify(index)};`,
    `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
    `export const large = model('large').entities({`,
    ...names.map((name) => `${name}: entity({ ${attributes} }),`),
    `}).relationships([]).patterns({`,
    ...names.flatMap((name) => patterns(name)),
    `}).tables({ Large: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } }).keys({`,
    ...names.map((name) => keys(name)),
    `}).served({`,
    ...names.map(served),
    `});`,
    `const db = connect(large, { client: new DynamoDBClient({}) });`,
    `export async function use(): Promise<void> {`,
    ...names.flatMap((name) => uses(name)),
    `}`,
  ].join('\n');
}

const attributes = `tenantId: z.string(), id: z.string(), ownerId: z.string(), createdAt: z.string(),
  status: z.enum(['active', 'done', 'gone']), title: z.string(), count: z.number(), note: z.string().optional(), tags: z.array(z.string()).default([])`;

function patterns(name: string): string[] {
  return [
    `create${name}: { actor: 'user', creates: '${name}', rate: 1 },`,
    `get${name}: { actor: 'user', reads: '${name}', by: ['tenantId', 'id'], rate: 10 },`,
    `by${name}Owner: { actor: 'user', reads: ['${name}'], by: ['ownerId'], range: 'createdAt', order: 'createdAt desc', limit: 25, rate: 5 },`,
    `by${name}Status: { actor: 'user', reads: ['${name}'], by: ['tenantId', 'status'], order: 'createdAt desc', limit: 25, rate: 5 },`,
    `update${name}: { actor: 'user', updates: '${name}', by: ['tenantId', 'id'], sets: ['title'], maySet: ['note'], returns: 'new', rate: 1 },`,
  ];
}

function keys(name: string): string {
  const upper = name.toUpperCase();
  return `${name}: {
    Large: ['TENANT#{tenantId}', '${upper}#{id}'],
    GSI1: ['${upper}OWNER#{ownerId}', '{createdAt:utc}'],
    GSI2: ['TENANT#{tenantId}', '${upper}#{status}#{createdAt:utc}#{id}'],
  },`;
}

function served(name: string): string {
  return `create${name}: 'PutItem', get${name}: 'GetItem', by${name}Owner: { query: 'GSI1' }, by${name}Status: { query: 'GSI2' }, update${name}: 'UpdateItem',`;
}

function uses(name: string): string[] {
  return [
    `  await db.create${name}({ tenantId: 't', id: 'i', ownerId: 'o', createdAt: 'c', status: 'active', title: 'x', count: 1 });`,
    `  const one${name} = await db.get${name}({ tenantId: 't', id: 'i' });`,
    `  one${name}?.title.length.toFixed();`,
    `  const page${name} = await db.by${name}Owner({ ownerId: 'o', createdAt: { from: '2020' } });`,
    `  page${name}.items.map(({ note }) => note?.length);`,
    `  (await db.by${name}Status({ tenantId: 't', status: 'done' })).items.length.toFixed();`,
    `  (await db.update${name}({ tenantId: 't', id: 'i', title: 'x', note: 'y' })).tags.length.toFixed();`,
  ];
}
