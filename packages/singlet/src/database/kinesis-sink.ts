import type * as Kinesis from '@aws-sdk/client-kinesis';
import type { ChangeSink, SinkOutcome, SinkRecord } from '../engine/index.ts';
import { plainHttpHandler } from './plain-http-handler.ts';
import { loadPackage, MissingPackageError } from '../values/missing-package.ts';

/** How often the SDK tries a request before its records are postponed. */
const attemptsMax = 2;

/** The maximum number of cached clients: one for each region that has streams. */
const clientsMax = 64;

/**
 * Delivers changes to an endpoint that speaks the Kinesis protocol.
 *
 * @throws {TypeError} if it is not the URL of an endpoint.
 */
export function openKinesisSink(endpoint: string): ChangeSink {
  return new KinesisSink(endpointOf(endpoint));
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `A Kinesis endpoint is a URL, http://HOST:PORT or https://kinesis.REGION.amazonaws.com, not ${JSON.stringify(text)}.`,
    );
  }
  return url;
}

class KinesisSink implements ChangeSink {
  readonly #endpoint: URL;
  readonly #clients = new Map<string, Promise<Kinesis.KinesisClient>>();

  constructor(endpoint: URL) {
    this.#endpoint = endpoint;
  }

  async check(streamArn: string): Promise<string | undefined> {
    const stream = streamOf(streamArn);
    if (stream === undefined) return noPermission;
    try {
      const [client, { DescribeStreamSummaryCommand }] = await Promise.all([this.#client(stream.region), sdk()]);
      const { StreamDescriptionSummary: summary } = await client.send(
        new DescribeStreamSummaryCommand({ StreamName: stream.name, StreamARN: streamArn }),
      );
      const isActive = summary?.StreamStatus === 'ACTIVE' || summary?.StreamStatus === 'UPDATING';
      return isActive
        ? undefined
        : 'The kinesis Arn used to enable kinesis replication belongs to a stream which is not in Active state';
    } catch (error) {
      if (isNamed(error, ['ResourceNotFoundException', 'AccessDeniedException'])) return noPermission;
      if (error instanceof MissingPackageError) return error.message;
      return `The Kinesis endpoint ${this.#endpoint.href} did not answer: ${messageOf(error)}`;
    }
  }

  async deliver(streamArn: string, records: readonly SinkRecord[]): Promise<readonly SinkOutcome[]> {
    const stream = streamOf(streamArn);
    if (stream === undefined) return records.map(() => 'never');
    try {
      const [client, { PutRecordsCommand }] = await Promise.all([this.#client(stream.region), sdk()]);
      const { Records: results = [] } = await client.send(
        new PutRecordsCommand({
          StreamName: stream.name,
          StreamARN: streamArn,
          Records: records.map(({ partitionKey, data }) => ({ PartitionKey: partitionKey, Data: data })),
        }),
      );
      // A refused record has an error code: the shard is busy, or failed.
      return records.map((_, at) => (results[at]?.SequenceNumber === undefined ? 'later' : 'taken'));
    } catch (error) {
      if (!isNamed(error, ['ValidationException', 'InvalidArgumentException'])) return records.map(() => 'later');
      if (records.length <= 1) return records.map(() => 'never');
      // One invalid record makes the whole request fail. It is found by bisection.
      const middle = Math.ceil(records.length / 2);
      const first = await this.deliver(streamArn, records.slice(0, middle));
      return [...first, ...(await this.deliver(streamArn, records.slice(middle)))];
    }
  }

  close(): void {
    for (const client of this.#clients.values()) {
      void client.then(
        (open) => open.destroy(),
        () => undefined,
      );
    }
    this.#clients.clear();
  }

  #client(region: string): Promise<Kinesis.KinesisClient> {
    const known = this.#clients.get(region);
    if (known !== undefined) return known;
    const client = openClient(this.#endpoint, region);
    if (this.#clients.size < clientsMax) this.#clients.set(region, client);
    return client;
  }
}

const noPermission = 'User does not have a permission to use kinesis stream';

/** Loaded when the first destination is enabled. */
async function sdk(): Promise<typeof Kinesis> {
  return loadPackage('A Kinesis streaming destination', () => import('@aws-sdk/client-kinesis'));
}

async function openClient(endpoint: URL, region: string): Promise<Kinesis.KinesisClient> {
  const { KinesisClient } = await sdk();
  const isAmazon = endpoint.hostname.endsWith('.amazonaws.com') || endpoint.hostname.endsWith('.amazonaws.com.cn');
  return new KinesisClient({
    endpoint: endpoint.href,
    region,
    maxAttempts: attemptsMax,
    // By default the client speaks HTTP/2, which local servers usually do not.
    ...(!isAmazon && { requestHandler: plainHttpHandler(), credentials: localCredentials() }),
  });
}

/** Local replacements of the service accept any credentials; those of the environment are used if there are any. */
function localCredentials(): { readonly accessKeyId: string; readonly secretAccessKey: string } {
  const { AWS_ACCESS_KEY_ID: accessKeyId = 'singlet', AWS_SECRET_ACCESS_KEY: secretAccessKey = 'singlet' } =
    process.env;
  return { accessKeyId, secretAccessKey };
}

function streamOf(streamArn: string): { readonly region: string; readonly name: string } | undefined {
  const [, region, name] =
    /^arn:aws[a-z-]*:kinesis:([a-z0-9-]+):\d{12}:stream\/([a-zA-Z0-9_.-]+)$/.exec(streamArn) ?? [];
  return region === undefined || name === undefined ? undefined : { region, name };
}

function isNamed(error: unknown, names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
