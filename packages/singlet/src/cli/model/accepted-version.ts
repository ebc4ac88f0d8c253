import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Snapshot } from '@singlet/model/versions';
import { UsageError } from '../usage-error.ts';
import type { LoadedModel } from './load-models.ts';
import { errorCodeOf } from '../../storage/files/node-file-system.ts';
import { fileProblem } from '../file-problem.ts';

/** Where the accepted version of a model is: by default beside it. */
export function acceptedFile({ file, model }: LoadedModel, given: string | undefined): string {
  return given ?? join(dirname(file), `${model.name}.accepted.json`);
}

/**
 * The accepted version of a model.
 *
 * @throws {UsageError} if there is none, or the file is invalid.
 */
export async function acceptedVersion(loaded: LoadedModel, given: string | undefined): Promise<Snapshot> {
  const file = acceptedFile(loaded, given);
  const { readSnapshot } = await import('@singlet/model/versions');
  const text = fileTextIfPresent(file);
  if (text === undefined)
    throw new UsageError(
      `There is no ${file}: write it with singlet accept ${loaded.file} while the model is the version that runs.`,
    );
  try {
    return readSnapshot(text);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The text of a file; undefined if it does not exist. */
export function fileTextIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw fileProblem(file, error);
  }
}
