import { type Operation, wireCallOf, type WireCall } from './operations.ts';
import { createRandom } from './random.ts';
import { type Credentials, signedHeaders } from './signed-headers.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';
import type { TableSpec } from './workload.ts';

const ringBytesMax = 64 * 2 ** 20;
/** Operations of a ring unless a smaller number is requested. */
export const ringCountMax = 100_000;

/** Which operations a ring has, so that every process generates the same ones. */
export interface RingSpec {
  readonly scenario: ScenarioName;
  readonly table: TableSpec;
  /** The maximum number of operations in the ring. */
  readonly countMax: number;
}

/** The name of a ring: rings with the same name are the same. */
export function ringName({ scenario, table, countMax }: RingSpec): string {
  return JSON.stringify([scenario, table, countMax]);
}

/**
 * The operations of a scenario, drawn before the clock starts: as many as fit in 64 MB of requests, so that the keys stay
 * random over the whole table and making a request costs the measuring side nothing. Always from the same seed.
 */
export function operationsOf({ scenario, table, countMax }: RingSpec): Operation[] {
  const { draw, restEvery } = scenarios[scenario];
  const next = draw(createRandom(1), table);
  const first = next();
  const bytes = Math.max(200, JSON.stringify(wireCallOf(first, table)).length);
  const fits = Math.min(countMax, Math.ceil(ringBytesMax / bytes));
  const count = Math.max(1, Math.floor(fits / restEvery)) * restEvery;
  return [first, ...Array.from({ length: count - 1 }, next)];
}

/** The headers of an SDK's request. The signature is fake: most servers of the benchmark do not verify it. */
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

/** A whole HTTP/1.1 request, ready to be sent repeatedly; signed if there are credentials. */
export function httpRequest({ action, input }: WireCall, credentials?: Credentials): Buffer {
  const body = JSON.stringify(input);
  const unsigned = wireHeaders(action);
  const signed = credentials === undefined ? unsigned : signedHeaders(unsigned, body, credentials);
  const headers = { ...signed, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST / HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}
