/** The headers of a client that signs with an unknown key: local databases accept any. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=local/20240401/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00';

/** Sends a request in wire format, independent of any SDK, and returns the answer, including errors. */
export async function sendOverWire(
  url: string,
  operation: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'x-amz-date': '20240401T000000Z',
      authorization: AUTHORIZATION,
    },
    body: JSON.stringify(body),
  });
  // DynamoDB answers with an object, whatever happened.
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
