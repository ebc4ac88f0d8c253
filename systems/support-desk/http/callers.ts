import { notSignedIn } from '../../http/credentials.ts';
import { HttpError } from '../../http/http-error.ts';
import type { Message, SupportDesk, Ticket } from '../desk.ts';
import { found } from '../errors.ts';

/** Who uses the desk. */
export interface Caller {
  readonly role: Message['authorType'];
  readonly id: string;
  readonly name: string;
}

type Asking = Pick<Request, 'headers'>;

/**
 * A session is of `agent:ID:NAME` or `customer:ID:NAME`, so that no request is necessary to show whose it is.
 *
 * @returns undefined for another text.
 */
export function callerOf(person: string | undefined): Caller | undefined {
  const [, role, id = '', name = ''] = /^(agent|customer):([^:]+):(.+)$/s.exec(person ?? '') ?? [];
  return role === 'agent' || role === 'customer' ? { role, id, name } : undefined;
}

export function personOf({ role, id, name }: Caller): string {
  return `${role}:${id}:${name}`;
}

/**
 * The text under which a session is kept, with the name that the desk has.
 *
 * @param wanted - `agent:ID` or `customer:ID`.
 * @returns undefined if the desk does not know them. SU-1 or SU-9.
 */
export async function personAt(desk: SupportDesk, wanted: string): Promise<string | undefined> {
  const [, role, id = ''] = /^(agent|customer):([A-Za-z0-9]{1,40})(:|$)/.exec(wanted) ?? [];
  if (role !== 'agent' && role !== 'customer') return undefined;
  const known = role === 'agent' ? await desk.findAgent(id) : await desk.findCustomer(id);
  return known && personOf({ role, id, name: known.name });
}

/** What a caller may do: agents everything, customers what is theirs. */
export class Callers {
  readonly #desk: SupportDesk;
  readonly #personOf: (request: Asking) => Promise<string | undefined>;

  constructor(desk: SupportDesk, person: (request: Asking) => Promise<string | undefined>) {
    this.#desk = desk;
    this.#personOf = person;
  }

  /** @throws {HttpError} 401 */
  async required(request: Asking): Promise<Caller> {
    const caller = callerOf(await this.#personOf(request));
    if (caller === undefined) throw notSignedIn();
    return caller;
  }

  /** @throws {HttpError} 401, 403 */
  async agent(request: Asking): Promise<Caller> {
    return requireAgent(await this.required(request));
  }

  /** @throws {HttpError} 401, 403 for another customer. */
  async ofCustomer(request: Asking, customerId: string): Promise<void> {
    requireOwn(await this.required(request), { customerId });
  }

  /** SU-4. @throws {HttpError} 401, 403 for the ticket of another customer. */
  async ticketFor(request: Asking, ticketId: string): Promise<Ticket> {
    return await ticketFor(this.#desk, await this.required(request), ticketId);
  }

  /** SU-4. The author of a message to a ticket. @throws {HttpError} 401, 403 */
  async authorOn(request: Asking, ticketId: string): Promise<Pick<Message, 'authorType' | 'authorId'>> {
    const caller = await this.required(request);
    await ticketFor(this.#desk, caller, ticketId);
    return { authorType: caller.role, authorId: caller.id };
  }
}

/** SU-4. @throws {HttpError} 403 for the ticket of another customer. */
export async function ticketFor(desk: SupportDesk, caller: Caller, ticketId: string): Promise<Ticket> {
  const ticket = found(await desk.findTicket(ticketId), 'Ticket');
  requireOwn(caller, ticket);
  return ticket;
}

/** @throws {HttpError} 403 */
export function requireAgent(caller: Caller): Caller {
  if (caller.role !== 'agent') throw new HttpError(403, 'not-yours', 'This is for agents.');
  return caller;
}

/** @throws {HttpError} 403 for what belongs to another customer. */
export function requireOwn({ role, id }: Caller, { customerId }: { readonly customerId: string }): void {
  if (role === 'customer' && id !== customerId)
    throw new HttpError(403, 'not-yours', 'This belongs to another customer.');
}
