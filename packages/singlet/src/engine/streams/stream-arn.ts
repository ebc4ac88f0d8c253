import { ValidationException } from '../../values/service-error.ts';
import { msOfStreamLabel } from '../catalog/utc-text.ts';
import type { StreamIdentity } from './stream-record.ts';

const pattern = /^arn:aws[a-z-]*:dynamodb:([^:]+):([^:]+):table\/([a-zA-Z0-9_.-]{3,255})\/stream\/([0-9T:.-]+)$/;

/**
 * The stream that an ARN names.
 *
 * @throws {ValidationException} if the text is not the ARN of a stream.
 */
export function parseStreamArn(arn: string): StreamIdentity {
  const [, region, accountId, tableName, label] = pattern.exec(arn) ?? [];
  const sinceMs = label === undefined ? undefined : msOfStreamLabel(label);
  if (region === undefined || accountId === undefined || tableName === undefined || sinceMs === undefined) {
    throw new ValidationException('Invalid StreamArn');
  }
  return { region, accountId, tableName, sinceMs };
}
