import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { keyIn, numberIn } from './query.ts';

const outlineRowsByDefault = 64;

/** How the items of a table or index are distributed in hash space. */
export const outlineEndpoint: Endpoint = {
  method: 'GET',
  path: ['outline', 'TABLE'],
  permission: 'GetOutline',
  async answer({ query, context }, { engine }, [tableName = '']) {
    const indexName = query.get('index') ?? undefined;
    const rows = numberIn(query, 'rows') ?? outlineRowsByDefault;
    return (await engine.inspection()).spaceOutline({ tableName, indexName, rows }, context);
  },
};

/** Where a key is, by `?key=`, or what is at a fraction of the whole, by `?at=`. */
export const placeEndpoint: Endpoint = {
  method: 'GET',
  path: ['place', 'TABLE'],
  permission: 'GetOutline',
  async answer({ query, context }, { engine }, [tableName = '']) {
    const subject = { tableName, indexName: query.get('index') ?? undefined };
    const fraction = numberIn(query, 'at');
    const key = query.get('key');
    if ((key === null) === (fraction === undefined)) {
      throw new ValidationException('A place is asked for by its key or by a number: ?key={"PK":{"S":"…"}} or ?at=0.5');
    }
    const inspection = await engine.inspection();
    if (fraction !== undefined) return inspection.keyPlace({ ...subject, fraction }, context);
    return inspection.keyPlace({ ...subject, key: keyIn(key ?? '') }, context);
  },
};
