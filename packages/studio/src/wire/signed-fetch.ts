import type { AwsClient } from 'aws4fetch';
import { noteCaller } from './connection.ts';

// Requests to the server that the page came from, signed after a sign-in. The credentials are in memory only: a reload of the page forgets them.

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

/** The page's context has no cryptography: it was loaded without TLS from another machine. */
export class InsecurePageError extends Error {
  override readonly name = 'InsecurePageError';

  constructor() {
    super('Browsers sign requests only on pages that come over HTTPS, or from this machine.');
  }
}

let signer: AwsClient | undefined;

/**
 * Signs all further requests, once the server has accepted the credentials.
 *
 * @param isAccepted - sends a request, which is signed, and throws if the server does not know the caller.
 * @throws {InsecurePageError} and what `isAccepted` throws. The page then signs as before.
 */
export async function signIn(credentials: Credentials, isAccepted: () => Promise<unknown>): Promise<void> {
  if (!globalThis.isSecureContext) throw new InsecurePageError();
  const { accessKeyId, secretAccessKey, sessionToken, region } = credentials;
  const { AwsClient } = await import('aws4fetch');
  const before = signer;
  signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    region,
    service: 'dynamodb',
  });
  try {
    await isAccepted();
  } catch (error) {
    signer = before;
    throw error;
  }
  noteCaller(accessKeyId);
}

/** Whether requests are signed. */
export function isSigning(): boolean {
  return signer !== undefined;
}

/** Like `fetch`, for a path of the server. */
export async function signedFetch(path: string, request: RequestInit): Promise<Response> {
  if (signer === undefined) return await fetch(path, request);
  return await fetch(await signer.sign(new URL(path, location.origin).href, request));
}
