/** The ID of a team or a user in the operator's product: 1 to 200 printable ASCII characters without spaces. */
export const CUSTOMER_KEY = '^[!-~]{1,200}$';

const SHAPE = new RegExp(CUSTOMER_KEY);

export const isCustomerKey = (text: string): boolean => SHAPE.test(text);
