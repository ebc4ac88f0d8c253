import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { tableNameOfArn } from '../catalog/resource-arn.ts';
import type { Tag } from '../catalog/table-description.ts';
import { resourceNotFound } from './tag-resource.ts';

export interface ListTagsOfResourceRequest {
  readonly resourceArn: string;
  readonly nextToken?: string | undefined;
}

export interface ListTagsOfResourceResult {
  readonly tags: readonly Tag[];
}

/**
 * Lists the tags of a table, all at once: there are fifty at most, and the service does not page them either.
 *
 * @throws {ValidationException} if the ARN is invalid, or there is a token: this action never returns one.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, ListTagsOfResource
 */
export async function listTagsOfResource(
  services: EngineServices,
  { resourceArn, nextToken }: ListTagsOfResourceRequest,
  context: RequestContext,
): Promise<ListTagsOfResourceResult> {
  const table = await services.catalog.load(context, tableNameOfArn(resourceArn, 'ListTagsOfResource', context));
  if (table === undefined) throw resourceNotFound(resourceArn);
  // Assumed: the service's answer to a token that it did not return is not documented.
  if (nextToken !== undefined) throw new ValidationException('The provided NextToken is invalid');
  return { tags: table.record.tags };
}
