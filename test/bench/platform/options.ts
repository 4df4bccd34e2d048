/** Options of node that `npm start` and the image start the platform with. */
export const NODE_OPTIONS: readonly string[] = ['--max-semi-space-size=16'];
