import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/*
 * Requests whose text is there already, for the AWS SDK, many of one kind. Left to itself it walks through each value several
 * times, and works out for each request again where it goes and how it is signed: most of the time of an import. The
 * first request of a kind goes the SDK's way, and shows how they are made. The others are made like it, and signed and sent with what
 * the SDK has for that. Whatever does not succeed at once is sent again in the SDK's way, which knows when to try again, and
 * what an error is called. So all that is sent like this may be done twice.
 */

interface RequestText {
  readonly text: Uint8Array;
  readonly readAnswer: (answer: unknown) => object;
}

/** By the inputs of their commands. */
const texts = new WeakMap<object, RequestText>();

/**
 * Makes this the text of a command's request, whatever its input says.
 *
 * @param readAnswer - what the SDK would make of an answer: the output without its metadata.
 */
export function setRequestText(
  command: { readonly input: object },
  text: Uint8Array,
  readAnswer: (answer: unknown) => object,
): void {
  texts.set(command.input, { text, readAnswer });
}

/** Lets commands carry their text. Called before the first command is sent. */
export function acceptRequestTexts(client: DynamoDBClient): void {
  const models = new Map<string, HttpRequest>();
  // It asks for credentials with each request, so one serves.
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
  // After the SDK has made a body of its own, and before anything is done with it.
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

/** @returns undefined when it did not succeed, for whatever reason. */
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
