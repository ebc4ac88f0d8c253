import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Database } from 'singlet';

/**
 * A client that passes the SDK's commands to a database in this process, without the SDK's own machinery, which takes most of the time of
 * small requests. Errors have DynamoDB's names.
 */
export function fastClient(database: Pick<Database, 'handle'>): DynamoDBClient {
  const send = async (command: {
    readonly input: object;
    readonly constructor: { readonly name: string };
  }): Promise<unknown> => {
    const operation = command.constructor.name.replace(/Command$/, '');
    const response = await database.handle({
      method: 'POST',
      url: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        authorization:
          'AWS4-HMAC-SHA256 Credential=fast/20240101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
      },
      body: Buffer.from(JSON.stringify(command.input, outgoing)),
    });
    const answer = JSON.parse(Buffer.from(response.body).toString('utf8'), incoming) as Record<string, unknown>;
    if (response.status === 200) return answer;
    const { __type = '', message, Message } = answer as Readonly<Record<string, string | undefined>>;
    throw Object.assign(new Error(message ?? Message ?? __type), { ...answer, name: __type.split('#').at(-1) });
  };
  // The model uses only `send`.
  return { send, destroy: () => undefined } as unknown as DynamoDBClient;
}

/** Encodes bytes as base64. */
function outgoing(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Decodes base64 where an attribute value is binary. */
function incoming(name: string, value: unknown): unknown {
  if (name === 'B' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
  if (name === 'BS' && Array.isArray(value))
    return value.map((each) => new Uint8Array(Buffer.from(String(each), 'base64')));
  return value;
}
