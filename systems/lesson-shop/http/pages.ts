import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { HttpError } from '../../http/http-error.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { Order, OrderItem, OrderStatus, Product, Review } from '../shop.ts';
import { type Counter, existing } from './counter.ts';
import { idOf, orderId, quantity, review, status } from './routes.ts';

export interface PagesOptions {
  readonly counter: Counter;
  /** The offered products: those of the sample, since the model has no list of all. */
  readonly shelf: readonly Product[];
}

const STATES: Readonly<Record<OrderStatus, readonly [label: string, sign: string]>> = {
  PLACED: ['Placed', ''],
  PAID: ['Paid', ''],
  SHIPPED: ['On its way', 'half'],
  DELIVERED: ['Delivered', 'full'],
  CANCELLED: ['Cancelled', 'gone'],
};

const anyForm = z.looseObject({});

/** The screens of the customer and of the counter. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  return [...shelfScreens(options), ...orderScreens(options), ...deskScreens(options)];
}

function shelfScreens({ counter, shelf }: PagesOptions): readonly Screen[] {
  const { shop } = counter;
  return [
    screen({
      path: '/',
      serves: [],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'The shelf',
          teaches:
            'This page asks for nothing: what is on the shelf is printed in the catalogue. An order reads each product that was chosen, so that its price is that of now.',
          main: form(
            '/orders',
            html`<ul class="shelf">
                ${shelf.map(
                  ({ productId, name, price }) =>
                    html`<li>
                      <a href="/products/${productId}">${picture('jar', productId, 96, 120)}<b>${name}</b></a
                      ><span>${money(price)}</span
                      ><input
                        class="count"
                        type="number"
                        min="0"
                        name="${productId}"
                        value="${refused?.typed[productId] ?? '0'}"
                        aria-label="Count of ${name}"
                      />
                    </li>`,
                )}
              </ul>
              <button>Place order</button>`,
            'Order',
          ),
        }),
    }),
    screen({
      path: '/products/{productId}',
      serves: ['LE-6', 'LE-7'],
      show: async ({ path: { productId }, person, refused }) => {
        const [product, reviews] = await Promise.all([
          counter.product(productId),
          shop.reviewsOf(productId).then(({ items }) => items),
        ]);
        const mine = reviews.some(({ userId }) => userId === person);
        return {
          title: product.name,
          teaches:
            'The key of a review is product and customer, so the second of a customer has no place: a condition on the write refuses it.',
          main: html`<div class="columns">
            <section>
              ${picture('jar', productId, 144, 180)}
              <p>${money(product.price)}</p>
              ${
                person !== undefined &&
                !mine &&
                html`<h2>Write a review</h2>
                  ${form(
                    `/products/${productId}/review`,
                    html`${field('rating', 'Stars', {
                        refused,
                        choices: ['5', '4', '3', '2', '1'].map((each) => [each, each] as const),
                      })}${field('text', 'Your review', { refused, rows: 3 })}<button>Publish</button>`,
                    'Write a review',
                  )}`
              }
            </section>
            <section>
              <h2>Reviews</h2>
              ${reviewList(reviews)}
            </section>
          </div>`,
        };
      },
    }),
  ];
}

function orderScreens({ counter }: PagesOptions): readonly Screen[] {
  const { shop } = counter;
  return [
    screen({
      path: '/orders',
      serves: ['SS-02', 'LE-3', 'LE-2'],
      signedIn: true,
      query: z.object({ all: z.string().optional(), cursor: z.string().max(2000).optional() }),
      show: async ({ person = '', query }) => {
        const isAll = query.all !== undefined || query.cursor !== undefined;
        const page: { readonly items: readonly Order[]; readonly cursor?: string } = isAll
          ? await counter.orders(person, query.cursor)
          : { items: await shop.recentOrdersOf(person) };
        return {
          title: isAll ? 'All your orders' : 'Your orders of thirty days',
          teaches:
            'The day is a part of the sort key: thirty days are an interval of it, read backwards. No index is needed for that, and none is there.',
          main: html`<p>
              ${isAll ? html`<a href="/orders">Last thirty days</a>` : html`<a href="/orders?all=1">All orders</a>`}
            </p>
            ${page.items.length === 0 && html`<p>None.</p>`}
            <ol class="rows">
              ${page.items.map(orderRow)}
            </ol>
            ${page.cursor !== undefined && html`<a class="button second" href="/orders?${new URLSearchParams({ cursor: page.cursor }).toString()}">Older orders</a>`}`,
        };
      },
    }),
    screen({
      path: '/orders/{orderId}',
      serves: ['SS-02', 'LE-11'],
      signedIn: true,
      show: async ({ path, person = '' }) => {
        const { order, items } = await counter.orderOf(person, existing(orderId.safeParse(path.orderId).data, 'order'));
        return {
          title: `Order ${idOf(order)}`,
          teaches:
            'An order has two copies: one under its customer, and one under its own id with what was ordered. This is the second, read backwards by one query: the order first.',
          main: orderNote(order, items),
        };
      },
    }),
    screen({
      path: '/account',
      serves: ['SS-02', 'LE-9', 'LE-10'],
      signedIn: true,
      show: async ({ person = '' }) => {
        const [found, sessions] = await Promise.all([shop.userWithOrders(person), shop.activeSessionsOf(person)]);
        const { name, email } = existing(found.user, 'customer');
        return {
          title: name,
          teaches:
            'Under a customer come orders, profile and sessions, in this order. One query backwards from the profile is the customer and the orders, without the sessions: those are a question of their own.',
          main: html`<p>${email}, ${found.orders.length} orders</p>
            <h2>Sessions</h2>
            <ul class="rows">
              ${sessions.map(
                ({ sessionId, createdAt, expires }) =>
                  html`<li>
                    <span class="grow mono">${sessionId}</span
                    ><small
                      >since ${createdAt.slice(0, 10)}, until
                      ${new Date(expires * 1000).toISOString().slice(0, 10)}</small
                    >
                  </li>`,
              )}
            </ul>`,
        };
      },
    }),
  ];
}

function deskScreens({ counter }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/counter',
      serves: ['LE-11', 'LE-W2'],
      query: z.object({ order: z.string().max(20).optional() }),
      show: async ({ query, refused }) => {
        const wanted = query.order === undefined || query.order === '' ? undefined : orderId.safeParse(query.order);
        if (wanted?.success === false) {
          const detail = 'has to be a day and a number of three digits, such as 2026-01-15#001';
          throw new HttpError(400, 'invalid', `order ${detail}.`, {}, [{ field: 'order', detail }]);
        }
        const found = wanted === undefined ? undefined : await counter.order(wanted.data);
        return {
          title: 'The counter',
          teaches:
            'A change of status is one transaction over both copies of the order, so that no list shows it half.',
          main: html`<form method="get" action="/counter" aria-label="Find an order">
              ${field('order', 'Order', { refused, value: query.order ?? '', hint: 'such as 2026-01-15#001' })}<button
                class="second"
              >
                Find the order
              </button>
            </form>
            ${
              found !== undefined &&
              html`<h2>${idOf(found.order)}</h2>
                ${orderNote(found.order, found.items)}
                <div class="inline">
                  ${status.options
                    .filter((each) => each !== found.order.status)
                    .map((each) =>
                      form(
                        '/counter/status',
                        html`<input type="hidden" name="order" value="${idOf(found.order)}" /><input
                            type="hidden"
                            name="status"
                            value="${each}"
                          /><button class="second">${STATES[each][0]}</button>`,
                      ),
                    )}
                </div>`
            }`,
        };
      },
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ counter }: PagesOptions): readonly Action[] {
  return [
    action({
      path: '/orders',
      of: '/',
      signedIn: true,
      form: anyForm,
      act: async ({ form: typed, person = '', key }) => {
        const lines = Object.entries(typed).flatMap(([productId, text]) => {
          const { data } = quantity.safeParse(text);
          if (data === undefined) {
            const detail = `has to be a whole number from 0 to 99, not ${String(text).slice(0, 20)}`;
            throw new HttpError(422, 'invalid', `The count of ${productId.slice(0, 64)} ${detail}.`);
          }
          return data === 0 ? [] : [{ productId, quantity: data }];
        });
        if (lines.length === 0) throw new HttpError(422, 'invalid', 'Choose at least one product.');
        const placed = await counter.place(person, { lines }, key);
        return { to: `/orders/${encodeURIComponent(idOf(placed))}` };
      },
    }),
    action({
      path: '/products/{productId}/review',
      of: '/products/{productId}',
      signedIn: true,
      form: review,
      act: async ({ path, form: given, person = '' }) => {
        await counter.review({ ...path, userId: person, ...given });
        return { to: `/products/${encodeURIComponent(path.productId)}` };
      },
    }),
    action({
      path: '/counter/status',
      of: '/counter',
      form: z.object({ order: orderId, status }),
      act: async ({ form: { order, status: to } }) => {
        await counter.setStatus(order, to);
        return { to: `/counter?${new URLSearchParams({ order: idOf(order) }).toString()}` };
      },
    }),
  ];
}

function orderRow(order: Order): Markup {
  return html`<li>
    <a class="grow mono" href="/orders/${encodeURIComponent(idOf(order))}">${idOf(order)}</a>${stateOf(order)}<b
      >${money(order.total)}</b
    >
  </li>`;
}

function orderNote(order: Order, items: readonly OrderItem[]): Markup {
  return html`<div class="raised">
    <p>${stateOf(order)}, of ${order.userId}</p>
    <ul class="rows">
      ${items.map(
        ({ productId, name, price, quantity: count }) =>
          html`<li>
            ${picture('jar', productId, 40, 50)}<span class="grow">${name}</span><span>${count} × ${money(price)}</span>
          </li>`,
      )}
    </ul>
    <p><b>${money(order.total)}</b></p>
  </div>`;
}

function reviewList(reviews: readonly Review[]): Markup {
  if (reviews.length === 0) return html`<p>No reviews yet.</p>`;
  return html`<ul class="rows">
    ${reviews.map(
      ({ userId, rating, text }) =>
        html`<li>
          ${picture('face', userId, 32)}<span class="grow"><b>${userId}</b>, ${rating} of 5: ${text}</span>
        </li>`,
    )}
  </ul>`;
}

function stateOf({ status: of }: Order): Markup {
  const [label, sign] = STATES[of];
  return html`<span class="state ${sign}">${label}</span>`;
}

function money(amount: number): string {
  return amount.toFixed(2);
}
