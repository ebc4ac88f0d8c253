import { ManualClock } from '../clock.ts';
import { SupportDesk, type SupportDeskOptions } from './desk.ts';

/** A desk whose time and ids a test controls. */
export interface DeskAtWork {
  readonly desk: SupportDesk;
  readonly clock: ManualClock;
  /** Sets the time: `2024-05-14T09:05`, UTC. */
  readonly at: (time: string) => void;
  /** The next ids. When they are used up, `x1`, `x2` and so on follow. */
  readonly nextIds: (...ids: readonly string[]) => void;
}

export function deskAtWork(options: Pick<SupportDeskOptions, 'client' | 'tableName'>): DeskAtWork {
  const clock = new ManualClock('2024-05-01T00:00:00Z');
  const ids: string[] = [];
  let madeUp = 0;
  const newId = (): string => {
    madeUp += ids.length === 0 ? 1 : 0;
    return ids.shift() ?? `x${madeUp}`;
  };
  return {
    desk: new SupportDesk({ ...options, clock, newId }),
    clock,
    at: (time) => clock.setToMs(Date.parse(`${time}:00Z`)),
    nextIds: (...next) => ids.push(...next),
  };
}

/** Two customers, two agents and five tickets, created by the application's writes at the original times. */
export async function playFixture({ desk, at, nextIds }: DeskAtWork): Promise<void> {
  at('2024-05-01T08:00');
  await desk.createCustomer({ customerId: 'c1', name: 'Ada Keller', email: 'ada@example.org' });
  await desk.createCustomer({ customerId: 'c2', name: 'Ben Osei', email: 'ben@example.org' });
  await desk.createAgent({ agentId: 'a1', name: 'Inês Duarte' });
  await desk.createAgent({ agentId: 'a2', name: 'Jonas Weber' });
  const open = async (time: string, ticketId: string, customerId: string, subject: string): Promise<void> => {
    at(time);
    nextIds(ticketId, `m1${ticketId}`);
    await desk.openTicket({ customerId, subject, body: `${subject}. Can you help?` });
  };
  const assign = async (time: string, ticketId: string, agentId: string): Promise<void> => {
    at(time);
    await desk.assign(ticketId, { agentId, seen: 1 });
  };

  await open('2024-05-10T09:00', 't1', 'c1', 'Password forgotten');
  at('2024-05-10T09:30');
  await desk.close('t1');
  await open('2024-05-12T10:00', 't4', 'c2', 'Refund has not arrived');
  await open('2024-05-13T08:30', 't2', 'c1', 'Export stops at row 1,000');
  await assign('2024-05-13T16:00', 't4', 'a1');
  await open('2024-05-14T07:00', 't5', 'c2', 'Two invoices in April');
  await assign('2024-05-14T07:15', 't5', 'a1');
  await assign('2024-05-14T09:05', 't2', 'a1');
  at('2024-05-14T09:10');
  nextIds('m2t2');
  await desk.addMessage('t2', { authorType: 'agent', authorId: 'a1', body: 'Which format do you export to?' });
  at('2024-05-14T09:20');
  nextIds('m3t2');
  await desk.addMessage('t2', { authorType: 'customer', authorId: 'c1', body: 'CSV.' });
  at('2024-05-14T10:00');
  await desk.close('t5');
  await open('2024-05-14T11:00', 't3', 'c1', 'Dark mode');
  await assign('2024-05-14T11:10', 't3', 'a2');
  at('2024-05-14T12:00');
}
