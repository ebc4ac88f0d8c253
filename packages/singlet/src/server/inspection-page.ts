import { isUtf8 } from 'node:buffer';
import type { RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { EventSource, Inspect, InspectionAnswer, InspectionPermission, InspectionRequest } from './inspection.ts';
import { checkJsonSize } from './json-limits.ts';
import { parseText } from './parse-text.ts';
import { SerializationException } from './serialization-exception.ts';

/** The answer to a request below {@link reportPath}. */
export type InspectionPage = { readonly status: number; readonly body: Buffer } | { readonly events: EventSource };

/** Throws if the caller may not inspect; the context has the region to inspect. */
export type PermitInspection = (permission: InspectionPermission, context: RequestContext) => Awaitable<void>;

/** Reports, and other pages for people and their tools, are below this path, which no action of the API uses. */
export const reportPath = '/_singlet/';

/** The parts of an HTTP request that are used. */
interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Answers a request below {@link reportPath}, as JSON; a refusal is `{ error, message }`. The content type of a body must be JSON, which
 * no form can send; `browser-rules.ts` has already checked that the request does not come from a foreign page.
 *
 * @returns undefined when nothing exists at that path.
 */
export async function inspectionPage(
  inspect: Inspect,
  request: PageRequest,
  context: RequestContext,
  permit?: PermitInspection,
): Promise<InspectionPage | undefined> {
  const path = decodedNames(request.url);
  if (path === undefined) return undefined;
  const isGet = request.method === 'GET';
  if (!isGet && !/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return refusal(415, 'UnsupportedMediaType', 'The body needs its content type: content-type: application/json.');
  }
  try {
    const asked = inspectionRequest(request, path, context);
    const inspection: InspectionRequest =
      permit === undefined ? asked : { ...asked, permit: (permission) => permit(permission, asked.context) };
    const answer = await inspect(inspection);
    return answer && pageOf(answer);
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    return refusal(error.name === 'ResourceNotFoundException' ? 404 : error.status, error.name, error.message);
  }
}

function inspectionRequest(
  { method, url, headers, body }: PageRequest,
  path: readonly string[],
  context: RequestContext,
): InspectionRequest {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length));
  const region = query.get('region') ?? context.region;
  const json = method === 'GET' ? undefined : parseBody(body);
  return { method, path, query, headers, json, context: { accountId: context.accountId, region } };
}

/** @throws {SerializationException} for text that is not JSON, {ValidationException} for too much of it. */
function parseBody(body: Uint8Array): unknown {
  if (!isUtf8(body)) throw new SerializationException();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  checkJsonSize(undefined, bytes);
  return parseText(bytes.toString('utf8'));
}

/** The path after {@link reportPath}, split at slashes; undefined for invalid escapes. */
function decodedNames(url: string): readonly string[] | undefined {
  const [place = ''] = url.split('?', 1);
  try {
    return place.slice(reportPath.length).split('/').map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function refusal(status: number, error: string, message: string): InspectionPage {
  return pageOf({ status, json: { error, message } });
}

function pageOf(answer: InspectionAnswer): InspectionPage {
  if ('events' in answer) return answer;
  const { status, json } = answer;
  return { status, body: Buffer.from(JSON.stringify(json), 'utf8') };
}
