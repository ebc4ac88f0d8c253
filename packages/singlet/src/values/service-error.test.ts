import { describe, expect, it } from 'vitest';
import {
  ConditionalCheckFailedException,
  DynamoError,
  IdempotentParameterMismatchException,
  ItemCollectionSizeLimitExceededException,
  LimitExceededException,
  ResourceInUseException,
  ResourceNotFoundException,
  TransactionCanceledException,
  ValidationException,
} from './service-error.ts';

describe('service errors (DB-273 to DB-281)', () => {
  it.each([
    ['DB-273', new ValidationException('m'), 'ValidationException', false],
    ['DB-274', new ConditionalCheckFailedException(), 'ConditionalCheckFailedException', false],
    ['DB-275', new ResourceNotFoundException('m'), 'ResourceNotFoundException', false],
    ['DB-275', new ResourceInUseException('m'), 'ResourceInUseException', false],
    ['DB-277', new ItemCollectionSizeLimitExceededException(), 'ItemCollectionSizeLimitExceededException', false],
    ['DB-278', new TransactionCanceledException([]), 'TransactionCanceledException', false],
    ['DB-278', new IdempotentParameterMismatchException(), 'IdempotentParameterMismatchException', false],
    ['DB-281', new LimitExceededException('m'), 'LimitExceededException', true],
  ])('%s: %s is a client error by its wire name', (_id, error, name, retryable) => {
    expect(error).toBeInstanceOf(DynamoError);
    expect({ name: error.name, status: error.status, retryable: error.retryable }).toEqual({
      name,
      status: 400,
      retryable,
    });
  });

  it('DB-274: a failed condition has the text of the service and may carry the item', () => {
    expect(new ConditionalCheckFailedException().message).toBe('The conditional request failed');
    expect(new ConditionalCheckFailedException({ a: { S: 'x' } }).item).toEqual({ a: { S: 'x' } });
    expect(new ConditionalCheckFailedException().item).toBeUndefined();
  });

  it('DB-278: a cancelled transaction names the reason of every action in order', () => {
    const error = new TransactionCanceledException([
      { code: 'None' },
      { code: 'ConditionalCheckFailed', message: 'm' },
    ]);
    expect(error.message).toBe(
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
    );
    expect(error.cancellationReasons).toHaveLength(2);
  });
});
