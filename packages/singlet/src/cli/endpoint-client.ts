import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { type Command, Option } from 'commander';
import { isRegionName } from '../values/region-name.ts';
import { UsageError } from './usage-error.ts';

/** The default endpoint: a server on this machine. */
export const defaultEndpoint = 'http://127.0.0.1:8000';

/** Where the tables are; these flags are common to all commands. */
export interface EndpointFlags {
  readonly endpoint: string;
  /** Amazon DynamoDB, instead of the endpoint. */
  readonly aws?: boolean;
  /** By default `AWS_REGION`, `AWS_DEFAULT_REGION`, or `us-east-1`; for Amazon DynamoDB, that of the profile. */
  readonly region?: string;
}

/** Adds the options that specify where the tables are. */
export function withEndpoint(command: Command): Command {
  return command
    .addOption(
      new Option('-e, --endpoint <url>', 'where the tables are')
        .default(defaultEndpoint)
        .argParser(urlFlag('--endpoint')),
    )
    .addOption(
      new Option('--aws', 'use Amazon DynamoDB, with the credentials that the AWS SDK finds').conflicts('endpoint'),
    )
    .addOption(new Option('--region <name>', 'region of the tables').argParser(regionOf()));
}

/** Parses the value of a flag as an HTTP URL. The parser throws a {@link UsageError} for any other text. */
export function urlFlag(flag: string, example: string = defaultEndpoint): (text: string) => string {
  return (text) => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
    throw new UsageError(`${flag} takes a URL such as ${example}, not ${JSON.stringify(text)}.`);
  };
}

/** Parses the value of a flag as a region name. The parser throws a {@link UsageError} for a text that cannot be one. */
export function regionOf(flag: string = '--region'): (text: string) => string {
  return (text) => {
    if (isRegionName(text)) return text;
    throw new UsageError(`${flag} takes the name of a region such as eu-west-1, not ${JSON.stringify(text)}.`);
  };
}

/** The region, without consulting a profile. */
export function regionOrDefault({ region }: Pick<EndpointFlags, 'region'>): string {
  if (region !== undefined) return region;
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
    const value = process.env[name];
    if (value !== undefined && value !== '') return regionOf(name)(value);
  }
  return 'us-east-1';
}

/** Names the endpoint in a message. */
export function endpointName({ endpoint, aws }: Pick<EndpointFlags, 'endpoint' | 'aws'>): string {
  return aws === true ? 'Amazon DynamoDB' : endpoint;
}

/** Says that a table is missing, and where: the same name in another region is another table. */
export function noTable(tableName: string, flags: EndpointFlags): string {
  const region = flags.aws === true ? flags.region : regionOrDefault(flags);
  return `There is no table ${tableName} at ${endpointName(flags)}${region === undefined ? '' : ` in the region ${region}`}.`;
}

/**
 * Configuration of a client. Credentials are those that the AWS SDK finds. A server other than Amazon's may not check them, so if neither the
 * environment nor a profile contains any, placeholders sign the requests to it.
 */
export function endpointConfig(flags: EndpointFlags): DynamoDBClientConfig {
  if (flags.aws === true) return flags.region === undefined ? {} : { region: flags.region };
  const endpoint = urlFlag('--endpoint')(flags.endpoint);
  const isAmazon = /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
  return {
    endpoint,
    region: regionOrDefault(flags),
    ...(!isAmazon && !hasCredentials() && { credentials: { accessKeyId: 'singlet', secretAccessKey: 'singlet' } }),
  };
}

/** Whether the environment contains credentials, or names a profile that does. */
export function hasCredentials(): boolean {
  return ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE'].some((name) => process.env[name] !== undefined);
}

/** The endpoint of another region. Amazon has one for each region; any other endpoint serves all. */
export function endpointOfRegion(endpoint: string, home: string, region: string): string {
  return endpoint.replace(`.${home}.`, `.${region}.`);
}

/**
 * Adds an entry REGION=URL to others.
 *
 * @throws {UsageError} if the text is not such an entry.
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

/** Converts an endpoint's error, or its failure to answer, to a {@link UsageError}. Other errors are returned unchanged. */
export function endpointProblem(error: unknown, flags: Pick<EndpointFlags, 'endpoint' | 'aws'>): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^(ECONNREFUSED|ENOTFOUND|ECONNRESET|EHOSTUNREACH)$/.test(code)) {
    const advice =
      flags.aws === true ? 'is the network up?' : 'start a server with singlet serve, or name another --endpoint.';
    return new UsageError(`Nothing answers at ${endpointName(flags)}: ${advice}`, { cause: error });
  }
  if (error.name === 'CredentialsProviderError') {
    return new UsageError(`The AWS SDK finds no credentials for ${endpointName(flags)}: ${error.message}`, {
      cause: error,
    });
  }
  return '$metadata' in error ? new UsageError(`${error.name}: ${error.message}`, { cause: error }) : error;
}
