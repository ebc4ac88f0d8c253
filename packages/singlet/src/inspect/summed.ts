import type { Endpoint, InspectServices, ModelServices } from './endpoint.ts';
import { type PartRequest, partQuestion } from './peers.ts';

/** An endpoint that combines the counts of several processes. */
export interface SummedEndpoint<Part extends object> extends Omit<Endpoint, 'answer' | 'part'> {
  /** The counts of this process, which become JSON when sent to another. @throws {DynamoError} */
  readonly part: (request: PartRequest, services: InspectServices, names: readonly string[]) => Promise<Part>;
  /**
   * Combines the parts of all processes; the first part is that of the answering process.
   *
   * @throws {DynamoError}
   */
  readonly together: (parts: readonly [Part, ...Part[]], request: PartRequest) => object;
}

/** An endpoint that answers for all processes, whichever receives the request. Decision 0100 says why. */
export function summed<Part extends object>({ part, together, ...endpoint }: SummedEndpoint<Part>): Endpoint {
  return {
    ...endpoint,
    part,
    async answer(request, services, names) {
      return together(await partsOf(part, request, services, names), request);
    },
  };
}

/** The parts of all processes, that of this one first. */
export async function partsOf<Part extends object, Services extends Pick<ModelServices, 'peers'>>(
  part: (request: PartRequest, services: Services, names: readonly string[]) => Promise<Part>,
  request: PartRequest,
  services: Services,
  names: readonly string[],
): Promise<readonly [Part, ...Part[]]> {
  const own = await part(request, services, names);
  const others = (await services.peers?.ask(partQuestion(request))) ?? [];
  return [own, ...(others as readonly Part[])]; // made by the same function there
}
