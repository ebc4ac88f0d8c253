import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { sampleSessions } from '../seed.ts';
import { SAMPLE_PASSWORD } from './people.ts';

const PEOPLE_MAX = 20;
const TOKENS_KNOWN_MAX = 1000;

/** People log in, their token is looked up again and again, and they log out. */
export const load: ApplicationLoad = {
  holds: 'every session that began is stored until it is ended, and none longer',
  open: async (site) => {
    const people = [...new Set([...sampleSessions(site.scale, 0)].map(({ username }) => username))].slice(
      0,
      PEOPLE_MAX,
    );
    const tokens = new Tokens();
    const actions = actionsOf(site, people, tokens);
    return await Promise.resolve({ actions, faultsIn: (items) => tokens.faultsIn(items) });
  },
};

/** The tokens that callers have: those of live sessions, and those of sessions that they ended. */
class Tokens {
  readonly live: string[] = [];
  readonly #ended = new Set<string>();

  began(token: string): void {
    if (this.live.length < TOKENS_KNOWN_MAX) this.live.push(token);
  }

  /** Takes one that is live, so that no other caller uses it. */
  take(): string | undefined {
    return this.live.shift();
  }

  ended(token: string): void {
    this.#ended.add(token);
  }

  faultsIn(items: readonly StoredItem[]): readonly string[] {
    const stored = new Set(items.map(({ SessionToken }) => SessionToken));
    return [
      ...this.live.filter((token) => !stored.has(token)).map((token) => `the session ${token} is lost`),
      ...[...this.#ended]
        .filter((token) => stored.has(token))
        .map((token) => `the session ${token} was ended and is stored`),
    ];
  }
}

function actionsOf(site: LoadSite, people: readonly string[], tokens: Tokens): OpenLoad['actions'] {
  const logIn = async (): Promise<Response> => {
    const body = { username: site.oneOf(people), password: SAMPLE_PASSWORD };
    const response = await site.ask('POST', '/sessions', { body });
    const { token } = (await response.clone().json()) as { readonly token?: string };
    if (token !== undefined) tokens.began(token);
    return response;
  };
  const withToken = async (act: (token: string) => Promise<Response>): Promise<Response> => {
    const token = tokens.take();
    if (token === undefined) return await logIn();
    return await act(token);
  };
  const reading = async (path: string): Promise<Response> =>
    await withToken(async (token) => {
      const response = await site.ask('GET', path, { token });
      tokens.began(token);
      return response;
    });
  return [
    { name: 'log in', weight: 5, act: logIn },
    { name: 'whose token is it', weight: 80, act: async () => await reading('/session') },
    { name: 'sessions of a user', weight: 10, act: async () => await reading('/sessions') },
    {
      name: 'log out',
      weight: 5,
      act: async () =>
        await withToken(async (token) => {
          const response = await site.ask('DELETE', '/session', { token });
          tokens.ended(token);
          return response;
        }),
    },
  ];
}
