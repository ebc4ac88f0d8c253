import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { SignIn } from '../../http/sign-in.ts';
import { NoSuchCustomerError } from '../errors.ts';
import { ADDRESSES_MAX } from '../model.ts';
import type { Customer, Order, OrderDetail, OrderStatus } from '../shop-objects.ts';
import { BOOKS, dollars } from './books.ts';
import { address, addressLines, addressName, email, payment, signUp, status } from './routes.ts';
import { orderKey, QUANTITY_MAX, type Storefront, type Wanted } from './storefront.ts';

export interface PagesOptions {
  readonly front: Storefront;
  readonly signIn: SignIn;
  /** A KSUID of the present moment: the key of an order's form. */
  readonly newKey: () => string;
}

const STATES: Readonly<Record<OrderStatus, readonly [label: string, sign: string]>> = {
  ACCEPTED: ['Accepted', ''],
  SHIPPED: ['On its way', 'half'],
  DELIVERED: ['Delivered', 'full'],
  CANCELLED: ['Cancelled', 'gone'],
};

/** The screens of the customer and of the warehouse. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  const { front } = options;
  return [
    screen({
      path: '/',
      serves: ['SS-02', 'EC-06', 'EC-07', 'EC-08'],
      signedIn: true,
      query: z.object({ cursor: z.string().max(500).optional() }),
      show: async ({ person = '', query }) => {
        const { customer, orders, cursor } = await front.account(person, query.cursor);
        const [newest] = query.cursor === undefined ? orders : [];
        const open = newest === undefined ? undefined : await front.order(person, newest.orderId);
        return {
          title: query.cursor === undefined ? 'Your orders' : 'Older orders',
          teaches:
            'The sort key of an order begins with #, a byte before every letter: one query backwards is the customer and then the newest orders. The spines are drawn from the number of items on the order, so the list needs no lines.',
          main: html`${customer !== undefined && html`<p>${customer.name}, ${customer.email}, ${customer.addresses.size} saved ${customer.addresses.size === 1 ? 'address' : 'addresses'}</p>`}
            ${orders.length === 0 && html`<p>No orders yet. <a href="/new-order">Order a book</a></p>`}
            <div class="${open !== undefined && 'columns'}">
              <section aria-label="Orders">
                <ol class="rows">
                  ${orders.map(orderRow)}
                </ol>
                ${cursor !== undefined && html`<a class="button second" href="/?${new URLSearchParams({ cursor }).toString()}">Older orders</a>`}
              </section>
              ${open !== undefined && html`<section aria-label="The newest order">${note(open, { isNewest: true })}</section>`}
            </div>`,
        };
      },
    }),
    screen({
      path: '/orders/{orderId}',
      serves: ['SS-02', 'EC-08'],
      signedIn: true,
      show: async ({ path, person = '' }) => {
        const detail = await front.order(person, idOf(path.orderId));
        return {
          title: `Order of ${dayOf(detail.order.createdAt)}`,
          teaches: 'An order and its lines are gathered in one partition of the index, and are read by one query.',
          main: note(detail),
        };
      },
    }),
    ...addressScreens(options),
    ...orderScreens(options),
    ...warehouseScreens(options),
  ];
}

function addressScreens({ front: { shop } }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/addresses',
      serves: ['SS-02', 'EC-09'],
      signedIn: true,
      show: async ({ person = '', refused }) => {
        const { addresses } = await existing(shop.findCustomer(person), person);
        return {
          title: 'Addresses',
          teaches: 'Addresses are a map on the customer: always read with it, and few enough to fit.',
          main: html`<ul class="rows">
              ${[...addresses].map(
                ([label, each]) =>
                  html`<li>
                    <span class="grow"><b>${label}</b><br />${addressLines(each).join(', ')}</span>${form(
                      '/addresses/delete',
                      html`<input type="hidden" name="label" value="${label}" /><button
                          class="second"
                          aria-label="Delete ${label}"
                        >
                          Delete
                        </button>`,
                    )}
                  </li>`,
              )}
            </ul>
            <h2>Save an address</h2>
            <p class="small">At most ${ADDRESSES_MAX}. A name that is there already is replaced.</p>
            ${form(
              '/addresses',
              html`${field('label', 'Name', { refused, hint: 'such as Home' })}${field('street', 'Street', { refused })}${field('city', 'City', { refused })}${field(
                  'state',
                  'State',
                  { refused },
                )}<button>Save address</button>`,
              'Save an address',
            )}`,
        };
      },
    }),
    screen({
      path: '/profile',
      serves: ['SS-02', 'EC-09'],
      signedIn: true,
      show: async ({ person = '', refused }) => {
        const customer = await existing(shop.findCustomer(person), person);
        return {
          title: 'Profile',
          teaches:
            'An e-mail address is the key of an item of its own, so that two customers cannot have one: a change takes the new and frees the old in one transaction.',
          main: html`${form('/profile/name', html`${field('name', 'Name', { refused, value: customer.name })}<button>Save name</button>`, 'Name')}
          ${form(
            '/profile/email',
            html`<input type="hidden" name="current" value="${customer.email}" />${field('email', 'E-mail address', {
                refused,
                value: customer.email,
                type: 'email',
              })}<button>Save e-mail address</button>`,
            'E-mail address',
          )}`,
        };
      },
    }),
    screen({
      path: '/sign-up',
      serves: ['EC-01'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Sign up',
          teaches:
            'Name and e-mail address are unique independently of each other: each is the key of an item, and one transaction writes both.',
          main: form(
            '/sign-up',
            html`${field('username', 'Username', { refused, hint: 'letters, digits, - and _' })}${field(
                'email',
                'E-mail address',
                {
                  refused,
                  type: 'email',
                },
              )}${field('name', 'Name', { refused })}<button>Sign up</button>`,
            'Sign up',
          ),
        }),
    }),
  ];
}

function orderScreens({ front: { shop }, newKey }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/new-order',
      serves: ['SS-02', 'EC-09'],
      signedIn: true,
      show: async ({ person = '', refused }) => {
        const { addresses } = await existing(shop.findCustomer(person), person);
        const choices = [...addresses.keys()].map((label) => [label, label] as const);
        return {
          title: 'New order',
          teaches:
            'The order and all its lines are written in one transaction, under an id that follows from the key of this form: sent twice, it is placed once.',
          main: html`${form(
            '/new-order',
            html`<input type="hidden" name="orderKey" value="${refused?.typed['orderKey'] ?? newKey()}" />
              <ul class="rows">
                ${[...BOOKS.values()].map(
                  ({ bookId, title, author, priceCents }) =>
                    html`<li>
                      ${picture('cover', `${title}, ${author}`, 48, 70)}<span class="grow"
                        ><b>${title}</b><br />${author}, ${dollars(priceCents / 100)}</span
                      >
                      <label class="inline"
                        >Copies
                        <input
                          class="count"
                          type="number"
                          name="book-${bookId}"
                          min="0"
                          max="${QUANTITY_MAX}"
                          value="${refused?.typed[`book-${bookId}`] ?? '0'}"
                          aria-label="Copies of ${title}"
                      /></label>
                    </li>`,
                )}
              </ul>
              ${field('address', 'Ship to', { refused, choices })}${field('brand', 'Card', { refused, value: 'Visa' })}${field(
                'lastFour',
                'Last four digits',
                {
                  refused,
                  value: '8873',
                },
              )}<button>Place order</button>`,
            'New order',
          )}`,
        };
      },
    }),
  ];
}

function warehouseScreens({ front: { shop } }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/warehouse',
      serves: ['EC-08'],
      query: z.object({ order: z.string().max(60).optional() }),
      show: async ({ query, refused }) => {
        const wanted = query.order ?? refused?.typed['orderId'];
        const detail = wanted === undefined || wanted === '' ? undefined : await shop.viewOrder(idOf(wanted));
        return {
          title: 'Warehouse',
          teaches:
            'A status changes only from the one that was seen: the second of two changes is refused, and the copy in the index follows by itself.',
          main: html`<form method="get" action="/warehouse" aria-label="Find an order">
              ${field('order', 'Order', {
                value: wanted ?? '',
                refused,
              })}<button class="second">Find order</button>
            </form>
            ${
              detail !== undefined &&
              html`<h2>${stateOf(detail.order)}</h2>
                ${statusForms(detail.order)}${note(detail)}`
            }`,
        };
      },
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ front, signIn }: PagesOptions): readonly Action[] {
  const { shop } = front;
  return [
    action({
      path: '/sign-up',
      of: '/sign-up',
      form: signUp,
      act: async ({ form: given, key }) => {
        const { username: name } = await front.signUp(given, key);
        return await signIn.enter(name, key, '/addresses');
      },
    }),
    action({
      path: '/addresses',
      of: '/addresses',
      signedIn: true,
      form: address.pick({ street: true, city: true, state: true }).extend({ label: addressName }),
      act: async ({ form: { label, ...rest }, person = '' }) => {
        await shop.saveAddress(person, label, rest);
        return { to: '/addresses' };
      },
    }),
    action({
      path: '/addresses/delete',
      of: '/addresses',
      signedIn: true,
      form: z.object({ label: addressName }),
      act: async ({ form: { label }, person = '' }) => {
        await shop.deleteAddress(person, label);
        return { to: '/addresses' };
      },
    }),
    action({
      path: '/profile/name',
      of: '/profile',
      signedIn: true,
      form: signUp.pick({ name: true }),
      act: async ({ form: given, person = '' }) => {
        await shop.updateProfile(person, given);
        return { to: '/profile' };
      },
    }),
    action({
      path: '/profile/email',
      of: '/profile',
      signedIn: true,
      form: z.object({ email, current: email }),
      act: async ({ form: given, person = '' }) => {
        await front.changeEmail({ username: person, oldEmail: given.current, newEmail: given.email });
        return { to: '/profile' };
      },
    }),
    action({
      path: '/new-order',
      of: '/new-order',
      signedIn: true,
      form: z.looseObject({
        orderKey,
        address: addressName,
        brand: payment.shape.brand,
        lastFour: payment.shape.lastFour,
      }),
      act: async ({ form: given, person = '' }) => {
        const { orderId } = await front.place(person, wantedOf(given), given.orderKey);
        return { to: `/orders/${orderId}` };
      },
    }),
    action({
      path: '/warehouse/status',
      of: '/warehouse',
      form: z.object({ username: z.string(), orderId: orderKey, from: status, to: status }),
      act: async ({ form: { username, orderId, from, to } }) => {
        await front.changeStatus({ username, orderId, from, to });
        return { to: `/warehouse?${new URLSearchParams({ order: orderId }).toString()}` };
      },
    }),
  ];
}

const copies = z.coerce.number().int().min(0).max(QUANTITY_MAX);

function wantedOf(given: Readonly<Record<string, unknown>> & Pick<Wanted, 'address'> & Wanted['payment']): Wanted {
  const lines = [...BOOKS.keys()].flatMap((bookId) => {
    const { data: quantity } = copies.safeParse(given[`book-${bookId}`] ?? 0);
    if (quantity === undefined)
      throw new HttpError(422, 'invalid', `Copies are a whole number from 0 to ${QUANTITY_MAX}.`);
    return quantity === 0 ? [] : [{ bookId, quantity }];
  });
  if (lines.length === 0) throw new HttpError(422, 'invalid', 'Choose at least one book.');
  return { lines, address: given.address, payment: { brand: given.brand, lastFour: given.lastFour } };
}

async function existing(found: Promise<Customer | undefined>, username: string): Promise<Customer> {
  const customer = await found;
  if (customer === undefined) throw new NoSuchCustomerError(username);
  return customer;
}

function idOf(orderId: string): string {
  if (orderKey.safeParse(orderId).success) return orderId;
  throw new HttpError(404, 'not-found', 'There is no such order.');
}

function orderRow(order: Order): Markup {
  const { orderId, numberItems, amount, createdAt } = order;
  return html`<li>
    <img src="/picture/spines/${orderId}%3A${numberItems}.svg" width="140" height="44" alt="" /><span class="grow"
      ><a href="/orders/${orderId}">${dayOf(createdAt)}</a><br /><small
        >${numberItems} ${numberItems === 1 ? 'book' : 'books'}</small
      ></span
    >${stateOf(order)}<b>${dollars(amount)}</b>
  </li>`;
}

function note({ order, lines }: OrderDetail, { isNewest = false } = {}): Markup {
  const money = (label: string, amount: number | undefined): Markup | undefined =>
    amount === undefined
      ? undefined
      : html`<tr>
          <th scope="row">${label}</th>
          <td>${dollars(amount)}</td>
        </tr>`;
  // Descriptions in the catalogue are a title and an author.
  const titled = (description: string): Markup => {
    const [, title = description, author] = /^(.*), ([^,]*)$/s.exec(description) ?? [];
    return html`${title}${author !== undefined && html`<br /><small>${author}</small>`}`;
  };
  return html`<article class="raised" aria-label="${isNewest ? 'The newest order' : 'Order'}">
    <header>${isNewest && html`<h2>${dayOf(order.createdAt)}</h2>`}${stateOf(order)}</header>
    <p class="mono">${order.orderId}</p>
    <ul class="rows">
      ${lines.map(
        ({ description, price, quantity = 1 }) =>
          html`<li>
            ${picture('cover', description, 48, 70)}<span class="grow">${titled(description)}</span
            ><span>${quantity} × ${dollars(price)}</span>
          </li>`,
      )}
    </ul>
    <table class="amounts">
      <tbody>
        ${money('Books', order.subtotal)}${money('Sales tax', order.salesTax)}${money('Shipping', order.shipping)}${money('Total', order.amount)}
      </tbody>
    </table>
    ${
      order.shippedTo !== undefined &&
      html`<h2>Ships to</h2>
        <p>${addressLines(order.shippedTo).join(', ')}</p>`
    }
    ${
      order.payment !== undefined &&
      html`<h2>Paid with</h2>
        <p>${order.payment.brand} ending ${order.payment.lastFour}</p>`
    }
  </article>`;
}

function stateOf({ status: of }: Pick<Order, 'status'>): Markup {
  const [label, sign] = STATES[of];
  return html`<span class="state ${sign}">${label}</span>`;
}

function statusForms({ orderId, username, status: from }: Order): Markup {
  const others = status.options.filter((to) => to !== from);
  return html`<div class="inline">
    ${others.map((to) =>
      form(
        '/warehouse/status',
        html`<input type="hidden" name="username" value="${username}" /><input
            type="hidden"
            name="orderId"
            value="${orderId}"
          /><input type="hidden" name="from" value="${from}" /><input type="hidden" name="to" value="${to}" /><button
            class="second"
          >
            ${STATES[to][0]}
          </button>`,
      ),
    )}
  </div>`;
}

function dayOf(time: Date): string {
  return time.toLocaleDateString('en-US', { month: 'long', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
}
