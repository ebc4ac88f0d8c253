import { type HttpServer, serveHttp } from './node-server.ts';
import type { ApplicationStart } from './start-options.ts';
import { webApplication, type WebApplicationOptions } from './web-application.ts';

type OfStart = 'checksAnswers' | 'onAnswer' | 'onFault' | 'workbench';

interface ServedOptions extends Omit<WebApplicationOptions, OfStart> {
  /** Ends the work that runs beside the application. Called after the last answer, and when the application cannot be served. */
  readonly end?: () => Promise<void>;
}

/** Serves an application on the port of its start options, and reports faults as these say. */
export async function serveApplication(
  { port, onFault, checksAnswers = false, onAnswer, workbench }: ApplicationStart,
  { end = async () => await Promise.resolve(), ...options }: ServedOptions,
): Promise<HttpServer> {
  try {
    const handler = await webApplication({ ...options, checksAnswers, onAnswer, onFault, workbench });
    const server = await serveHttp(handler, { port });
    return {
      url: server.url,
      close: async () => {
        await server.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
