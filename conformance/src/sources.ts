/** Sources of facts. Each is behaviour of DynamoDB itself, documented or recorded, unless it says `assumed`. */

export const docs = (page: string): string => `AWS documentation: ${page}`;
export const assumed = (why: string): string => `assumed: ${why}`;

export const DYNALITE = 'recorded: dynalite test suite, recorded against the service';
export const ALTERNATOR = 'recorded: ScyllaDB Alternator test suite, also run against the service';
export const MOTO = 'recorded: moto tests marked aws_verified';
export const LOCALSTACK = 'recorded: LocalStack snapshot tests, recorded against the service';
export const ACK_2026 = 'recorded: ack-api-quirks, observed at the service, October 2026';
export const CAPTURED_2026 =
  'recorded: nubo-db/dynamodb-conformance, captured from the service in several regions, 2026';
export const DYNOXIDE =
  'recorded: dynoxide test suite, its texts captured from the service in two regions, August 2026';
export const EXTENDDB = 'recorded: ExtendDB test suite, also run against the service';
/** Third-party suites written against DynamoDB. Of each row only the facts in its expectation are known. */
export const OUTSIDE_2026 = 'recorded: observed with an outside suite, 2026';
