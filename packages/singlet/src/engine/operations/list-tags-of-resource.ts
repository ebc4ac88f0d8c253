import type { Tag } from '../tables/table-description.ts';

export interface ListTagsOfResourceRequest {
  readonly resourceArn: string;
  readonly nextToken?: string | undefined;
}

export interface ListTagsOfResourceResult {
  readonly tags: readonly Tag[];
  readonly nextToken?: string;
}
