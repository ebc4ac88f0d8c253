import type { Signature } from '../src/index.ts';
import type { shop } from './shop.model.ts';
type S<P extends keyof typeof shop.patterns> = Signature<typeof shop.entities, (typeof shop.patterns)[P]>;
declare const f: { [P in keyof typeof shop.patterns]: S<P> };
export async function x() {
  const a = await f.customerWithOrders({ username: 'x' });
  a.customer?.email.length;
  a.orders[0]?.status satisfies string | undefined;
  const n: number = await f.setOrderStatus({ username: 'a', orderId: 'b', status: 'SHIPPED' });
  const m: number = await f.olderOrders({ username: 'x', orderId: { before: 'x' } });
  const m2: number = await f.saveAddress({ username: 'x', label: 'Home', address: { street: '', city: '', state: '' } });
  const m3: number = f.placeOrder;
}
