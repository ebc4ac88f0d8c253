import type { InspectServices } from '../endpoint.ts';
import type { RequestContext } from '../../engine/index.ts';
import { requestsOfAll } from '../requests/requests.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** The number of requests sent at a time: at five times a second, more than a thousand a second. */
const requestsAtOnce = 500;

/** The requests of the API, once answered. */
export class RequestSource {
  readonly #services: InspectServices;
  readonly #context: RequestContext;
  /** The last request that was sent. */
  position: number;
  /** The number after the last request handed out. */
  #after: number;

  /** @param after - the last request that a client has seen; without it the source begins now. */
  constructor(services: InspectServices, context: RequestContext, after: number | undefined) {
    this.#services = services;
    this.#context = context;
    this.position = after ?? services.requests.page({ after: undefined, limit: 1 }).last;
    this.#after = this.position;
  }

  /** Enables the request logs of all processes. Requests answered after that are reported. */
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
