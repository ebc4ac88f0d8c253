import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { docs, DYNALITE } from '../sources.ts';
import { call, get } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { N, S } from '../values.ts';

const TTL = docs('Using time to live (TTL)');

const updateTimeToLive = (attribute: string, enabled: boolean): Call =>
  call('UpdateTimeToLive', {
    TableName: '$T',
    TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled },
  });
const describe = call('DescribeTimeToLive', { TableName: '$T' });
const describeUntil = call('DescribeTimeToLive', { TableName: '$T' }, { eventually: true });

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
      describeUntil.gives({ TimeToLiveDescription: { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' } }),
    ],
  }),
  row('time-to-live/enabled-twice', 'DB-138', `${TTL}; quoted in GitHub issues`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      describeUntil.gives({ TimeToLiveDescription: { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' } }),
      updateTimeToLive('expires', true).invalid('TimeToLive is already enabled'),
      // A second change within the hour.
      updateTimeToLive('expires', false).invalid(
        'Time to live has been modified multiple times within a fixed interval',
      ),
    ],
  }),
  row('time-to-live/off-twice', 'DB-138', `${TTL}; quoted in GitHub issues`, {
    needs: ['ttl'],
    table: hashTable,
    steps: [updateTimeToLive('expires', false).invalid('TimeToLive is already disabled')],
  }),
  row('time-to-live/items-of-tomorrow-stay', 'DB-138', TTL, {
    needs: ['ttl'],
    table: hashTable,
    items: [{ pk: S('x'), expires: N(Math.floor(Date.now() / 1000) + 86_400) }],
    steps: [
      updateTimeToLive('expires', true).succeeds(),
      get({ pk: S('x') }, { ProjectionExpression: 'pk' }).gives({ Item: { pk: S('x') } }),
    ],
  }),
  row('time-to-live/missing-table', 'DB-138 DB-275', DYNALITE, {
    needs: ['ttl'],
    steps: [describe.fails('ResourceNotFoundException', messageContaining('Requested resource not found'))],
  }),
];
