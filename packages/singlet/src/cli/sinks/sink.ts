import type { BatchHandler } from '../../consumer/index.ts';

/** A destination for the changes of a stream. Writing the same changes again has the same result. Decision 0101 says why. */
export interface Sink {
  readonly handler: BatchHandler<unknown>;
  close(): Promise<void>;
}
