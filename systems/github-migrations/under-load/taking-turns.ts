import { setImmediate } from 'node:timers/promises';
import type { ConnectOptions } from '@singlet/model';

/**
 * A client whose requests wait for a turn of the event loop. A database in this process may answer without one: who is at work in it
 * would then be at work alone.
 */
export function takingTurns(client: ConnectOptions['client']): ConnectOptions['client'] {
  client.middlewareStack.add(
    (next) => async (args) => {
      await setImmediate();
      return await next(args);
    },
    { step: 'initialize', name: 'takeTurns' },
  );
  return client;
}
