import type * as CliProgress from 'cli-progress';
import { missingPackage } from '../values/missing-package.ts';

/** The width of a bar, so that the numbers behind it are seen on a narrow terminal: the bar does not wrap, and what is too wide is cut off. */
export function barCharacters({ columns = 80 }: { readonly columns?: number }): number {
  return Math.max(1, Math.min(40, Math.floor(columns / 4)));
}

/** @returns undefined if the package is not installed. Progress bars are optional, so this is not an error. */
export async function loadProgressBars(): Promise<Pick<typeof CliProgress, 'SingleBar' | 'Presets'> | undefined> {
  try {
    return (await import('cli-progress')).default;
  } catch (error) {
    if (missingPackage('A progress bar', error) === undefined) throw error;
    return undefined;
  }
}
