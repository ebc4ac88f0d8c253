import { createRandom } from './random.ts';
import type { Scenario } from './scenarios.ts';
import type { WireObject } from './workload.ts';

const requestBytesMax = 64 * 2 ** 20;
const requestCountMax = 100_000;

/**
 * The requests of a scenario, made before the clock starts: as many as fit in 64 MB and at most 100,000, so that the keys
 * stay random over the whole table and making a request costs the measuring side nothing.
 */
export function requestsOf(scenario: Scenario, itemCount: number, seed: number): WireObject[] {
  const random = createRandom(seed);
  const first = scenario.request(random, itemCount);
  const count = Math.min(requestCountMax, Math.ceil(requestBytesMax / JSON.stringify(first).length));
  return [first, ...Array.from({ length: count - 1 }, () => scenario.request(random, itemCount))];
}

/** The headers of an SDK's request. The signature is made up: no server of the benchmark verifies it. */
export function wireHeaders(action: string): Record<string, string> {
  const credential = 'AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/dynamodb/aws4_request';
  const signed = 'content-type;host;x-amz-date;x-amz-target';
  return {
    host: '127.0.0.1',
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${action}`,
    'x-amz-date': '20260101T000000Z',
    'user-agent': 'aws-sdk-js/3.0.0',
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signed}, Signature=${'0'.repeat(64)}`,
  };
}

/** A whole HTTP/1.1 request, ready to be written to a socket again and again. */
export function httpRequest(action: string, input: WireObject): Buffer {
  const body = JSON.stringify(input);
  const headers = { ...wireHeaders(action), 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST / HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}
