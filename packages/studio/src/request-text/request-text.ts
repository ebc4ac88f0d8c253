import { isOfStreams } from '../wire/stream-operations.ts';
import { partiqlText } from './partiql-text.ts';

// One request in four forms. Each runs unchanged.

export type RequestForm = 'request' | 'sdk' | 'cli' | 'partiql';

export const requestForms: readonly { readonly form: RequestForm; readonly title: string }[] = [
  { form: 'request', title: 'Request' },
  { form: 'sdk', title: 'SDK' },
  { form: 'cli', title: 'CLI' },
  { form: 'partiql', title: 'PartiQL' },
];

interface RequestTextOptions {
  readonly endpoint?: string;
  /** The sort key of what is read, for a descending order in PartiQL. */
  readonly sortKey?: string | undefined;
}

export function requestText(
  form: RequestForm,
  operation: string,
  input: object,
  { endpoint = location.origin, sortKey }: RequestTextOptions = {},
): string {
  const [, method, path] = /^(GET|POST|PUT) (\/_singlet\/.*)$/.exec(operation) ?? [];
  if (method !== undefined && path !== undefined) return curlText(method, `${endpoint}${path}`, input);
  switch (form) {
    case 'request':
      return JSON.stringify(input, undefined, 2);
    case 'sdk':
      return sdkText(operation, input, endpoint);
    case 'cli':
      return cliText(operation, input, endpoint);
    case 'partiql':
      return partiqlText(operation, input, sortKey);
  }
}

/** Requests about the server itself are not operations of the API, so they have only one form. */
function curlText(method: string, url: string, body: object): string {
  const how = method === 'PUT' ? ' -X PUT' : '';
  if (method === 'GET') return `curl '${url.replaceAll("'", '%27')}'`;
  const json = JSON.stringify(body).replaceAll("'", `'\\''`);
  return `curl${how} '${url.replaceAll("'", '%27')}' -H 'content-type: application/json' \\\n  -d '${json}'`;
}

function sdkText(operation: string, input: object, endpoint: string): string {
  const [client, from] = isOfStreams(operation)
    ? ['DynamoDBStreamsClient', '@aws-sdk/client-dynamodb-streams']
    : ['DynamoDBClient', '@aws-sdk/client-dynamodb'];
  return `import { ${client}, ${operation}Command } from '${from}';

const client = new ${client}({ endpoint: ${quoted(endpoint)} });
const output = await client.send(
  new ${operation}Command(${literal(input, 1)}),
);
`;
}

function cliText(operation: string, input: object, endpoint: string): string {
  const command = operation.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const json = JSON.stringify(input).replaceAll("'", `'\\''`);
  return `aws ${isOfStreams(operation) ? 'dynamodbstreams' : 'dynamodb'} ${command} --endpoint-url ${endpoint} \\\n  --cli-input-json '${json}'`;
}

/** A value of a request as JavaScript. Binary is bytes there and Base64 on the wire. No other member of a request has that name. */
function literal(value: unknown, depth: number): string {
  const indent = '  '.repeat(depth + 1);
  const end = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((element) => `${indent}${literal(element, depth + 1)},\n`).join('')}${end}]`;
  }
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  if (entries.length === 1) {
    const [[name, only]] = entries as [[string, unknown]];
    if (name === 'B' && typeof only === 'string') return `{ B: ${bytes(only)} }`;
    if (name === 'BS' && Array.isArray(only)) return `{ BS: [${only.map((each) => bytes(String(each))).join(', ')}] }`;
    if (typeof only !== 'object') return `{ ${property(name)}: ${literal(only, depth)} }`;
  }
  return `{\n${entries.map(([name, each]) => `${indent}${property(name)}: ${literal(each, depth + 1)},\n`).join('')}${end}}`;
}

function bytes(base64: string): string {
  return `Buffer.from(${quoted(base64)}, 'base64')`;
}

function property(name: string): string {
  if (name === '__proto__') return `['__proto__']`; // written as a plain key, it would set the prototype
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
