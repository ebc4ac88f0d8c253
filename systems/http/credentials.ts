import { HttpError } from './http-error.ts';

// How a request identifies its sender: programs with `Authorization: Bearer`, browsers with a cookie that no script can read.

type Asking = Pick<Request, 'headers'>;

/** The token after `Bearer`, or undefined. */
export function bearerOf({ headers }: Asking): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** The value of a cookie, or undefined. */
export function cookieOf({ headers }: Asking, name: string): string | undefined {
  for (const pair of (headers.get('cookie') ?? '').split(/; */)) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at) === name) return pair.slice(at + 1);
  }
  return undefined;
}

/** A cookie that lasts as long as the session whose token it contains. Without a token, the cookie is removed. */
export function sessionCookie(name: string, token: string | undefined, maxAgeSeconds = 0): string {
  return `${name}=${token ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${token === undefined ? 0 : maxAgeSeconds}`;
}

/** Unknown and expired tokens look alike. */
export function notSignedIn(): HttpError {
  return new HttpError(401, 'not-signed-in', 'This takes the token of a session that has not ended.', {
    'www-authenticate': 'Bearer',
  });
}
