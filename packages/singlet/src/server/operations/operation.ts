import { type Awaitable, chain } from '../../values/awaitable.ts';
import type { Engine, RequestContext } from '../../engine/index.ts';
import { compileEncoder, type Encode } from '../encode/encoder.ts';
import { compileWireObject, type ToWireObject } from '../encode/wire-object.ts';
import { compileDecoder } from '../shapes/decoder.ts';
import type { Shape } from '../shapes/shape.ts';

/** What the engine does besides the actions of the API. */
type OtherMethod =
  | 'beginBackgroundWork'
  | 'capacityReport'
  | 'close'
  | 'contributorInsightsReport'
  | 'receiveReplicaMessage'
  | 'replicate'
  | 'replicationReport'
  | 'sweepExpiredItems';

type EngineMethod = Exclude<keyof Engine, OtherMethod>;

/** The engine's methods under their wire names: `GetItem` is `getItem`. */
type EngineMethods = { readonly [M in EngineMethod as Capitalize<M>]: Engine[M] };

/** An API action by its wire name. */
export type ActionName = keyof EngineMethods;

/** What the engine is asked when the action is called. */
export type RequestOf<A extends ActionName> = Parameters<EngineMethods[A]>[0];

/** What the engine answers. */
export type ResultOf<A extends ActionName> = Awaited<ReturnType<EngineMethods[A]>>;

/** A decoded request together with its action: `call.action === 'Query'` tells the type of `call.request`. */
export type DecodedCall = { readonly [A in ActionName]: CallOf<A> }[ActionName];

interface CallOf<A extends ActionName> {
  readonly action: A;
  readonly request: RequestOf<A>;
}

/** The wire form of one action. */
export interface OperationDescription<A extends ActionName> {
  readonly action: A;
  readonly input: Shape<RequestOf<A>>;
  /** Absent for an action that answers with an empty body. */
  readonly output?: Shape<ResultOf<A>>;
  readonly run: (engine: Engine, request: RequestOf<A>, context: RequestContext) => Awaitable<ResultOf<A>>;
  /** The table that the request is about, for logs; undefined for none or several. */
  readonly table: (request: RequestOf<A>) => string | undefined;
}

/** An action, compiled: from parsed JSON to a call, and from a call to the bytes of the answer. */
export interface Operation {
  readonly action: ActionName;
  /**
   * Decodes a body. The parsed JSON becomes the operation's own: it is repaired in place, and parts of it reach the engine.
   *
   * @throws {SerializationException | ValidationException}
   */
  prepare(json: unknown, context: RequestContext): PreparedCall;
}

/** A request that has been decoded and may be run. */
export interface PreparedCall {
  readonly call: DecodedCall;
  readonly table: string | undefined;
  /** @returns the body of the answer. @throws whatever the engine throws. */
  run(engine: Engine): Awaitable<Buffer>;
  /** The same for a caller in this process. @returns the answer in wire form. @throws whatever the engine throws. */
  runForObject(engine: Engine): Awaitable<object>;
}

const emptyBody = Buffer.alloc(0);

export function defineOperation<A extends ActionName>(description: OperationDescription<A>): Operation {
  const { action, output, run, table } = description;
  // Compiled when they are first needed: for all operations together it takes a good part of a start.
  const decoder = whenNeeded(() => compileDecoder(description.input));
  const encoder = whenNeeded((): Encode<ResultOf<A>> =>
    output === undefined ? () => emptyBody : compileEncoder(output),
  );
  const converter = whenNeeded((): ToWireObject<ResultOf<A>> =>
    output === undefined ? () => ({}) : compileWireObject(output),
  );
  return {
    action,
    prepare(json, context) {
      let tableArns: Map<string, string> | undefined;
      const request = decoder()(json, action, context, (tableName, arn) => {
        tableArns ??= new Map();
        tableArns.set(tableName, arn);
      });
      return {
        // The action and its request come from one description; the compiler does not see a union through `A`.
        call: { action, request } as CallOf<ActionName> as DecodedCall,
        table: table(request),
        run: (engine) => chain(run(engine, request, context), (answer) => encoder()(answer, tableArns)),
        runForObject: (engine) =>
          chain(run(engine, request, context), (answer) =>
            // Answers that call tables by their ARNs are rare, and only the encoder knows where they are named.
            tableArns === undefined
              ? converter()(answer)
              : (JSON.parse(encoder()(answer, tableArns).toString('utf8')) as object),
          ),
      };
    },
  };
}

function whenNeeded<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
