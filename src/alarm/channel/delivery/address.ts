import type { Egress } from '../../../kernel/egress/egress.ts';
import { AppError } from '../../../kernel/errors.ts';

const MAX_URL = 2_048;

/** The reason to refuse a URL as a receiver's address, by its text alone (no network); null when accepted. */
export function wrongAddress(egress: Egress, address: string): string | null {
  const url = address.length <= MAX_URL ? URL.parse(address) : null;
  if (!url) return `the address must be a URL of at most ${MAX_URL} characters`;
  try {
    egress.agentFor(url);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
