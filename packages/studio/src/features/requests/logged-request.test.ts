import { describe, expect, test } from 'vitest';
import { findingsOf, type LoggedRequest } from './logged-request.ts';

const plain: LoggedRequest = {
  seq: 1,
  atEpochMs: 0,
  action: 'Query',
  table: 'Orders',
  index: null,
  status: 200,
  error: null,
  durationMs: 1,
  requestBytes: 100,
  responseBytes: 100,
  read: 4,
  returned: 4,
  scan: false,
  throttled: false,
  capacity: { reads: 0.5, writes: 0, indexes: {} },
  keys: ['a'],
  who: { identity: null, userAgent: null },
};
const codes = (changed: Partial<LoggedRequest>, others: readonly LoggedRequest[] = []): readonly string[] =>
  findingsOf({ ...plain, ...changed }, others).map(({ code }) => code);

describe('WB-54: why a request costs what it costs', () => {
  test.each<[string, Partial<LoggedRequest>, readonly string[]]>([
    ['nothing to say', {}, []],
    ['a scan with a filter', { scan: true, read: 500, returned: 3 }, ['scan', 'filter-after-read']],
    ['a filter that keeps nothing', { read: 40, returned: 0 }, ['filter-after-read']],
    ['a filter that keeps half', { read: 4, returned: 2 }, []],
    ['a refusal for throughput', { throttled: true, status: 400, error: 'ThrottlingException' }, ['throttle']],
    ['another refusal', { status: 400, error: 'ConditionalCheckFailedException' }, ['error']],
    [
      'writes of indexes',
      {
        action: 'PutItem',
        capacity: { reads: 0, writes: 5, indexes: { A: { reads: 0, writes: 2 }, B: { reads: 0, writes: 2 } } },
      },
      ['index-writes'],
    ],
    [
      'a write of one index',
      { action: 'PutItem', capacity: { reads: 0, writes: 2, indexes: { A: { reads: 0, writes: 1 } } } },
      [],
    ],
    ['large items', { returned: 2, read: 2, responseBytes: 300_000 }, ['large-item']],
    ['a large write', { action: 'PutItem', requestBytes: 200_000 }, ['large-item']],
  ])('%s', (_, changed, expected) => {
    expect(codes(changed)).toEqual(expected);
  });

  test('a key that most requests name, where there are enough to tell', () => {
    const others = Array.from({ length: 60 }, (_, at) => ({ ...plain, keys: [at % 3 === 0 ? 'b' : 'a'] }));
    expect(codes({}, others)).toEqual(['hot-key']);
    expect(codes({ keys: ['b'] }, others)).toEqual([]);
    expect(codes({}, others.slice(0, 40))).toEqual([]);
  });
});
