// Generated from ../shop.model.ts by singlet generate. Changes belong there.
import type { ConnectOptions, Cursor, Interval, ReadCollection, ReadMany, ReadOne, Write } from '@singlet/model';

export interface Customer {
  username: string;
  email: string;
  name: string;
  addresses: Record<string, { street: string; city: string; state: string }>;
  createdAt: string;
}

export interface NewCustomer {
  username: string;
  email: string;
  name: string;
  addresses?: Record<string, { street: string; city: string; state: string }> | undefined;
  createdAt: string;
}

export interface Order {
  username: string;
  orderId: string;
  createdAt: string;
  status: 'ACCEPTED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED';
  amount: number;
  numberItems: number;
}

export interface NewOrder {
  username: string;
  orderId: string;
  createdAt: string;
  status?: 'ACCEPTED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | undefined;
  amount: number;
  numberItems: number;
}

export interface OrderItem {
  orderId: string;
  itemId: string;
  description: string;
  price: number;
  quantity?: number | undefined;
}

export interface NewOrderItem {
  orderId: string;
  itemId: string;
  description: string;
  price: number;
  quantity?: number | undefined;
}

export interface SaveAddressInput {
  username: string;
  label: string;
  address: { street: string; city: string; state: string };
}

export interface PlaceOrderInput {
  order: NewOrder;
  lines: readonly NewOrderItem[];
}

export interface SetOrderStatusInput {
  username: string;
  orderId: string;
  status: 'ACCEPTED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED';
}

export interface CustomerWithOrdersInput {
  username: string;
}

export interface CustomerWithOrdersResult {
  customer: Customer | undefined;
  orders: Order[];
  cursor: Cursor | undefined;
}

export interface OlderOrdersInput {
  username: string;
  orderId?: Interval<string> | undefined;
}

export interface OrderWithItemsInput {
  orderId: string;
}

export interface OrderWithItemsResult {
  order: Order | undefined;
  items: OrderItem[];
  cursor: Cursor | undefined;
}

export interface CustomerInput {
  username: string;
}

export interface ChangeEmailInput {
  username: string;
  email: string;
}

export interface RenameInput {
  username: string;
  name: string;
}

export interface ShopPatterns {
  /**
   * EC-01
   *
   * TransactWriteItems on Shop.
   * Writes PK = CUSTOMER#{username}, SK = CUSTOMER#{username}; PK = CUSTOMEREMAIL#{email:trim:lower}, SK = CUSTOMEREMAIL#{email:trim:lower}.
   * Takes about 4 write units.
   */
  readonly createCustomer: Write<NewCustomer, Customer>;
  /**
   * EC-02
   *
   * UpdateItem on Shop.
   * Writes PK = CUSTOMER#{username}, SK = CUSTOMER#{username}.
   * Takes about 1 write unit.
   */
  readonly saveAddress: Write<SaveAddressInput, void>;
  /**
   * EC-04
   *
   * TransactWriteItems on Shop.
   * Writes PK = CUSTOMER#{username}, SK = #ORDER#{orderId}; GSI1: GSI1PK = ORDER#{orderId}, GSI1SK = ORDER#{orderId}; PK = ORDER#{orderId}#ITEM#{itemId}, SK = ORDER#{orderId}#ITEM#{itemId}; GSI1: GSI1PK = ORDER#{orderId}, GSI1SK = ITEM#{itemId}.
   * Takes about 35 write units.
   */
  readonly placeOrder: Write<PlaceOrderInput, void>;
  /**
   * EC-05
   *
   * UpdateItem on Shop.
   * Writes PK = CUSTOMER#{username}, SK = #ORDER#{orderId}.
   * Takes about 2 write units.
   */
  readonly setOrderStatus: Write<SetOrderStatusInput, Order>;
  /**
   * EC-06
   *
   * Query on Shop, PK = CUSTOMER#{username} AND SK BETWEEN #ORDER# AND CUSTOMER#{username}, descending, 10 items a page.
   * Takes about 0.5 read units.
   */
  readonly customerWithOrders: ReadCollection<CustomerWithOrdersInput, CustomerWithOrdersResult>;
  /**
   * EC-07
   *
   * Query on Shop, PK = CUSTOMER#{username} AND SK BETWEEN #ORDER#{from} AND #ORDER#{to}, descending, 10 items a page.
   * Takes about 0.5 read units.
   */
  readonly olderOrders: ReadMany<OlderOrdersInput, Order>;
  /**
   * EC-08
   *
   * Query on GSI1, GSI1PK = ORDER#{orderId} AND GSI1SK BETWEEN ITEM# AND ORDER#{orderId}, descending.
   * Takes about 0.5 read units.
   */
  readonly orderWithItems: ReadCollection<OrderWithItemsInput, OrderWithItemsResult>;
  /**
   * EC-09
   *
   * GetItem on Shop, PK = CUSTOMER#{username} AND SK = CUSTOMER#{username}.
   * Takes about 0.5 read units.
   */
  readonly customer: ReadOne<CustomerInput, Customer>;
  /**
   * EC-11
   *
   * GetItem then TransactWriteItems on Shop, 2 requests.
   * Writes PK = CUSTOMER#{username}, SK = CUSTOMER#{username}; PK = CUSTOMEREMAIL#{email:trim:lower}, SK = CUSTOMEREMAIL#{email:trim:lower}.
   * Takes about 1 read unit and 6 write units.
   */
  readonly changeEmail: Write<ChangeEmailInput, void>;
  /**
   * EC-12
   *
   * UpdateItem on Shop.
   * Writes PK = CUSTOMER#{username}, SK = CUSTOMER#{username}.
   * Takes about 1 write unit.
   */
  readonly rename: Write<RenameInput, void>;
}

/** Makes the patterns callable. */
export declare function connect(options: ConnectOptions): ShopPatterns;
