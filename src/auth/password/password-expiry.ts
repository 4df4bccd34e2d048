import type { App } from '../../kernel/app/app.ts';

const DAY_MS = 86_400_000;

/** Expiry of a password set now (docs/specification/login.md 5); null, the default: never. */
export function passwordExpiry(app: App): Date | null {
  const days = app.config.passwordExpireDays;
  return days === 0 ? null : new Date(app.clock.now() + days * DAY_MS);
}
