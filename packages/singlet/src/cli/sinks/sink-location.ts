import { webhookUrlOf } from '../webhook-url.ts';
import { UsageError } from '../usage-error.ts';

/** The value of `--to`. */
export type SinkLocation =
  | { readonly kind: 'webhook'; readonly url: string }
  /** `url` is the URL of the database, without the parameter with the table name. */
  | { readonly kind: 'postgres'; readonly url: string; readonly table: string }
  /** `url` is the URL of the server, without a trailing slash. */
  | { readonly kind: 'search index'; readonly url: string; readonly index: string }
  | { readonly kind: 'parquet'; readonly directory: string }
  /** `url` is the URL of the queue. */
  | { readonly kind: 'queue'; readonly url: string }
  /** `url` is the URL of the service. */
  | { readonly kind: 'topic'; readonly url: string; readonly topicArn: string };

/** @throws {UsageError} for an invalid location. The text is not repeated if it may contain a password. */
export function sinkLocationOf(text: string): SinkLocation {
  const [scheme = ''] = text.split(':', 1);
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return postgresOf(text);
    case 'opensearch+http':
    case 'opensearch+https':
      return searchIndexOf(text);
    case 'parquet':
      return parquetOf(text);
    case 'sqs+http':
    case 'sqs+https':
      return { kind: 'queue', url: webhookUrlOf(text.slice('sqs+'.length)) };
    case 'sns+http':
    case 'sns+https':
      return topicOf(text);
    default:
      return { kind: 'webhook', url: webhookUrlOf(text) };
  }
}

function postgresOf(text: string): SinkLocation {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const table = url?.searchParams.get('table') ?? '';
  if (url === undefined || !/^[a-z_][a-z0-9_]{0,62}$/.test(table)) {
    throw new UsageError(
      '--to postgres://USER@HOST:PORT/DATABASE?table=NAME takes the name of a table: small letters, digits and _, at most 63.',
    );
  }
  url.searchParams.delete('table');
  return { kind: 'postgres', url: url.href, table };
}

function searchIndexOf(text: string): SinkLocation {
  const url = new URL(webhookUrlOf(text.slice('opensearch+'.length)));
  const [index = '', ...more] = url.pathname.split('/').slice(1);
  if (!/^[a-z0-9][a-z0-9._-]{0,254}$/.test(index) || more.some((part) => part !== '')) {
    throw new UsageError(`--to opensearch+https://HOST:PORT/INDEX takes the name of an index in small letters.`);
  }
  return { kind: 'search index', url: url.origin, index };
}

function parquetOf(text: string): SinkLocation {
  const directory = text.slice('parquet:'.length);
  if (directory === '') throw new UsageError('--to parquet:DIRECTORY takes a directory.');
  return { kind: 'parquet', directory };
}

function topicOf(text: string): SinkLocation {
  const url = new URL(webhookUrlOf(text.slice('sns+'.length)));
  const topicArn = url.pathname.slice(1);
  if (!topicArn.startsWith('arn:')) {
    throw new UsageError('--to sns+https://sns.REGION.amazonaws.com/TOPIC-ARN takes the ARN of a topic.');
  }
  return { kind: 'topic', url: url.origin, topicArn };
}
