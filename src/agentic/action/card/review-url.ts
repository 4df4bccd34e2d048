/** Page of a proposal below the platform's address `base`: it takes a login of its own, and the URL holds no secret. */
export const reviewUrl = (base: string, actionId: string): string =>
  `${base}/console/review/${actionId}`;
