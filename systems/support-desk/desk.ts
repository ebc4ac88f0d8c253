import {
  connect,
  type Connected,
  type ConnectOptions,
  type Cursor,
  type ItemOf,
  type ReadOptions,
} from '@singlet/model';
import type { Clock } from '../clock.ts';
import { collect } from '../collect.ts';
import { localDate, localDay } from '../local-day.ts';
import { refusing } from './errors.ts';
import { supportDesk } from './model.ts';

type Entities = typeof supportDesk.entities;

export type Customer = ItemOf<Entities['Customer']>;
export type Agent = ItemOf<Entities['Agent']>;
export type Ticket = ItemOf<Entities['Ticket']>;
export type Message = ItemOf<Entities['Message']>;
export type Assignment = ItemOf<Entities['Assignment']>;

export interface SupportDeskOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly clock: Clock;
  /** KSUIDs. */
  readonly newId: () => string;
  /** Seals cursors: the same for all processes that serve one desk. */
  readonly cursorSecret?: string;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** Where a list continues, and the length of a page. */
export interface PageRequest {
  readonly cursor?: Cursor | undefined;
  readonly limit?: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly cursor: Cursor | undefined;
}

/** The text, and its author. */
export interface NewMessage {
  readonly authorType: Message['authorType'];
  readonly authorId: string;
  readonly body: string;
}

/** What the first attempt of a request has decided, so that a repetition writes the same. */
export interface FirstAttempt {
  /** A KSUID. */
  readonly id: string;
  /** UTC with milliseconds. */
  readonly at: string;
}

/** Who called, what they asked for last, and what is still open. */
export interface Dashboard {
  readonly customer: Customer | undefined;
  readonly latestTicket: Ticket | undefined;
  readonly openTickets: readonly Ticket[];
}

/** Customers, their tickets, the messages, and the assigned agents. One method for each access pattern. */
export class SupportDesk {
  readonly #db: Connected<Entities, typeof supportDesk.patterns>;
  readonly #clock: Clock;
  readonly #newId: () => string;

  constructor({ client, tableName, clock, newId, cursorSecret, onRequest }: SupportDeskOptions) {
    this.#db = connect(supportDesk, {
      client,
      tables: { support: tableName },
      now: () => clock.nowMs(),
      ...(cursorSecret !== undefined && { secret: cursorSecret }),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
    this.#newId = newId;
  }

  /** @throws {SupportError} `already-exists` if a given id is taken. */
  async createCustomer(customer: {
    readonly name: string;
    readonly email: string;
    readonly customerId?: string;
  }): Promise<Customer> {
    const { customerId = this.#newId(), name, email } = customer;
    return await refusing(this.#db.createCustomer({ customerId, name, email, createdAt: this.#now() }));
  }

  async findCustomer(customerId: string, options: ReadOptions = {}): Promise<Customer | undefined> {
    return await this.#db.customer({ customerId }, options);
  }

  /** @throws {SupportError} `already-exists` if a given id is taken. */
  async createAgent(agent: { readonly name: string; readonly agentId?: string }): Promise<Agent> {
    const { agentId = this.#newId(), name } = agent;
    return await refusing(this.#db.createAgent({ agentId, name, createdAt: this.#now() }));
  }

  async findAgent(agentId: string, options: ReadOptions = {}): Promise<Agent | undefined> {
    return await this.#db.agent({ agentId }, options);
  }

  /**
   * Opens a ticket with the customer's first message.
   *
   * @param first - the id and the time of the first attempt, for a request that may be repeated.
   * @throws {SupportError} `not-found` if the customer does not exist, `already-exists` if a given id is taken.
   */
  async openTicket(
    ticket: { readonly customerId: string; readonly subject: string; readonly body: string },
    first: FirstAttempt = { id: this.#newId(), at: this.#now() },
  ): Promise<Ticket> {
    const { customerId, subject, body } = ticket;
    const { id: ticketId, at } = first;
    const opened = {
      ticketId,
      customerId,
      subject,
      status: 'OPEN',
      createdAt: at,
      lastMessageAt: at,
      messageCount: 1,
      version: 1,
    } as const;
    const message = this.#message(
      ticketId,
      { authorType: 'customer', authorId: customerId, body },
      { id: this.#newId(), at },
    );
    await refusing(this.#db.openTicket({ ticket: opened, message }));
    return opened;
  }

  async findTicket(ticketId: string, options: ReadOptions = {}): Promise<Ticket | undefined> {
    return await this.#db.ticket({ ticketId }, options);
  }

  /**
   * @param first - the id and the time of the first attempt, for a request that may be repeated.
   * @throws {SupportError} `not-found` if the ticket does not exist, `already-exists` if the message does.
   */
  async addMessage(
    ticketId: string,
    message: NewMessage,
    first: FirstAttempt = { id: this.#newId(), at: this.#now() },
  ): Promise<Message> {
    const sent = this.#message(ticketId, message, first);
    await refusing(this.#db.addMessage({ ticket: { ticketId, lastMessageAt: first.at }, message: sent }));
    return sent;
  }

  /**
   * Assigns a ticket to an agent, possibly taking it from another one.
   *
   * @param decision.seen - the version of the ticket on which the decision was based.
   * @throws {SupportError} `changed-meanwhile` if the ticket has another version by now, `not-open`, `not-found`.
   */
  async assign(ticketId: string, decision: { readonly agentId: string; readonly seen: number }): Promise<void> {
    const { agentId, seen } = decision;
    const at = this.#now();
    await refusing(
      this.#db.assignTicket({
        agent: { agentId },
        ticket: { ticketId, agentId, assignedAt: at, seen },
        assignment: { ticketId, at, agentId },
      }),
      (ticket) => (ticket?.['status'] === 'OPEN' ? 'changed-meanwhile' : 'not-open'),
    );
  }

  /**
   * Puts a ticket back, so that no agent has it.
   *
   * @throws {SupportError} `changed-meanwhile` if the ticket has another version than `seen` by now, `not-found`.
   */
  async unassign(ticketId: string, { seen }: { readonly seen: number }): Promise<void> {
    await refusing(this.#db.unassignTicket({ ticketId, seen }));
  }

  /** @throws {SupportError} `not-open` if it is already closed, `not-found`. */
  async close(ticketId: string): Promise<void> {
    await refusing(this.#db.closeTicket({ ticketId, closedAt: this.#now() }), () => 'not-open');
  }

  /** @throws {SupportError} `not-closed` if it is already open, `not-found`. */
  async reopen(ticketId: string): Promise<void> {
    await refusing(this.#db.reopenTicket({ ticketId }), () => 'not-closed');
  }

  /** The newest first. */
  async openTicketsOf(customerId: string): Promise<readonly Ticket[]> {
    return await collect(this.#db.openTicketsOfCustomer.each({ customerId }));
  }

  async latestTicketOf(customerId: string): Promise<Ticket | undefined> {
    const { items } = await this.#db.latestTicketOfCustomer({ customerId });
    return items[0];
  }

  /** The newest first. */
  async ticketsOf(customerId: string, page: PageRequest = {}): Promise<Page<Ticket>> {
    return await this.#db.ticketsOfCustomer({ customerId }, page);
  }

  /** The whole conversation, in order of time. */
  async conversation(ticketId: string): Promise<readonly Message[]> {
    return await collect(this.#db.messagesOfTicket.each({ ticketId }));
  }

  /** The ticket and its latest messages, the newest first. The ticket comes on the first page. */
  async ticketPage(
    ticketId: string,
    page: PageRequest = {},
  ): Promise<{ ticket: Ticket | undefined; messages: readonly Message[]; cursor: Cursor | undefined }> {
    return await this.#db.ticketPage({ ticketId }, page);
  }

  /**
   * The messages since a reader's last request, in order.
   *
   * @param looked.at - the time of the latest message that was seen. Several may have that time.
   * @param looked.seen - ids of messages not to return again.
   */
  async messagesSince(
    ticketId: string,
    looked: { readonly at: string; readonly seen?: ReadonlySet<string> },
    options: ReadOptions = {},
  ): Promise<readonly Message[]> {
    const messages = await collect(this.#db.messagesSince.each({ ticketId, sentAt: { from: looked.at } }, options));
    return messages.filter(({ messageId }) => looked.seen?.has(messageId) !== true);
  }

  /**
   * The tickets that were assigned to the agent on that day, in the order of their assignments, closed ones
   * included.
   *
   * @param day.date - `2024-05-14`; today if omitted.
   * @param day.timeZone - the zone of the day; UTC if omitted.
   */
  async assignedOn(
    agentId: string,
    day: { readonly date?: string; readonly timeZone?: string } = {},
  ): Promise<readonly Ticket[]> {
    const { timeZone = 'UTC', date = localDate(this.#clock.nowMs(), timeZone) } = day;
    // In UTC the date is the prefix of all times of a day. Other zones need an interval.
    const interval = localDay(date, timeZone);
    const assignedAt = timeZone === 'UTC' ? { begins: date } : interval;
    return await collect(this.#db.ticketsAssignedOn.each({ agentId, assignedAt }));
  }

  /** All open tickets of the agent, the latest assignment first. */
  async openTicketsOfAgent(agentId: string): Promise<readonly Ticket[]> {
    return await collect(this.#db.openTicketsOfAgent.each({ agentId }));
  }

  /** The agents of the ticket with the times of assignment, the first one first. */
  async assignmentsOf(ticketId: string): Promise<readonly Assignment[]> {
    return await collect(this.#db.assignmentsOfTicket.each({ ticketId }));
  }

  /** What an agent sees when a customer calls: three concurrent requests. */
  async dashboard(customerId: string): Promise<Dashboard> {
    const [customer, latestTicket, openTickets] = await Promise.all([
      this.#db.customer({ customerId }),
      this.latestTicketOf(customerId),
      this.openTicketsOf(customerId),
    ]);
    return { customer, latestTicket, openTickets };
  }

  #message(ticketId: string, { authorType, authorId, body }: NewMessage, { id, at }: FirstAttempt): Message {
    return { ticketId, messageId: id, authorType, authorId, body, sentAt: at };
  }

  #now(): string {
    return new Date(this.#clock.nowMs()).toISOString();
  }
}
