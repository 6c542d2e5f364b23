/** Where the ID goes in a text that is prepared. It has the length of one. */
export const PLACE_OF_ID = '00000000-0000-0000-0000-000000000000';

/** For a text that is sent very often and differs only in the ID of its request. */
export const prepareText = (text: string): ((requestId: string) => string) => {
  const parts = text.split(PLACE_OF_ID);
  return (requestId) => parts.join(requestId);
};
