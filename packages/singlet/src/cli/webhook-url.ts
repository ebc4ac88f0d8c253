import { UsageError } from './usage-error.ts';

/** @throws {UsageError} if it is not an HTTP URL. */
export function webhookUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`--to takes a URL such as https://example.com/changes, not ${JSON.stringify(text)}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--to takes a URL without a user name and password. Requests are signed with --secret-file.');
  }
  return url.href;
}
