// Generated from ../patterns.model.ts by singlet generate. Changes belong there.
import { connect as connectModel } from '@singlet/model';
import { mixed } from '../patterns.model.ts';

export function connect(options) {
  return connectModel(mixed, options);
}
