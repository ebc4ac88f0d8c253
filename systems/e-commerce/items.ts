import { isoSeconds } from '../clock.ts';
import { decodeKsuid } from '../ksuid.ts';
import type { Address, Customer, Order, OrderLine, OrderStatus, Payment } from './shop-objects.ts';

// Items and their keys: one half of the data module. An item has two kinds of attributes, kept apart: those of the
// application, and those that only serve access (PK, SK, GSI1PK, GSI1SK). The second kind is computed from the first
// and never read back: whatever is in a key is stored again under its own name.
//
//   Customer        CUSTOMER#<Username>            CUSTOMER#<Username>
//   CustomerEmail   CUSTOMEREMAIL#<Email>          CUSTOMEREMAIL#<Email>
//   Order           CUSTOMER#<Username>            #ORDER#<OrderId>               ORDER#<OrderId>   ORDER#<OrderId>
//   OrderItem       ORDER#<OrderId>#ITEM#<ItemId>  ORDER#<OrderId>#ITEM#<ItemId>  ORDER#<OrderId>   ITEM#<ItemId>

interface StoredAddress {
  readonly Street: string;
  readonly City: string;
  readonly State: string;
  readonly PostalCode?: string | undefined;
  readonly Country?: string | undefined;
  readonly Recipient?: string | undefined;
}

interface StoredCustomer {
  readonly Type: 'Customer';
  readonly Username: string;
  readonly Email: string;
  readonly Name: string;
  readonly Addresses: Readonly<Record<string, StoredAddress>>;
  readonly CreatedAt: string;
}

/** Reserves an e-mail address: an attribute is unique only if it is the primary key of some item. */
interface StoredCustomerEmail {
  readonly Type: 'CustomerEmail';
  /** In its normal form, so that it stays right when only the spelling on the customer changes. */
  readonly Email: string;
  readonly Username: string;
}

interface StoredOrder {
  readonly Type: 'Order';
  readonly OrderId: string;
  readonly Username: string;
  readonly CreatedAt: string;
  readonly Status: OrderStatus;
  readonly Amount: number;
  readonly NumberItems: number;
  readonly Subtotal?: number | undefined;
  readonly SalesTax?: number | undefined;
  readonly Shipping?: number | undefined;
  readonly Payment?: { readonly Brand: string; readonly LastFour: string } | undefined;
  readonly ShippedTo?: StoredAddress | undefined;
}

interface StoredOrderItem {
  readonly Type: 'OrderItem';
  readonly OrderId: string;
  readonly ItemId: string;
  readonly Description: string;
  readonly Price: number;
  readonly Condition?: string | undefined;
  readonly Origin?: string | undefined;
  readonly Quantity?: number | undefined;
}

/** What an item holds for the application; `Type` says which. */
export type StoredAttributes = StoredCustomer | StoredCustomerEmail | StoredOrder | StoredOrderItem;

export type PrimaryKey = { readonly PK: string; readonly SK: string };

type IndexingAttributes = PrimaryKey & { readonly GSI1PK?: string; readonly GSI1SK?: string };

export const customerKey = (username: string): PrimaryKey => ({
  PK: `CUSTOMER#${username}`,
  SK: `CUSTOMER#${username}`,
});

export const customerEmailKey = (email: string): PrimaryKey => ({
  PK: `CUSTOMEREMAIL#${normalEmail(email)}`,
  SK: `CUSTOMEREMAIL#${normalEmail(email)}`,
});

/**
 * `#` sorts before every letter. So in a customer's collection the orders come first, oldest to newest, and the
 * customer last: read backwards, one request gives the customer and the newest orders.
 */
export const orderKey = ({ username, orderId }: Pick<Order, 'username' | 'orderId'>): PrimaryKey => ({
  PK: `CUSTOMER#${username}`,
  SK: `#ORDER#${orderId}`,
});

/** `$` follows `#`: greater than every order, less than the customer. */
export const SORT_KEY_AFTER_ORDERS = '#ORDER$';

export const orderIndexPartition = (orderId: string): string => `ORDER#${orderId}`;

/** The attributes that give an item its places in the table and in the index, computed from all the others. */
export function indexingAttributesOf(attributes: StoredAttributes): IndexingAttributes {
  switch (attributes.Type) {
    case 'Customer':
      return customerKey(attributes.Username);
    case 'CustomerEmail':
      return customerEmailKey(attributes.Email);
    case 'Order':
      return {
        ...orderKey({ username: attributes.Username, orderId: attributes.OrderId }),
        GSI1PK: orderIndexPartition(attributes.OrderId),
        GSI1SK: `ORDER#${attributes.OrderId}`,
      };
    case 'OrderItem':
      // Not in the customer's collection: lines would stand between the orders and be read with them for nothing.
      return {
        PK: `ORDER#${attributes.OrderId}#ITEM#${attributes.ItemId}`,
        SK: `ORDER#${attributes.OrderId}#ITEM#${attributes.ItemId}`,
        GSI1PK: orderIndexPartition(attributes.OrderId),
        GSI1SK: `ITEM#${attributes.ItemId}`,
      };
  }
}

export type StoredItem = IndexingAttributes & StoredAttributes;

function itemOf(attributes: StoredAttributes): StoredItem {
  return { ...indexingAttributesOf(attributes), ...attributes };
}

/** The form of an e-mail address in which two spellings of it are equal. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

export function customerItem(customer: Customer): StoredItem {
  return itemOf({
    Type: 'Customer',
    Username: customer.username,
    Email: customer.email,
    Name: customer.name,
    // Present even when empty: saving an address sets a value inside this map, which must exist.
    Addresses: Object.fromEntries([...customer.addresses].map(([name, address]) => [name, storedAddress(address)])),
    CreatedAt: isoSeconds(Math.floor(customer.createdAt.getTime() / 1000)),
  });
}

export function customerEmailItem(owner: Pick<Customer, 'username' | 'email'>): StoredItem {
  return itemOf({ Type: 'CustomerEmail', Email: normalEmail(owner.email), Username: owner.username });
}

export function orderItem(order: Order): StoredItem {
  return itemOf({
    Type: 'Order',
    OrderId: order.orderId,
    Username: order.username,
    CreatedAt: isoSeconds(Math.floor(order.createdAt.getTime() / 1000)),
    Status: order.status,
    Amount: order.amount,
    NumberItems: order.numberItems,
    Subtotal: order.subtotal,
    SalesTax: order.salesTax,
    Shipping: order.shipping,
    Payment: order.payment && { Brand: order.payment.brand, LastFour: order.payment.lastFour },
    ShippedTo: order.shippedTo && storedAddress(order.shippedTo),
  });
}

export function orderLineItem(orderId: string, line: OrderLine): StoredItem {
  return itemOf({
    Type: 'OrderItem',
    OrderId: orderId,
    ItemId: line.itemId,
    Description: line.description,
    Price: line.price,
    Condition: line.condition,
    Origin: line.origin,
    Quantity: line.quantity,
  });
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

export function customerOf(stored: StoredCustomer): Customer {
  return {
    username: stored.Username,
    email: stored.Email,
    name: stored.Name,
    addresses: new Map(Object.entries(stored.Addresses).map(([name, address]) => [name, addressOf(address)])),
    createdAt: new Date(stored.CreatedAt),
  };
}

export function orderOf(stored: StoredOrder): Order {
  return {
    orderId: stored.OrderId,
    username: stored.Username,
    createdAt: new Date(stored.CreatedAt),
    status: stored.Status,
    amount: stored.Amount,
    numberItems: stored.NumberItems,
    subtotal: stored.Subtotal,
    salesTax: stored.SalesTax,
    shipping: stored.Shipping,
    payment: stored.Payment && paymentOf(stored.Payment),
    shippedTo: stored.ShippedTo && addressOf(stored.ShippedTo),
  };
}

export function orderLineOf(stored: StoredOrderItem): OrderLine {
  return {
    itemId: stored.ItemId,
    description: stored.Description,
    price: stored.Price,
    condition: stored.Condition,
    origin: stored.Origin,
    quantity: stored.Quantity,
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

function paymentOf(stored: { readonly Brand: string; readonly LastFour: string }): Payment {
  return { brand: stored.Brand, lastFour: stored.LastFour };
}
