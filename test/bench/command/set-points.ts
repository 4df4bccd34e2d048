/** Set-points to write, none equal to the one before. */
export const setPoint = (turn: number): number => 10 + (turn % 100) / 10;
