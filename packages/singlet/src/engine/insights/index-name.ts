import { serviceLimits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';

/** @throws {ValidationException} when a name has an invalid length, with the text of these actions. */
export function checkIndexName(indexName: string | undefined): void {
  const { tableNameLengthMin, tableNameLengthMax } = serviceLimits;
  if (indexName === undefined) return;
  if (indexName.length >= tableNameLengthMin && indexName.length <= tableNameLengthMax) return;
  throw new ValidationException(
    `IndexName must be at least ${tableNameLengthMin} characters long and at most ${tableNameLengthMax} characters long`,
  );
}
