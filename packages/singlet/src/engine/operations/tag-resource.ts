import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { tableNameOfArn } from '../catalog/resource-arn.ts';
import { changeTable } from '../catalog/table-change.ts';
import { checkNotInLifecycle } from '../schema/table-conflicts.ts';
import type { Tag } from '../catalog/table-description.ts';
import { checkTags, mergeTags } from '../schema/tags.ts';

export interface TagResourceRequest {
  readonly resourceArn: string;
  readonly tags: readonly Tag[];
}

/**
 * Adds tags to a table; a tag with an existing key gets the new value.
 *
 * @throws {ValidationException} if the ARN or a tag is invalid, or there would be too many.
 * @throws {ResourceNotFoundException} | {ResourceInUseException}
 * @see Amazon DynamoDB API Reference, TagResource
 */
export async function tagResource(
  services: EngineServices,
  { resourceArn, tags }: TagResourceRequest,
  context: RequestContext,
): Promise<void> {
  const tableName = tableNameOfArn(resourceArn, 'TagResource', context);
  if (tags.length === 0) throw new ValidationException('Atleast one Tag needs to be provided as Input.');
  checkTags(tags, services.limits);
  try {
    await changeTable(services, context, tableName, ({ record }) => {
      checkNotInLifecycle(record);
      return { record: { ...record, tags: mergeTags(record.tags, tags, services.limits) } };
    });
  } catch (error) {
    throw error instanceof ResourceNotFoundException ? resourceNotFound(resourceArn) : error;
  }
}

/** The service's spelling. */
export function resourceNotFound(resourceArn: string): ResourceNotFoundException {
  return new ResourceNotFoundException(`Requested resource not found: ResourcArn: ${resourceArn} not found`);
}
