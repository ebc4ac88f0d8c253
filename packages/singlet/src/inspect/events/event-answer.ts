import type { EventSource } from '../../server/index.ts';

/** An answer that is a stream of events. */
export class EventAnswer {
  readonly source: EventSource;

  constructor(source: EventSource) {
    this.source = source;
  }
}
