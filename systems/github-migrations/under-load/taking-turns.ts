import { setImmediate } from 'node:timers/promises';
import type { ConnectOptions } from '@singlet/model';

/**
 * A client that yields to the event loop before each request. A database in this process may answer without yielding, so that
 * one user would do all the work alone.
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
