/** The clock of the browser, in milliseconds since the epoch; no other file of the views reads it. */
export const now = (): number => Date.now();
