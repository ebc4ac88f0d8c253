import type { RequestContext } from '../../engine/index.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Caller, RequestOrigin } from '../caller.ts';
import type { IdentityDirectory } from '../identity/identity-directory.ts';
import type { SessionContent } from '../identity/session-token.ts';
import type { SignedRequest } from '../signature/signature-parts.ts';
import { type SignedService, SignatureVerifier } from '../signature/verify-signature.ts';

/** A request as it was received. */
export interface IncomingRequest extends SignedRequest {
  /** The remote end of the connection. Absent for a caller in this process. */
  readonly peer?: { readonly address: string; readonly isSecure: boolean } | undefined;
}

/** The sender of a request, and where it was sent from. */
export interface Requester {
  readonly caller: Caller;
  readonly origin: RequestOrigin;
  /** The caller's account, and the region that the request is signed for. */
  readonly context: RequestContext;
  readonly accessKeyId: string;
  /** Present when the caller is a session. */
  readonly session: SessionContent | undefined;
}

export interface AuthenticatorOptions {
  /** The current identities. */
  readonly directory: () => IdentityDirectory;
  readonly nowMs: () => number;
  /** A region that requests may be signed for even if its name does not have the usual form. */
  readonly region: string;
}

/** The maximum number of regions kept per caller. */
const contextsMax = 32;

/** Identifies the sender of a request by its signature. */
export class Authenticator {
  readonly #verifier: SignatureVerifier<{ readonly caller: Caller; readonly session?: SessionContent | undefined }>;
  /** By caller, then by region. */
  readonly #contexts: WeakMap<Caller, BoundedMap<string, RequestContext>> = new WeakMap();

  constructor({ directory, nowMs, region }: AuthenticatorOptions) {
    this.#verifier = new SignatureVerifier({
      findKey: (accessKeyId, sessionToken) => directory().findKey(accessKeyId, sessionToken, nowMs()),
      nowMs,
      isRegion: (name) => name === region || regionPattern.test(name),
    });
  }

  /** @throws {DynamoError} the service's error for a request without a signature or with an invalid one. */
  authenticate(request: IncomingRequest, service: SignedService): Requester {
    const { holder, region, accessKeyId } = this.#verifier.verify(request, service);
    const { caller, session } = holder;
    return { caller, origin: originOf(request), context: this.#contextOf(caller, region), accessKeyId, session };
  }

  #contextOf(caller: Caller, region: string): RequestContext {
    let contexts = this.#contexts.get(caller);
    if (contexts === undefined) this.#contexts.set(caller, (contexts = new BoundedMap(contextsMax)));
    let context = contexts.get(region);
    if (context === undefined) {
      context = { accountId: caller.accountId, region, callerArn: caller.arn };
      contexts.set(region, context);
    }
    return context;
  }
}

/** The form of the service's regions: `us-east-1`, `us-gov-west-1`, `eu-isoe-west-1`. */
const regionPattern = /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/;

/** Where a request came from. */
export function originOf({ peer, headers }: Pick<IncomingRequest, 'peer' | 'headers'>): RequestOrigin {
  const userAgent = headers['user-agent'];
  const sourceIp = peer?.address ?? '127.0.0.1';
  const secureTransport = peer?.isSecure ?? false;
  return userAgent === undefined ? { sourceIp, secureTransport } : { sourceIp, secureTransport, userAgent };
}
