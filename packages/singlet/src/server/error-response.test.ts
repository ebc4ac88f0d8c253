import { describe, expect, it } from 'vitest';
import {
  ConditionalCheckFailedException,
  DynamoError,
  IdempotentParameterMismatchException,
  ItemCollectionSizeLimitExceededException,
  LimitExceededException,
  ResourceInUseException,
  ResourceNotFoundException,
  ThroughputExceededError,
  TransactionCanceledException,
  ValidationException,
} from '../values/service-error.ts';
import { StorageError } from '../storage/storage-error.ts';
import { errorResponse } from './error-response.ts';
import { SerializationException } from './serialization-exception.ts';

const throttlingReasons = [{ reason: 'TableReadProvisionedThroughputExceeded', resource: 'arn:aws:dynamodb:x' }];
const model = 'com.amazonaws.dynamodb.v20120810';

function answer(error: unknown): { readonly status: number; readonly json: unknown } {
  const { status, body } = errorResponse(error);
  return { status, json: JSON.parse(body.toString('utf8')) };
}

describe('error envelopes', () => {
  it.each<[string, unknown, object]>([
    [
      'DB-273 ValidationException',
      new ValidationException('bad'),
      { __type: 'com.amazon.coral.validate#ValidationException', message: 'bad' },
    ],
    [
      'DB-274 ConditionalCheckFailedException',
      new ConditionalCheckFailedException(),
      { __type: `${model}#ConditionalCheckFailedException`, message: 'The conditional request failed' },
    ],
    [
      'DB-274 ConditionalCheckFailedException with the item',
      new ConditionalCheckFailedException({ a: { S: 'x' } }),
      {
        __type: `${model}#ConditionalCheckFailedException`,
        message: 'The conditional request failed',
        Item: { a: { S: 'x' } },
      },
    ],
    [
      'DB-275 ResourceNotFoundException',
      new ResourceNotFoundException('Requested resource not found'),
      { __type: `${model}#ResourceNotFoundException`, message: 'Requested resource not found' },
    ],
    [
      'DB-275 ResourceInUseException',
      new ResourceInUseException('Table already exists: t'),
      { __type: `${model}#ResourceInUseException`, message: 'Table already exists: t' },
    ],
    [
      'DB-276 ProvisionedThroughputExceededException',
      new DynamoError('ProvisionedThroughputExceededException', 'slow down', { retryable: true }),
      { __type: `${model}#ProvisionedThroughputExceededException`, message: 'slow down' },
    ],
    [
      'DB-276 RequestLimitExceeded',
      new DynamoError('RequestLimitExceeded', 'slow down', { retryable: true }),
      { __type: `${model}#RequestLimitExceeded`, message: 'slow down' },
    ],
    [
      'DB-276 ThrottlingException',
      new DynamoError('ThrottlingException', 'slow down', { retryable: true }),
      { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'slow down' },
    ],
    [
      'DB-276 reasons of a ProvisionedThroughputExceededException',
      new ThroughputExceededError('ProvisionedThroughputExceededException', 'slow down', throttlingReasons),
      {
        __type: `${model}#ProvisionedThroughputExceededException`,
        message: 'slow down',
        ThrottlingReasons: throttlingReasons,
      },
    ],
    [
      'DB-276 reasons of a ThrottlingException',
      new ThroughputExceededError('ThrottlingException', 'slow down', throttlingReasons),
      {
        __type: 'com.amazon.coral.availability#ThrottlingException',
        message: 'slow down',
        throttlingReasons,
      },
    ],
    [
      'DB-277 ItemCollectionSizeLimitExceededException',
      new ItemCollectionSizeLimitExceededException(),
      { __type: `${model}#ItemCollectionSizeLimitExceededException`, message: 'Collection size exceeded.' },
    ],
    [
      'DB-278 TransactionCanceledException',
      new TransactionCanceledException([
        { code: 'None' },
        { code: 'ConditionalCheckFailed', message: 'The conditional request failed', item: { a: { S: 'x' } } },
      ]),
      {
        __type: `${model}#TransactionCanceledException`,
        Message:
          'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', Item: { a: { S: 'x' } } },
        ],
      },
    ],
    [
      'DB-278 TransactionConflictException',
      new DynamoError('TransactionConflictException', 'conflict'),
      { __type: `${model}#TransactionConflictException`, message: 'conflict' },
    ],
    [
      'DB-278 TransactionInProgressException',
      new DynamoError('TransactionInProgressException', 'in progress'),
      { __type: `${model}#TransactionInProgressException`, Message: 'in progress' },
    ],
    [
      'DB-278 IdempotentParameterMismatchException',
      new IdempotentParameterMismatchException(),
      {
        __type: `${model}#IdempotentParameterMismatchException`,
        Message: expect.stringMatching(/^The request uses the same client token/) as string,
      },
    ],
    [
      'DB-279 AccessDeniedException',
      new DynamoError('AccessDeniedException', 'no'),
      { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'no' },
    ],
    ...[
      'ExpiredTokenException',
      'InvalidSignatureException',
      'MissingAuthenticationTokenException',
      'UnrecognizedClientException',
    ].map((name): [string, unknown, object] => [
      `DB-279 ${name}`,
      new DynamoError(name, 'no'),
      { __type: `com.amazon.coral.service#${name}`, message: 'no' },
    ]),
    [
      'DB-280 SerializationException',
      new SerializationException('NUMBER_VALUE cannot be converted to String'),
      {
        __type: 'com.amazon.coral.service#SerializationException',
        Message: 'NUMBER_VALUE cannot be converted to String',
      },
    ],
    [
      'DB-280 SerializationException without a message',
      new SerializationException(),
      { __type: 'com.amazon.coral.service#SerializationException' },
    ],
    [
      'DB-280 UnknownOperationException',
      new DynamoError('UnknownOperationException', ''),
      { __type: 'com.amazon.coral.service#UnknownOperationException' },
    ],
    [
      'DB-281 LimitExceededException',
      new LimitExceededException('Subscriber limit exceeded'),
      { __type: `${model}#LimitExceededException`, message: 'Subscriber limit exceeded' },
    ],
  ])('DB-127 %s', (_, error, json) => {
    expect(answer(error)).toStrictEqual({ status: 400, json });
  });

  it('keeps attributes of any name in the item', () => {
    const item = JSON.parse('{"__proto__":{"S":"a"}}') as ConditionalCheckFailedException['item'];
    expect(errorResponse(new ConditionalCheckFailedException(item)).body.toString()).toContain(
      '"Item":{"__proto__":{"S":"a"}}',
    );
  });

  it.each([new Error('secret'), new TypeError('secret'), 'secret', undefined, { message: 'secret' }])(
    'DB-282 tells nothing of an unknown failure: %s',
    (error) => {
      const response = errorResponse(error);
      expect(response).toMatchObject({ status: 500, name: 'InternalServerError', internal: error });
      expect(JSON.parse(response.body.toString())).toStrictEqual({
        __type: `${model}#InternalServerError`,
        message: 'Internal server error',
      });
    },
  );

  it('DB-282 a closed store is unavailable, a broken one an internal error', () => {
    const storageError = (code: string): Error => Object.assign(new Error('secret'), { name: 'StorageError', code });
    expect(answer(storageError('closed'))).toStrictEqual({
      status: 503,
      json: { __type: `${model}#ServiceUnavailable`, message: 'Service Unavailable' },
    });
    expect(answer(storageError('io')).status).toBe(500);
  });

  it('answers RequestLimitExceeded, which clients retry more slowly, while the store takes no more calls', () => {
    expect(answer(new StorageError('busy', 'no more calls'))).toEqual({
      status: 400,
      json: {
        __type: `${model}#RequestLimitExceeded`,
        message: 'Throughput exceeds the current throughput limit of the store behind this server.',
      },
    });
  });

  it('keeps status and text of an error that the engine raises with status 500', () => {
    expect(answer(new DynamoError('InternalServerError', 'Internal server error', { status: 500 })).status).toBe(500);
  });
});

describe('a full disk', () => {
  const refused = (cause: unknown): unknown =>
    answer(new StorageError('io', 'the log could not grow; nothing was written', { cause })).json;

  it.each([
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    Object.assign(new Error('EFBIG: file too large, write'), { code: 'EFBIG' }),
    new Error('MDB_PROBLEM: No space left on device'),
    new Error('the log could not grow', { cause: Object.assign(new Error('EDQUOT'), { code: 'EDQUOT' }) }),
  ])('is named to the client: %s', (cause) => {
    expect(refused(cause)).toEqual({
      __type: `${model}#InternalServerError`,
      message: 'Internal server error: the disk is full, nothing was written',
    });
  });

  it('is not what any other failure is called', () => {
    const general = { __type: `${model}#InternalServerError`, message: 'Internal server error' };
    expect(refused(new Error('EIO: i/o error, write'))).toEqual(general);
    expect(
      answer(new StorageError('unknown-outcome', 'x', { cause: new Error('No space left on device') })).json,
    ).toEqual(general);
  });
});
