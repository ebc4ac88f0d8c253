// The objects of the shop's API, without keys or tables: the data module accepts and returns them.

export interface Address {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode?: string | undefined;
  readonly country?: string | undefined;
  readonly recipient?: string | undefined;
}

export interface Customer {
  readonly username: string;
  readonly email: string;
  readonly name: string;
  /** Saved addresses by the customer's name for each, such as "Home". */
  readonly addresses: ReadonlyMap<string, Address>;
  readonly createdAt: Date;
}

export type OrderStatus = 'ACCEPTED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED';

export interface Payment {
  readonly brand: string;
  /** The last four digits of the card. */
  readonly lastFour: string;
}

/** An order as in a row of the account page, and at the top of the order page. */
export interface Order {
  /** A KSUID, so that orders sort by time. */
  readonly orderId: string;
  readonly username: string;
  /** The instant in `orderId`. */
  readonly createdAt: Date;
  readonly status: OrderStatus;
  /** Total price. */
  readonly amount: number;
  /** Pieces ordered: the sum of the quantities of the lines. */
  readonly numberItems: number;
  readonly subtotal?: number | undefined;
  readonly salesTax?: number | undefined;
  readonly shipping?: number | undefined;
  readonly payment?: Payment | undefined;
  /** A copy, so that a later edit of the saved address does not rewrite history. */
  readonly shippedTo?: Address | undefined;
}

export interface OrderLine {
  readonly itemId: string;
  readonly description: string;
  readonly price: number;
  readonly condition?: string | undefined;
  readonly origin?: string | undefined;
  /** Pieces of it; 1 where absent. */
  readonly quantity?: number | undefined;
}

export interface NewOrder extends Omit<Order, 'orderId' | 'createdAt' | 'status' | 'numberItems'> {
  /** Given to resume an interrupted order, or to make a repeated request harmless. Drawn when absent. */
  readonly orderId?: string | undefined;
  readonly lines: readonly OrderLine[];
}

export interface OrderPage {
  /** Newest first. */
  readonly orders: readonly Order[];
  /** Pass it for the next page; absent when there is certainly none. */
  readonly before?: string | undefined;
}

export interface Account extends OrderPage {
  readonly customer: Customer;
}

export interface OrderDetail {
  readonly order: Order;
  /** By `itemId`. */
  readonly lines: readonly OrderLine[];
}
