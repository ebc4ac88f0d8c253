import { readFileSync } from 'node:fs';
import type { Finding } from '@singlet/model/check';

/** Locates a finding in the file that declares the model. */
export type FindingLocator = (loaded: { readonly file: string }, finding: Finding) => string;

/** Loads the function that locates a finding in its file: `shop.model.ts:12:3`, or the file alone. */
export async function loadFindingLocator(): Promise<FindingLocator> {
  const { placeInFile } = await import('@singlet/model/check');
  return ({ file }, { path }) => {
    const place = placeInFile(readFileSync(file, 'utf8'), path);
    return place === undefined ? file : `${file}:${place.line}:${place.column}`;
  };
}
