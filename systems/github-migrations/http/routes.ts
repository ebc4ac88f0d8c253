import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { ACTS, LISTS, type Move, NAMES } from './moves.ts';
import { COMPARED, compare, type Site } from './site.ts';

const WRITE_UNITS_MAX = 100_000;

export const writeUnits = z.number().int().min(1).max(WRITE_UNITS_MAX);
const name = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/);
export const repoName = z.object({ owner: name, repo: name });

const move = z.object({
  id: z.enum(NAMES),
  state: z.enum(['ready', 'running', 'interrupted', 'done', 'verified', 'faulty', 'failed']),
  act: z.enum(ACTS).optional(),
  read: z.int(),
  written: z.int(),
  detail: z.string().optional(),
});
const look = z.object({ read: z.int(), shown: z.int(), rcu: z.number(), numbers: z.array(z.int()) });
const refused = { 409: { description: 'Out of order' } };
const pathSchemas = { id: z.enum(NAMES) };

/** The migrations over HTTP, with the lists that they change. */
export function routesOf(site: Site): readonly Route[] {
  const { moves } = site;
  return [
    route({
      method: 'GET',
      path: '/migrations',
      operationId: 'getMigrations',
      summary: 'How far each migration is',
      tag: 'Migrations',
      answers: { 200: { description: 'In their order', schema: z.object({ items: z.array(move) }) } },
      handle: async () => await Promise.resolve({ status: 200, body: { items: moves.list().map(moveShown) } }),
    }),
    ...ACTS.map((act) =>
      route({
        method: 'POST',
        path: `/migrations/{id}/${act}`,
        operationId: `${act}Migration`,
        summary: SUMMARIES[act],
        tag: 'Migrations',
        pathSchemas,
        serves: act === 'run' ? [...NAMES] : [],
        body: z.object({ writeUnits: writeUnits.optional() }),
        answers: { 202: { description: 'Begun', schema: move }, ...refused },
        handle: async ({ path, body }) =>
          await Promise.resolve({
            status: 202,
            body: moveShown(moves.begin(pathSchemas.id.parse(path['id']), act, body.writeUnits)),
          }),
      }),
    ),
    route({
      method: 'POST',
      path: '/migrations/{id}/interrupt',
      operationId: 'interruptMigration',
      summary: 'End what is running, after the request under way',
      tag: 'Migrations',
      pathSchemas,
      answers: { 200: { description: 'How far it is', schema: move }, ...refused },
      handle: async ({ path }) => ({ status: 200, body: moveShown(await moves.interrupt(path.id)) }),
    }),
    route({
      method: 'PUT',
      path: '/readers/{list}',
      operationId: 'switchReader',
      summary: 'Read a list by the keys of its migration, or as before',
      tag: 'Lists',
      pathSchemas: { list: z.enum(LISTS) },
      body: z.object({ byKey: z.boolean() }),
      answers: { 204: { description: 'Switched' }, ...refused },
      handle: async ({ path, body }) => {
        moves.switchReader(path.list, body.byKey);
        return await Promise.resolve({ status: 204 });
      },
    }),
    route({
      method: 'GET',
      path: '/compare',
      operationId: 'compare',
      summary: 'The lists of a repository, read as before and by key, with what each cost',
      tag: 'Lists',
      serves: ['GHM-10', 'GHM-11', 'GHM-12', 'GHM-13'],
      query: repoName,
      answers: {
        200: {
          description: 'Four lists',
          schema: z.object({
            items: z.array(
              z.object({
                list: z.enum(COMPARED),
                status: z.enum(['Open', 'Closed']),
                before: look,
                after: look.optional(),
              }),
            ),
          }),
        },
      },
      handle: async ({ query }) => ({ status: 200, body: { items: await compare(site, query) } }),
    }),
  ];
}

const SUMMARIES: Readonly<Record<(typeof ACTS)[number], string>> = {
  run: 'Begin a migration',
  resume: 'Continue one that was interrupted',
  verify: 'Compare every item with what the new version would write',
  undo: 'Take the keys and the index of a migration away again',
};

function moveShown({ id, state, act, read, written, detail }: Move): z.output<typeof move> {
  return { id, state, read, written, ...(act !== undefined && { act }), ...(detail !== undefined && { detail }) };
}
