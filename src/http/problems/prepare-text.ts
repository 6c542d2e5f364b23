/** Stands for the request ID in a prepared text. Has the same length, so that the content length stays correct. */
export const PLACE_OF_ID = '00000000-0000-0000-0000-000000000000';

/** Prepares a text that is sent very often and differs only in the request ID. */
export const prepareText = (text: string): ((requestId: string) => string) => {
  const parts = text.split(PLACE_OF_ID);
  return (requestId) => parts.join(requestId);
};
