/** Vector indexes as an application uses them, with the AWS SDK: the examples of docs/vector-search.md. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  SearchVectorsCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createDatabase } from '../src/index.ts';

const guide = readFileSync(new URL('../../../docs/vector-search.md', import.meta.url), 'utf8');

/** The input of a command as in the guide, between `new NameCommand(` and the end of the statement. */
function inputOf(command: string): never {
  const text = new RegExp(`new ${command}\\((\\{.*?\\n  \\})\\),\\n\\);`, 's').exec(guide)?.[1];
  return JSON.parse(runInNewContext(`JSON.stringify(${text})`) as string) as never;
}

test('the examples of the guide', async () => {
  const database = await createDatabase();
  const client = new DynamoDBClient(database.clientConfig());
  try {
    await client.send(new CreateTableCommand(inputOf('CreateTableCommand')));
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Products' }));
    expect(Table?.VectorIndexes?.map(({ IndexStatus }) => IndexStatus)).toEqual(['ACTIVE']);
    const put = (id: string, shop: string, brand: string, ...numbers: readonly number[]) =>
      client.send(
        new PutItemCommand({
          TableName: 'Products',
          Item: {
            id: { S: id },
            shop: { S: shop },
            brand: { S: brand },
            embedding: { L: numbers.map((number) => ({ N: String(number) })) },
          },
        }),
      );
    await put('lamp', 'north', 'Acme', 0.1, 0.7, 0.2);
    await put('rope', 'north', 'Acme', 0.9, 0.1, 0);
    await put('tent', 'north', 'Other', 0.1, 0.7, 0.2);
    await put('wire', 'south', 'Acme', 0.1, 0.7, 0.2);
    const { SearchResults } = await client.send(new SearchVectorsCommand(inputOf('SearchVectorsCommand')));
    expect(SearchResults?.map(({ Item, Score }) => [Item?.['id']?.S, Number(Score?.toFixed(3))])).toEqual([
      ['lamp', 0],
      ['rope', 0.76],
    ]);
  } finally {
    client.destroy();
    await database.close();
  }
});
