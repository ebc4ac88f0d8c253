import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AuthKey, RandomBytes } from './auth-key.ts';

/** What a session is. All of it is in its token, sealed: no server has to remember it, and each that has the key knows it. */
export interface SessionContent {
  readonly accountId: string;
  readonly roleName: string;
  /** A role that was deleted and made again is another one. */
  readonly roleId: string;
  readonly sessionName: string;
  readonly secretAccessKey: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly transitiveTagKeys: readonly string[];
  /** As they were written. */
  readonly policies: readonly string[];
  readonly sourceIdentity?: string | undefined;
  /** Milliseconds since 1970. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * Largest token, characters. It is a header of every request of its session, and all headers together may have 16 KB.
 */
export const sessionTokenLengthMax = 8192;

/** Most that comes out of a token, bytes: what AssumeRole takes is less. */
const sessionBytesMax = 64 * 1024;

/** A session as text, for its access key alone. It may be longer than {@link sessionTokenLengthMax}. */
export function sealSession(key: AuthKey, accessKeyId: string, session: SessionContent, random: RandomBytes): string {
  const bytes = deflateRawSync(Buffer.from(JSON.stringify(session), 'utf8'));
  return key.sealSession(bytes, accessKeyId, random);
}

/** @returns undefined for what is not the token of this access key. */
export function openSession(key: AuthKey, accessKeyId: string, token: string): SessionContent | undefined {
  if (token.length > sessionTokenLengthMax) return undefined;
  const bytes = key.openSession(token, accessKeyId);
  if (bytes === undefined) return undefined;
  // Only this program has the key, so it is what sealSession was given.
  return JSON.parse(inflateRawSync(bytes, { maxOutputLength: sessionBytesMax }).toString('utf8')) as SessionContent;
}
