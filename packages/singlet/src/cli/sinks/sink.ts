import type { BatchHandler } from '../../consumer/index.ts';

/** Where the changes of a stream are written to. What it is handed again it writes as it did before. Decision 0101 says why. */
export interface Sink {
  readonly handler: BatchHandler<unknown>;
  close(): Promise<void>;
}
