import { isIP } from 'node:net';
import { isLoopbackName } from './loopback.ts';

export interface BrowserRulesOptions {
  /**
   * The address that the server listens on. Requests have to be addressed to it, or to a name of this machine. Without it, they may be addressed
   * to any host: for servers that require signed requests, or have no socket.
   */
  readonly listensOn?: string | undefined;
  /** Origins whose pages may use the server, in addition to those of this machine, such as `https://shop.example`; `*` for all pages. */
  readonly origins?: readonly string[] | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Decides which requests of browsers are answered. A page of a web site can send requests to a server on its reader's machine. Two rules stop that:
 *
 * - _Host._ The name in the Host header is one of this machine, or the address that the server listens on. A web site can let its own name
 *   point to 127.0.0.1 (DNS rebinding), and then its pages are of the same origin as the server; but the name is still theirs.
 * - _Origin._ The page is on this machine, or its origin was configured.
 *
 * Every route of the server calls {@link refusal} first. Programs other than browsers send no Origin. Decision 0059 says why, decision 0131
 * why the status is 403.
 */
export class BrowserRules {
  readonly #listensOn: string | undefined;
  readonly #origins: ReadonlySet<string>;
  /** Values of Host that were accepted before. Clients send few; bounded, because there are many ports. */
  readonly #rightHosts: Set<string> = new Set();

  constructor({ listensOn, origins = [] }: BrowserRulesOptions = {}) {
    this.#listensOn = listensOn?.toLowerCase();
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /** Why a request must not be answered, in one sentence; undefined where it may be. */
  refusal(headers: Headers): string | undefined {
    const { host, origin } = headers;
    if (this.#listensOn !== undefined && host !== undefined && !this.#isRightHost(one(host))) {
      return `This server is not ${shown(one(host))}: requests to it name the address that it listens on, or localhost.`;
    }
    if (origin !== undefined) {
      return this.#isAllowedOrigin(one(origin), host)
        ? undefined
        : `Pages of ${shown(one(origin))} may not use this server: singlet serve --cors names those that may.`;
    }
    // Pictures and scripts of another site are requested without an Origin; following a link is the reader's own action.
    if (headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate') {
      return 'Pages of other sites may not use this server: singlet serve --cors names those that may.';
    }
    return undefined;
  }

  /** The value of `access-control-allow-origin` for an origin that may use the server. */
  allowOrigin(origin: string): string {
    return this.#origins.has('*') ? '*' : origin;
  }

  #isRightHost(host: string): boolean {
    if (this.#rightHosts.has(host)) return true;
    const name = hostName(host);
    if (!(isLoopbackName(name) || name === this.#listensOn || (this.#listensOnAll() && isIP(name) !== 0))) return false;
    if (this.#rightHosts.size >= rightHostsMax) this.#rightHosts.clear();
    this.#rightHosts.add(host);
    return true;
  }

  /** With this, any numeric address is accepted: no web site can have a number for its name. */
  #listensOnAll(): boolean {
    return this.#listensOn === '0.0.0.0' || this.#listensOn === '::';
  }

  #isAllowedOrigin(origin: string, host: Headers[string]): boolean {
    const text = origin.toLowerCase();
    if (this.#origins.has('*') || this.#origins.has(text)) return true;
    const [, authority] = originPattern.exec(text) ?? [];
    if (authority === undefined) return false;
    // The Host has been checked above, or every request is signed.
    return isLoopbackName(hostName(authority)) || (host !== undefined && one(host).toLowerCase() === authority);
  }
}

const rightHostsMax = 64;

const originPattern = /^https?:\/\/([^/@?#\\]+)$/;

/** Whether a text is what a browser sends as the Origin of a page. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && originPattern.test(text);
}

/** `127.0.0.1` of `127.0.0.1:8000`, `::1` of `[::1]:8000`; in lower case, and without the dot at the end that a full name may have. */
function hostName(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host.toLowerCase()) ?? [];
  return bracketed ?? (plain.endsWith('.') ? plain.slice(0, -1) : plain);
}

/** The single value of a header; a repeated header has no valid value. */
function one(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(', ');
}

/** Shortens a value for a message: headers may be long. */
function shown(value: string): string {
  return value.length <= 100 ? value : `${value.slice(0, 100)}…`;
}
