import { expect } from 'vitest';
import { SAMPLE_PASSWORD } from '../session-store/http/people.ts';

// A visitor of the pages without a browser.

/** The places that a page links to. */
export function linksOf(page: string): readonly string[] {
  return [...page.matchAll(/<a [^>]*href="(\/[^"#]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
}

/** Links to the same kind of screen have the same first part, number of parts and names in the query. */
export function kindOf(link: string): string {
  const { pathname, searchParams } = new URL(link, 'http://x');
  const parts = pathname.split('/');
  return [
    parts[1],
    parts.length,
    parts.length > 3 ? parts.at(-1)?.replaceAll(/\d+/g, '0') : '',
    ...searchParams.keys(),
  ].join(' ');
}

/** A form of a page that posts. */
export interface PageForm {
  readonly action: string;
  /** The fields with their values, those that are hidden included. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The forms of a page that post. */
export function formsOf(page: string): readonly PageForm[] {
  return [...page.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action = '', inner = '']) => ({
      action: action.replaceAll('&amp;', '&'),
      fields: Object.fromEntries(
        [
          ...inner.matchAll(/<(?:input|select|textarea)\b[^>]*?\bname="([^"]*)"[^>]*>(?:\s*<option value="([^"]*)")?/g),
        ].map(([tag, name = '', option]) => [name, option ?? /\svalue="([^"]*)"/.exec(tag)?.[1] ?? '']),
      ),
    }),
  );
}

/** Signs in as the first user that the page offers. @returns the cookie; undefined without users */
export async function signedIn(url: string): Promise<string | undefined> {
  const response = await fetch(`${url}/sign-in`);
  if (response.status === 404) return undefined;
  const body = await response.text();
  const forms = [...body.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const offered = forms.find(
    ([, , inner = '']) => inner.includes('name="username"') || inner.includes('name="person"'),
  );
  const fields = [...(offered?.[2] ?? '').matchAll(/<input[^>]*name="([^"]*)"[^>]*?value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const form = new URLSearchParams(Object.fromEntries(fields));
  if (form.has('password') || (offered?.[2] ?? '').includes('type="password"')) {
    form.set('username', 'user000001');
    form.set('password', SAMPLE_PASSWORD);
  }
  const entered = await fetch(`${url}${offered?.[1] ?? ''}`, { method: 'POST', body: form, redirect: 'manual' });
  expect(entered.status).toBe(303);
  return entered.headers.get('set-cookie')?.split(';')[0];
}
