import { BoundedMap } from '../bounded-map.ts';
import { canonicalRequestHash, type SignedHeaderNames, signedHeaderNames } from './canonical-request.ts';
import { checkCredentialScope, type CredentialScope, readCredentialScope } from './credential-scope.ts';
import { checkSignatureAge, readSignatureDate } from './signature-date.ts';
import {
  expiredSession,
  incompleteSignature,
  invalidSessionToken,
  invalidSignature,
  signatureMismatch,
  unknownAccessKey,
} from './signature-error.ts';
import { readSignatureParts, type SignatureParts, type SignedRequest } from './signature-parts.ts';
import { signatureAlgorithm, SigningKeys } from './signing-key.ts';

/** What is known about an access key. `T` is what it gives access to. */
export type FoundKey<T> =
  /** There is no such key, or it is not in force. */
  | 'unknown'
  /** The key of a session, without the token of that session. */
  | 'wrong-token'
  | {
      readonly secretAccessKey: string;
      readonly holder: T;
      /** Of a session: when it ends, milliseconds since 1970. */
      readonly sessionExpiresAtMs?: number | undefined;
    };

export interface SignatureVerifierOptions<T> {
  /** Finds an access key; `sessionToken` is the one that came with the request. Called for every request. */
  readonly findKey: (accessKeyId: string, sessionToken: string | undefined) => FoundKey<T>;
  readonly nowMs: () => number;
  /** Whether a region is one that requests may be signed for. */
  readonly isRegion: (name: string) => boolean;
}

/** The outcome of a check. */
export interface VerifiedSignature<T> {
  readonly holder: T;
  /** For which the request was signed. */
  readonly region: string;
  readonly accessKeyId: string;
}

/** What a request may be signed for. */
export type SignedService = 'dynamodb' | 'sts' | 'application-autoscaling';

/**
 * Checks Signature Version 4, of headers and of presigned URLs. Names, texts and order of the errors are the service's.
 *
 * What it does beyond the service's documentation, or where that says nothing: every `x-amz-` header must be signed, but for the session token,
 * which is bound to its access key; presigned URLs are good for the clock skew only, whatever `X-Amz-Expires` says; the body is never
 * UNSIGNED-PAYLOAD; the canonical string is not shown.
 *
 * @see IAM User Guide, "Create a signed AWS API request"; dynalite, index.js, whose comments hold the service's answers
 */
export class SignatureVerifier<T> {
  readonly #options: SignatureVerifierOptions<T>;
  readonly #signingKeys = new SigningKeys();
  readonly #claims: BoundedMap<string, Claim> = new BoundedMap(claimsMax);
  /** The claim that was looked up last. */
  #last: { readonly head: string; readonly claim: Claim } | undefined;

  constructor(options: SignatureVerifierOptions<T>) {
    this.#options = options;
  }

  /** @throws {DynamoError} what the service answers to a request that is not signed, or not signed well. */
  verify(request: SignedRequest, service: SignedService): VerifiedSignature<T> {
    const { findKey, nowMs } = this.#options;
    const now = nowMs();
    const claim = this.#knownClaim(request, service) ?? this.#readClaim(request, service, now);
    const { parts, scope, signed, date } = claim;
    const found = findKey(scope.accessKeyId, parts.sessionToken);
    if (found === 'unknown') throw unknownAccessKey();
    if (found === 'wrong-token') throw invalidSessionToken();
    const { secretAccessKey, sessionExpiresAtMs } = found;
    const key = this.#signingKeys.of(parts.credential, scope, secretAccessKey);
    const hash = canonicalRequestHash(request, parts, signed);
    if (!key.hasSigned({ date, hash }, parts.signature)) throw signatureMismatch();
    if (!claim.isKnown) this.#signingKeys.keep(parts.credential, secretAccessKey, key);
    if (sessionExpiresAtMs === undefined && parts.sessionToken !== undefined) throw invalidSessionToken();
    if (sessionExpiresAtMs !== undefined && sessionExpiresAtMs <= now) throw expiredSession();
    if (!claim.isKnown) this.#keepClaim(request, service, claim);
    return { holder: found.holder, region: scope.region, accessKeyId: scope.accessKeyId };
  }

  /**
   * A client writes the same Authorization header all day, but for the signature at its end. What has once led to a right signature is kept, and is
   * not read again; the date is another one, and is looked at.
   */
  #knownClaim(request: SignedRequest, service: SignedService): Claim | undefined {
    const { authorization, 'x-amz-date': dateText } = request.headers;
    if (request.url !== '/' || authorization === undefined || dateText === undefined) return undefined;
    const known = this.#claimOf(authorization);
    if (known === undefined || known.service !== service) return undefined;
    const date = readSignatureDate(dateText);
    checkSignatureAge(date, this.#options.nowMs());
    checkSignedHeaders(request.headers, known.signed);
    if (known.scope.date !== date.basic.slice(0, 8)) return undefined;
    const signature = authorization.slice(-signatureLength);
    const sessionToken = request.headers['x-amz-security-token'];
    return {
      parts: { ...known.parts, date: dateText, signature, sessionToken },
      scope: known.scope,
      signed: known.signed,
      date: date.basic,
      service,
      isKnown: true,
    };
  }

  /** One client makes many requests in a row: then the long text is compared with one other, and not looked up. */
  #claimOf(authorization: string): Claim | undefined {
    const last = this.#last;
    if (last !== undefined && authorization.length === last.head.length + signatureLength) {
      if (authorization.startsWith(last.head)) return last.claim;
    }
    const head = headOf(authorization);
    const claim = this.#claims.get(head);
    if (claim !== undefined) this.#last = { head, claim };
    return claim;
  }

  #readClaim(request: SignedRequest, service: SignedService, now: number): Claim {
    const parts = readSignatureParts(request);
    const date = readSignatureDate(parts.date);
    checkSignatureAge(date, now);
    const signed = signedHeaderNames(parts.signedHeaders);
    checkSignedHeaders(request.headers, signed);
    if (parts.algorithm !== signatureAlgorithm) {
      throw incompleteSignature(
        `Unsupported AWS 'algorithm': '${parts.algorithm}' (only ${signatureAlgorithm} for now). `,
      );
    }
    const scope = readCredentialScope(parts.credential);
    checkCredentialScope(scope, { service, date: date.basic, isRegion: this.#options.isRegion });
    return { parts, scope, signed, date: date.basic, service, isKnown: false };
  }

  #keepClaim(request: SignedRequest, service: SignedService, claim: Claim): void {
    const { authorization } = request.headers;
    if (authorization === undefined || authorization.length > keptHeaderLengthMax) return;
    if (!endsInSignature.test(authorization) || claim.parts.isPresigned) return;
    this.#claims.set(headOf(authorization), { ...claim, service });
  }
}

/** What a request says about its signature, in order, and not verified yet. */
interface Claim {
  readonly parts: SignatureParts;
  readonly scope: CredentialScope;
  readonly signed: SignedHeaderNames;
  readonly date: string;
  readonly service: SignedService;
  readonly isKnown: boolean;
}

/** Most Authorization headers that are kept, and the longest. */
const claimsMax = 1024;
const keptHeaderLengthMax = 1024;

const signatureLength = 64;
const endsInSignature = /Signature=[0-9a-f]{64}$/;

/** All of an Authorization header but the signature at its end. */
function headOf(authorization: string): string {
  return authorization.slice(0, -signatureLength);
}

/** @throws {DynamoError} InvalidSignatureException when a header that decides on the request is not signed. */
function checkSignedHeaders(
  headers: SignedRequest['headers'],
  signed: SignedHeaderNames | undefined,
): asserts signed is SignedHeaderNames {
  if (signed === undefined || !signed.has('host')) throw unsignedHeader('Host');
  for (const name in headers) {
    if (name.startsWith('x-amz-') && name !== 'x-amz-security-token' && !signed.has(name)) throw unsignedHeader(name);
  }
}

/** The text for `Host` is the service's. Assumed: it says the same of the others. */
function unsignedHeader(name: string): Error {
  return invalidSignature(`'${name}' must be a 'SignedHeader' in the AWS Authorization.`);
}
