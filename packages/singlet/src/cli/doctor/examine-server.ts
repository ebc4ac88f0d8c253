import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as requestOverTls } from 'node:https';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScrubReport } from '../../engine/index.ts';
import { type Credentials, signedHeaders } from '../../studio/request-signature.ts';
import { hasCredentials, regionOrDefault } from '../endpoint-client.ts';
import { sdkCredentials } from '../sdk-credentials.ts';
import { UsageError } from '../usage-error.ts';

/** The interval between requests for the server's progress. Milliseconds. */
const askMs = 200;

interface Asked {
  readonly url: URL;
  readonly agent: Agent;
  readonly region: string;
  readonly credentials: (() => Promise<Credentials>) | undefined;
}

/**
 * Makes a running server check all its data, or waits for the check in progress. Requests are signed if the environment has credentials.
 *
 * @param onProgress - called with the number of entries checked.
 * @throws {UsageError} if the server does not answer properly.
 */
export async function examineServer(endpoint: string, onProgress: (entries: number) => void): Promise<ScrubReport> {
  // If several processes share the port, later requests must reach the one that started: it has the report.
  const url = new URL('/_singlet/scrub', endpoint);
  const agent = new (url.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 });
  const region = regionOrDefault({});
  const credentials = hasCredentials() ? await sdkCredentials('singlet doctor', region) : undefined;
  const asked = { url, agent, region, credentials };
  try {
    let report = await ask(asked, 'POST');
    while (report.endedAtMs === undefined) {
      onProgress(report.entries);
      await delay(askMs);
      report = await ask(asked, 'GET');
    }
    return report;
  } finally {
    agent.destroy();
  }
}

async function ask({ url, agent, region, credentials }: Asked, method: 'GET' | 'POST'): Promise<ScrubReport> {
  const contentType = 'application/json';
  const body = method === 'POST' ? '{}' : '';
  const server = `The server at ${url.origin}`;
  const headers =
    credentials === undefined
      ? { 'content-type': contentType }
      : signedHeaders({ method, url, contentType, body }, await credentials(), { region, nowMs: Date.now() });
  let answer: ScrubAnswer | null;
  try {
    const send = url.protocol === 'https:' ? requestOverTls : request;
    const outgoing = send(url, { method, agent, headers });
    outgoing.end(body === '' ? undefined : body);
    const [response] = await once(outgoing, 'response');
    // A server of an earlier release, or of another kind, answers with something else.
    answer = (await json(response)) as ScrubAnswer | null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${server} could not be reached: ${reason}`, { cause: error });
  }
  if (answer?.report) return answer.report;
  if (answer?.__type?.endsWith('MissingAuthenticationTokenException') === true)
    throw new UsageError(
      `${server} requires credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`,
    );
  const reason = answer?.message ?? answer?.Message;
  throw new UsageError(
    `${server} does not check its data: ${reason === undefined ? 'it is not Singlet' : reason.replace(/\.$/, '')}.`,
  );
}

/** The members of a report, or of an error. */
interface ScrubAnswer {
  readonly report?: ScrubReport | null;
  readonly __type?: string;
  readonly message?: string;
  readonly Message?: string;
}
