import { hostname } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import {
  type BatchHandler,
  type Consumer,
  ConsumerError,
  type ConsumerEvent,
  createConsumer,
} from '../consumer/index.ts';
import type { ConsumeFlags } from './consume-command.ts';
import { openSink } from './sinks/open-sink.ts';
import type { Sink } from './sinks/sink.ts';
import { calling, DeadLetterFile, printing, running } from './consume-handlers.ts';
import { endWithNpx } from './end-with-npx.ts';
import { endpointConfig, endpointName, noTable, regionOrDefault } from './endpoint-client.ts';
import { createLogger } from './logger.ts';
import { whenOutputFails } from './output.ts';
import { UsageError } from './usage-error.ts';
import { secretIn } from './webhook.ts';

/**
 * Reads a stream until a signal arrives or the stream ends.
 *
 * @throws {UsageError} if it cannot start.
 */
export async function consume(tableName: string, flags: ConsumeFlags): Promise<void> {
  const log = createLogger({
    level: flags.logLevel,
    format: flags.logFormat,
    nowMs: () => Date.now(),
    write: (line) => void process.stderr.write(line),
  });
  const sink = await sinkOf(flags);
  const deadLetters = flags.deadLetter === undefined ? undefined : await DeadLetterFile.open(flags.deadLetter);
  const dynamodb = new DynamoDBClient(endpointConfig(flags));
  const streams = new DynamoDBStreamsClient(endpointConfig(flags));
  try {
    const consumer = createConsumer<unknown>({
      dynamodb,
      streams,
      tableName,
      handler: sink.handler,
      startingPosition: flags.from,
      batchSize: flags.batchSize,
      batchingWindowMs: flags.windowSeconds === undefined ? undefined : flags.windowSeconds * 1000,
      parallelizationFactor: flags.parallel,
      filters: flags.filter,
      maximumRetryAttempts: flags.retries,
      maximumRecordAgeMs: flags.maxAge === undefined ? undefined : flags.maxAge * 1000,
      bisectBatchOnFunctionError: flags.bisect,
      reportBatchItemFailures: flags.module !== undefined || flags.to !== undefined,
      onDeadLetter: deadLetters && ((letter) => deadLetters.append(letter)),
      checkpointTable: flags.checkpointTable,
      workerId: flags.workerId ?? `${hostname()}-${process.pid}-${Date.now().toString(36)}`,
      onEvent: log,
    });
    stopOnSignals(consumer, log);
    await consumer.start();
    log({ level: 'info', event: 'consuming', table: tableName, worker: consumer.workerId });
    await consumer.ended;
    log({ level: 'info', event: 'stopped', table: tableName });
  } catch (error) {
    throw new UsageError(problemOf(error, tableName, flags), { cause: error });
  } finally {
    dynamodb.destroy();
    streams.destroy();
    await sink.close();
    await deadLetters?.close();
  }
}

async function sinkOf(flags: ConsumeFlags): Promise<Sink> {
  const { to, secretFile, timeoutSeconds } = flags;
  if (to !== undefined) {
    const takesSecret = to.kind === 'webhook' || to.kind === 'search index';
    if (secretFile !== undefined && !takesSecret) throw new UsageError(secretIsNotUsed);
    const secret = secretIn(secretFile);
    return openSink(to, { secret, timeoutMs: timeoutSeconds * 1000, region: regionOrDefault(flags) });
  }
  if (secretFile !== undefined) throw new UsageError(secretIsNotUsed);
  return { handler: await handlerOf(flags), close: () => Promise.resolve() };
}

const secretIsNotUsed =
  '--secret-file signs the requests to a webhook, or names the user of a search index: name one with --to.';

async function handlerOf({ exec, module }: ConsumeFlags): Promise<BatchHandler<unknown>> {
  if (module !== undefined) return calling(module);
  return exec === undefined ? printing(process.stdout) : running(exec);
}

/** The first signal stops the consumer gracefully; a second one ends the process at once. Output that cannot be written also stops it. */
function stopOnSignals(consumer: Consumer, log: (event: ConsumerEvent) => void): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    isStopping = true;
    log({ level: 'info', event: 'stopping', signal });
    void consumer.stop();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  endWithNpx(() => void consumer.stop());
  whenOutputFails(() => void consumer.stop());
}

function problemOf(error: unknown, tableName: string, flags: ConsumeFlags): string {
  if (error instanceof ConsumerError) return error.code === 'no-table' ? noTable(tableName, flags) : error.message;
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  const where = endpointName(flags);
  if (code === 'ECONNREFUSED') return `Nothing answers at ${where}. Is the server running? (singlet serve)`;
  return `The table ${tableName} cannot be read from ${where}: ${String(message)}`;
}
