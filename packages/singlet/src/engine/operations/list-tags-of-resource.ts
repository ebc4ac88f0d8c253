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
 * Lists the tags of a table, all at once: there are fifty at most, and the service does not divide them into pages either.
 *
 * @throws {ValidationException} when the ARN cannot be, or there is a token: none was ever given out.
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
  // Assumed: what the service answers to a token that it did not give out is not documented.
  if (nextToken !== undefined) throw new ValidationException('The provided NextToken is invalid');
  return { tags: table.record.tags };
}
