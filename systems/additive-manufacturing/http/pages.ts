import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Refused, type Screen, screen } from '../../http/screens.ts';
import type { Factory, MaterialUsage, Part, ProcessOrder, ProcessStep } from '../factory.ts';
import { STEPS, type Step } from '../model.ts';
import { Records } from './records.ts';
import { existing, id, measure } from './routes.ts';

export interface PagesOptions {
  readonly factory: Factory;
  /** The orders of this shift, the latest first: the model has no list of all. */
  readonly shift: string[];
  readonly materials: readonly string[];
}

const SHIFT_MAX = 6;
const PARTS_PRINTED_MAX = 40;

const LABELS: Readonly<Record<Step, string>> = {
  materials: 'Materials',
  mixing: 'Mixing',
  print: 'Print',
  bake: 'Bake',
  qc: 'Quality',
};

const number = z.coerce.number();
const positive = z.coerce.number().pipe(measure);

/** The screens: the floor, an order, a new order, a part, a material. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  return [floorScreen(options), ...orderScreens(options), ...materialScreens(options)];
}

function floorScreen({ factory, shift }: PagesOptions): Screen {
  return screen({
    path: '/',
    serves: ['AM-1'],
    show: async () => {
      const orders = await Promise.all(
        shift.slice(0, SHIFT_MAX).map(async (orderId) => ({ orderId, steps: await factory.stepsOf(orderId) })),
      );
      return {
        title: 'The floor',
        teaches:
          'Each order is a query of its own. A list of all orders is not a pattern of this factory: the floor keeps the numbers of its shift, and an index for it would be written by every order.',
        main: html`<ul class="rows">
            ${orders.map(
              ({ orderId, steps }) =>
                html`<li><a class="grow mono" href="/orders/${orderId}">${orderId}</a>${stations(steps)}</li>`,
            )}
          </ul>
          <a class="button" href="/new">Begin an order</a>`,
      };
    },
  });
}

function orderScreens(options: PagesOptions): readonly Screen[] {
  const { factory, materials } = options;
  return [
    screen({
      path: '/orders/{orderId}',
      serves: ['AM-4', 'AM-7'],
      show: async ({ path, refused }) => {
        const orderId = idOf(path.orderId);
        const [found, used] = await Promise.all([factory.findOrder(orderId), factory.materialsOf(orderId)]);
        const order = existing(found, 'order');
        return {
          title: orderId,
          teaches:
            'Steps, parts, recipes and header of an order are one partition, read by one query; the steps come by name and are put in their order here. What was used of its materials is under the materials: the step names them, and a batch reads them.',
          main: html`${stations(order.steps)}
            <div class="columns">
              <section>
                <h2>Materials</h2>
                ${usageList(used ?? [])}
                <h2>Parts</h2>
                ${partList(order.parts)}
              </section>
              <section>
                <h2>Next</h2>
                ${nextForm(orderId, order, used ?? [], refused)}
                <h2>Recipes</h2>
                <p>${recipesOf(order)}</p>
              </section>
            </div>`,
        };
      },
    }),
    screen({
      path: '/new',
      serves: ['AM-W1'],
      show: async ({ refused }) => {
        const choices = materials.map((each) => [each, each] as const);
        return await Promise.resolve({
          title: 'Begin an order',
          teaches:
            'The step, the recipes, the header and a usage for each material are one transaction: an order that is there already is refused as a whole.',
          main: form(
            '/new',
            html`${field('orderId', 'Order', { refused, hint: 'such as order-17' })}
              <div class="columns">
                ${['first', 'second'].map(
                  (which) =>
                    html`<div>
                      ${field(which, `The ${which} material`, { refused, choices })}${field(`${which}Mass`, `Grams of the ${which}`, { refused, value: '45' })}${field(
                        `${which}Volume`,
                        `Cubic centimetres of the ${which}`,
                        { refused, value: '9' },
                      )}
                    </div>`,
                )}
              </div>
              ${field('print', 'Recipe of the parts', { refused, value: 'part-1' })}<button>
                Gather the materials
              </button>`,
            'Begin an order',
          ),
        });
      },
    }),
    screen({
      path: '/parts/{partId}',
      serves: ['AM-3', 'AM-11'],
      show: async ({ path }) => {
        const partId = idOf(path.partId);
        const orderId = existing(await factory.orderIdOfPart(partId), 'part');
        const { parts, steps } = existing(await factory.findOrder(orderId), 'order');
        const part = parts.find((each) => each.partId === partId);
        return {
          title: partId,
          teaches:
            'A part is an item of its order. An index with the keys exchanged leads from the part to the order, whose partition is then read as a whole.',
          main: html`${partPicture(part ?? { partId }, 160)}
            <p>
              Part of <a class="mono" href="/orders/${orderId}">${orderId}</a>${
                part?.porosityPct !== undefined && `, porosity ${part.porosityPct} %, ${part.massG ?? 0} g`
              }
            </p>
            ${stations(steps)}`,
        };
      },
    }),
  ];
}

function materialScreens({ factory, materials }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/materials',
      serves: ['AM-12', 'AM-2', 'AM-6'],
      query: z.object({ material: id.optional(), exact: z.string().optional() }),
      show: async ({ query }) => {
        const material = query.material ?? materials[0] ?? 'none';
        const isExact = query.exact !== undefined;
        const [average, orders] = await Promise.all([
          isExact ? factory.averageDensity(material) : factory.averageDensityFromStats(material),
          factory.ordersUsing(material),
        ]);
        const to = (more: object): string => `/materials?${new URLSearchParams({ material, ...more }).toString()}`;
        return {
          title: material,
          teaches:
            'The sums of a material are one item, which a consumer of the stream keeps: the average is one read, however many usages there are. The exact average reads them all, and the strip shows the difference.',
          main: html`<p class="links">
              ${materials.map((each) => html`<a href="/materials?${new URLSearchParams({ material: each }).toString()}">${each}</a> `)}
            </p>
            <p class="figure">${average.weighted === null ? '–' : average.weighted.toFixed(3)}</p>
            <p>
              g/cm³, all mass by all volume, over ${average.usages} usages,
              ${isExact ? 'exactly' : 'by the sums that are kept'}. The mean of the densities is
              ${average.arithmetic === null ? 'none' : average.arithmetic.toFixed(3)}.
            </p>
            <p>
              ${isExact ? html`<a href="${to({})}">By the sums</a>` : html`<a href="${to({ exact: '1' })}">Exactly</a>`}
            </p>
            <h2>Orders that used it</h2>
            <p class="links">
              ${orders.map(({ orderId }) => html`<a class="mono" href="/orders/${orderId}">${orderId}</a> `)}
            </p>`,
        };
      },
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ factory, shift }: PagesOptions): readonly Action[] {
  const records = new Records(factory);
  const of = '/orders/{orderId}';
  return [
    action({
      path: '/new',
      of: '/new',
      form: z.object({
        orderId: id,
        first: id,
        second: id,
        firstMass: positive,
        firstVolume: positive,
        secondMass: positive,
        secondVolume: positive,
        print: id,
      }),
      act: async ({ form: typed }) => {
        const { orderId, print } = typed;
        const used = (materialId: string, massG: number, volumeCm3: number) => ({
          materialId,
          massG,
          volumeCm3,
          densityGcm3: massG / volumeCm3,
        });
        await records.gatherMaterials({
          orderId,
          recipes: { print },
          materials: [
            used(typed.first, typed.firstMass, typed.firstVolume),
            used(typed.second, typed.secondMass, typed.secondVolume),
          ],
        });
        shift.unshift(orderId);
        shift.splice(SHIFT_MAX);
        return { to: `/orders/${orderId}` };
      },
    }),
    action({
      path: '/orders/{orderId}/mixing',
      of,
      form: z.object({ massG: positive, volumeCm3: positive }),
      act: async ({ path: { orderId }, form: { massG, volumeCm3 } }) => {
        await records.mixing(orderId, { massG, volumeCm3, densityGcm3: massG / volumeCm3 });
        return { to: `/orders/${orderId}` };
      },
    }),
    action({
      path: '/orders/{orderId}/print',
      of,
      form: z.object({
        parts: number.pipe(z.int().min(2).max(PARTS_PRINTED_MAX)),
        bedTemp: number,
        materialTemp: number,
      }),
      act: async ({ path: { orderId }, form: { parts, ...temperatures } }) => {
        const partIds = Array.from({ length: parts }, (_, at) => `${orderId}-${String(at).padStart(3, '0')}`);
        await records.printing(orderId, { ...temperatures, adhesionSurface: 'tape' }, partIds);
        return { to: `/orders/${orderId}` };
      },
    }),
    action({
      path: '/orders/{orderId}/bake',
      of,
      form: z.object({ ovenTemp: number, durationMin: positive }),
      act: async ({ path: { orderId }, form: baked }) => {
        await records.baking(orderId, baked);
        return { to: `/orders/${orderId}` };
      },
    }),
    action({
      path: '/orders/{orderId}/qc',
      of,
      form: z.object({
        porosityPct: number.pipe(z.number().min(0).max(100)),
        massG: positive,
        passed: z.enum(['yes', 'no']),
      }),
      act: async ({ path: { orderId }, form: { passed, ...found } }) => {
        const parts = (await factory.partsOf(orderId)).map(({ partId }) => ({ partId, ...found }));
        await records.quality(orderId, { methods: new Set(['measurement']), passed: passed === 'yes' }, parts);
        return { to: `/orders/${orderId}` };
      },
    }),
  ];
}

/** The five stations, with the completed ones marked. */
function stations(steps: readonly ProcessStep[]): Markup {
  const done = new Set(steps.map(({ step }) => step));
  return html`<ol class="stations">
    ${STEPS.map(
      (step) =>
        html`<li class="state ${done.has(step) ? 'full' : ''}">
          ${LABELS[step]}<span class="hidden">${done.has(step) ? ': done' : ': open'}</span>
        </li>`,
    )}
  </ol>`;
}

function usageList(used: readonly MaterialUsage[]): Markup {
  return html`<ul class="rows">
    ${used.map(
      ({ materialId, massG, volumeCm3 }) =>
        html`<li>
          <a class="grow" href="/materials?${new URLSearchParams({ material: materialId }).toString()}">${materialId}</a
          ><span>${massG} g, ${volumeCm3} cm³</span>
        </li>`,
    )}
  </ul>`;
}

function partList(parts: readonly Part[]): Markup {
  if (parts.length === 0) return html`<p>None is printed.</p>`;
  return html`<ul class="parts">
    ${parts.map(
      (part) =>
        html`<li>
          <a href="/parts/${part.partId}"
            >${partPicture(part, 64)}<span class="mono">${part.partId.split('-').at(-1)}</span>${
              part.porosityPct !== undefined && html` <small>${part.porosityPct} %</small>`
            }</a
          >
        </li>`,
    )}
  </ul>`;
}

function partPicture({ partId, porosityPct = 0 }: Pick<Part, 'partId' | 'porosityPct'>, width: number): Markup {
  return picture('part', `${partId}:${Math.round(porosityPct)}`, width);
}

function recipesOf({ recipes = {} }: ProcessOrder): string {
  const named = STEPS.flatMap((step) => (recipes[step] === undefined ? [] : [`${LABELS[step]}: ${recipes[step]}`]));
  return named.length === 0 ? 'None.' : named.join(', ');
}

/** The form of the next station. */
function nextForm(
  orderId: string,
  { steps, parts }: ProcessOrder,
  used: readonly MaterialUsage[],
  refused: Refused | undefined,
): Markup {
  const next = STEPS[steps.length];
  const sum = (of: (usage: MaterialUsage) => number): string =>
    String(Math.round(used.reduce((total, each) => total + of(each), 0) * 1000) / 1000);
  const station = (to: Step, fields: readonly Markup[], label: string): Markup =>
    form(`/orders/${orderId}/${to}`, html`${fields}<button>${label}</button>`, label);
  if (next === undefined || next === 'materials') return html`<p>The order is done.</p>`;
  switch (next) {
    case 'mixing':
      return station(
        'mixing',
        [
          field('massG', 'Grams of the mixture', { refused, value: sum(({ massG }) => massG) }),
          field('volumeCm3', 'Cubic centimetres of the mixture', { refused, value: sum(({ volumeCm3 }) => volumeCm3) }),
        ],
        'Record the mixture',
      );
    case 'print':
      return station(
        'print',
        [
          field('parts', 'Parts', { refused, value: '6' }),
          field('bedTemp', 'Bed in °C', { refused, value: '110' }),
          field('materialTemp', 'Material in °C', { refused, value: '400' }),
        ],
        'Record the printing',
      );
    case 'bake':
      return station(
        'bake',
        [
          field('ovenTemp', 'Oven in °C', { refused, value: '1250' }),
          field('durationMin', 'Minutes', { refused, value: '120' }),
        ],
        'Record the baking',
      );
    case 'qc':
      return station(
        'qc',
        [
          field('porosityPct', `Porosity of each of ${parts.length} parts in %`, { refused, value: '2.5' }),
          field('massG', 'Grams of each', { refused, value: '6.5' }),
          field('passed', 'Passed', {
            refused,
            choices: [
              ['yes', 'yes'],
              ['no', 'no'],
            ],
          }),
        ],
        'Record what was found',
      );
  }
}

/** An id from an address. */
function idOf(given: string): string {
  return existing(id.safeParse(given).data, 'thing');
}
