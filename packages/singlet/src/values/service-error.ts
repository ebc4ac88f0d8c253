import type { AttributeMap } from './attribute-value.ts';

/**
 * An error that the service documents and that a client may handle. `name` is the wire name (the part after `#` in `__type`).
 *
 * Every other error is either an operating error (storage) or a bug, and reaches the client as
 * `InternalServerError` without details.
 */
export class DynamoError extends Error {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Whether a client may send the same request again and expect another outcome. */
  readonly retryable: boolean;

  constructor(name: string, message: string, options: { status?: number; retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = name;
    this.status = options.status ?? 400;
    this.retryable = options.retryable ?? false;
  }
}

/** The request is not valid: HTTP status 400, not worth a retry. */
export class ValidationException extends DynamoError {
  constructor(message: string) {
    super('ValidationException', message);
  }
}

/** An attribute value without a type, or with several, which the service refuses before it checks any value. */
export class MalformedValueException extends ValidationException {}

export class ResourceNotFoundException extends DynamoError {
  constructor(message: string) {
    super('ResourceNotFoundException', message);
  }
}

export class ResourceInUseException extends DynamoError {
  constructor(message: string) {
    super('ResourceInUseException', message);
  }
}

export class LimitExceededException extends DynamoError {
  constructor(message: string) {
    super('LimitExceededException', message, { retryable: true });
  }
}

/** A false condition. `item` is present only when the request asked for it (ReturnValuesOnConditionCheckFailure). */
export class ConditionalCheckFailedException extends DynamoError {
  readonly item: AttributeMap | undefined;
  /** Size of the item that was checked, bytes: its capacity is consumed all the same. */
  readonly sizeBytes: number;

  constructor(item?: AttributeMap, sizeBytes = 0) {
    super('ConditionalCheckFailedException', 'The conditional request failed');
    this.item = item;
    this.sizeBytes = sizeBytes;
  }
}

/** Which limit throttled a request, and of which resource. */
export interface ThrottlingReason {
  /** `Table` or `Index`, `Read` or `Write`, and the limit: `TableReadProvisionedThroughputExceeded`. */
  readonly reason: string;
  /** ARN of the table or index. */
  readonly resource: string;
}

/**
 * A request that exceeds the available throughput. In provisioned mode it is a ProvisionedThroughputExceededException; in
 * on-demand mode a ThrottlingException, or RequestLimitExceeded when the account's quota was exceeded.
 */
export class ThroughputExceededError extends DynamoError {
  readonly throttlingReasons: readonly ThrottlingReason[];

  constructor(
    name: 'ProvisionedThroughputExceededException' | 'ThrottlingException' | 'RequestLimitExceeded',
    message: string,
    throttlingReasons: readonly ThrottlingReason[],
  ) {
    super(name, message, { retryable: true });
    this.throttlingReasons = throttlingReasons;
  }
}

export interface CancellationReason {
  readonly code:
    | 'None'
    | 'ConditionalCheckFailed'
    | 'ItemCollectionSizeLimitExceeded'
    | 'TransactionConflict'
    | 'ProvisionedThroughputExceeded'
    | 'ThrottlingError'
    | 'ValidationError'
    // Only PartiQL statements have these two.
    | 'DuplicateItem'
    | 'ResourceNotFound';
  readonly message?: string;
  readonly item?: AttributeMap;
}

/** A cancelled transaction, with one reason per action in request order. */
export class TransactionCanceledException extends DynamoError {
  readonly cancellationReasons: readonly CancellationReason[];

  constructor(cancellationReasons: readonly CancellationReason[]) {
    const codes = cancellationReasons.map((reason) => reason.code).join(', ');
    super(
      'TransactionCanceledException',
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    );
    this.cancellationReasons = cancellationReasons;
  }
}

const conflictText = 'Transaction is ongoing for the item';

/** A transaction is using the item of a request that is not itself a transaction. SDKs leave the retry to the application. */
export class TransactionConflictException extends DynamoError {
  constructor(options: { readonly cause?: unknown } = {}) {
    super('TransactionConflictException', conflictText, options);
  }
}

/** The same for an action of a transaction, which is cancelled as a result. */
export const transactionConflict: CancellationReason = { code: 'TransactionConflict', message: conflictText };

export class IdempotentParameterMismatchException extends DynamoError {
  constructor() {
    super(
      'IdempotentParameterMismatchException',
      'The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical',
    );
  }
}

/** Another import was requested with the same client token. */
export class ImportConflictException extends DynamoError {
  constructor() {
    super('ImportConflictException', 'Duplicate request detected with conflicting parameters');
  }
}

export class ImportNotFoundException extends DynamoError {
  constructor(message: string) {
    super('ImportNotFoundException', message);
  }
}

export class ItemCollectionSizeLimitExceededException extends DynamoError {
  constructor() {
    super('ItemCollectionSizeLimitExceededException', 'Collection size exceeded.');
  }
}
