import { describe, expect, test } from 'vitest';
import { FIXTURE } from './fixture.ts';
import type { StoredAttributes } from './items.ts';
import {
  customerEmailItem,
  customerItem,
  customerOf,
  indexingAttributesOf,
  orderCreatedAt,
  orderItem,
  orderKey,
  orderLineItem,
  orderLineOf,
  orderOf,
  SORT_KEY_AFTER_ORDERS,
} from './items.ts';

const INDEXING_ATTRIBUTES = ['PK', 'SK', 'GSI1PK', 'GSI1SK'];

function withoutIndexingAttributes(item: Readonly<Record<string, unknown>>): StoredAttributes {
  const entries = Object.entries(item).filter(([name]) => !INDEXING_ATTRIBUTES.includes(name));
  return Object.fromEntries(entries) as unknown as StoredAttributes;
}

describe('items of the shop', () => {
  test.each(FIXTURE.map((item) => [String(item['PK']), String(item['SK']), item] as const))(
    'S-19: the keys of %s / %s follow from its other attributes',
    (_partitionKey, _sortKey, item) => {
      const attributes = withoutIndexingAttributes(item);
      expect({ ...attributes, ...indexingAttributesOf(attributes) }).toEqual(item);
    },
  );

  test('S-19, S-22: an item goes to the application and back whole, its keys and Type stay behind', () => {
    for (const item of FIXTURE) {
      const stored = withoutIndexingAttributes(item);
      switch (stored.Type) {
        case 'Customer':
          expect(customerItem(customerOf(stored))).toEqual(item);
          expect(Object.keys(customerOf(stored))).toEqual(['username', 'email', 'name', 'addresses', 'createdAt']);
          break;
        case 'CustomerEmail':
          expect(customerEmailItem({ username: stored.Username, email: stored.Email })).toEqual(item);
          break;
        case 'Order':
          expect(orderItem(orderOf(stored))).toEqual(item);
          expect(orderOf(stored)).not.toHaveProperty('PK');
          break;
        case 'OrderItem':
          expect(orderLineItem(stored.OrderId, orderLineOf(stored))).toEqual(item);
          break;
      }
    }
  });

  test('an order is as old as its id says', () => {
    for (const item of FIXTURE.filter(({ Type }) => Type === 'Order')) {
      expect(orderCreatedAt(String(item['OrderId']))).toEqual(new Date(String(item['CreatedAt'])));
    }
  });

  test('an e-mail address is reserved in every spelling of it', () => {
    const [left, right] = [' Vito@Corleone.COM', 'vito@corleone.com '].map((email) =>
      customerEmailItem({ username: 'the_don', email }),
    );
    expect(left).toEqual(right);
    expect(left).toMatchObject({ PK: 'CUSTOMEREMAIL#vito@corleone.com', Email: 'vito@corleone.com' });
  });

  test('EC check 8: orders sort before their customer, which they would not without the leading #', () => {
    const { SK } = orderKey({ username: 'alexdebrie', orderId: 'z'.repeat(27) });
    expect(SK < 'CUSTOMER#alexdebrie').toBe(true);
    expect(SK.slice(1) < 'CUSTOMER#alexdebrie').toBe(false);
    expect(SK < SORT_KEY_AFTER_ORDERS && SORT_KEY_AFTER_ORDERS < 'CUSTOMER#alexdebrie').toBe(true);
  });
});
