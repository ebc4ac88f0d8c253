import { parseArgs } from 'node:util';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { type LoadAction, loadReport, runLoad } from '../../http/load.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { CATEGORIES } from '../categories.ts';
import { startSite } from './site-server.ts';

const USAGE = `Usage: npx tsx systems/big-time-deals/http/load.ts [options]

Many hunters at once: each looks at a page, and at the next one as soon as it is there.

  --url URL        a site that is served already; otherwise one is started for the time being
  --hunters N      hunters at the same time (20)
  --seconds N      how long (10)
  --seed SCALE     sample data of the site that is started (0.1)
  --help           this text`;

interface FrontPage {
  readonly deals: readonly { readonly dealId: string; readonly brand: string }[];
  readonly next?: string;
}

/** What hunters do, and how often: mostly they look. */
export async function hunterActions(url: string, random: SeededRandom): Promise<readonly LoadAction[]> {
  const anyOf = <Each>(all: readonly Each[]): Each | undefined => all[random.integer(0, all.length - 1)];
  const get = async (path: string): Promise<Response> => fetch(`${url}${path}`);
  const put = async (path: string): Promise<Response> => fetch(`${url}/api${path}`, { method: 'PUT' });
  const brand = (): string => encodeURIComponent(anyOf(page.deals)?.brand ?? '');
  const category = (): string => encodeURIComponent(anyOf(CATEGORIES) ?? '');
  const hunter = (): string => `hunter${random.integer(1, 100)}`;
  let page = (await (await get('/api/front-page')).json()) as FrontPage;
  return [
    {
      name: 'front page',
      weight: 40,
      act: async () => {
        const response = await get('/api/front-page');
        page = (await response.clone().json()) as FrontPage;
        return response;
      },
    },
    { name: 'older deals', weight: 10, act: async () => get(page.next ?? '/api/front-page') },
    { name: 'deal', weight: 15, act: async () => get(`/api/deals/${anyOf(page.deals)?.dealId ?? ''}`) },
    { name: 'category', weight: 12, act: async () => get(`/api/categories/${category()}`) },
    { name: 'brand', weight: 12, act: async () => get(`/api/brands/${brand()}`) },
    { name: 'all brands', weight: 3, act: async () => get('/api/brands') },
    { name: 'unread messages', weight: 5, act: async () => get(`/api/users/${hunter()}/messages?unread=true`) },
    { name: 'like', weight: 2, allows: [409], act: async () => put(`/brands/${brand()}/likes/${hunter()}`) },
    { name: 'watch', weight: 1, allows: [409], act: async () => put(`/categories/${category()}/watchers/${hunter()}`) },
  ];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      hunters: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '0.1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [callers, seconds, seedScale] = [Number(values.hunters), Number(values.seconds), Number(values.seed)];
  if (!(callers >= 1 && callers <= 1000 && seconds > 0 && seedScale > 0)) throw new RangeError(USAGE);
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const database = values.url === undefined ? await openEmbeddedDatabase() : undefined;
  const server = database && (await startSite({ database, editorToken: 'none', port: 0, seedScale }));
  try {
    const url = (values.url ?? server?.url ?? '').replace(/\/$/, '');
    const random = new SeededRandom(1);
    const actions = await hunterActions(url, random);
    const result = await runLoad({ callers, durationMs: seconds * 1000, random, actions });
    console.log(loadReport(result));
    return result.failures === 0 ? 0 : 1;
  } finally {
    await server?.close();
    await database?.close();
  }
}

if (process.argv[1]?.endsWith('load.ts')) process.exitCode = await main();
