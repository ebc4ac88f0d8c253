import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { tableNameOfArn } from '../catalog/resource-arn.ts';
import { changeTable } from '../catalog/table-change.ts';
import { checkNotInLifecycle } from '../schema/table-conflicts.ts';
import { checkTagKeys } from '../schema/tags.ts';

export interface UntagResourceRequest {
  readonly resourceArn: string;
  readonly tagKeys: readonly string[];
}

/**
 * Removes tags from a table. Keys that it does not have are ignored.
 *
 * @throws {ValidationException} if the ARN or a key is invalid.
 * @throws {ResourceNotFoundException} | {ResourceInUseException}
 * @see Amazon DynamoDB API Reference, UntagResource
 */
export async function untagResource(
  services: EngineServices,
  { resourceArn, tagKeys }: UntagResourceRequest,
  context: RequestContext,
): Promise<void> {
  const tableName = tableNameOfArn(resourceArn, 'UntagResource', context);
  if (tagKeys.length === 0) throw new ValidationException('Atleast one Tag Key needs to be provided as Input.');
  checkTagKeys(tagKeys, services.limits);
  try {
    await changeTable(services, context, tableName, ({ record }) => {
      checkNotInLifecycle(record);
      const tags = record.tags.filter(({ key }) => !tagKeys.includes(key));
      return { record: tags.length === record.tags.length ? record : { ...record, tags } };
    });
  } catch (error) {
    // The other tag actions name the ARN here; this one does not.
    throw error instanceof ResourceNotFoundException
      ? new ResourceNotFoundException('Requested resource not found')
      : error;
  }
}
