import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entity, model } from '../index.ts';
import { coversText, meetsText } from './like-pattern.ts';
import { patternPolicy } from './pattern-policy.ts';

const desk = model('desk')
  .entities({
    Agent: entity({ tenantId: z.string(), agentId: z.string(), email: z.email() }, { unique: ['email'] }),
    Ticket: entity({ tenantId: z.string(), ticketId: z.string(), agentId: z.string(), title: z.string() }),
    Plan: entity({ planId: z.string(), price: z.number() }),
  })
  .relationships([['Agent', '1:N', 'Ticket', { required: true }]])
  .patterns(
    {
      hire: { creates: 'Agent' },
      agent: { reads: 'Agent', by: ['tenantId', 'agentId'] },
      open: { creates: 'Ticket' },
      pass: { updates: 'Ticket', by: ['tenantId', 'ticketId'], sets: ['agentId'] },
      ticket: { reads: 'Ticket', by: ['tenantId', 'ticketId'] },
      titleOf: { reads: 'Ticket', by: ['tenantId', 'ticketId'], attributes: ['title'] },
      tickets: { reads: ['Ticket'], by: ['tenantId', 'agentId'], limit: 10 },
      plan: { reads: 'Plan', by: ['planId'] },
      setPrice: { updates: 'Plan', by: ['planId'], sets: ['price'] },
      dropPlan: { deletes: 'Plan', by: ['planId'] },
    },
    { reprice: { takes: ['plan', 'setPrice'] } },
  )
  .tables({ Desk: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] }, tenant: 'tenantId' } })
  .keys(
    {
      Agent: { Desk: ['T#{tenantId}', 'AGENT#{agentId}'] },
      Ticket: {
        Desk: ['T#{tenantId}#TICKET#{ticketId}', 'TICKET'],
        GSI1: ['T#{tenantId}#AGENT#{agentId}', 'TICKET#{ticketId}'],
      },
      Plan: { Desk: ['PLAN#{planId}', 'PLAN'] },
    },
    {
      Agent: { unique: { email: { key: ['T#{tenantId}#EMAIL#{email}', 'EMAIL'] } } },
      Plan: { accepts: { 'no-tenant': 'plans are the same for all' } },
    },
  )
  .served({
    hire: 'TransactWriteItems',
    agent: 'GetItem',
    open: 'TransactWriteItems',
    pass: 'TransactWriteItems',
    ticket: 'GetItem',
    titleOf: 'GetItem',
    tickets: { query: 'GSI1' },
    plan: 'GetItem',
    setPrice: 'UpdateItem',
    dropPlan: 'DeleteItem',
  });

const table = 'arn:aws:dynamodb:*:*:table/Desk';
const like = (...leads: readonly string[]): object => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leads },
});

describe('the least policy for patterns', () => {
  test('has the actions of a write with its guards and parents, in the partitions of the tenant', () => {
    const { policy, alsoAllowed } = patternPolicy(desk, ['hire', 'open'], { tag: 'team' });
    expect(policy.Statement.map(({ Action, Resource, Condition }) => [Action, Resource, Condition])).toEqual([
      [
        ['dynamodb:PutItem'],
        table,
        like('T#${aws:PrincipalTag/team}', 'T#${aws:PrincipalTag/team}#EMAIL#*', 'T#${aws:PrincipalTag/team}#TICKET#*'),
      ],
      [['dynamodb:ConditionCheckItem'], table, like('T#${aws:PrincipalTag/team}')],
    ]);
    expect(alsoAllowed).toEqual([]);
  });

  test('has the check of the parent to which an update moves a child', () => {
    const { policy } = patternPolicy(desk, ['pass'], { tag: 'team' });
    expect(policy.Statement.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [['dynamodb:UpdateItem'], like('T#${aws:PrincipalTag/team}#TICKET#*')],
      [['dynamodb:ConditionCheckItem'], like('T#${aws:PrincipalTag/team}')],
    ]);
  });

  test('reads the index alone where a pattern does', () => {
    expect(patternPolicy(desk, ['tickets'], { account: '111122223333', region: 'eu-west-1' }).policy).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'DeskGSI11',
          Effect: 'Allow',
          Action: ['dynamodb:Query'],
          Resource: 'arn:aws:dynamodb:eu-west-1:111122223333:table/Desk/index/GSI1',
          Condition: like('T#${aws:PrincipalTag/tenantId}#AGENT#*'),
        },
      ],
    });
  });

  test('confines a read of some attributes to these, and names what cannot be told apart', () => {
    const { policy, alsoAllowed } = patternPolicy(desk, ['titleOf']);
    expect(policy.Statement.map(({ Condition }) => Condition)).toEqual([
      {
        ...like('T#${aws:PrincipalTag/tenantId}#TICKET#*'),
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['PK', 'SK', 'Type', 'title'] },
        StringEquals: { 'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'] },
      },
    ]);
    expect(alsoAllowed).toEqual([]);
    // A pattern that may read the whole item may also read a part of it, and needs no second statement.
    const both = patternPolicy(desk, ['ticket', 'titleOf']);
    expect(both.policy.Statement).toHaveLength(1);
    expect(patternPolicy(desk, ['ticket'])).toEqual({ ...both, alsoAllowed: ['titleOf'] });
  });

  test('takes a procedure for its patterns', () => {
    const actions = patternPolicy(desk, ['reprice']).policy.Statement.map(({ Action }) => Action);
    expect(actions).toEqual([['dynamodb:GetItem', 'dynamodb:UpdateItem']]);
  });

  test('confines a caller to its tenant where the partition key is a number', () => {
    const counters = model('counters')
      .entities({ Counter: entity({ tenantId: z.int(), name: z.string(), count: z.int() }) })
      .relationships([])
      .patterns({
        counter: { reads: 'Counter', by: ['tenantId', 'name'] },
        counters: { reads: ['Counter'], by: ['tenantId'] },
        set: { puts: 'Counter' },
      })
      .tables({ Counters: { key: ['tenantId:N', 'SK'], tenant: 'tenantId' } })
      .keys({ Counter: { Counters: ['{tenantId}', 'COUNTER#{name}'] } })
      .served({ counter: 'GetItem', counters: { query: 'Counters' }, set: 'PutItem' });
    for (const name of ['counter', 'counters', 'set'])
      expect(patternPolicy(counters, [name]).policy.Statement.map(({ Condition }) => Condition)).toEqual([
        like('${aws:PrincipalTag/tenantId}'),
      ]);
  });

  test('lets a write give a guard the value that the item now has, if the key of the guard stays', () => {
    const members = model('members')
      .entities({
        Member: entity({ id: z.string(), email: z.string() }, { unique: ['email'], same: { email: 'lower' } }),
      })
      .relationships([])
      .patterns({
        setEmail: { updates: 'Member', by: ['id'], sets: ['email'] },
        save: { upserts: 'Member' },
        leave: { deletes: 'Member', by: ['id'] },
      })
      .tables({ Members: { key: ['PK', 'SK'] } })
      .keys({ Member: { Members: ['MEMBER#{id}', 'MEMBER'] } })
      .served({
        setEmail: ['GetItem', 'TransactWriteItems'],
        save: ['GetItem', 'TransactWriteItems'],
        leave: ['GetItem', 'TransactWriteItems'],
      });
    const ofGuard = (name: string): readonly string[] =>
      patternPolicy(members, [name])
        .policy.Statement.filter(({ Condition }) => JSON.stringify(Condition).includes('MEMBEREMAIL#*'))
        .flatMap(({ Action }) => Action);
    expect(ofGuard('setEmail')).toContain('dynamodb:UpdateItem');
    expect(ofGuard('save')).toContain('dynamodb:UpdateItem');
    expect(ofGuard('leave')).not.toContain('dynamodb:UpdateItem');
  });

  test('names a transaction that checks an item which it may write as well, so that it sends no check', () => {
    const teams = model('teams')
      .entities({
        Team: entity({ team: z.string(), open: z.boolean(), members: z.int().default(0) }),
        Member: entity({ team: z.string(), id: z.string() }),
      })
      .relationships([['Team', '1:N', 'Member', { count: 'members' }]])
      .patterns({
        join: { creates: 'Member' },
        joinOpen: {
          transacts: {
            look: { checks: 'Team', by: ['team'], given: { open: true } },
            member: { creates: 'Member' },
          },
        },
      })
      .tables({ Teams: { key: ['PK', 'SK'] } })
      .keys({ Team: { Teams: ['TEAM#{team}', 'TEAM'] }, Member: { Teams: ['TEAM#{team}', 'MEMBER#{id}'] } })
      .served({ join: 'TransactWriteItems', joinOpen: 'TransactWriteItems' });
    expect(patternPolicy(teams, ['join'])).toMatchObject({ alsoAllowed: [], partlyAllowed: ['joinOpen'] });
    expect(patternPolicy(teams, ['joinOpen'])).toMatchObject({ alsoAllowed: ['join'], partlyAllowed: [] });
  });

  test('refuses what the model does not have', () => {
    expect(() => patternPolicy(desk, ['tikcets'])).toThrow('is neither a pattern nor a procedure of the model: hire,');
  });
});

test.each([
  ['*', 'A#*', true, true],
  ['A#*', 'A#*', true, true],
  ['A#*', 'A#*#B', true, true],
  ['A#*#B', 'A#*', false, true],
  ['A#*', 'B#*', false, false],
  ['A#${aws:PrincipalTag/t}', 'A#${aws:PrincipalTag/t}', true, true],
  ['A#${aws:PrincipalTag/t}', 'A#*', false, true],
  ['A#${aws:PrincipalTag/t}#*', 'A#${aws:PrincipalTag/t}#B#*', true, true],
  ['A#${*}', 'A#x', false, false],
  ['A', 'A#', false, false],
])('%s and %s: covers %s, meets %s', (one, other, covers, meets) => {
  expect([coversText(one, other), meetsText(one, other), meetsText(other, one)]).toEqual([covers, meets, meets]);
});
