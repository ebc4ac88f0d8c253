import { expect, test } from 'vitest';
import { requestText } from './request-text.ts';

const endpoint = 'http://127.0.0.1:8000';
const of = { endpoint };

test('a request to a stream uses the client and the command line of streams', () => {
  const input = { StreamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Shop/stream/2026' };
  expect(requestText('sdk', 'DescribeStream', input, of)).toMatch(
    /^import \{ DynamoDBStreamsClient, DescribeStreamCommand \} from '@aws-sdk\/client-dynamodb-streams';\n\nconst client = new DynamoDBStreamsClient\(/,
  );
  expect(requestText('cli', 'DescribeStream', input, of)).toMatch(
    /^aws dynamodbstreams describe-stream --endpoint-url http:\/\/127\.0\.0\.1:8000 /,
  );
  expect(requestText('cli', 'DescribeTable', { TableName: 'Shop' }, of)).toMatch(/^aws dynamodb describe-table /);
});

test('a request about the server itself is a curl with its method and its body', () => {
  expect(requestText('sdk', 'GET /_singlet/info', {}, of)).toBe(`curl '${endpoint}/_singlet/info'`);
  expect(requestText('sdk', 'PUT /_singlet/weather', { Seed: 1 }, of)).toBe(
    `curl -X PUT '${endpoint}/_singlet/weather' -H 'content-type: application/json' \\\n  -d '{"Seed":1}'`,
  );
});
