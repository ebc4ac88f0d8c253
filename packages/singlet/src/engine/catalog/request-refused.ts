import { ValidationException } from '../../values/service-error.ts';

/**
 * Refuses a write as an invalid request, before anything is done. Other refusals of one action cancel a
 * transaction with a reason for that action; this error is the answer to the whole transaction.
 */
export class RequestRefusedException extends ValidationException {}
