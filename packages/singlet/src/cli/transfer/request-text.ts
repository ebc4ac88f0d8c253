import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/*
 * Sends many requests of one kind, whose text already exists, through the AWS SDK. By default the SDK traverses each value several times, and
 * determines for each request again where to send it and how to sign it, which takes most of the time of an import. The first request of a kind
 * is sent by the SDK, and serves as a template. The others are built like it, and signed and sent with the SDK's components. A request that
 * does not succeed at once is sent again by the SDK, which handles retries and parses errors. So all requests sent this way must be idempotent.
 */

interface RequestText {
  readonly text: Uint8Array;
  readonly readAnswer: (answer: unknown) => object;
}

/** By the inputs of their commands. */
const texts = new WeakMap<object, RequestText>();

/**
 * Sets the text of a command's request, which replaces its input.
 *
 * @param readAnswer - converts an answer like the SDK: to the output without its metadata.
 */
export function setRequestText(
  command: { readonly input: object },
  text: Uint8Array,
  readAnswer: (answer: unknown) => object,
): void {
  texts.set(command.input, { text, readAnswer });
}

/** Lets commands carry their text. Call this before the first command is sent. */
export function acceptRequestTexts(client: DynamoDBClient): void {
  const models = new Map<string, HttpRequest>();
  // It requests credentials for each request, so one signer suffices.
  let signer: ReturnType<Configuration['signer']> | undefined;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (step) => {
        const text = texts.get(step.input);
        const model = models.get(commandName);
        const output = text && model && (await sendLike(client, (signer ??= client.config.signer()), model, text));
        return output === undefined ? await next(step) : { response: undefined, output };
      },
    { step: 'initialize', priority: 'high', name: 'likeTheFirst' },
  );
  // After the SDK has serialised a body of its own, and before that is used.
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (step) => {
        const text = texts.get(step.input)?.text;
        if (text !== undefined) {
          const request = step.request as HttpRequest;
          models.set(commandName, { ...request, headers: { ...request.headers }, body: undefined });
          Object.assign(request, { body: text });
        }
        return next(step);
      },
    { step: 'serialize', priority: 'low', name: 'requestText' },
  );
}

type Configuration = DynamoDBClient['config'];
type HttpRequest = Parameters<Configuration['requestHandler']['handle']>[0];

/** @returns undefined if it failed for any reason. */
async function sendLike(
  { config }: DynamoDBClient,
  signer: ReturnType<Configuration['signer']>,
  model: HttpRequest,
  { text, readAnswer }: RequestText,
): Promise<(object & { readonly $metadata: object }) | undefined> {
  try {
    const { hostname, port } = model;
    const headers = {
      ...model.headers,
      host: port === undefined ? hostname : `${hostname}:${port}`,
      'content-length': String(text.length),
    };
    const request = { ...model, headers, body: text };
    const signingDate = new Date(Date.now() + config.systemClockOffset);
    const signed = await (await signer).sign(request, { signingDate });
    const { response } = await config.requestHandler.handle(signed as HttpRequest);
    const bytes: Uint8Array = await config.streamCollector(response.body);
    if (response.statusCode !== 200) return undefined;
    return { ...readAnswer(JSON.parse(Buffer.from(bytes).toString('utf8'))), $metadata: { httpStatusCode: 200 } };
  } catch {
    return undefined;
  }
}
