import type { PageOptions } from '../patterns/signature.ts';
import type { BuiltRequest } from './context.ts';
import type { Values } from './item-codec.ts';

/** Runs one pattern. `input` is an array if the pattern takes many. */
export interface Runner {
  run(input: Values, options?: PageOptions): Promise<unknown>;
  /** The first requests, as they would be sent. */
  request(input: Values, options?: PageOptions): readonly BuiltRequest[];
}
