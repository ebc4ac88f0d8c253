import { ValidationException } from '../../values/service-error.ts';

/** For an update: the resulting item, with its entries in local indexes, is larger than an item may be. */
export function updatedItemTooLarge(): ValidationException {
  return new ValidationException('Item size to update has exceeded the maximum allowed size');
}
