import { routeOptions } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { CUSTOMER_KEY } from '../records/customer-key.ts';

export const forOperator = routeOptions({ door: 'operator', whenUnset: 'hide' }, 'operator');

export const Key = Type.String({
  pattern: CUSTOMER_KEY,
  description: "Your product's own id: 1 to 200 printable ASCII characters without spaces, percent-encoded in paths",
});

export const UserName = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

export const UserEmail = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Only a label. Nobody signs in with it.',
});
