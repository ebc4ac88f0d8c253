import type { PageResult } from '../../engine/index.ts';
import { attributes, integer, item, list, result, type Shape } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';

/** The answer of Query and Scan. */
export const pageResult: Shape<PageResult> = result<PageResult>({
  items: list(item),
  count: integer(),
  scannedCount: integer(),
  lastEvaluatedKey: attributes,
  consumedCapacity,
});
