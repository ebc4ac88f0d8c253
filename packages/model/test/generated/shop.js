// Generated from ../shop.model.ts by singlet generate. Changes belong there.
import { connect as connectModel } from '@singlet/model';
import { shop } from '../shop.model.ts';

export function connect(options) {
  return connectModel(shop, options);
}
