import { AppError, Conflict } from '../kernel/errors.ts';

/**
 * Turns the database's unique violation into Conflict (409): the name or code is taken. `message` replaces
 * the usual sentence about `what`.
 */
export async function conflictIfTaken<T>(
  what: string,
  work: Promise<T>,
  message?: string,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError || !isUniqueViolation(error)) throw error;
    const field = /_(code|name)_key$/.exec(error.constraint ?? '')?.[1];
    const usual = field ? `The ${what} ${field} is already taken` : `The ${what} already exists`;
    throw new Conflict(message ?? usual);
  }
}

/** PostgreSQL 23505, unique_violation. */
function isUniqueViolation(error: unknown): error is Error & { constraint?: string } {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
