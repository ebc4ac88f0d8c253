import { entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9]+$/);
const capitals = z.string().regex(/^[A-Z]+$/);

/** S-49 Text sorts by its bytes, capitals before small letters: the key has one case, another attribute the displayed form. */
export const phoneBook = model('phoneBook')
  .entities({ Person: entity({ book: capitals, name: z.string() }, { same: { name: 'upper' } }) })
  .relationships([])
  .patterns({
    add: { creates: 'Person' },
    people: { reads: ['Person'], by: ['book'], order: 'name asc', limit: 50, strategy: 'S-49' },
  })
  .tables({ People: { key: ['PK', 'SK'] } })
  .keys({ Person: { People: ['BOOK#{book}', 'NAME#{name:upper}'] } })
  .served({ add: 'PutItem', people: { query: 'People' } });

/** S-52 Sorted by a changing attribute: the primary key stays, and the index key follows each update. */
export const recentTickets = model('recentTickets')
  .entities({ Ticket: entity({ organization: id, ticketId: id, updatedAt: z.iso.datetime({ precision: 0 }) }) })
  .relationships([])
  .patterns({
    open: { creates: 'Ticket' },
    touch: { updates: 'Ticket', by: ['organization', 'ticketId'], sets: ['updatedAt'] },
    recent: { reads: ['Ticket'], by: ['organization'], order: 'updatedAt desc', limit: 10, strategy: 'S-52' },
  })
  .tables({ Tickets: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Ticket: {
      Tickets: ['ORG#{organization}', 'TICKET#{ticketId}'],
      GSI1: ['ORG#{organization}', '{updatedAt:seconds}'],
    },
  })
  .served({ open: 'PutItem', touch: 'UpdateItem', recent: { query: 'GSI1' } });

/**
 * S-53 The parent is at the end where reading begins: with `#`, readings sort before their device, and the newest are next to it.
 * S-85 The latest few of very many: backwards, with a limit.
 */
export const sensors = model('sensors')
  .entities({
    Device: entity({ device: id, location: z.string() }),
    Reading: entity({ device: id, at: z.iso.datetime({ precision: 0 }), celsius: z.number() }),
  })
  .relationships([['Device', '1:N', 'Reading']])
  .patterns({
    install: { creates: 'Device' },
    record: { puts: ['Reading'], accepts: { 'put-replaces': 'a device has one reading a second' } },
    deviceWithReadings: {
      reads: { device: 'Device', readings: ['Reading'] },
      by: ['device'],
      order: 'at desc',
      limit: 10,
      strategy: 'S-53',
    },
    latest: { reads: ['Reading'], by: ['device'], order: 'at desc', limit: 20, strategy: 'S-85' },
  })
  .tables({ Sensors: { key: ['PK', 'SK'] } })
  .keys(
    {
      Device: { Sensors: ['DEVICE#{device}', 'DEVICE#{device}'] },
      Reading: { Sensors: ['DEVICE#{device}', '#READING#{at:seconds}'] },
    },
    { Reading: { accepts: { 'time-only-sort-key': 'a device has one reading a second' } } },
  )
  .served({
    install: 'PutItem',
    record: 'BatchWriteItem',
    deviceWithReadings: { query: 'Sensors' },
    latest: { query: 'Sensors' },
  });

/** S-54 Two relationships in one collection: one before the parent, read backwards, one after it, read forwards. */
export const teams = model('teams')
  .entities({
    Organization: entity({ organization: capitals }),
    Team: entity({ organization: capitals, team: capitals }),
    User: entity({ organization: capitals, user: capitals }),
  })
  .relationships([
    ['Organization', '1:N', 'Team'],
    ['Organization', '1:N', 'User'],
  ])
  .patterns({
    found: { creates: 'Organization' },
    form: { creates: 'Team' },
    join: { creates: 'User' },
    withTeams: {
      reads: { organization: 'Organization', teams: ['Team'] },
      by: ['organization'],
      order: 'team desc',
      limit: 20,
      strategy: 'S-54',
    },
    withUsers: {
      reads: { organization: 'Organization', users: ['User'] },
      by: ['organization'],
      order: 'user asc',
      limit: 20,
      strategy: 'S-54',
    },
  })
  .tables({ Teams: { key: ['PK', 'SK'] } })
  .keys({
    Organization: { Teams: ['ORG#{organization}', 'ORG#{organization}'] },
    Team: { Teams: ['ORG#{organization}', '#TEAM#{team}'] },
    User: { Teams: ['ORG#{organization}', 'USER#{user}'] },
  })
  .served({
    found: 'PutItem',
    form: 'PutItem',
    join: 'PutItem',
    withTeams: { query: 'Teams' },
    withUsers: { query: 'Teams' },
  });

/**
 * S-55 Numbers in text are padded with zeros: five digits here.
 * S-56 Readings are numbered downwards from 99999, so that after their device the newest comes first; the issues of the same
 * device, before it, are newest first backwards. One collection, no index.
 */
export const numbered = model('numbered')
  .entities({
    Device: entity({ device: id }),
    Issue: entity({ device: id, issue: z.number().int() }),
    Reading: entity({ device: id, number: z.number().int() }),
  })
  .relationships([
    ['Device', '1:N', 'Issue'],
    ['Device', '1:N', 'Reading'],
  ])
  .patterns({
    install: { creates: 'Device' },
    report: { creates: 'Issue' },
    record: { creates: 'Reading' },
    withIssues: {
      reads: { device: 'Device', issues: ['Issue'] },
      by: ['device'],
      order: 'issue desc',
      limit: 10,
      strategy: 'S-55',
    },
    withReadings: {
      reads: { device: 'Device', readings: ['Reading'] },
      by: ['device'],
      order: 'number desc',
      limit: 10,
      strategy: 'S-56',
    },
  })
  .tables({ Devices: { key: ['PK', 'SK'] } })
  .keys({
    Device: { Devices: ['DEVICE#{device}', 'DEVICE#{device}'] },
    Issue: { Devices: ['DEVICE#{device}', '#ISSUE#{issue:05}'] },
    Reading: { Devices: ['DEVICE#{device}', 'READING#{number:inverse5}'] },
  })
  .served({
    install: 'PutItem',
    report: 'PutItem',
    record: 'PutItem',
    withIssues: { query: 'Devices' },
    withReadings: { query: 'Devices' },
  });

/** S-55 Whether a counter has used so many of its digits that a greater width must be planned. */
export function isNearlyFull(count: number, width: number, share: number = 0.3): boolean {
  return count >= share * 10 ** width;
}
