import type { Step } from './model.ts';

export type FactoryErrorCode =
  'invalid-input' | 'order-exists' | 'step-missing' | 'step-done' | 'measures-differ' | 'part-taken' | 'no-such-part';

/** Errors of the factory's own rules. `code` is stable, the message is for people. */
export class FactoryError extends Error {
  readonly code: FactoryErrorCode;

  constructor(code: FactoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** An invalid value. Nothing was sent. */
export class InvalidInputError extends FactoryError {
  readonly field: string;

  constructor(field: string, message: string) {
    super('invalid-input', message);
    this.field = field;
  }
}

/** The order already has its materials. Nothing was written. */
export class OrderExistsError extends FactoryError {
  constructor(orderId: string, cause: unknown) {
    super('order-exists', `The process order ${orderId} exists`, { cause });
  }
}

/** A step cannot be recorded before the one before it. Nothing was written. */
export class StepMissingError extends FactoryError {
  constructor(orderId: string, step: Step, cause: unknown) {
    super('step-missing', `The process order ${orderId} is not ready for the step ${step}`, { cause });
  }
}

/** The step was recorded before. Nothing was written. */
export class StepDoneError extends FactoryError {
  constructor(orderId: string, step: Step, cause: unknown) {
    super('step-done', `The process order ${orderId} has the step ${step} already`, { cause });
  }
}

/** A mixture differs from the total mass or volume of its materials. Nothing was sent. */
export class MeasuresDifferError extends FactoryError {
  constructor(
    orderId: string,
    what: string,
    { mixed, expected }: { readonly mixed: number; readonly expected: number },
  ) {
    super('measures-differ', `The ${what} of the mixture of ${orderId} is ${mixed}, that of its materials ${expected}`);
  }
}

/** One of the parts belongs to another process order: part ids are unique in the whole factory. */
export class PartTakenError extends FactoryError {
  constructor(orderId: string, partIds: readonly string[], cause: unknown) {
    super('part-taken', `A part of ${orderId} belongs to another order; it is one of ${partIds.join(', ')}`, { cause });
  }
}

/** The order has no such part. Nothing of the transaction was written. */
export class NoSuchPartError extends FactoryError {
  constructor(orderId: string, partId: string, cause: unknown) {
    super('no-such-part', `The process order ${orderId} has no part ${partId}`, { cause });
  }
}
