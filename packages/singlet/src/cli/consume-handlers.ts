import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BatchHandler, type DeadLetter, lambdaEvent, lambdaRecord } from '../consumer/index.ts';
import { DeliveryError } from './delivery-error.ts';
import { UsageError } from './usage-error.ts';
import { isBatchResponse } from './webhook.ts';

/** Prints each record as a line of JSON. The batch is done once the lines have been passed to the output. */
export function printing(output: NodeJS.WritableStream): BatchHandler<unknown> {
  return (records, { streamArn }) =>
    new Promise((resolve, reject) => {
      const lines = records.map(({ source }) => `${JSON.stringify(lambdaRecord(source, streamArn))}\n`);
      output.write(lines.join(''), (error) => (error ? reject(error) : resolve()));
    });
}

/** Runs a shell command for each batch, with the event on its standard input. */
export function running(command: string): BatchHandler<unknown> {
  return (records, { streamArn }) =>
    new Promise((resolve, reject) => {
      const event = lambdaEvent(
        records.map(({ source }) => source),
        streamArn,
      );
      const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (code === 0) resolve();
        else reject(new CommandFailed(signal === null ? `exit code ${code}` : `ended by ${signal}`));
      });
      // A command that does not read all of its input reports success or failure by its exit code.
      child.stdin.on('error', () => undefined);
      child.stdin.end(`${JSON.stringify(event)}\n`);
    });
}

/** A command failed to process its batch. */
class CommandFailed extends DeliveryError {
  override readonly name: string = 'CommandFailed';
}

/**
 * Calls a Lambda function for each batch.
 *
 * @param file - a module that exports a function `handler(event, context)`.
 * @throws {UsageError} if it cannot be loaded, or does not export such a function.
 */
export async function calling(file: string): Promise<BatchHandler<unknown>> {
  const handler = handlerOf(
    await import(pathToFileURL(resolve(file)).href).catch((error: unknown) => {
      throw new UsageError(`The module ${file} cannot be loaded: ${messageOf(error)}`, {
        cause: error,
      });
    }),
  );
  if (handler === undefined) throw new UsageError(`The module ${file} exports no function "handler".`);
  return async (records, { streamArn }) => {
    const event = lambdaEvent(
      records.map(({ source }) => source),
      streamArn,
    );
    // A return value that is not a batch response counts as success, as with Lambda.
    const answer = await handler(event, { functionName: basename(file), awsRequestId: randomUUID() });
    return isBatchResponse(answer) ? answer : undefined;
  };
}

function handlerOf(module: unknown): ((event: unknown, context: unknown) => unknown) | undefined {
  const { handler, default: preset } = Object(module) as { readonly handler?: unknown; readonly default?: unknown };
  const found = handler ?? (Object(preset) as { readonly handler?: unknown }).handler;
  return typeof found === 'function' ? (event, context): unknown => found(event, context) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Appends records that are given up to a file, one line of JSON for each. They count as done once they are on disk. */
export class DeadLetterFile {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @throws {UsageError} if the file cannot be written. */
  static async open(path: string): Promise<DeadLetterFile> {
    try {
      return new DeadLetterFile(await open(path, 'a'));
    } catch (error) {
      throw new UsageError(`The file ${path} for dead letters cannot be written: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async append({ records, reason, streamArn, shardId, failureCount, error }: DeadLetter): Promise<void> {
    const why = { reason, shardId, failureCount, ...(error instanceof Error && { error: error.message }) };
    const lines = records.map((record) => `${JSON.stringify({ ...why, record: lambdaRecord(record, streamArn) })}\n`);
    await this.#file.appendFile(lines.join(''));
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
