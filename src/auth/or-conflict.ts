import { Conflict } from '../core/errors.ts';

/** Whether a database error is a unique violation (PostgreSQL 23505). */
const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';

/** Runs `insert`; a unique violation becomes Conflict (409) with `message`. */
export async function orConflict<T>(message: string, insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (isTaken(error)) throw new Conflict(message);
    throw error;
  }
}
