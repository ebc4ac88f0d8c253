import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Application } from './http/start-options.ts';

// What the programs for the applications share: `app.ts` serves one, `load.ts` puts one under load.

const folder = new URL('./', import.meta.url);

export type Applications = ReadonlyMap<string, Application>;

/** The names of the applications in this folder: each has `http/serve.ts`. */
async function applicationNames(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => existsSync(fileOf(name))).toSorted();
}

/** The applications in this folder by name. */
export async function findApplications(): Promise<Applications> {
  const names = await applicationNames();
  return new Map(await Promise.all(names.map(async (name) => [name, await loadApplication(name)] as const)));
}

function fileOf(name: string): URL {
  return new URL(`${name}/http/serve.ts`, folder);
}

async function loadApplication(name: string): Promise<Application> {
  // A path that `start.mjs` can bundle.
  const { application } = (await import(`./${name}/http/serve.ts`)) as { readonly application: Application };
  return application;
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
 * The application that a command line names; a single one need not be named. The others are not loaded: that takes longer
 * than everything else until the first page.
 *
 * @throws {RangeError} if there is none of this name, or none is named.
 */
export async function applicationNamed([name]: readonly string[]): Promise<Application> {
  const names = await applicationNames();
  const [only, ...others] = names;
  const chosen = name ?? (others.length === 0 ? only : undefined);
  if (chosen === undefined) throw new RangeError('Name an application');
  if (!names.includes(chosen)) throw new RangeError(`There is no application ${JSON.stringify(chosen)}`);
  return await loadApplication(chosen);
}

/** @throws {RangeError} for a text that is not a number within the bounds */
export function numberFrom(option: string, text: string, [least, most]: readonly [number, number]): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= least && number <= most)) {
    throw new RangeError(`${option} takes a number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}
