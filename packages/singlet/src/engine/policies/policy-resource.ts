import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import { msOfStreamLabel } from '../catalog/utc-text.ts';
import type { PolicyTarget } from './check-resource-policy.ts';

/** The table or stream that a policy belongs to. */
export interface PolicyResource extends PolicyTarget {
  readonly tableName: string;
  /** For a stream: the content of its label; `sinceMs` is undefined if no stream can have the label. */
  readonly stream?: { readonly label: string; readonly sinceMs: number | undefined };
}

/**
 * The table or stream that an ARN names, in the account and region of the requester.
 *
 * @throws {ValidationException} if it names something else, or belongs to another account or region.
 */
export function policyResourceOf(resourceArn: string, context: RequestContext): PolicyResource {
  if (!resourceArn.startsWith('arn:')) throw invalidParameter(`ARNs must start with 'arn:': ${resourceArn}`);
  const [, partition, service, region, accountId, ...resource] = resourceArn.split(':');
  const [kind, tableName = '', part, label, ...more] = resource.join(':').split('/');
  const isPart = part === undefined || part === 'stream' || part === 'index';
  if (service !== 'dynamodb' || kind !== 'table' || !isPart) {
    throw invalidParameter(`Provided Arn is not a DynamoDB resource arn: ${resourceArn}`);
  }
  if (part === 'index') {
    throw invalidParameter(
      `Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${resourceArn}`,
    );
  }
  if (accountId !== context.accountId) {
    throw new ValidationException('This action is only supported by accounts that match the resource owner’s account.');
  }
  const hasName = /^[a-zA-Z0-9_.-]{3,255}$/.test(tableName) && more.length === 0;
  if (partition !== 'aws' || region !== context.region || !hasName || (part === 'stream' && label === undefined)) {
    throw invalidParameter(`Invalid resource Arn: ${resourceArn}`);
  }
  if (label === undefined) return { kind: 'table', arn: resourceArn, tableName };
  return { kind: 'stream', arn: resourceArn, tableName, stream: { label, sinceMs: msOfStreamLabel(label) } };
}

export function noSuchStream(label: string, tableName: string): ResourceNotFoundException {
  return new ResourceNotFoundException(
    `Requested resource not found: Stream: ${label} not found for Table: ${tableName}`,
  );
}
