import { randomUUID } from 'node:crypto';
import { RuleError } from '@singlet/model';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { pauseWithJitter } from '../../pause.ts';
import { openAccess } from '../access.ts';
import { AccessError, type AccessErrorCode } from '../errors.ts';
import { accessControl } from '../model.ts';
import { seedAccessControl } from '../seed.ts';
import { TableQueue } from '../table-queue.ts';
import { Gatehouse } from './gatehouse.ts';
import { actionsOf, screensOf } from './pages.ts';
import { RunningPropagation } from './propagation.ts';
import { routesOf } from './routes.ts';

const SAMPLES = 8;

/** Serves access control. Scale 1 is 10,000 users with 200 roles and 500 policies. */
export async function startAccessControl(options: ApplicationStart): Promise<HttpServer> {
  const { client, database, scale, say, onFault } = options;
  const costs = Costs.of(client);
  const { tableName, isNew, beginStream } = await openTable(client, accessControl);
  const access = openAccess({
    client,
    tableName,
    clock: new MovedClock(),
    newId: randomUUID,
    pause: pauseWithJitter,
    onRequest: costs.patternsOf(accessControl),
  });
  if (isNew && scale > 0) {
    const { users, roles, policies } = await seedAccessControl(access.db, scale);
    say(`${users} users, ${roles} roles, ${policies} policies`);
  }
  await beginStream();
  const queue = new TableQueue(access);
  const worker = { isOn: true };
  const secret = cursorSecret();
  const house = new Gatehouse({ access, queue, worker, secret });
  const propagation = await RunningPropagation.start({
    client,
    database,
    access,
    queue,
    tableName,
    worker,
    onFault,
  });
  const numbered = (letter: string): readonly string[] =>
    Array.from({ length: scale === 0 ? 0 : SAMPLES }, (_, at) => `${letter}${at + 1}`);
  const pages = {
    house,
    samples: {
      users: numbered('u'),
      roles: numbered('r'),
      policies: numbered('p'),
      orgs: numbered('').slice(0, 4),
    },
  };
  return await serveApplication(options, {
    frame: {
      name: 'Gatehouse',
      voice: 'instrument',
      places: [
        { path: '/', label: 'Ask' },
        { path: '/people', label: 'People' },
        { path: '/queue', label: 'Queue' },
      ],
      scripts: ['live'],
    },
    description: 'Who may do what: users, roles, policies, and the copies by which one read decides.',
    tint: { hue: 260, strength: 0.6 },
    style: new URL('style.css', import.meta.url),
    routes: routesOf(house),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
    end: async () => {
      await propagation.close();
    },
  });
}

const REFUSALS: Readonly<Record<AccessErrorCode, readonly [status: number, code: string, words: string]>> = {
  'no-role': [404, 'not-found', 'There is no such role.'],
  'no-user': [404, 'not-found', 'There is no such user.'],
  'no-policy': [404, 'not-found', 'There is no such policy.'],
  'already-held': [409, 'already-done', 'They belong together already.'],
  'not-held': [404, 'not-found', 'The user does not have this role.'],
  busy: [503, 'busy', 'Too many are writing here at once. Try again in a moment.'],
  'job-dead': [409, 'not-now', 'The job was given up.'],
  'job-missing': [404, 'not-found', 'There is no such job.'],
  'job-not-dead': [409, 'not-now', 'The job is not dead.'],
};

function errorOf(error: unknown): HttpError | undefined {
  if (error instanceof AccessError) return new HttpError(...REFUSALS[error.code]);
  if (!(error instanceof RuleError)) return undefined;
  switch (error.code) {
    case 'already-exists':
      return new HttpError(409, 'taken', 'There is one of this id, or they belong together already.');
    case 'not-found':
    case 'parent-missing':
      return new HttpError(404, 'not-found', 'There is no such thing.');
    case 'condition-failed':
    case 'stale-version':
      return new HttpError(409, 'stale', 'It was changed meanwhile. Look at it again.');
    case 'busy':
    case 'not-unique':
      return undefined;
  }
}
