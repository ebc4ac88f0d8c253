import type { InspectServices } from '../endpoint.ts';
import type { RequestContext } from '../../engine/index.ts';
import { requestsOfAll } from '../requests/requests.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** Requests that are sent at a time. */
const requestsAtOnce = 200;

/** The requests of the API as they are answered. */
export class RequestSource {
  readonly #services: InspectServices;
  readonly #context: RequestContext;
  /** The last request that was sent. */
  position: number;
  /** Behind what was handed out already. */
  #after: number;

  /** @param after - the last that a client has seen; without it the source begins now. */
  constructor(services: InspectServices, context: RequestContext, after: number | undefined) {
    this.#services = services;
    this.#context = context;
    this.position = after ?? services.requests.page({ after: undefined, limit: 1 }).last;
    this.#after = this.position;
  }

  /** Switches the logs of all processes on: later answers are reported. */
  async begin(): Promise<void> {
    await requestsOfAll(this.#services, { after: undefined, limit: 1, context: this.#context });
  }

  async poll(): Promise<readonly InspectionEvent[]> {
    const { requests, last, dropped } = await requestsOfAll(this.#services, {
      after: this.#after,
      limit: requestsAtOnce,
      context: this.#context,
    });
    this.#after = last;
    return [
      ...(dropped > 0 ? [{ topic: 'gap' as const, data: { topic: 'request', count: dropped } }] : []),
      ...requests.map((data) => ({
        topic: 'request' as const,
        data,
        seen: () => {
          this.position = data.seq;
        },
      })),
    ];
  }
}
