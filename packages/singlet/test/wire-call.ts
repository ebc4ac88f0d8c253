/** A request as a client without an SDK sends it. */
export interface WireAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls an action over HTTP. Rejects when there is no answer, or an incomplete one. */
export async function wireCall(url: string, action: string, input: object): Promise<WireAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': action.includes('.') ? action : `DynamoDB_20120810.${action}`,
    },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as WireAnswer['body']) };
}

/** Calls an action that must succeed. */
export async function wireResult(url: string, action: string, input: object): Promise<WireAnswer['body']> {
  const { status, body } = await wireCall(url, action, input);
  if (status !== 200) throw new Error(`${action} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
