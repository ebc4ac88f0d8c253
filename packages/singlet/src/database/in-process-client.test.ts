import { expect, test } from 'vitest';
import { createDatabase } from './create-database.ts';

/** As in the AWS SDK since version 3.1169, where the methods of a text warn; later versions are to throw. */
class TextlessBytes extends Uint8Array {
  override toString(): string {
    throw new TypeError('a string method of the body was called');
  }

  override valueOf(): this {
    throw new TypeError('a string method of the body was called');
  }
}

test('takes the bytes of a request without calling their methods', async () => {
  // The list of requests keeps a copy of each body.
  const database = await createDatabase({ inspection: { logRequests: true } });
  const { requestHandler } = database.clientConfig();
  const { response } = await requestHandler.handle({
    method: 'POST',
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization:
        'AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: new TextlessBytes(Buffer.from('{}')),
  });
  expect(Buffer.from(response.body).toString('utf8')).toBe('{"TableNames":[]}');
  await database.close();
});
