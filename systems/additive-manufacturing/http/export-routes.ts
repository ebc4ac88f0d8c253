import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { type Route, route } from '../../http/route.ts';
import { type DataLake, type LakeExport, NoExportsError, NoSuchTimeError } from '../data-lake.ts';

const exportShape = z.object({
  exportId: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  manifest: z.string().optional(),
  items: z.int().optional(),
});
export const time = z.iso.datetime();
const wanted = z.object({ from: time.optional(), to: time.optional() });
/** As the service makes them. */
export const exportId = z.string().regex(/^[\w-]{1,60}$/);

/** Exports for data scientists. The service makes them from its backups. */
export function exportRoutes(lake: DataLake): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/exports',
      operationId: 'beginExport',
      summary:
        'Export everything, or the changes between two times that are at least 15 minutes apart, to the bucket of the data scientists',
      description: 'With an Idempotency-Key, the same key is the same export.',
      takesKey: true,
      tag: 'Exports',
      serves: ['AM-W7'],
      body: wanted,
      answers: {
        202: { description: 'It has begun', schema: exportShape },
        409: { description: 'There is no bucket here, or no backup' },
      },
      handle: async ({ body, key }) => ({ status: 202, body: await begun(lake, body, key) }),
    }),
    route({
      method: 'GET',
      path: '/exports/{exportId}',
      operationId: 'getExport',
      summary: 'How far an export is, and its manifest when it is done',
      tag: 'Exports',
      serves: ['AM-W7'],
      pathSchemas: { exportId },
      answers: {
        200: { description: 'The export', schema: exportShape },
        404: { description: 'There is no such export' },
      },
      handle: async ({ path }) => {
        return { status: 200, body: await existingExport(lake, path.exportId) };
      },
    }),
  ];
}

/** @param id - undefined for what cannot be one. @throws {HttpError} 404 */
export async function existingExport(lake: DataLake, id: string | undefined): Promise<LakeExport> {
  const found = id === undefined ? undefined : await lake.find(id);
  if (found === undefined) throw new HttpError(404, 'not-found', 'There is no such export.');
  return found;
}

/** Begins an export. @throws {HttpError} 400 for times that are none, 409 where there are no exports */
export async function begun(
  lake: DataLake,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  key: string | undefined,
): Promise<LakeExport> {
  if ((from === undefined) !== (to === undefined)) throw refusedTime('comes together with to');
  const between = from === undefined || to === undefined ? undefined : { from: new Date(from), to: new Date(to) };
  try {
    return await lake.begin(between, key);
  } catch (error) {
    if (error instanceof NoSuchTimeError) {
      throw refusedTime('has to be at least 15 minutes before to, and both in the time of the backups');
    }
    if (error instanceof NoExportsError) {
      throw new HttpError(409, 'not-now', 'The database has no bucket for exports, or no backup yet.');
    }
    throw error;
  }
}

function refusedTime(detail: string): HttpError {
  return new HttpError(400, 'invalid', `from ${detail}.`, {}, [{ field: 'from', detail }]);
}
