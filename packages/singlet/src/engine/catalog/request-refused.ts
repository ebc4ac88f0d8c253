import { ValidationException } from '../../values/service-error.ts';

/**
 * A write that is refused as a request is, before anything is done. Where other refusals of one action cancel a
 * transaction, with a reason in its place, this one is the answer to the transaction as a whole.
 */
export class RequestRefusedException extends ValidationException {}
