import { createHash } from 'node:crypto';
import { type BatchResponse, type ChangeRecord, lambdaRecord } from '../../consumer/index.ts';
import { loadPackage } from '../../values/missing-package.ts';
import { itemKeyOf } from './item-change.ts';
import type { Sink } from './sink.ts';

/** Messages that SQS and SNS take at a time, and bytes of all of them. */
const messagesMax = 10;
const messageBytesMax = 256 * 1024;

/** A change as a message. */
interface Message {
  readonly Id: string;
  readonly body: string;
  /** Of a queue or topic that keeps order: the item, and what tells a message that came before. */
  readonly order: { readonly MessageGroupId?: string; readonly MessageDeduplicationId?: string };
}

/** What of a batch was not taken. */
interface Refusal {
  readonly Id?: string | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

type Send = (messages: readonly Message[]) => Promise<readonly Refusal[]>;

/**
 * Sends each change as a message to a queue of SQS, or of what speaks its protocol. A FIFO queue gets the changes of an item in order and each of them
 * once: the item is the group, and the id of the record tells a message that came before. Any other queue gets each at least once.
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
 * The same to a topic of SNS.
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

/** In the order of the records. Where one is not taken, those behind it are sent again with it. */
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
      throw new MessageRefused(`A message was not taken: ${refused.Code}: ${refused.Message}`);
    }
    return { batchItemFailures: [{ itemIdentifier: record.sequenceNumber }] };
  }
  return undefined;
}

/** At most 128 characters. */
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

/** The first message of a batch was not taken: one that is too large for the service, for instance. */
class MessageRefused extends Error {
  override readonly name: string = 'MessageRefused';
}
