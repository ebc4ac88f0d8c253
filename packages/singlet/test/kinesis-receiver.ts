import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A record that was put. */
export interface ReceivedRecord {
  readonly stream: string;
  readonly partitionKey: string;
  /** The parsed content of its data. */
  readonly body: Readonly<Record<string, unknown>> & { readonly dynamodb: Readonly<Record<string, unknown>> };
}

interface PutRecords {
  readonly StreamName: string;
  readonly Records: readonly { readonly PartitionKey: string; readonly Data: string }[];
}

/** Implements as much of the Kinesis protocol as a delivery needs: DescribeStreamSummary and PutRecords. */
export class KinesisReceiver {
  readonly received: ReceivedRecord[] = [];
  /** Sizes of the received PutRecords, in records. */
  readonly requestSizes: number[] = [];
  /** Statuses by stream name. Other streams do not exist. */
  readonly streams = new Map<string, string>();
  /** How many of the next records to refuse. */
  busyCount = 0;
  /** Largest accepted record in bytes. A request with a larger one is refused as a whole. */
  recordBytesMax = 1024 * 1024;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<KinesisReceiver> {
    const server = createServer();
    const receiver = new KinesisReceiver(server);
    server.on('request', (request, response) => {
      void receiver.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: object }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const input = JSON.parse(Buffer.concat(chunks).toString('utf8')) as PutRecords;
    const status = this.streams.get(input.StreamName);
    if (status === undefined) return refuse('ResourceNotFoundException', `Stream ${input.StreamName} not found.`);
    switch (request.headers['x-amz-target']) {
      case 'Kinesis_20131202.DescribeStreamSummary':
        return { status: 200, body: { StreamDescriptionSummary: { StreamStatus: status } } };
      case 'Kinesis_20131202.PutRecords':
        return this.#put(input);
      default:
        return refuse('UnknownOperationException', '');
    }
  }

  #put({ StreamName: stream, Records }: PutRecords): { readonly status: number; readonly body: object } {
    this.requestSizes.push(Records.length);
    const decoded = Records.map(({ PartitionKey: partitionKey, Data }) => ({
      partitionKey,
      data: Buffer.from(Data, 'base64'),
    }));
    if (decoded.some(({ data }) => data.length > this.recordBytesMax)) {
      return refuse('InvalidArgumentException', 'Data must be less than or equal to 1MB in size');
    }
    let failed = 0;
    const results = decoded.map(({ partitionKey, data }) => {
      if (this.busyCount > 0) {
        this.busyCount -= 1;
        failed += 1;
        return { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded' };
      }
      const body = JSON.parse(data.toString('utf8')) as ReceivedRecord['body'];
      this.received.push({ stream, partitionKey, body });
      return { SequenceNumber: String(this.received.length), ShardId: 'shardId-000000000000' };
    });
    return { status: 200, body: { FailedRecordCount: failed, Records: results } };
  }
}

function refuse(type: string, message: string): { readonly status: number; readonly body: object } {
  return { status: 400, body: { __type: type, message } };
}
