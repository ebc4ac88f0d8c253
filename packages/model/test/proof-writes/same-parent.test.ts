import { expect, test } from 'vitest';
import { z } from 'zod';
import { entity, model } from '../../src/index.ts';
import { prove } from '../../src/prove/index.ts';
import { openModel } from './open-model.ts';

const chess = model('chess')
  .entities({
    Player: entity(
      { player: z.string().min(1), games: z.int().default(0), points: z.int().default(0) },
      { same: { player: 'slug' }, examples: { player: ['x/y', 'x:y', 'XY', 'z'] } },
    ),
    Game: entity({
      game: z.string().regex(/^[a-z]{4}$/),
      white: z.string().min(1),
      score: z.int().min(0).max(9).optional(),
    }),
  })
  .relationships([
    ['Player', '1:N', 'Game', { required: true, count: 'games', sum: { points: 'score' }, by: { player: 'white' } }],
  ])
  .patterns({
    join: { creates: 'Player' },
    pair: { creates: 'Game' },
    swap: { updates: 'Game', by: ['game'], sets: ['white'], maySet: ['score'] },
    drop: { deletes: 'Game', by: ['game'] },
    player: { reads: 'Player', by: ['player'] },
  })
  .tables({ Chess: { key: ['PK', 'SK'] } })
  .keys({ Player: { Chess: ['P#{player:slug}', 'P'] }, Game: { Chess: ['G#{game}', 'G'] } })
  .served({
    join: 'PutItem',
    pair: 'TransactWriteItems',
    swap: ['GetItem', 'TransactWriteItems'],
    drop: ['GetItem', 'TransactWriteItems'],
    player: 'GetItem',
  });

test('a child finds, and is counted by, a parent whose key it spells in another way that is the same', async () => {
  await using open = await openModel(chess);
  const { db } = open;
  await db.join({ player: 'x/y' });
  await db.pair({ game: 'aaaa', white: 'X:Y', score: 2 });
  await db.swap({ game: 'aaaa', white: 'xy', score: 3 });
  expect(await db.player({ player: 'XY' })).toEqual({ player: 'x/y', games: 1, points: 3 });
  const { wrongWrites } = await prove(chess, { client: open.database.client, runs: 8, writes: true });
  expect(wrongWrites).toBeUndefined();
});
