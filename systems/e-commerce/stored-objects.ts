import type { ItemOf, NewItemOf } from '@singlet/model';
import { isoSeconds } from '../clock.ts';
import { decodeKsuid } from '../ksuid.ts';
import type { shop } from './model.ts';
import type { Address, Customer, Order, OrderLine } from './shop-objects.ts';

// Conversion between the shop's objects and the model's items, in which instants are text and saved addresses a plain map.

type Entities = typeof shop.entities;
type StoredOrder = ItemOf<Entities['Order']>;
type StoredLine = ItemOf<Entities['OrderItem']>;
type StoredAddress = NonNullable<StoredOrder['shippedTo']>;

export function storedCustomer({ addresses, createdAt, ...customer }: Customer): NewItemOf<Entities['Customer']> {
  return {
    ...customer,
    addresses: Object.fromEntries([...addresses].map(([label, address]) => [label, storedAddress(address)])),
    createdAt: storedInstant(createdAt),
  };
}

export function customerOf({ addresses, createdAt, ...customer }: ItemOf<Entities['Customer']>): Customer {
  return {
    ...customer,
    addresses: new Map(Object.entries(addresses).map(([label, address]) => [label, addressOf(address)])),
    createdAt: new Date(createdAt),
  };
}

export function storedOrder({ createdAt, payment, shippedTo, ...order }: Order): StoredOrder {
  return {
    ...order,
    createdAt: storedInstant(createdAt),
    payment: payment && { Brand: payment.brand, LastFour: payment.lastFour },
    shippedTo: shippedTo && storedAddress(shippedTo),
  };
}

export function orderOf({ createdAt, payment, shippedTo, ...order }: StoredOrder): Order {
  return {
    ...order,
    createdAt: new Date(createdAt),
    payment: payment && { brand: payment.Brand, lastFour: payment.LastFour },
    shippedTo: shippedTo && addressOf(shippedTo),
  };
}

export function storedLine(orderId: string, line: OrderLine): StoredLine {
  return { orderId, ...line };
}

export function lineOf({ itemId, description, price, condition, origin, quantity }: StoredLine): OrderLine {
  return { itemId, description, price, condition, origin, quantity };
}

export function storedAddress(address: Address): StoredAddress {
  return {
    Street: address.street,
    City: address.city,
    State: address.state,
    PostalCode: address.postalCode,
    Country: address.country,
    Recipient: address.recipient,
  };
}

/** When the order with this id was placed. */
export function orderCreatedAt(orderId: string): Date {
  return new Date(decodeKsuid(orderId).epochSeconds * 1000);
}

function addressOf(stored: StoredAddress): Address {
  return {
    street: stored.Street,
    city: stored.City,
    state: stored.State,
    postalCode: stored.PostalCode,
    country: stored.Country,
    recipient: stored.Recipient,
  };
}

function storedInstant(instant: Date): string {
  return isoSeconds(Math.floor(instant.getTime() / 1000));
}
