import type { PlaceInfo, TableInfo } from '../resolve/resolved.ts';
import type { Change } from './change.ts';
import type { Version } from './snapshot.ts';

/** Differences of tables and indexes. */
export function changesOfTables(before: Version, after: Version): Change[] {
  const changes: Change[] = [];
  for (const table of after.resolved.tables.values()) {
    const old = before.resolved.tables.get(table.name);
    if (old === undefined) changes.push(tableAdded(table));
    else changes.push(...changesOfTable(old, table));
  }
  for (const { name } of before.resolved.tables.values()) {
    if (after.resolved.tables.has(name)) continue;
    const message = 'The table stays; delete it when nothing reads it.';
    changes.push({ class: 'nothing', code: 'table-removed', path: `tables.${name}`, message, deploy: 'any' });
  }
  return changes;
}

function tableAdded({ name }: TableInfo): Change {
  const message = 'The table is created first.';
  return { class: 'new-collection', code: 'table-added', path: `tables.${name}`, message, deploy: 'any' };
}

function changesOfTable(before: TableInfo, after: TableInfo): Change[] {
  const path = `tables.${after.name}`;
  const changes: Change[] = [];
  const byHand = (code: string, where: string, message: string): void => {
    changes.push({ class: 'by-hand', code, path: where, message, deploy: 'any' });
  };
  if (keyText(before.place) !== keyText(after.place))
    byHand(
      'table-key',
      path,
      'The key of a table cannot change: declare a table of another name, and its items move there, or copy them with singlet migrate follow.',
    );
  if (before.typeAttribute !== after.typeAttribute)
    byHand(
      'type-attribute',
      `${path}.type`,
      'Items are found by their type attribute: keep it, or move to another table.',
    );
  if (before.stream !== after.stream)
    byHand('stream', `${path}.stream`, 'Switch the stream with UpdateTable; no item changes.');
  for (const index of after.indexes) {
    const old = before.indexes.find(({ name }) => name === index.name);
    const where = `${path}.indexes.${index.name}`;
    if (old === undefined && index.kind === 'local')
      byHand(
        'local-index-added',
        where,
        'A local index is made with its table only: use a global one, or a new table (singlet migrate follow).',
      );
    else if (old === undefined) changes.push(indexAdded(where));
    else if (indexText(old) !== indexText(index))
      byHand(
        'index-changed',
        where,
        'An index cannot change: declare one of another name, and drop this one when nothing reads it.',
      );
  }
  for (const { name } of before.indexes) {
    if (after.indexes.some((index) => index.name === name)) continue;
    const message =
      'The index stays until `drop` is asked for, when nothing reads it any more. Items keep its key attributes: give a later index others.';
    changes.push({ class: 'nothing', code: 'index-removed', path: `${path}.indexes.${name}`, message, deploy: 'any' });
  }
  if (before.expires !== after.expires) changes.push(timeToLive(path, before, after));
  return changes;
}

function indexAdded(path: string): Change {
  return {
    class: 'new-index',
    code: 'index-added',
    path,
    message:
      'The index is made while the table is in use. Patterns that read it are switched on when it is active and filled.',
    deploy: 'writers-first',
    strategy: 'S-62',
  };
}

function timeToLive(path: string, before: TableInfo, after: TableInfo): Change {
  const code = 'time-to-live';
  if (before.expires === undefined) {
    const message = `Time to live is switched on for ${after.expires}.`;
    return { class: 'nothing', code, path, message, deploy: 'any', strategy: 'S-75' };
  }
  if (after.expires === undefined) {
    const message = `Time to live is switched off for ${before.expires}. Items that have expired and are still stored can be read again.`;
    return { class: 'nothing', code, path, message, deploy: 'any' };
  }
  const message = `The service expires by ${before.expires}: switch it off, wait an hour, and switch it on for ${after.expires}.`;
  return { class: 'by-hand', code, path, message, deploy: 'any' };
}

function keyText({ partition, sort }: PlaceInfo): string {
  return [partition, sort].map((keys) => keys.map(({ attribute, type }) => `${attribute}:${type}`).join()).join(';');
}

function indexText(place: PlaceInfo): string {
  const { project } = place;
  return [place.kind, keyText(place), typeof project === 'string' ? project : [...project].sort().join()].join('|');
}
