import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Application } from './http/start-options.ts';

// What the programs for the applications share: `app.ts` serves one, `load.ts` puts one under load.

const folder = new URL('./', import.meta.url);

export type Applications = ReadonlyMap<string, Application>;

/** The applications in this folder by name: each has `http/serve.ts`. */
export async function findApplications(): Promise<Applications> {
  const entries = await readdir(folder);
  const fileOf = (name: string): URL => new URL(`${name}/http/serve.ts`, folder);
  const names = entries.filter((name) => existsSync(fileOf(name))).toSorted();
  const loaded = names.map(async (name) => {
    const { application } = (await import(fileOf(name).href)) as { readonly application: Application };
    return [name, application] as const;
  });
  return new Map(await Promise.all(loaded));
}

/** A line for each application, with the size of its sample data. */
export function applicationLines(applications: Applications): string {
  return [...applications]
    .map(([name, { atScaleOne, usualScale }]) => `  ${name.padEnd(23)} at scale 1 ${atScaleOne} (${usualScale})`)
    .join('\n');
}

/** The beginning of a usage text. @param script - the script of the workspace; with one application it is a starter's */
export function commandOf(applications: Applications, script: { readonly many: string; readonly one: string }): string {
  return applications.size === 1 ? `npm ${script.one} --` : `npm run ${script.many} -- APPLICATION`;
}

/**
 * The application that a command line names; a single one need not be named.
 *
 * @throws {RangeError} if there is none of this name, or none is named.
 */
export function applicationNamed(applications: Applications, [name]: readonly string[]): Application {
  if (name === undefined) {
    const [only, ...others] = applications.values();
    if (only !== undefined && others.length === 0) return only;
    throw new RangeError('Name an application');
  }
  const named = applications.get(name);
  if (named === undefined) throw new RangeError(`There is no application ${JSON.stringify(name)}`);
  return named;
}

/** @throws {RangeError} for a text that is not a number within the bounds */
export function numberFrom(option: string, text: string, [least, most]: readonly [number, number]): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= least && number <= most)) {
    throw new RangeError(`${option} takes a number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}
