import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model } from '../src/index.ts';
import { testDatabase } from './test-database.ts';

const teams = model('teams')
  .entities({ Team: entity({ team: z.string(), motto: z.string().optional() }) })
  .relationships([])
  .patterns({ found: { creates: 'Team' }, team: { reads: 'Team', by: ['team'] } })
  .tables({ Teams: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Team: { Teams: ['TEAM#{team}', 'TEAM#{team}'] } })
  .served({ found: 'PutItem', team: 'GetItem' });

/** The first version plus its additions: bots, and an index that puts them beside their team. */
const teamsWithBots = model('teams')
  .entities({ ...teams.entities, Bot: entity({ team: z.string(), bot: z.string() }) })
  .relationships([...teams.relationships, ['Team', '1:N', 'Bot']])
  .patterns({
    ...teams.patterns,
    addBot: {
      transacts: { bot: { creates: 'Bot' }, team: { updates: 'Team', by: ['team'], rekeys: ['GSI1'] } },
    },
    motto: { updates: 'Team', by: ['team'], sets: ['motto'], rekeys: ['GSI1'] },
    teamWithBots: { reads: { team: 'Team', bots: ['Bot'] }, by: ['team'], order: 'bot asc', limit: 10 },
  })
  .tables(teams.tables)
  .keys({
    ...teams.keys,
    Team: { ...teams.keys.Team, GSI1: ['TEAM#{team}', '#TEAM'] },
    Bot: { Teams: ['BOT#{team}#{bot}', 'BOT#{team}#{bot}'], GSI1: ['TEAM#{team}', 'BOT#{bot}'] },
  })
  .served({
    ...teams.served,
    addBot: 'TransactWriteItems',
    motto: 'UpdateItem',
    teamWithBots: { query: 'GSI1' },
  });

test('an update writes index keys again that an older version did not write', async () => {
  await using database = await testDatabase(teams);
  const { client } = database;
  await connect(teams, { client }).found({ team: 'red' });
  await connect(teams, { client }).found({ team: 'blue' });
  const db = connect(teamsWithBots, { client });
  expect(await db.teamWithBots({ team: 'red' })).toMatchObject({ team: undefined, bots: [] });

  await db.addBot({ bot: { team: 'red', bot: 'ci' }, team: { team: 'red' } });
  expect(await db.teamWithBots({ team: 'red' })).toMatchObject({ team: { team: 'red' }, bots: [{ bot: 'ci' }] });
  expect(await database.stored('Teams', 'GSI1')).toHaveLength(2);

  await db.motto({ team: 'blue', motto: 'on' });
  expect(await db.teamWithBots({ team: 'blue' })).toMatchObject({ team: { team: 'blue', motto: 'on' }, bots: [] });
});

test('the index keys of an item that is not there are not written', async () => {
  await using database = await testDatabase(teams);
  const { client } = database;
  const db = connect(teamsWithBots, { client });
  const adding = db.addBot({ bot: { team: 'green', bot: 'ci' }, team: { team: 'green' } });
  await expect(adding).rejects.toMatchObject({ code: 'not-found', entity: 'Team' });
  await expect(db.motto({ team: 'green', motto: 'on' })).rejects.toMatchObject({ code: 'not-found' });
  expect(await database.stored('Teams')).toEqual([]);
});

test('the keys that an item has stay, and wrong ones are mended', async () => {
  await using database = await testDatabase(teams);
  const { client } = database;
  const db = connect(teamsWithBots, { client });
  const own = { PK: { S: 'TEAM#red' }, SK: { S: 'TEAM#red' } };
  const Item = { ...own, Type: { S: 'Team' }, team: { S: 'red' }, GSI1PK: { S: 'TEAM#blue' }, GSI1SK: { S: 'x' } };
  await client.send(new PutItemCommand({ TableName: 'Teams', Item }));
  await db.motto({ team: 'red', motto: 'on' });
  await db.motto({ team: 'red', motto: 'still' });
  expect(await database.stored('Teams', 'GSI1')).toMatchObject([{ GSI1PK: 'TEAM#red', GSI1SK: '#TEAM' }]);
});
