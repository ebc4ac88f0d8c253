import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ValidationException } from '../../values/service-error.ts';
import { decodeShardIterator, encodeShardIterator } from './shard-iterator.ts';

const streamArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/2024-01-01T00:00:00.000';
const iterator = { streamArn, issuedAtMs: 1_704_067_200_123, shardNumber: 7, position: 42 };

describe('shard iterators', () => {
  test('DB-255 say again what they were made of', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 0xffff_ffff }), fc.maxSafeNat(), (issued, shard, at) => {
        const made = { streamArn, issuedAtMs: issued, shardNumber: shard, position: at };
        expect(decodeShardIterator(encodeShardIterator(made))).toMatchObject(made);
      }),
    );
  });

  test('are of bounded length', () => {
    const longArn = streamArn.replace('Table', 'T'.repeat(255));
    expect(encodeShardIterator({ ...iterator, streamArn: longArn }).length).toBeLessThan(512);
  });

  test('with any change are none', () => {
    const text = encodeShardIterator(iterator);
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.string({ minLength: 0, maxLength: 2 }), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        fc.pre(changed !== text);
        expect(() => decodeShardIterator(changed)).toThrow(ValidationException);
      }),
    );
  });

  test('no other text is one', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.string(), fc.base64String()).map((p) => p.join('|1|')),
        ),
        (text) => {
          expect(() => decodeShardIterator(text)).toThrow('Invalid ShardIterator');
        },
      ),
    );
  });
});
