import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { tableNameOfArn } from '../tables/resource-arn.ts';
import type { Tag } from '../tables/table-description.ts';
import { resourceNotFound } from './tag-resource.ts';

export interface ListTagsOfResourceRequest {
  readonly resourceArn: string;
  readonly nextToken?: string | undefined;
}

export interface ListTagsOfResourceResult {
  readonly tags: readonly Tag[];
  readonly nextToken?: string;
}

/**
 * Lists the tags of a table, a page at a time.
 *
 * @returns `nextToken` only when there are more.
 * @throws {ValidationException} when the ARN cannot be, or the token is none of ours.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, ListTagsOfResource
 */
export async function listTagsOfResource(
  services: EngineServices,
  { resourceArn, nextToken }: ListTagsOfResourceRequest,
  context: RequestContext,
): Promise<ListTagsOfResourceResult> {
  const table = await services.catalog.load(context, tableNameOfArn(resourceArn, context));
  if (table === undefined) throw resourceNotFound(resourceArn);
  const start = nextToken === undefined ? 0 : decodeToken(nextToken);
  const end = start + services.limits.listTagsCountMax;
  const { tags } = table.record;
  return { tags: tags.slice(start, end), ...(end < tags.length && { nextToken: encodeToken(end) }) };
}

/** A token is the number of tags that have been seen. */
function encodeToken(seen: number): string {
  return Buffer.from(`tags:${seen}`, 'utf8').toString('base64url');
}

function decodeToken(token: string): number {
  const [, seen] = /^tags:(\d{1,6})$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  // Assumed: nobody has written down what the service says of a token it did not give out.
  if (seen === undefined) throw new ValidationException('The provided NextToken is invalid');
  return Number(seen);
}
