import type * as CliProgress from 'cli-progress';
import { missingPackage } from '../values/missing-package.ts';

/** @returns undefined where the package is not installed: a bar is an ornament, and nothing fails for want of it. */
export async function loadProgressBars(): Promise<Pick<typeof CliProgress, 'SingleBar' | 'Presets'> | undefined> {
  try {
    return (await import('cli-progress')).default;
  } catch (error) {
    if (missingPackage('A progress bar', error) === undefined) throw error;
    return undefined;
  }
}
