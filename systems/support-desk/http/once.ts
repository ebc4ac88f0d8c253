import { CONSISTENTLY, orAlready, orDone } from '../../http/or-already.ts';
import type { Attempt, Requests } from '../../http/requests.ts';
import type { Agent, Customer, Message, NewMessage, SupportDesk, Ticket } from '../desk.ts';
import { found, SupportError } from '../errors.ts';

/** Creates customers, agents, tickets and messages once for each idempotency key, and changes tickets once, whatever becomes of the answers. */
export class Once {
  readonly #desk: SupportDesk;
  readonly #requests: Requests;

  constructor(desk: SupportDesk, requests: Requests) {
    this.#desk = desk;
    this.#requests = requests;
  }

  /** SU-W1. @throws {SupportError} `already-exists` if a given id is taken. */
  async createCustomer(
    customer: { readonly name: string; readonly email: string; readonly customerId?: string },
    key: string | undefined,
  ): Promise<Customer> {
    if (customer.customerId !== undefined) return await this.#desk.createCustomer(customer);
    const { id } = await this.#requests.attempt(['customer', customer.email], key);
    return await orEarlier('Customer', this.#desk.createCustomer({ ...customer, customerId: id }), async () =>
      found(await this.#desk.findCustomer(id, CONSISTENTLY), 'Customer'),
    );
  }

  /** SU-W1. @throws {SupportError} `already-exists` if a given id is taken. */
  async createAgent(
    agent: { readonly name: string; readonly agentId?: string },
    key: string | undefined,
  ): Promise<Agent> {
    if (agent.agentId !== undefined) return await this.#desk.createAgent(agent);
    const { id } = await this.#requests.attempt(['agent', agent.name], key);
    return await orEarlier('Agent', this.#desk.createAgent({ ...agent, agentId: id }), async () =>
      found(await this.#desk.findAgent(id, CONSISTENTLY), 'Agent'),
    );
  }

  /** SU-W2. @throws {SupportError} `not-found` */
  async openTicket(
    ticket: { readonly customerId: string; readonly subject: string; readonly body: string },
    key: string | undefined,
  ): Promise<Ticket> {
    const first = await this.#requests.attempt(['ticket', ticket.customerId], key);
    return await orEarlier('Ticket', this.#desk.openTicket(ticket, first), async () =>
      found(await this.#desk.findTicket(first.id, CONSISTENTLY), 'Ticket'),
    );
  }

  /** SU-W3, and SU-11 where the message is there. @throws {SupportError} `not-found` */
  async addMessage(ticketId: string, message: NewMessage, key: string | undefined): Promise<Message> {
    const first = await this.#requests.attempt(['message', ticketId, message.authorId], key);
    return await orEarlier('Message', this.#desk.addMessage(ticketId, message, first), async () =>
      this.#messageOf(ticketId, first),
    );
  }

  /** SU-W4, and SU-4 where the ticket has just been given to the agent. @throws {SupportError} if others have changed it. */
  async assign(ticketId: string, decision: { readonly agentId: string; readonly seen: number }): Promise<void> {
    await orDone(this.#desk.assign(ticketId, decision), async (error) =>
      isChanged(error) ? await this.#became(ticketId, decision) : false,
    );
  }

  /** SU-W5, and SU-4 where the ticket has just been put back. @throws {SupportError} if others have changed it. */
  async unassign(ticketId: string, { seen }: { readonly seen: number }): Promise<void> {
    await orDone(this.#desk.unassign(ticketId, { seen }), async (error) =>
      isChanged(error) ? await this.#became(ticketId, { agentId: undefined, seen }) : false,
    );
  }

  /** SU-W6. A ticket that is closed stays so. @throws {SupportError} `not-found` */
  async close(ticketId: string): Promise<void> {
    await orDone(this.#desk.close(ticketId), (error) => error instanceof SupportError && error.code === 'not-open');
  }

  /** SU-W7. A ticket that is open stays so. @throws {SupportError} `not-found` */
  async reopen(ticketId: string): Promise<void> {
    await orDone(this.#desk.reopen(ticketId), (error) => error instanceof SupportError && error.code === 'not-closed');
  }

  async #became(
    ticketId: string,
    { agentId, seen }: { readonly agentId: string | undefined; readonly seen: number },
  ): Promise<boolean> {
    const ticket = await this.#desk.findTicket(ticketId, CONSISTENTLY);
    return ticket?.version === seen + 1 && ticket.agentId === agentId;
  }

  async #messageOf(ticketId: string, { id, at }: Attempt): Promise<Message> {
    const sinceThen = await this.#desk.messagesSince(ticketId, { at }, CONSISTENTLY);
    return found(
      sinceThen.find(({ messageId }) => messageId === id),
      'Message',
    );
  }
}

/** What an earlier attempt has written, if the write is refused for that. */
async function orEarlier<Thing>(entity: string, write: Promise<Thing>, earlier: () => Promise<Thing>): Promise<Thing> {
  const isThere = (error: unknown): boolean =>
    error instanceof SupportError && error.code === 'already-exists' && error.entity === entity;
  return await orAlready(write, isThere, earlier);
}

function isChanged(error: unknown): boolean {
  return error instanceof SupportError && error.code === 'changed-meanwhile';
}
