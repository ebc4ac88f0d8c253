import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';

test('the command line of DynamoDB Local starts a server whose tables all regions and access keys share', async () => {
  const java = ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar'];
  const server = new SingletProcess(['local', ...java, '-inMemory', '-sharedDb', '-port', '0', '-disableTelemetry']);
  const endpoint = await server.ready();
  const clientIn = (region: string, accessKeyId: string): DynamoDBClient =>
    new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey: 'x' } });
  const [first, second] = [clientIn('eu-west-1', 'one'), clientIn('local-env', 'two')];
  await first.send(
    new CreateTableCommand({
      TableName: 'Songs',
      AttributeDefinitions: [{ AttributeName: 'title', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'title', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  expect((await second.send(new ListTablesCommand({}))).TableNames).toEqual(['Songs']);
  first.destroy();
  second.destroy();
  server.signal('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.stderr).toContain('-disableTelemetry: there is no telemetry');
});
