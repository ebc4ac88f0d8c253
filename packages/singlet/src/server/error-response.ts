import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoError,
  ThroughputExceededError,
  TransactionCanceledException,
} from '../values/service-error.ts';

/** An error in the form in which it is sent. */
export interface ErrorResponse {
  readonly status: number;
  /** The wire name: the part of `__type` after `#`. */
  readonly name: string;
  readonly body: Buffer;
  /** The failure itself, for the log, if it is not a service error. The body contains nothing of it. */
  readonly internal: unknown;
}

/**
 * The client's view of a failure. Every error that the service does not document (a storage failure, a bug)
 * becomes `InternalServerError`, or `ServiceUnavailable` while the store is closed, or `RequestLimitExceeded` while it
 * accepts no more calls, without details; clients retry all three. Only damaged data is reported as such to the client,
 * because a retry would not help.
 */
export function errorResponse(error: unknown): ErrorResponse {
  if (error instanceof DynamoError) return { ...describe(error), internal: undefined };
  return { ...describe(responseOf(error)), internal: error };
}

const internalServerError = new DynamoError('InternalServerError', 'Internal server error', {
  status: 500,
  retryable: true,
});

/** The service cannot answer now: the store is closed, or there is no memory for the request. */
export const serviceUnavailable: DynamoError = new DynamoError('ServiceUnavailable', 'Service Unavailable', {
  status: 503,
  retryable: true,
});

/** Clients that retry need to know what they wait for, and the message reveals nothing about the data. */
const diskFull = new DynamoError(
  'InternalServerError',
  'Internal server error: the disk is full, nothing was written',
  {
    status: 500,
    retryable: true,
  },
);

/** More calls than the store accepts: clients back off with each attempt, as they do for the service. */
const throttled = new DynamoError(
  'RequestLimitExceeded',
  'Throughput exceeds the current throughput limit of the store behind this server.',
  { retryable: true },
);

/** Stores are below the engine and unknown here; their errors are recognised by their members. */
function responseOf(error: unknown): DynamoError {
  if (!(error instanceof Error) || !('code' in error)) return internalServerError;
  if (error.code === 'closed' && error.name === 'StorageError') return serviceUnavailable;
  if (error.code === 'busy' && error.name === 'StorageError') return throttled;
  if (isDiskFull(error)) return diskFull;
  if (error.code !== 'damaged') return internalServerError;
  const subject = 'subject' in error && typeof error.subject === 'string' ? error.subject : 'Stored data';
  return new DynamoError(
    'InternalServerError',
    `Internal server error: ${subject} is damaged on the disk of the server, whose log says more`,
    { status: 500, retryable: true },
  );
}

/** Whether a write was refused because there is no room on the disk. */
function isDiskFull(error: Error): boolean {
  return 'isDiskFull' in error && error.isDiskFull === true;
}

function describe(error: DynamoError): Omit<ErrorResponse, 'internal'> {
  const text = JSON.stringify({ __type: errorType(error.name), ...errorMembers(error) });
  return { status: error.status, name: error.name, body: Buffer.from(text, 'utf8') };
}

/** Errors raised by the service's web framework before or around the operation carry the framework's name spaces. */
const frameworkTypes: ReadonlyMap<string, string> = new Map([
  ['ValidationException', 'com.amazon.coral.validate'],
  ['ThrottlingException', 'com.amazon.coral.availability'],
  ['SerializationException', 'com.amazon.coral.service'],
  ['UnknownOperationException', 'com.amazon.coral.service'],
  ['AccessDeniedException', 'com.amazon.coral.service'],
  ['ExpiredTokenException', 'com.amazon.coral.service'],
  ['IncompleteSignatureException', 'com.amazon.coral.service'],
  ['InvalidSignatureException', 'com.amazon.coral.service'],
  ['MissingAuthenticationTokenException', 'com.amazon.coral.service'],
  ['UnrecognizedClientException', 'com.amazon.coral.service'],
]);

function errorType(name: string): string {
  return `${frameworkTypes.get(name) ?? 'com.amazonaws.dynamodb.v20120810'}#${name}`;
}

/** Errors whose message member is not named `message`. */
const namesWithCapitalMessage: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'IdempotentParameterMismatchException',
  'InvalidEndpointException',
  'SerializationException',
  'TransactionCanceledException',
  'TransactionInProgressException',
]);

function errorMembers(error: DynamoError): Readonly<Record<string, unknown>> {
  // Bad JSON and unknown operations are answered without a message.
  const message = error.message === '' ? undefined : error.message;
  const members = namesWithCapitalMessage.has(error.name) ? { Message: message } : { message };
  if (error instanceof ConditionalCheckFailedException) return { ...members, Item: error.item };
  if (error instanceof ThroughputExceededError) {
    // One of the three spells its member differently.
    const member = error.name === 'ThrottlingException' ? 'throttlingReasons' : 'ThrottlingReasons';
    return { ...members, [member]: error.throttlingReasons };
  }
  if (error instanceof TransactionCanceledException) {
    return { ...members, CancellationReasons: error.cancellationReasons.map(reasonMembers) };
  }
  return members;
}

function reasonMembers(reason: CancellationReason): Readonly<Record<string, unknown>> {
  return { Code: reason.code, Message: reason.message, Item: reason.item };
}
