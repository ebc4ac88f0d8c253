import { createHash } from 'node:crypto';
import { type BatchResponse, type ChangeRecord, lambdaRecord } from '../../consumer/index.ts';
import { loadPackage } from '../../values/missing-package.ts';
import { DeliveryError } from '../delivery-error.ts';
import { itemKeyOf } from './item-change.ts';
import type { Sink } from './sink.ts';

/** The maximum number of messages in one request to SQS and SNS, and their maximum total bytes. */
const messagesMax = 10;
const messageBytesMax = 256 * 1024;

/** A change as a message. */
interface Message {
  readonly Id: string;
  readonly body: string;
  /** For a FIFO queue or topic: the item as the group, and an id that identifies duplicates. */
  readonly order: { readonly MessageGroupId?: string; readonly MessageDeduplicationId?: string };
}

/** The messages of a batch that were refused. */
interface Refusal {
  readonly Id?: string | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

type Send = (messages: readonly Message[]) => Promise<readonly Refusal[]>;

/**
 * Sends each change as a message to a queue of SQS, or of a server that speaks its protocol. A FIFO queue gets the changes of an item in order
 * and each of them once: the item is the group, and the id of the record identifies duplicates. Any other queue gets each change at least once.
 *
 * @param url - of the queue.
 * @throws {MissingPackageError}
 */
export async function openQueueSink({ url, region }: { readonly url: string; readonly region: string }): Promise<Sink> {
  const { SQSClient, SendMessageBatchCommand } = await loadPackage(
    'singlet consume --to sqs+',
    () => import('@aws-sdk/client-sqs'),
  );
  const client = new SQSClient({ endpoint: new URL(url).origin, region });
  return messageSink(client, url.endsWith('.fifo'), async (messages) => {
    const Entries = messages.map(({ Id, body, order }) => ({ Id, MessageBody: body, ...order }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
    return Failed;
  });
}

/**
 * The same for a topic of SNS.
 *
 * @param options.url - of the service.
 * @throws {MissingPackageError}
 */
export async function openTopicSink({
  url,
  topicArn,
  region,
}: {
  readonly url: string;
  readonly topicArn: string;
  readonly region: string;
}): Promise<Sink> {
  const { SNSClient, PublishBatchCommand } = await loadPackage(
    'singlet consume --to sns+',
    () => import('@aws-sdk/client-sns'),
  );
  const client = new SNSClient({ endpoint: url, region });
  return messageSink(client, topicArn.endsWith('.fifo'), async (messages) => {
    const PublishBatchRequestEntries = messages.map(({ Id, body, order }) => ({ Id, Message: body, ...order }));
    const { Failed = [] } = await client.send(
      new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries }),
    );
    return Failed;
  });
}

function messageSink(client: { destroy(): void }, isFifo: boolean, send: Send): Sink {
  return {
    handler: (records, { streamArn }) => sendAll(records, { streamArn, isFifo }, send),
    close: async () => client.destroy(),
  };
}

/** In the order of the records. If one is refused, it and those after it are sent again. */
async function sendAll(
  records: readonly ChangeRecord<unknown>[],
  { streamArn, isFifo }: { readonly streamArn: string; readonly isFifo: boolean },
  send: Send,
): Promise<BatchResponse | undefined> {
  const messages = records.map((record, at): Message => ({
    Id: String(at),
    body: JSON.stringify(lambdaRecord(record.source, streamArn)),
    order: isFifo ? { MessageGroupId: groupOf(record), MessageDeduplicationId: record.eventId } : {},
  }));
  for (const batch of batchesOf(messages)) {
    const refused = (await send(batch)).toSorted((a, b) => Number(a.Id) - Number(b.Id))[0];
    if (refused === undefined) continue;
    const record = records[Number(refused.Id)];
    if (record === undefined || record === records[0]) {
      throw new MessageRefused(`A message was not accepted: ${refused.Code}: ${refused.Message}`);
    }
    return { batchItemFailures: [{ itemIdentifier: record.sequenceNumber }] };
  }
  return undefined;
}

/** At most 128 characters, the service's limit. */
function groupOf(record: ChangeRecord<unknown>): string {
  return createHash('sha256').update(itemKeyOf(record)).digest('hex');
}

function batchesOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const batches: Message[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    const last = batches.at(-1);
    if (last === undefined || last.length === messagesMax || bytes + size > messageBytesMax) {
      batches.push([message]);
      bytes = size;
    } else {
      last.push(message);
      bytes += size;
    }
  }
  return batches;
}

/** The first message of a batch was refused, for instance because it is too large for the service. */
class MessageRefused extends DeliveryError {
  override readonly name: string = 'MessageRefused';
}
