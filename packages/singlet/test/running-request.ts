import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';

/** A write whose headers the server has received and acknowledged, and whose body it still waits for. */
export async function runningRequest(
  url: string,
  input: object,
): Promise<{ readonly request: ClientRequest; finish(): Promise<void> }> {
  const body = JSON.stringify(input);
  const request = httpRequest(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(body),
      'x-amz-target': 'DynamoDB_20120810.PutItem',
      expect: '100-continue',
    },
  });
  request.flushHeaders();
  await once(request, 'continue');
  return { request, finish: () => new Promise((resolve) => void request.end(body, () => resolve())) };
}
