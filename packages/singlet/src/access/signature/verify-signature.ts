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
import { readSignatureParts, type SignedRequest } from './signature-parts.ts';
import { signatureAlgorithm, SigningKeys } from './signing-key.ts';

/** What is known about an access key. `T` describes its holder. */
export type FoundKey<T> =
  /** The key does not exist or is inactive. */
  | 'unknown'
  /** The key of a session, without the token of that session. */
  | 'wrong-token'
  | {
      readonly secretAccessKey: string;
      readonly holder: T;
      /** For a session: when it ends, milliseconds since 1970. */
      readonly sessionExpiresAtMs?: number | undefined;
    };

export interface SignatureVerifierOptions<T> {
  /** Finds an access key; `sessionToken` is the one in the request. Called for every request. */
  readonly findKey: (accessKeyId: string, sessionToken: string | undefined) => FoundKey<T>;
  readonly nowMs: () => number;
  /** Whether requests may be signed for a region. */
  readonly isRegion: (name: string) => boolean;
}

/** The outcome of a check. */
export interface VerifiedSignature<T> {
  readonly holder: T;
  /** The region that the request was signed for. */
  readonly region: string;
  readonly accessKeyId: string;
}

/** The services that a request may be signed for. */
export type SignedService = 'dynamodb' | 'sts' | 'application-autoscaling';

/**
 * Checks Signature Version 4, in headers and in presigned URLs. Names, texts and order of the errors are the service's.
 *
 * Where it goes beyond the service's documentation or fills a gap in it: every `x-amz-` header must be signed, except the session token, which
 * is bound to its access key; presigned URLs are valid only within the clock skew, whatever `X-Amz-Expires` says; UNSIGNED-PAYLOAD is not
 * accepted; the canonical string is not shown.
 *
 * @see IAM User Guide, "Create a signed AWS API request"; dynalite, index.js, whose comments hold the service's answers
 */
export class SignatureVerifier<T> {
  readonly #options: SignatureVerifierOptions<T>;
  readonly #signingKeys = new SigningKeys();
  readonly #claims: BoundedMap<string, Claim> = new BoundedMap(claimsMax);
  /** The most recently used claim. */
  #last: { readonly head: string; readonly claim: Claim } | undefined;

  constructor(options: SignatureVerifierOptions<T>) {
    this.#options = options;
  }

  /** @throws {DynamoError} the service's error for a request without a signature or with an invalid one. */
  verify(request: SignedRequest, service: SignedService): VerifiedSignature<T> {
    const now = this.#options.nowMs();
    const sent = this.#knownSignature(request, service, now) ?? this.#readSignature(request, service, now);
    const { claim, sessionToken } = sent;
    const { credential, scope } = claim;
    const found = this.#options.findKey(scope.accessKeyId, sessionToken);
    if (found === 'unknown') throw unknownAccessKey();
    if (found === 'wrong-token') throw invalidSessionToken();
    const { secretAccessKey, sessionExpiresAtMs } = found;
    const key = this.#signingKeys.of(credential, scope, secretAccessKey);
    if (!key.hasSigned(sent.date, canonicalRequestHash(request, claim), sent.signature)) throw signatureMismatch();
    if (!sent.isKnown) this.#signingKeys.keep(credential, secretAccessKey, key);
    if (sessionExpiresAtMs === undefined && sessionToken !== undefined) throw invalidSessionToken();
    if (sessionExpiresAtMs !== undefined && sessionExpiresAtMs <= now) throw expiredSession();
    if (!sent.isKnown) this.#keepClaim(request, claim);
    return { holder: found.holder, region: scope.region, accessKeyId: scope.accessKeyId };
  }

  /**
   * A client keeps sending the same Authorization header, except for the signature at its end. A header that has led to a valid signature is
   * kept and not parsed again. Its date differs, and is checked.
   */
  #knownSignature({ url, headers }: SignedRequest, service: SignedService, now: number): SentSignature | undefined {
    const { authorization, 'x-amz-date': dateText } = headers;
    if (url !== '/' || authorization === undefined || dateText === undefined) return undefined;
    const claim = this.#claimOf(authorization);
    if (claim === undefined || claim.service !== service) return undefined;
    const date = readSignatureDate(dateText);
    checkSignatureAge(date, now);
    checkSignedHeaders(headers, claim.signed);
    if (claim.scope.date !== date.day) return undefined;
    return {
      claim,
      isKnown: true,
      date: date.basic,
      signature: authorization.slice(-signatureLength),
      sessionToken: headers['x-amz-security-token'],
    };
  }

  /** One client sends many requests in a row, so the long text is first compared with the previous one before it is looked up. */
  #claimOf(authorization: string): Claim | undefined {
    const last = this.#last;
    const head = headOf(authorization);
    if (head === last?.head) return last.claim;
    const claim = this.#claims.get(head);
    if (claim !== undefined) this.#last = { head, claim };
    return claim;
  }

  #readSignature(request: SignedRequest, service: SignedService, now: number): SentSignature {
    const { algorithm, credential, signedHeaders, isPresigned, ...parts } = readSignatureParts(request);
    const date = readSignatureDate(parts.date);
    checkSignatureAge(date, now);
    const signed = signedHeaderNames(signedHeaders);
    checkSignedHeaders(request.headers, signed);
    if (algorithm !== signatureAlgorithm) {
      throw incompleteSignature(`Unsupported AWS 'algorithm': '${algorithm}' (only ${signatureAlgorithm} for now). `);
    }
    const scope = readCredentialScope(credential);
    checkCredentialScope(scope, { service, date: date.basic, isRegion: this.#options.isRegion });
    const claim = { credential, scope, signed, service, isPresigned };
    return { claim, isKnown: false, date: date.basic, signature: parts.signature, sessionToken: parts.sessionToken };
  }

  #keepClaim({ headers: { authorization } }: SignedRequest, claim: Claim): void {
    if (authorization === undefined || authorization.length > keptHeaderLengthMax) return;
    if (endsInSignature.test(authorization) && !claim.isPresigned) this.#claims.set(headOf(authorization), claim);
  }
}

/** The parsed but unverified content of a signature: what all requests of a client have in common. */
interface Claim {
  /** `keyid/date/region/service/aws4_request`. */
  readonly credential: string;
  readonly scope: CredentialScope;
  readonly signed: SignedHeaderNames;
  readonly service: SignedService;
  readonly isPresigned: boolean;
}

/** A claim, and what differs from request to request. */
interface SentSignature {
  readonly claim: Claim;
  /** Whether the claim comes from an earlier request with a valid signature. */
  readonly isKnown: boolean;
  /** `20261120T120000Z`. */
  readonly date: string;
  readonly signature: string;
  readonly sessionToken: string | undefined;
}

/** The maximum number of Authorization headers that are kept, and their maximum length. */
const claimsMax = 1024;
const keptHeaderLengthMax = 1024;

const signatureLength = 64;
const endsInSignature = /Signature=[0-9a-f]{64}$/;

/** The Authorization header without the signature at its end. */
function headOf(authorization: string): string {
  return authorization.slice(0, -signatureLength);
}

/** @throws {DynamoError} InvalidSignatureException if a header that affects the request is not signed. */
function checkSignedHeaders(
  headers: SignedRequest['headers'],
  signed: SignedHeaderNames | undefined,
): asserts signed is SignedHeaderNames {
  if (signed === undefined || !signed.has('host')) throw unsignedHeader('Host');
  for (const name in headers) {
    if (name.startsWith('x-amz-') && name !== 'x-amz-security-token' && !signed.has(name)) throw unsignedHeader(name);
  }
}

/** The text for `Host` is the service's. Assumed: the text for other headers is the same. */
function unsignedHeader(name: string): Error {
  return invalidSignature(`'${name}' must be a 'SignedHeader' in the AWS Authorization.`);
}
