import { createHash } from 'node:crypto';
import { type Cursor, ksuid, ksuidTime, type Page } from '@singlet/model';
import { isoSeconds } from '../clock.ts';
import { inParallel } from '../in-parallel.ts';
import type { Connection, Message } from './connection.ts';
import { obeyed, RefusedError } from './errors.ts';

const KSUID_PAYLOAD_BYTES = 16;
/** Maximum number of concurrent writes of messages. */
export const MESSAGES_AT_ONCE = 16;

export interface NewMessage {
  readonly username: string;
  readonly subject: string;
  readonly body: string;
  readonly dealId?: string | undefined;
}

/** A message to all users. */
export interface HotDeal {
  readonly subject: string;
  readonly body: string;
  readonly dealId?: string | undefined;
  /** The id of an earlier attempt that did not reach all users. Users who have the message do not get it again. */
  readonly blastId?: string | undefined;
}

/** Messages to users. */
export class Inbox {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** BTD-18, and with `unreadOnly` BTD-19: newest first. */
  async messages(
    username: string,
    { unreadOnly = false, cursor }: { readonly unreadOnly?: boolean; readonly cursor?: Cursor | undefined } = {},
  ): Promise<Page<Message>> {
    const { db } = this.#connection;
    return await (unreadOnly ? db.unreadMessages({ username }, { cursor }) : db.messages({ username }, { cursor }));
  }

  /** BTD-20: can be repeated. @throws {RefusedError} `not-found` */
  async markRead(username: string, messageId: string): Promise<void> {
    await obeyed(this.#connection.db.markRead({ username, messageId }));
  }

  /** BTD-26: a new message, unread. @throws {RefusedError} `already-exists` if a given id is taken. */
  async send(message: NewMessage, messageId: string = this.#newId()): Promise<Message> {
    const { dealId, ...rest } = message;
    return await obeyed(
      this.#connection.db.sendMessage({
        ...rest,
        messageId,
        createdAt: isoSeconds(ksuidTime(messageId) / 1000),
        ...(dealId !== undefined && { dealId }),
      }),
    );
  }

  /** BTD-26, for messages that may be repeated. @returns whether the message is new. */
  async sendOnce(message: NewMessage, messageId: string): Promise<boolean> {
    try {
      await this.send(message, messageId);
      return true;
    } catch (error) {
      if (error instanceof RefusedError && error.code === 'already-exists') return false;
      throw error;
    }
  }

  /**
   * BTD-21: one message to each existing user. After an error it may be repeated with the same id: no user gets it twice.
   *
   * @param pageSize - users per request.
   */
  async tellEverybody(
    { blastId = this.#newId(), ...message }: HotDeal,
    pageSize?: number,
  ): Promise<{ readonly blastId: string; readonly sent: number }> {
    const users = this.#connection.db.everyUser.each({}, pageSize === undefined ? {} : { limit: pageSize });
    let sent = 0;
    await inParallel(MESSAGES_AT_ONCE, users, async ({ username }) => {
      const isNew = await this.sendOnce({ ...message, username }, derivedId(blastId, 'everybody', username));
      sent += Number(isNew);
    });
    return { blastId, sent };
  }

  #newId(): string {
    const { clock, newId } = this.#connection;
    return newId(clock.nowMs());
  }
}

/** An id derived from the message's subject, with the time of its cause: the same message has the same id each time. */
export function derivedId(causeId: string, kind: string, username: string): string {
  const digest = createHash('sha256').update(`${causeId}\0${kind}\0${username}`).digest();
  return ksuid({ at: ksuidTime(causeId), random: digest.subarray(0, KSUID_PAYLOAD_BYTES) });
}
