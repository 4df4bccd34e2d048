/** Whether the whole text is one part again and again, as `abcabcabc`; the last time may be cut. */
export const isRepetition = (text: string): boolean =>
  Array.from({ length: Math.floor(text.length / 2) }, (_, before) => before + 1).some(
    (period) => text.slice(period) === text.slice(0, -period),
  );
