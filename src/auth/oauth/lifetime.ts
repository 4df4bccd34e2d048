const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** What a person allowed ends after this, however often tokens were refreshed. */
export const GRANT_DAYS = 30;

/** Seconds each artifact lives (docs/specification/authorization.md, OAuth). */
export const LIFETIME = {
  AccessToken: 15 * MINUTE,
  ClientCredentials: 15 * MINUTE,
  AuthorizationCode: MINUTE,
  RefreshToken: GRANT_DAYS * DAY,
  Grant: GRANT_DAYS * DAY,
  IdToken: 15 * MINUTE,
  /** A login or consent page left open. */
  Interaction: 10 * MINUTE,
  /** A login on the page, for further requests of the same browser. */
  Session: DAY / 2,
} as const;
