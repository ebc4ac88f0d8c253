// Generated from ../bookings.model.ts by singlet generate. Changes belong there.
import { connect as connectModel } from '@singlet/model';
import { bookings } from '../bookings.model.ts';

export function connect(options) {
  return connectModel(bookings, options);
}
