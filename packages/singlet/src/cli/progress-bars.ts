import type * as CliProgress from 'cli-progress';
import { missingPackage } from '../values/missing-package.ts';

/** @returns undefined if the package is not installed. Progress bars are optional, so this is not an error. */
export async function loadProgressBars(): Promise<Pick<typeof CliProgress, 'SingleBar' | 'Presets'> | undefined> {
  try {
    return (await import('cli-progress')).default;
  } catch (error) {
    if (missingPackage('A progress bar', error) === undefined) throw error;
    return undefined;
  }
}
