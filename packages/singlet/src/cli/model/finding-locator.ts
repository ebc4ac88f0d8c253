import { readFileSync } from 'node:fs';
import type { Model } from '@singlet/model';
import type { Finding } from '@singlet/model/check';

/** Locates a finding in the file that declares the model. */
export type FindingLocator = (
  loaded: { readonly file: string; readonly model: Model },
  finding: Pick<Finding, 'path'>,
) => string;

/** Loads the function that locates a finding in its file: `shop.model.ts:12:3`, or the file alone. */
export async function loadFindingLocator(): Promise<FindingLocator> {
  const { placeInFile } = await import('@singlet/model/check');
  return ({ file, model }, { path }) => {
    const place = placeInFile(readFileSync(file, 'utf8'), path, model.name);
    return place === undefined ? file : `${file}:${place.line}:${place.column}`;
  };
}
