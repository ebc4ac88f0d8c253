import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { consumerFaults, type OnFault } from '../../http/faults.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import type { Access } from '../access.ts';
import type { JobQueue } from '../job-queue.ts';
import { createTrigger } from '../trigger.ts';
import { Worker } from '../worker.ts';
import type { Switch } from './gatehouse.ts';

const LOOK_AGAIN_MS = 100;
/** How long the index of a small database may lag behind its table. */
const SETTLE_MS = 200;

interface PropagationOptions extends Pick<ApplicationStart, 'client' | 'database'> {
  readonly access: Access;
  readonly queue: JobQueue;
  readonly tableName: string;
  readonly worker: Switch;
  readonly onFault: OnFault;
}

/** The background work beside the pages: the trigger on the table's stream, and a worker that can be switched on and off. */
export class RunningPropagation {
  readonly #options: PropagationOptions;
  readonly #streams: DynamoDBStreamsClient;
  readonly #trigger: ReturnType<typeof createTrigger>;
  #isClosed = false;
  #working: Promise<void> = Promise.resolve();

  private constructor(options: PropagationOptions, streams: DynamoDBStreamsClient) {
    const { access, queue, client, tableName, onFault } = options;
    this.#options = options;
    this.#streams = streams;
    this.#trigger = createTrigger(access, queue, {
      dynamodb: client,
      streams,
      tableName,
      checkpointTable: `${tableName}-checkpoints`,
      pollIntervalMs: LOOK_AGAIN_MS,
      onEvent: consumerFaults(onFault, 'the queue of changed policies'),
    });
  }

  static async start(options: PropagationOptions): Promise<RunningPropagation> {
    const running = new RunningPropagation(options, new DynamoDBStreamsClient(options.database.clientConfig));
    await running.#trigger.start();
    running.#working = running.#work();
    return running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    await this.#trigger.stop();
    this.#streams.destroy();
  }

  async #work(): Promise<void> {
    const { access, queue, worker, onFault } = this.#options;
    const hands = new Worker(access, queue, { settleMs: SETTLE_MS });
    while (!this.#isClosed) {
      let hadOne = false;
      try {
        hadOne = worker.isOn && (await hands.runOne());
      } catch (error) {
        onFault(error, 'the worker of the queue');
      }
      if (!hadOne) await access.pause(LOOK_AGAIN_MS);
    }
  }
}
