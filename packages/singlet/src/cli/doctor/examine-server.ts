import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as requestOverTls } from 'node:https';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScrubReport } from '../../engine/index.ts';
import { signedHeaders } from '../../studio/request-signature.ts';
import { hasCredentials, regionOrDefault } from '../endpoint-client.ts';
import { sdkCredentials } from '../sdk-credentials.ts';
import { UsageError } from '../usage-error.ts';

/** The interval between requests for the server's progress. Milliseconds. */
const askMs = 200;

/** Signs requests with the credentials of the environment. */
type Sign = (request: { readonly method: Method; readonly body: string }) => Promise<Record<string, string>>;

type Method = 'GET' | 'POST';

/** The members of a report, or of an error. */
interface Answer {
  readonly report?: ScrubReport | null;
  readonly __type?: string;
  readonly message?: string;
  readonly Message?: string;
}

const contentType = 'application/json';

/**
 * Makes a running server check all its data, or waits for the check in progress. If the server requires credentials, those of the environment
 * sign the requests.
 *
 * @param onProgress - called with the number of entries checked.
 * @throws {UsageError} if the server does not answer properly.
 */
export async function examineServer(endpoint: string, onProgress: (entries: number) => void): Promise<ScrubReport> {
  const server = new RunningServer(endpoint);
  try {
    let report = await server.report('POST');
    while (report.endedAtMs === undefined) {
      onProgress(report.entries);
      await delay(askMs);
      report = await server.report('GET');
    }
    return report;
  } finally {
    server.close();
  }
}

class RunningServer {
  readonly #url: URL;
  readonly #isSecure: boolean;
  /** If several processes share the port, later requests must reach the one that started: it has the report. */
  readonly #agent: Agent;
  #sign: Sign | undefined;

  constructor(endpoint: string) {
    this.#url = new URL('/_singlet/scrub', endpoint);
    this.#isSecure = this.#url.protocol === 'https:';
    this.#agent = new (this.#isSecure ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 });
  }

  async report(method: Method): Promise<ScrubReport> {
    const { origin } = this.#url;
    let answer = await this.#ask(method);
    if (isUnsigned(answer) && this.#sign === undefined) {
      if (!hasCredentials())
        throw new UsageError(
          `The server at ${origin} requires credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`,
        );
      this.#sign = await signerOf(this.#url);
      answer = await this.#ask(method);
    }
    if (answer?.report) return answer.report;
    const reason = answer?.message ?? answer?.Message ?? 'it is not Singlet';
    throw new UsageError(`The server at ${origin} does not check its data: ${reason.replace(/\.$/, '')}.`);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(method: Method): Promise<Answer | null> {
    const body = method === 'POST' ? '{}' : '';
    const headers = (await this.#sign?.({ method, body })) ?? { 'content-type': contentType };
    try {
      const outgoing = (this.#isSecure ? requestOverTls : request)(this.#url, { method, agent: this.#agent, headers });
      outgoing.end(body === '' ? undefined : body);
      const [response] = await once(outgoing, 'response');
      // A server of an earlier release, or of another kind, answers with something else.
      return (await json(response)) as Answer | null;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(`The server at ${this.#url.origin} could not be reached: ${reason}`, { cause: error });
    }
  }
}

function isUnsigned(answer: Answer | null): boolean {
  return answer?.__type?.endsWith('MissingAuthenticationTokenException') === true;
}

async function signerOf(url: URL): Promise<Sign> {
  const region = regionOrDefault({});
  const credentials = await sdkCredentials('singlet doctor', region);
  return async (request) =>
    signedHeaders({ ...request, url, contentType }, await credentials(), { region, nowMs: Date.now() });
}
