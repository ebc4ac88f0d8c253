import type { ObjectStore } from '../../transfer/buckets/bucket.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { EngineServices } from '../services.ts';

/**
 * The buckets of this database, for an action that needs them.
 *
 * @throws {ValidationException} if it has none. The service always has buckets: the text is our own.
 */
export function requireObjectStore({ objects }: EngineServices): ObjectStore {
  if (objects === undefined) {
    throw new ValidationException(
      'This database has no buckets to export to or import from: start it with --buckets DIRECTORY or --s3-endpoint URL, or give createDatabase the option buckets',
    );
  }
  return objects;
}
