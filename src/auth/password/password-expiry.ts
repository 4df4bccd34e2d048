import type { App } from '../../app.ts';

const DAY_MS = 86_400_000;

/** When a password set now expires (docs/specification/login.md 5); null: never, which is the default. */
export function passwordExpiry(app: App): Date | null {
  const days = app.config.passwordExpireDays;
  return days === 0 ? null : new Date(app.clock.now() + days * DAY_MS);
}
