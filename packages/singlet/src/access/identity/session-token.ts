import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AuthKey, RandomBytes } from './auth-key.ts';

/** The content of a session. All of it is sealed in the token: servers store nothing, and every server with the key can open it. */
export interface SessionContent {
  readonly accountId: string;
  readonly roleName: string;
  /** A role that was deleted and created again has another id. */
  readonly roleId: string;
  readonly sessionName: string;
  readonly secretAccessKey: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly transitiveTagKeys: readonly string[];
  /** In their original text. */
  readonly policies: readonly string[];
  readonly sourceIdentity?: string | undefined;
  /** Milliseconds since 1970. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * The maximum length of a token, characters. Every request of the session carries it in a header, and all headers together may have 16 KB.
 */
export const sessionTokenLengthMax = 8192;

/** The maximum size of a token's content, bytes. AssumeRole accepts less. */
const sessionBytesMax = 64 * 1024;

/** Seals a session as text that is bound to its access key. The text may be longer than {@link sessionTokenLengthMax}. */
export function sealSession(key: AuthKey, accessKeyId: string, session: SessionContent, random: RandomBytes): string {
  const bytes = deflateRawSync(Buffer.from(JSON.stringify(session), 'utf8'));
  return key.sealSession(bytes, accessKeyId, random);
}

/** @returns undefined if it is not the token of this access key. */
export function openSession(key: AuthKey, accessKeyId: string, token: string): SessionContent | undefined {
  if (token.length > sessionTokenLengthMax) return undefined;
  const bytes = key.openSession(token, accessKeyId);
  if (bytes === undefined) return undefined;
  // Only this program has the key, so sealSession wrote the content.
  return JSON.parse(inflateRawSync(bytes, { maxOutputLength: sessionBytesMax }).toString('utf8')) as SessionContent;
}
