import type { OrderStatus } from './shop-objects.ts';

export type ShopErrorCode =
  | 'invalid-input'
  | 'username-taken'
  | 'email-taken'
  | 'username-and-email-taken'
  | 'no-such-customer'
  | 'no-such-address'
  | 'address-limit'
  | 'email-outdated'
  | 'no-such-order'
  | 'order-exists'
  | 'order-line-exists'
  | 'order-unfinished'
  | 'unexpected-status'
  | 'write-conflict';

/** Errors of the shop's own rules. `code` is stable, the message is for people. */
export class ShopError extends Error {
  readonly code: ShopErrorCode;

  constructor(code: ShopErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** An invalid value. Nothing was sent. */
export class InvalidInputError extends ShopError {
  readonly field: string;

  constructor(field: string, message: string) {
    super('invalid-input', message);
    this.field = field;
  }
}

export class UsernameTakenError extends ShopError {
  constructor(username: string) {
    super('username-taken', `The username ${JSON.stringify(username)} is taken`);
  }
}

export class EmailTakenError extends ShopError {
  constructor(email: string) {
    super('email-taken', `Another account uses the e-mail address ${JSON.stringify(email)}`);
  }
}

/** Both rules of a sign-up failed independently: the two may belong to different customers. */
export class UsernameAndEmailTakenError extends ShopError {
  constructor(username: string, email: string) {
    super(
      'username-and-email-taken',
      `The username ${JSON.stringify(username)} and the e-mail address ${JSON.stringify(email)} are both taken`,
    );
  }
}

export class NoSuchCustomerError extends ShopError {
  constructor(username: string) {
    super('no-such-customer', `There is no customer ${JSON.stringify(username)}`);
  }
}

export class NoSuchAddressError extends ShopError {
  constructor(username: string, addressName: string) {
    super('no-such-address', `${JSON.stringify(username)} has no address ${JSON.stringify(addressName)}`);
  }
}

export class AddressLimitError extends ShopError {
  constructor(username: string, addressesMax: number) {
    super('address-limit', `${JSON.stringify(username)} has ${addressesMax} addresses, which is the most`);
  }
}

/** The customer's e-mail address is not the one the change started from, because another request has changed it meanwhile. */
export class EmailOutdatedError extends ShopError {
  constructor(username: string, email: string) {
    super('email-outdated', `The e-mail address of ${JSON.stringify(username)} is not ${JSON.stringify(email)}`);
  }
}

export class NoSuchOrderError extends ShopError {
  constructor(orderId: string) {
    super('no-such-order', `There is no order ${orderId}`);
  }
}

/** The order was already placed, in full. A repeated request has nothing left to do. */
export class OrderExistsError extends ShopError {
  constructor(orderId: string) {
    super('order-exists', `The order ${orderId} exists`);
  }
}

export class OrderLineExistsError extends ShopError {
  constructor(orderId: string, itemId: string) {
    super('order-line-exists', `The order ${orderId} has a line ${JSON.stringify(itemId)} already`);
  }
}

/**
 * A large order was interrupted. Some of its lines may be stored, the order itself is not visible. Place it again with the
 * same `orderId` to finish it. `cause` is the underlying error.
 */
export class OrderUnfinishedError extends ShopError {
  readonly orderId: string;

  constructor(orderId: string, cause: unknown) {
    super('order-unfinished', `The order ${orderId} broke off; place it again with this id`, { cause });
    this.orderId = orderId;
  }
}

export class UnexpectedStatusError extends ShopError {
  readonly actual: string;

  constructor(orderId: string, status: { readonly expected: OrderStatus; readonly actual: string }) {
    super('unexpected-status', `The order ${orderId} is ${status.actual}, not ${status.expected}`);
    this.actual = status.actual;
  }
}

/** Other requests kept changing the same items. Nothing was written. The request may be repeated. */
export class WriteConflictError extends ShopError {
  constructor(cause: unknown) {
    super('write-conflict', 'Other writes were in the way again and again', { cause });
  }
}
