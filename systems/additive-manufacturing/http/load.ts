import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { grouped, lackedBy } from '../../http/stored-items.ts';
import { STEPS } from '../model.ts';
import { sampleOrders } from '../seed.ts';

const MATERIALS = ['titanium', 'copper', 'nickel'] as const;
const PARTS = 3;
/** Sums of fractions, in whatever order they were added. */
const SUM_TOLERANCE = 0.01;

/** A line begins orders and takes them from station to station; others look at orders, parts and materials. */
export const load: ApplicationLoad = {
  holds:
    'no step is without the one before it, every part is in one order, and the sums of each material are those of its usages',
  open: async (site) => {
    const orders = sampleOrders(site.scale).map(({ header }) => header.orderId);
    const line = new Line(site);
    return await Promise.resolve({ actions: actionsOf(site, orders, line), faultsIn });
  },
};

/** Orders that the callers began, and the station that is next for each. */
class Line {
  readonly #site: LoadSite;
  readonly #waiting: { readonly orderId: string; station: number }[] = [];
  /** Distinguishes the orders of this run from those of an earlier one on the same table. */
  readonly #run = Date.now().toString(36);
  #begun = 0;

  constructor(site: LoadSite) {
    this.#site = site;
  }

  async begin(): Promise<Response> {
    this.#begun += 1;
    const orderId = `load-${this.#run}-${this.#begun}`;
    const measures = { massG: 10, volumeCm3: 2, densityGcm3: 5 };
    const materials = MATERIALS.slice(0, 2).map((materialId) => ({ ...measures, materialId }));
    const response = await this.#site.ask('POST', '/orders', { body: { orderId, materials } });
    if (response.ok) this.#waiting.push({ orderId, station: 0 });
    return response;
  }

  /** Takes an order through its next station, as one worker does at a time. */
  async advance(): Promise<Response> {
    const order = this.#waiting.shift();
    if (order === undefined) return await this.begin();
    const { orderId } = order;
    const partIds = Array.from({ length: PARTS }, (_, at) => `${orderId}-${at}`);
    const stations: readonly (readonly [path: string, body: object])[] = [
      ['mixing', { massG: 20, volumeCm3: 4, densityGcm3: 5 }],
      ['print', { bedTemp: 100, materialTemp: 400, adhesionSurface: 'tape', partIds }],
      ['bake', { ovenTemp: 1200, durationMin: 90 }],
      [
        'qc',
        {
          methods: ['microscopy'],
          passed: true,
          parts: partIds.map((partId) => ({ partId, porosityPct: 1, massG: 6 })),
        },
      ],
    ];
    const [path, body] = stations[order.station] ?? [];
    const response = await this.#site.ask(
      'PUT',
      `/orders/${orderId}/${path ?? ''}`,
      body === undefined ? {} : { body },
    );
    if (response.ok) order.station += 1;
    if (order.station < stations.length) this.#waiting.push(order);
    return response;
  }
}

function actionsOf(site: LoadSite, orders: readonly string[], line: Line): OpenLoad['actions'] {
  const get = async (path: string): Promise<Response> => await site.ask('GET', path);
  const order = (): string => site.oneOf(orders);
  const material = (): string => site.oneOf(MATERIALS);
  return [
    { name: 'order', weight: 25, act: async () => await get(`/orders/${order()}`) },
    { name: 'steps', weight: 15, act: async () => await get(`/orders/${order()}/steps`) },
    { name: 'parts', weight: 10, act: async () => await get(`/orders/${order()}/parts`) },
    { name: 'average density', weight: 10, act: async () => await get(`/materials/${material()}`) },
    { name: 'orders using a material', weight: 5, act: async () => await get(`/materials/${material()}/orders`) },
    { name: 'begin an order', weight: 10, act: async () => await line.begin() },
    { name: 'next station', weight: 25, act: async () => await line.advance() },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (type: string): readonly StoredItem[] => items.filter((item) => item['type'] === type);
  const steps = grouped(of('ProcessStep'), ({ orderId }) => String(orderId));
  const skipped = [...steps].filter(([, done]) => {
    const names = new Set(done.map(({ step }) => step));
    return STEPS.slice(0, names.size).some((step) => !names.has(step));
  });
  const placeOf = ({ partId, orderId }: StoredItem): string => `${String(partId)} of ${String(orderId)}`;
  const [parts, guards] = [of('Part').map(placeOf), of('PartGuard').map(placeOf)];
  const usages = grouped(of('MaterialUsage'), ({ materialId }) => String(materialId));
  const sums = new Map(of('MaterialStats').map((stats) => [String(stats['materialId']), stats]));
  return [
    ...skipped.map(([orderId]) => `order ${orderId} skipped a station`),
    ...lackedBy(guards, parts).map((part) => `the id of the part ${part} is not guarded`),
    ...lackedBy(parts, guards).map((part) => `there is a guard without its part: ${part}`),
    ...[...usages]
      .filter(([material, all]) => !agrees(sums.get(material), all))
      .map(([material]) => `the sums of ${material} are wrong`),
  ];
}

function agrees(sums: StoredItem | undefined, usages: readonly StoredItem[]): boolean {
  const massSum = usages.reduce((sum, { massG }) => sum + Number(massG), 0);
  return sums?.['usageCount'] === usages.length && Math.abs(Number(sums['massSum']) - massSum) < SUM_TOLERANCE;
}
