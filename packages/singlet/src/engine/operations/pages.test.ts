import { beforeAll, describe, expect, test } from 'vitest';
import { envelope, invalidValue, openTables, refusal, validation } from '../testing/refusal.ts';
import { testContext, type TestServices } from '../testing/test-services.ts';
import { query, type QueryRequest } from './query.ts';
import type { PageRequest } from './page-request.ts';
import { scan, type ScanRequest } from './scan.ts';

let services: TestServices;
beforeAll(async () => {
  services = await openTables();
});

const runQuery = (request: Partial<QueryRequest>): Promise<string> =>
  refusal(() => query(services, { tableName: 'indexed', ...request }, testContext));
const runScan = (request: Partial<ScanRequest>): Promise<string> =>
  refusal(() => scan(services, { tableName: 'indexed', ...request }, testContext));
const collection: Partial<QueryRequest> = {
  keyConditionExpression: 'pk = :p',
  expressionAttributeValues: { ':p': { S: 'a' } },
};

describe('Select, in an envelope by Query and bare by Scan', () => {
  test.each<[Partial<PageRequest>, string]>([
    [
      { select: 'SPECIFIC_ATTRIBUTES' },
      'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
    ],
    [
      { select: 'COUNT', projectionExpression: 'a' },
      'Cannot specify the ProjectionExpression when choosing to get only the Count',
    ],
    [
      { select: 'ALL_ATTRIBUTES', projectionExpression: 'a' },
      'Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES',
    ],
    [
      { select: 'ALL_PROJECTED_ATTRIBUTES', projectionExpression: 'a' },
      'Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES',
    ],
    [
      { select: 'ALL_PROJECTED_ATTRIBUTES' },
      'ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName',
    ],
  ])('%j', async (request, message) => {
    expect(await runQuery({ ...collection, ...request })).toBe(validation(envelope + message));
    expect(await runScan(request)).toBe(validation(message));
  });

  test('what a global index does not hold', async () => {
    const byScore = { ...collection, keyConditionExpression: 'score = :p', indexName: 'byScore' };
    expect(await runQuery({ ...byScore, select: 'ALL_ATTRIBUTES' })).toBe(
      validation(
        `${invalidValue}Select type ALL_ATTRIBUTES is not supported for global secondary index byScore because its projection type is not ALL`,
      ),
    );
    expect(await runQuery({ ...byScore, projectionExpression: 'a' })).toBe(
      validation(`${invalidValue}Global secondary index byScore does not project [a]`),
    );
    const consistent = validation('Consistent reads are not supported on global secondary indexes');
    expect(await runQuery({ ...byScore, consistentRead: true })).toBe(consistent);
    expect(await runScan({ indexName: 'byScore', consistentRead: true })).toBe(consistent);
  });
});

describe('where a page continues', () => {
  const invalid = validation('The provided starting key is invalid');
  const mismatch = validation(
    'The provided starting key is invalid: The provided key element does not match the schema',
  );
  const a = { pk: { S: 'a' }, sk: { S: 'b' } };

  test.each<[string, Partial<PageRequest>]>([
    ['too few attributes', { exclusiveStartKey: { pk: { S: 'a' } } }],
    ['too many', { exclusiveStartKey: { ...a, score: { S: 'r' } } }],
    ['others', { exclusiveStartKey: { pk: { S: 'a' }, score: { S: 'r' } } }],
    ['the index key missing', { exclusiveStartKey: a, indexName: 'byScoreToo' }],
  ])('DB-161 not after %s', async (_, request) => {
    const condition =
      request.indexName === undefined ? collection : { ...collection, keyConditionExpression: 'score = :p' };
    expect(await runQuery({ ...condition, ...request })).toBe(invalid);
    // For a scan of a global index, the text does not give the reason.
    expect(await runScan(request)).toBe(request.indexName === undefined ? mismatch : invalid);
  });

  test('DB-161 DB-168 nor outside of what is read', async () => {
    const beyond = { exclusiveStartKey: { ...a, pk: { S: 'z' } } };
    expect(await runQuery({ ...collection, ...beyond })).toMatch(
      /^ValidationException: The provided starting key is outside query boundaries based on provided condition/,
    );
    const later = { keyConditionExpression: 'pk = :p AND sk > :s' };
    const values = { expressionAttributeValues: { ':p': { S: 'a' }, ':s': { S: 'm' } } };
    expect(await runQuery({ ...later, ...values, exclusiveStartKey: a })).toBe(
      validation('The provided starting key does not match the range key predicate'),
    );
    expect(await runScan({ segment: 0, totalSegments: 1_000_000, exclusiveStartKey: a })).toBe(
      validation(
        'The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 1000000 Segment: 0',
      ),
    );
  });
});

describe('legacy key conditions', () => {
  const equals = { comparisonOperator: 'EQ', attributeValueList: [{ S: 'a' }] } as const;
  test('DB-147 are counted in their own words', async () => {
    expect(await runQuery({ keyConditions: { pk: equals, sk: equals, c: equals } })).toBe(
      validation('Conditions can be of length 1 or 2 only'),
    );
    expect(await runQuery({ keyConditions: {} })).toBe(validation('Conditions can be of length 1 or 2 only'));
    expect(await runQuery({ keyConditions: { pk: equals, c: equals } })).toBe(
      validation('Query condition missed key schema element: sk'),
    );
  });
});

describe('segments', () => {
  test.each<[Partial<ScanRequest>, string]>([
    [
      { segment: 0 },
      'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
    ],
    [
      { totalSegments: 2 },
      'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
    ],
    [
      { segment: 5, totalSegments: 5 },
      'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5',
    ],
  ])('DB-168 %j', async (request, message) => {
    expect(await runScan(request)).toBe(validation(message));
  });
});
