import { inspect } from 'node:util';
import type { ConsumerEvent } from 'singlet/consumer';

/** Receives an unexpected error, and the work that it ended, such as `GET /orders/1`. Callers see neither. */
export type OnFault = (error: unknown, where: string) => void;

const CAUSES_MAX = 5;

/** For the operator: the work, and the stacks of the error and of its causes, without the data that errors may contain. */
export function faultText(error: unknown, where: string): string {
  const stacks: string[] = [];
  for (let each = error; each !== undefined && stacks.length <= CAUSES_MAX; each = causeOf(each)) {
    stacks.push(each instanceof Error ? (each.stack ?? String(each)) : inspect(each));
  }
  return `Fault in ${where}: ${stacks.join('\nCaused by ')}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** What a request asks for, without its query, which may contain what a visitor typed. */
export function workOf({ method, url }: Pick<Request, 'method' | 'url'>): string {
  return `${method} ${new URL(url).pathname}`;
}

/** For a consumer of a stream: what it reports as an error is a fault. */
export function consumerFaults(onFault: OnFault, where: string): (event: ConsumerEvent) => void {
  return ({ level, event, error }) => {
    if (level === 'error') onFault(new Error(event, { cause: error }), where);
  };
}
