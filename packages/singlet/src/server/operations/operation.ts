import { type Awaitable, chain } from '../../values/awaitable.ts';
import {
  type ActionName,
  type ActionRow,
  actionTable,
  type Engine,
  methodOf,
  type RequestContext,
  type RequestOf,
  type ResultOf,
  type Touch,
} from '../../engine/index.ts';
import { type AnswerBytes, joinedBytes } from '../encode/answer-bytes.ts';
import { compileEncoder, type Encode } from '../encode/encoder.ts';
import { compileWireObject, type ToWireObject } from '../encode/wire-object.ts';
import { compileDecoder } from '../shapes/decoder.ts';
import type { Shape, ShapeNode } from '../shapes/shape.ts';
import { accountOfArn } from '../shapes/table-arn.ts';

/** A decoded request together with its action: `call.action === 'Query'` tells the type of `call.request`. */
export type DecodedCall = { readonly [A in ActionName]: CallOf<A> }[ActionName];

interface CallOf<A extends ActionName> {
  readonly action: A;
  readonly request: RequestOf<A>;
}

/** The wire form of one action. */
export interface OperationShape<A extends ActionName> {
  readonly input: Shape<RequestOf<A>>;
  /** Absent for an action that answers with an empty body. */
  readonly output?: Shape<ResultOf<A>>;
}

/** An action, compiled: from parsed JSON to a call, and from a call to the bytes of the answer. */
export interface Operation {
  readonly action: ActionName;
  /** The structure of a request, as data. */
  readonly input: ShapeNode;
  /**
   * Decodes a body. The parsed JSON belongs to the operation from now on: it is repaired in place, and parts of it reach the engine.
   *
   * @throws {SerializationException | ValidationException}
   */
  prepare(json: unknown, context: RequestContext): PreparedCall;
}

/** A request that has been decoded and may be run. */
export interface PreparedCall {
  readonly call: DecodedCall;
  readonly table: string | undefined;
  /** The account of the tables that the call names by ARN; undefined when it names none by ARN. */
  readonly tableOwner: string | undefined;
  /** The permissions that the call needs. @throws {ValidationException} for what the engine would refuse. */
  touches(): Awaitable<readonly Touch[]>;
  /**
   * @param permit - how the call may run, if not unchanged.
   * @returns the body of the answer.
   * @throws whatever the engine throws.
   */
  run(engine: Engine, permit?: Permit): Awaitable<AnswerBytes>;
  /**
   * The same, and passes the engine's answer to `see`, with the consumed capacity of an action that has one. The body is the same as that of
   * {@link run}.
   */
  runObserved(engine: Engine, see: (result: object) => void, permit?: Permit): Awaitable<AnswerBytes>;
  /** The same for a caller in this process. @returns the answer in wire form. @throws whatever the engine throws. */
  runForObject(engine: Engine): Awaitable<object>;
}

/** How a call may run. */
export interface Permit {
  /** With the account that owns the tables. */
  readonly context: RequestContext;
  /** A request of the same action that replaces the decoded one. */
  readonly request?: object;
}

const emptyBody = Buffer.alloc(0);

interface CapacityRequest {
  readonly returnConsumedCapacity?: string | undefined;
}

interface CapacityResult {
  readonly consumedCapacity?: unknown;
}

/** The actions whose answers report consumed capacity on request. */
const reportsCapacity: ReadonlySet<ActionName> = new Set([
  'BatchExecuteStatement',
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'ExecuteStatement',
  'ExecuteTransaction',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactGetItems',
  'TransactWriteItems',
  'UpdateItem',
]);

export function defineOperation<A extends ActionName>(action: A, { input, output }: OperationShape<A>): Operation {
  // The table and the engine's methods are typed by action; the compiler does not see a union of them through `A`.
  const row = actionTable[action] as ActionRow<RequestOf<A>>;
  const method = methodOf(action);
  const run = (engine: Engine, request: RequestOf<A>, context: RequestContext): Awaitable<ResultOf<A>> =>
    (engine[method] as Run<A>)(request, context);
  // Compiled when first needed: for all operations together it takes a good part of the start time.
  const decoder = whenNeeded(() => compileDecoder(input));
  const encoder = whenNeeded((): Encode<ResultOf<A>> =>
    output === undefined ? () => emptyBody : compileEncoder(output),
  );
  const converter = whenNeeded((): ToWireObject<ResultOf<A>> =>
    output === undefined ? () => ({}) : compileWireObject(output),
  );
  return {
    action,
    input,
    prepare(json, context) {
      let tableArns: Map<string, string> | undefined;
      let tableOwner: string | undefined;
      const request = decoder()(json, action, context, (tableName, arn) => {
        tableArns ??= new Map();
        tableArns.set(tableName, arn);
        tableOwner = accountOfArn(arn);
      });
      // The replacement of a request is one of the same action.
      const permittedCall = (permit: Permit | undefined): readonly [RequestOf<A>, RequestContext] =>
        permit === undefined
          ? [request, context]
          : [(permit.request as RequestOf<A> | undefined) ?? request, permit.context];
      return {
        // The action and its request belong together, as above.
        call: { action, request } as CallOf<ActionName> as DecodedCall,
        table: row.tableName(request),
        tableOwner,
        touches: () => row.touches(request, action),
        run(engine, permit) {
          const [permitted, within] = permittedCall(permit);
          return chain(run(engine, permitted, within), (answer) => encoder()(answer, tableArns));
        },
        runObserved(engine, see, permit) {
          const [permitted, within] = permittedCall(permit);
          const { returnConsumedCapacity: asked } = permitted as CapacityRequest; // absent where an action has none
          if (!reportsCapacity.has(action) || (asked !== undefined && asked !== 'NONE')) {
            return chain(run(engine, permitted, within), (answer) => {
              see(answer ?? {});
              return encoder()(answer, tableArns);
            });
          }
          return chain(
            run(engine, { ...(permitted as object), returnConsumedCapacity: 'INDEXES' } as RequestOf<A>, within),
            (answer) => {
              see(answer ?? {});
              const { consumedCapacity: _notAsked, ...rest } = answer as CapacityResult;
              return encoder()(rest as ResultOf<A>, tableArns); // a member that may be absent
            },
          );
        },
        runForObject: (engine) =>
          chain(run(engine, request, context), (answer) =>
            // Answers that name tables by ARN are rare, and only the encoder knows where they are named.
            tableArns === undefined
              ? converter()(answer)
              : (JSON.parse(joinedBytes(encoder()(answer, tableArns)).toString('utf8')) as object),
          ),
      };
    },
  };
}

type Run<A extends ActionName> = (request: RequestOf<A>, context: RequestContext) => Awaitable<ResultOf<A>>;

function whenNeeded<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
