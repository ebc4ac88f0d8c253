import { resolve } from 'node:path';
import type { ElectrodbSchema, OnetableSchema } from '@singlet/model/bridges';
import { importFile } from './load-models.ts';

/** Schemas of other libraries that a module exports. */
export interface ImportedSchemas {
  readonly electrodb: readonly ElectrodbSchema[];
  readonly onetable: readonly OnetableSchema[];
}

/** Finds electrodb entities, services and schemas, and onetable schemas, among the exports of a module. */
export async function importedSchemas(file: string): Promise<ImportedSchemas> {
  const exports = Object.values(await importFile(resolve(file), file));
  return {
    electrodb: [...new Set(exports.flatMap(electrodbSchemas))],
    onetable: [...new Set(exports)].filter(isOnetable),
  };
}

function electrodbSchemas(value: unknown): ElectrodbSchema[] {
  if (isElectrodb(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const { model, entities } = value as { readonly model?: unknown; readonly entities?: unknown };
  if (typeof entities === 'object' && entities !== null) return Object.values(entities).flatMap(electrodbSchemas);
  // An Entity keeps the schema that it was created from.
  const { original } = (model ?? {}) as { readonly original?: unknown };
  return isElectrodb(original) ? [original] : [];
}

function isElectrodb(value: unknown): value is ElectrodbSchema {
  if (typeof value !== 'object' || value === null) return false;
  const { model, attributes, indexes } = value as Partial<ElectrodbSchema>;
  return typeof model?.entity === 'string' && typeof attributes === 'object' && typeof indexes === 'object';
}

function isOnetable(value: unknown): value is OnetableSchema {
  if (typeof value !== 'object' || value === null) return false;
  const { models, indexes } = value as Partial<OnetableSchema>;
  return typeof models === 'object' && typeof indexes === 'object' && 'primary' in indexes;
}
