import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { UsageError } from './usage-error.ts';

/** The endpoint of a command that is told none: the server of this machine. */
export const defaultEndpoint = 'http://127.0.0.1:8000';

/**
 * Configuration of a client for an endpoint. Amazon's own gets the credentials that the AWS SDK finds; any other, those of
 * the environment or some that stand in for them.
 *
 * @throws {UsageError} when it is no URL of an endpoint.
 */
export function endpointConfig(endpoint: string, region: string): DynamoDBClientConfig {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--endpoint takes a URL such as ${defaultEndpoint}, not ${JSON.stringify(endpoint)}.`);
  }
  const isAmazon = /\.amazonaws\.com(\.cn)?$/.test(url.hostname);
  const { AWS_ACCESS_KEY_ID: accessKeyId = 'singlet', AWS_SECRET_ACCESS_KEY: secretAccessKey = 'singlet' } =
    process.env;
  return { endpoint, region, ...(!isAmazon && { credentials: { accessKeyId, secretAccessKey } }) };
}

/** The endpoint of another region: Amazon's has a name for each, any other one serves all. */
export function endpointOfRegion(endpoint: string, home: string, region: string): string {
  return endpoint.replace(`.${home}.`, `.${region}.`);
}

/**
 * Adds an entry REGION=URL to others.
 *
 * @throws {UsageError} when it is none.
 */
export function regionEndpointOf(
  text: string,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, region, url] = /^([A-Za-z0-9_-]{1,63})=(https?:\/\/.+)$/.exec(text) ?? [];
  if (region === undefined || url === undefined || !URL.canParse(url)) {
    throw new UsageError(
      `--replica-endpoint takes a region and a URL, as in eu-west-1=http://127.0.0.1:8001, not ${JSON.stringify(text)}.`,
    );
  }
  return { ...others, [region]: url };
}

/** Says plainly what an endpoint answered, or that nobody does. Errors of other kinds go on as they are. */
export function endpointProblem(error: unknown, endpoint: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^(ECONNREFUSED|ENOTFOUND|ECONNRESET|EHOSTUNREACH)$/.test(code)) {
    return new UsageError(
      `Nothing answers at ${endpoint}: start a server with singlet serve, or name another --endpoint.`,
      { cause: error },
    );
  }
  return '$metadata' in error ? new UsageError(`${error.name}: ${error.message}`, { cause: error }) : error;
}
