import type { Tag } from '../tables/table-description.ts';

export interface TagResourceRequest {
  readonly resourceArn: string;
  readonly tags: readonly Tag[];
}
