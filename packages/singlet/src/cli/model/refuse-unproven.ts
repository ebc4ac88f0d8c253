import { UsageError } from '../usage-error.ts';
import { loadFindingLocator } from './finding-locator.ts';
import type { LoadedModel } from './load-models.ts';

/**
 * Refuses to run a model that `singlet check` refutes.
 *
 * @throws {UsageError} with the first error, its place, and how to see the others.
 */
export async function refuseUnproven(loaded: LoadedModel): Promise<void> {
  const { check } = await import('@singlet/model/check');
  const errors = check(loaded.model).findings.filter(({ level }) => level === 'error');
  const [first] = errors;
  if (first === undefined) return;
  const placeOf = await loadFindingLocator();
  const more = errors.length === 1 ? '' : `, and ${errors.length - 1} more`;
  throw new UsageError(
    `${placeOf(loaded, first)} ${first.code}: ${first.message}${more}. Nothing was sent: correct the model first (singlet check ${loaded.file}).`,
  );
}
