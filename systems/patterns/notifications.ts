import type { ChangeRecord } from 'singlet/consumer';

/** P-34 The changes that are notified, as a filter of the stream: an open order that has been paid. */
export const paidOrders = {
  eventName: ['MODIFY'],
  dynamodb: { NewImage: { status: { S: ['paid'] } }, OldImage: { status: { S: ['open'] } } },
} as const;

export interface Notification {
  readonly eventId: string;
  readonly text: string;
}

/**
 * P-34 Sends a notification to a webhook. The id of the event is in a header, by which the receiver ignores what it has seen: the consumer
 * repeats a batch until every call has succeeded, so a notification may arrive twice.
 *
 * @throws {TypeError} if the receiver cannot be reached or does not answer with success.
 */
export async function notify(webhook: string, { eventId, text }: Notification): Promise<void> {
  const answer = await fetch(webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'webhook-id': eventId },
    body: JSON.stringify({ text }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new TypeError(`The webhook answered ${answer.status}.`);
}

/** P-34 Notifies of paid orders: the handler of a consumer with the filter `paidOrders`. */
export function notifying(webhook: string): (records: readonly Paid[]) => Promise<void> {
  return async (records) => {
    for (const { eventId, newImage } of records) {
      await notify(webhook, { eventId, text: `${String(newImage?.['order'])} is paid` });
    }
  };
}

type Paid = Pick<ChangeRecord<Readonly<Record<string, unknown>>>, 'eventId' | 'newImage'>;
