import { ksuid, tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import { databasesUnderTest } from '../testing/databases.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import type { Workbench } from '../testing/workbench.ts';
import { type BigTimeDeals, openBigTimeDeals } from './big-time-deals.ts';
import type { SiteOptions } from './connection.ts';
import type { Change } from './deal-changes.ts';
import type { NewDeal } from './editors.ts';
import { bigTimeDeals } from './model.ts';

/** Over HTTP on a store on disk, and in this process in memory; or the one endpoint given in the environment. */
export const databases = databasesUnderTest.filter(
  ({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB',
);
export const [oneDatabase = databases[0]] = databases.slice(-1);

/** A site on its own table, with its own clock. */
export interface SiteUnderTest {
  readonly site: BigTimeDeals;
  readonly table: RawTable;
  readonly clock: ManualClock;
  /** The site with another client and other settings. */
  readonly another: (options?: Partial<SiteOptions>) => BigTimeDeals;
}

export async function openSite(
  bench: Workbench,
  options: Partial<SiteOptions> & { readonly now?: string } = {},
): Promise<SiteUnderTest> {
  const { now = '2020-01-30T15:00:00Z', ...rest } = options;
  const [definition] = tableDefinitions(bigTimeDeals);
  if (definition === undefined) throw new ReferenceError('The model has a table');
  const table = await bench.createTable(definition);
  const clock = new ManualClock(now);
  const common = { client: bench.client, tableName: table.name, clock, newId: idAt, pause: async () => undefined };
  return {
    table,
    clock,
    site: openBigTimeDeals({ ...common, ...rest }),
    another: (other) => openBigTimeDeals({ ...common, client: bench.newClient(), ...other }),
  };
}

let idCount = 0;

/** Ids that differ and, within one second, sort in order of creation. */
export function idAt(atMs: number): string {
  const random = Buffer.alloc(16);
  random.writeUInt32BE((idCount += 1));
  return ksuid({ at: atMs, random });
}

const LINK = 'https://shop.example/deal';

export const cruise: NewDeal = {
  dealId: '1WK0JFwUfFNUw9hddaTjEDpizTV',
  title: '8-day Asian Cruise',
  price: 2479,
  category: 'Travel',
  brand: 'Princess',
  link: LINK,
};
export const appleWatch: NewDeal = {
  dealId: '1X7AGV4dycQ31BUOAifKRyz5Q6d',
  title: 'Apple Watch',
  price: 350,
  category: 'Tech',
  brand: 'Apple',
  link: LINK,
};
export const giftCard: NewDeal = {
  dealId: '1X7KZHsuFogN0gLOx4Vvrf7azl8',
  title: '$50 Outback Gift Card',
  price: 45,
  category: 'Food & Drink',
  brand: 'Outback',
  link: LINK,
};

export const BRANDS = ['Princess', 'Apple', 'Outback'];
export const CATEGORIES = ['Travel', 'Tech', 'Food & Drink'];

export async function createBrandsAndCategories({ site: { editors } }: SiteUnderTest): Promise<void> {
  for (const brand of BRANDS) await editors.createBrand({ brand });
  for (const category of CATEGORIES) await editors.createCategory(category);
}

/** Brands, categories and the three deals of January 2020. */
export async function createFixture(opened: SiteUnderTest): Promise<void> {
  await createBrandsAndCategories(opened);
  for (const deal of [cruise, appleWatch, giftCard]) await opened.site.editors.createDeal(deal);
}

/** A deal of Apple that begins at a given time. */
export function dealAt(at: string | number, deal: Partial<NewDeal> = {}): NewDeal {
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  return { ...appleWatch, title: new Date(atMs).toISOString(), ...deal, dealId: idAt(atMs) };
}

export function featured(count: number): { readonly id: string; readonly name: string }[] {
  return Array.from({ length: count }, (_, number) => ({ id: idAt(Date.parse('2020-01-30')), name: `Deal ${number}` }));
}

/** The items of one entity, as they are stored. */
export async function stored({ table }: SiteUnderTest, type: string): Promise<RawItem[]> {
  return (await table.scan()).filter((item) => item['Type'] === type);
}

/** The records that a handler has processed, for tests that wait for them. */
export class Handled {
  readonly changes: Change[] = [];
  readonly #handle: (changes: readonly Change[]) => Promise<void>;
  #waiting: { readonly isMet: (change: Change) => boolean; readonly resolve: () => void }[] = [];

  constructor(handler: { readonly handle: (changes: readonly Change[]) => Promise<void> }) {
    this.#handle = async (changes) => handler.handle(changes);
  }

  readonly handle = async (changes: readonly Change[]): Promise<void> => {
    await this.#handle(changes);
    this.changes.push(...changes);
    const met = this.#waiting.filter(({ isMet }) => changes.some(isMet));
    this.#waiting = this.#waiting.filter((each) => !met.includes(each));
    for (const { resolve } of met) resolve();
  };

  /** Resolves when a batch with such a change has been handled. */
  async until(isMet: (change: Change) => boolean): Promise<void> {
    if (this.changes.some(isMet)) return;
    await new Promise<void>((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  /** Resolves when a deal's creation, and earlier writes to its shard of the stream, have been handled. */
  async untilDeal(dealId: string): Promise<void> {
    await this.until(({ newImage }) => newImage?.entity === 'Deal' && newImage.item.dealId === dealId);
  }
}
