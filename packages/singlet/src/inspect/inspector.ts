import { DynamoError } from '../values/service-error.ts';
import type { Inspect, InspectionRequest } from '../server/index.ts';
import { partRequest } from './peers.ts';
import { EventAnswer } from './events/event-answer.ts';
import { eventsEndpoint, modelEventsEndpoint } from './events/events.ts';
import {
  capacityEndpoint,
  historyEndpoint,
  insightsEndpoints,
  replicasEndpoint,
  streamEndpoint,
  throttlingEndpoint,
  timeToLiveEndpoint,
  weatherEndpoints,
} from './reports.ts';
import type { Endpoint, InspectServices, ModelServices } from './endpoint.ts';
import { explainEndpoint } from './explain.ts';
import { heatEndpoint, whatIfEndpoint } from './heat.ts';
import { infoEndpoint } from './info.ts';
import { outlineEndpoint, placeEndpoint } from './hash-space.ts';
import { requestEndpoint, requestsEndpoint } from './requests/requests.ts';
import { migrationEndpoints } from './migrations.ts';
import { modelEndpoints } from './models.ts';
import { previewEndpoint } from './preview.ts';
import { scrubEndpoint, scrubReportEndpoint } from './scrub.ts';

const endpoints: readonly Endpoint[] = [
  infoEndpoint,
  capacityEndpoint,
  ...insightsEndpoints,
  previewEndpoint,
  explainEndpoint,
  outlineEndpoint,
  placeEndpoint,
  heatEndpoint,
  whatIfEndpoint,
  requestsEndpoint,
  requestEndpoint,
  eventsEndpoint,
  streamEndpoint,
  historyEndpoint,
  throttlingEndpoint,
  timeToLiveEndpoint,
  replicasEndpoint,
  ...weatherEndpoints,
  scrubReportEndpoint,
  scrubEndpoint,
  ...modelEndpoints,
  ...migrationEndpoints,
];

/** Answers requests below `/_singlet/`. docs/inspect.md lists them, and decision 0067 says why they exist. */
export function createInspect(services: InspectServices): Inspect {
  return inspectWith(endpoints, services);
}

/** Answers what is about models and migrations, for a page that shows another endpoint. Decision 0122 says how it differs. */
export function createModelInspect(services: ModelServices): Inspect {
  return inspectWith([...modelEndpoints, ...migrationEndpoints, modelEventsEndpoint], services);
}

function inspectWith<Services>(known: readonly Endpoint<Services>[], services: Services): Inspect {
  return async (request) => {
    const found = endpointsAt(known, request.path);
    if (found.length === 0) return undefined;
    const match = found.find(({ endpoint }) => endpoint.method === request.method);
    if (match === undefined) {
      const methods = found.map(({ endpoint }) => endpoint.method).join(', ');
      throw new DynamoError('MethodNotAllowed', `There is no ${request.method} here, but ${methods}.`, { status: 405 });
    }
    if (!(await isPermitted(match.endpoint, match.names, request))) return undefined;
    const answer = await match.endpoint.answer(request, services, match.names);
    return answer instanceof EventAnswer ? { events: answer.source } : { status: 200, json: answer };
  };
}

/**
 * Answers another process with this process's own part. The other process has checked the permission.
 *
 * @throws {DynamoError}
 */
export async function answerPart(question: unknown, services: InspectServices): Promise<object | undefined> {
  const request = partRequest(question);
  const found = endpointsAt(endpoints, request.path).find(({ endpoint }) => endpoint.method === request.method);
  return found?.endpoint.part?.(request, services, found.names);
}

function endpointsAt<Services>(
  known: readonly Endpoint<Services>[],
  path: readonly string[],
): readonly { readonly endpoint: Endpoint<Services>; readonly names: readonly string[] }[] {
  return known.flatMap((endpoint) => {
    const names = namesIn(endpoint.path, path);
    return names === undefined ? [] : [{ endpoint, names }];
  });
}

/** @returns false for an endpoint that is not available when callers are authenticated. @throws {DynamoError} AccessDeniedException. */
async function isPermitted(
  { permission, path }: Pick<Endpoint, 'permission' | 'path'>,
  names: readonly string[],
  { permit, query }: InspectionRequest,
): Promise<boolean> {
  if (permit === undefined) return true;
  if (permission === undefined) return false;
  const [tableName = '', indexName = query.get('index') ?? undefined] = names;
  const on = path.includes('TABLE') ? { on: { tableName, indexName } } : {};
  await permit({ name: permission, ...on });
  return true;
}

/** The values of the named parts; undefined if the path does not match. */
function namesIn(pattern: readonly string[], path: readonly string[]): readonly string[] | undefined {
  if (path.length !== pattern.length) return undefined;
  const names: string[] = [];
  for (const [at, part] of pattern.entries()) {
    const given = path[at] ?? '';
    if (part !== part.toUpperCase()) {
      if (part !== given) return undefined;
    } else if (given === '') {
      return undefined;
    } else {
      names.push(given);
    }
  }
  return names;
}
