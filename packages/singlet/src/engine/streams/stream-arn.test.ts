import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStreamArn } from './stream-arn.ts';
import { streamArnOf } from './stream-record.ts';

describe('ARNs of streams', () => {
  test('DB-132 say again which stream they name', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zA-Z0-9_.-]{3,255}$/),
        fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
        (tableName, sinceMs) => {
          const stream = { accountId: '123456789012', region: 'eu-west-1', tableName, sinceMs };
          expect(parseStreamArn(streamArnOf(stream))).toEqual(stream);
        },
      ),
    );
  });

  test.each([
    'sdfadfsdfnlfkajakfgjalksfgklasjklasdjfklasdfasdfgasf',
    'arn:aws:dynamodb:us-east-1:000000000000:table/Table',
    'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/',
    'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/2024-13-01T00:00:00.000',
    'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/2023-02-29T00:00:00.000',
    'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/2024-01-01T00:00:00.000/x',
    'arn:aws:kinesis:us-east-1:000000000000:table/Table/stream/2024-01-01T00:00:00.000',
  ])('%s is none', (arn) => {
    expect(() => parseStreamArn(arn)).toThrow('Invalid StreamArn');
  });
});
