import { BenchError } from './bench-error.ts';

/**
 * Typed calls between the benchmark and its worker processes: one object argument, one JSON answer, over the channel
 * that `fork` opens.
 */
export type Calls = { readonly [name: string]: (argument: never) => Promise<unknown> };

export interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly progress: string };

/** The worker's side: answers calls until the parent closes the channel. */
export function answerCalls(calls: Calls): void {
  process.on('message', (message) => {
    const { id, name, argument } = message as CallMessage;
    const call = calls[name];
    if (call === undefined) return send({ id, error: `There is no call ${name}.` });
    call(argument as never).then(
      (result) => send({ id, result }),
      (error: unknown) => send({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  // An interrupt reaches the whole process group. The parent decides when a worker ends.
  process.on('SIGINT', () => undefined);
}

/** Reports the progress of a long call to the user. */
export function reportProgress(text: string): void {
  send({ progress: text });
}

function send(message: ReplyMessage): void {
  if (process.send === undefined) throw new BenchError('process', 'This file is run by the benchmark, not by hand.');
  process.send(message);
}
