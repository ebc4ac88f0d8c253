import { describe, expect, test } from 'vitest';
import { createTable } from '../operations/create-table.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeTable } from '../operations/describe-table.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { mapOf } from '../testing/test-engine.ts';
import { onDemandTable } from '../testing/table-requests.ts';
import { testServices, type TestServices } from '../testing/test-services.ts';
import { replicate } from './replicate.ts';

const tableName = 'Table';
const at = (region: string) => ({ accountId: '000000000000', region });
const west = at('us-west-2');
const east = at('us-east-1');

test('a smoke test', async () => {
  const services = testServices();
  await createTable(services, onDemandTable(), west);
  await putItem(services, { tableName, item: { PK: { S: 'a' }, n: { N: '1' } } }, west);
  const answer = await updateTable(services, { tableName, replicaUpdates: [{ create: { regionName: 'us-east-1' } }] }, west);
  console.log(JSON.stringify(answer));
  console.log(await replicate(services));
  console.log(JSON.stringify(await describeTable(services, { tableName }, west)));
  console.log(JSON.stringify(await describeTable(services, { tableName }, east)));
  expect(mapOf((await getItem(services, { tableName, key: { PK: { S: 'a' } } }, east)).item)).toEqual({ PK: { S: 'a' }, n: { N: '1' } });
  await putItem(services, { tableName, item: { PK: { S: 'b' }, n: { N: '1' } } }, east);
  console.log(await replicate(services), await replicate(services));
  expect(mapOf((await getItem(services, { tableName, key: { PK: { S: 'b' } } }, west)).item)).toBeDefined();
  await updateTable(services, { tableName, replicaUpdates: [{ delete: { regionName: 'us-east-1' } }] }, west);
  console.log(JSON.stringify(await describeTable(services, { tableName }, west)));
  await expect(describeTable(services, { tableName }, east)).rejects.toThrow('not found');
  console.log(services.logged);
});
