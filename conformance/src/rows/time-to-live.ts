import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, ALTERNATOR, docs, DYNALITE } from '../sources.ts';
import { call, check, get, query, scan, update } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, table } from '../tables.ts';
import { N, NS, S } from '../values.ts';

const TTL = docs('Using time to live (TTL)');

const updateTimeToLive = (attribute: string, enabled: boolean): Call =>
  call('UpdateTimeToLive', {
    TableName: '$T',
    TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled },
  });
const specify = (specification: Readonly<Record<string, unknown>>): Call =>
  call('UpdateTimeToLive', { TableName: '$T', TimeToLiveSpecification: specification });
const describe = call('DescribeTimeToLive', { TableName: '$T' });
const describeUntil = call('DescribeTimeToLive', { TableName: '$T' }, { eventually: true });

const enabledOn = (attribute: string): object => ({
  TimeToLiveDescription: { AttributeName: attribute, TimeToLiveStatus: 'ENABLED' },
});

const now = Math.floor(Date.now() / 1000);
const yearSeconds = 365 * 24 * 60 * 60;

const sweep = check('once the expired items have been deleted', ({ sweepExpiredItems }) => sweepExpiredItems());

export const timeToLiveRows: readonly Row[] = [
  row('time-to-live/off-at-first', 'DB-138', DYNALITE, {
    needs: ['ttl'],
    table: hashTable,
    steps: [describe.gives({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } })],
  }),
  row('time-to-live/enabled', 'DB-138', TTL, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      updateTimeToLive('expires', true).gives({ TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } }),
      describeUntil.gives(enabledOn('expires')),
    ],
  }),
  row('time-to-live/enabled-at-once-without-items', 'DB-138', `${ACK_2026}; ${ALTERNATOR}`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [updateTimeToLive('expires', true).succeeds(), describe.gives(enabledOn('expires'))],
  }),
  row('time-to-live/enabled-with-items', 'DB-138', TTL, {
    needs: ['ttl'],
    table: hashTable,
    items: [{ pk: S('x') }, { pk: S('y'), expires: N(now + 86_400) }],
    steps: [updateTimeToLive('expires', true).succeeds(), describeUntil.gives(enabledOn('expires'))],
  }),
  row('time-to-live/enabled-twice', 'DB-138', `${TTL}; quoted in GitHub issues`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      describeUntil.gives(enabledOn('expires')),
      updateTimeToLive('expires', true).invalid('TimeToLive is already enabled'),
      // A second change within the hour.
      updateTimeToLive('expires', false).invalid(
        'Time to live has been modified multiple times within a fixed interval',
      ),
    ],
  }),
  row('time-to-live/active-on-another-attribute', 'DB-138', `${ACK_2026}; ${ALTERNATOR}`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      describeUntil.gives(enabledOn('expires')),
      updateTimeToLive('other', true).invalid(
        'TimeToLive is active on a different AttributeName: current AttributeName is expires',
      ),
      updateTimeToLive('other', false).invalid(
        'TimeToLive is active on a different AttributeName: current AttributeName is expires',
      ),
      describe.gives(enabledOn('expires')),
    ],
  }),
  row('time-to-live/off-twice', 'DB-138', `${TTL}; quoted in GitHub issues`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [updateTimeToLive('expires', false).invalid('TimeToLive is already disabled')],
  }),
  row('time-to-live/on-a-key-attribute', 'DB-138', `${ACK_2026}; ${ALTERNATOR}`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [updateTimeToLive('pk', true).succeeds(), describeUntil.gives(enabledOn('pk'))],
  }),
  row('time-to-live/no-attribute-name', 'DB-138', ACK_2026, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      specify({ Enabled: true }).invalid(
        "Value null at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must not be null",
      ),
      specify({ Enabled: false }).invalid(
        "Value null at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must not be null",
      ),
    ],
  }),
  row('time-to-live/neither-enabled-nor-disabled', 'DB-138', ACK_2026, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      specify({ AttributeName: 'expires' }).invalid(
        "Value null at 'timeToLiveSpecification.enabled' failed to satisfy constraint: Member must not be null",
      ),
    ],
  }),
  row('time-to-live/length-of-attribute-name', 'DB-138', `${ACK_2026}; ${ALTERNATOR}`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      updateTimeToLive('', true).invalid(messageContaining('Member must have length greater than or equal to 1')),
      updateTimeToLive('x'.repeat(256), true).invalid(
        messageContaining('Member must have length less than or equal to 255'),
      ),
      updateTimeToLive('x'.repeat(255), true).succeeds(),
    ],
  }),
  row('time-to-live/items-of-tomorrow-stay', 'DB-138', TTL, {
    needs: ['ttl'],
    table: hashTable,
    items: [{ pk: S('x'), expires: N(now + 86_400) }],
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      get({ pk: S('x') }, { ProjectionExpression: 'pk' }).gives({ Item: { pk: S('x') } }),
    ],
  }),
  row('time-to-live/expired-items-are-there-until-deleted', 'DB-258 DB-260 DB-262', `${TTL}; ${ALTERNATOR}`, {
    needs: ['ttl', 'sweep'],
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    items: [
      { pk: S('before'), a: S('a'), expires: N(now - 86_400) },
      { pk: S('after'), a: S('a'), expires: N(now + 86_400) },
    ],
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      describeUntil.gives(enabledOn('expires')),
      get({ pk: S('before') }).givesPartly({ Item: { pk: S('before'), a: S('a'), expires: N(now - 86_400) } }),
      update({ pk: S('before') }, 'SET b = a').succeeds(),
      sweep,
      get({ pk: S('before') }).gives({}),
      query('a = :a', { ':a': S('a') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 1, ScannedCount: 1 }),
      scan({ Select: 'COUNT' }).gives({ Count: 1, ScannedCount: 1 }),
    ],
  }),
  row('time-to-live/items-that-never-expire', 'DB-259 DB-264', `${TTL}; ${ALTERNATOR}`, {
    needs: ['ttl', 'sweep'],
    table: hashTable,
    items: [
      { pk: S('none') },
      { pk: S('text'), expires: S(String(now - 60)) },
      { pk: S('set'), expires: NS(now - 60) },
      { pk: S('milliseconds'), expires: N((now - 60) * 1000) },
      { pk: S('six years ago'), expires: N(now - 6 * yearSeconds) },
      { pk: S('with a fraction'), expires: N(`${now - 60}.5`) },
      { pk: S('four years ago'), expires: N(now - 4 * yearSeconds) },
    ],
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      describeUntil.gives(enabledOn('expires')),
      sweep,
      get({ pk: S('with a fraction') }).gives({}),
      get({ pk: S('four years ago') }).gives({}),
      scan({ Select: 'COUNT' }).gives({ Count: 5, ScannedCount: 5 }),
    ],
  }),
  row('time-to-live/missing-table', 'DB-138 DB-275', `${DYNALITE}; ${ACK_2026}`, {
    needs: ['ttl'],
    steps: [
      describe.fails('ResourceNotFoundException', 'Requested resource not found: Table: $T not found'),
      updateTimeToLive('expires', true).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T not found',
      ),
    ],
  }),
];
