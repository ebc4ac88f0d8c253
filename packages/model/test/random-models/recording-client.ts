import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** One request, as it was sent, and its answer. */
export interface SentRequest {
  readonly operation: string;
  readonly input: object;
  /** Undefined if the request failed. */
  readonly answer: object | undefined;
  readonly hasFailed: boolean;
  /** The capacity units that the answer reports, of all tables. */
  readonly units: number;
}

interface Command {
  readonly input: object;
  readonly constructor: { new (input: object): object; readonly name: string };
}

/** A client that keeps all requests of a call, with the capacity that they consume. */
export class RecordingClient {
  readonly client: DynamoDBClient;
  #sent: SentRequest[] = [];

  constructor(client: DynamoDBClient) {
    const send = async (command: Command): Promise<unknown> => {
      const { input } = command;
      const operation = command.constructor.name.replace(/Command$/, '');
      try {
        const answer = (await client.send(
          new command.constructor({ ...input, ReturnConsumedCapacity: 'TOTAL' }) as never,
        )) as object;
        this.#sent.push({ operation, input, answer, hasFailed: false, units: unitsOf(answer) });
        return answer;
      } catch (error) {
        this.#sent.push({ operation, input, answer: undefined, hasFailed: true, units: 0 });
        throw error;
      }
    };
    // The toolkit only calls `send` of a client.
    this.client = { send } as unknown as DynamoDBClient;
  }

  /** What a call sends; undefined if the call fails. */
  async during(call: () => Promise<unknown>): Promise<readonly SentRequest[] | undefined> {
    this.#sent = [];
    try {
      await call();
    } catch {
      return undefined;
    }
    return this.#sent;
  }
}

function unitsOf(answer: object): number {
  const { ConsumedCapacity = [] } = answer as {
    readonly ConsumedCapacity?: { readonly CapacityUnits?: number } | readonly { readonly CapacityUnits?: number }[];
  };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
