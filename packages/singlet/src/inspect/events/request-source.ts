import type { InspectServices } from '../endpoint.ts';
import { describeRequests } from '../requests/described-request.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** Requests that are sent at a time. */
const requestsAtOnce = 200;

/** The requests of the API as they are answered. */
export class RequestSource {
  readonly #services: InspectServices;
  /** The last request that was sent. */
  position: number;
  /** Behind what was handed out already. */
  #after: number;

  /** @param after - the last that a client has seen; without it the source begins now. */
  constructor(services: InspectServices, after: number | undefined) {
    this.#services = services;
    this.position = after ?? services.requests.page({ after: undefined, limit: 1 }).last;
    this.#after = this.position;
  }

  async poll(): Promise<readonly InspectionEvent[]> {
    const { requests, last, dropped } = this.#services.requests.page({ after: this.#after, limit: requestsAtOnce });
    this.#after = last;
    const described = await describeRequests(this.#services, requests);
    return [
      ...(dropped > 0 ? [{ topic: 'gap' as const, data: { topic: 'request', count: dropped } }] : []),
      ...described.map((data) => ({
        topic: 'request' as const,
        data,
        seen: () => {
          this.position = data.seq;
        },
      })),
    ];
  }
}
