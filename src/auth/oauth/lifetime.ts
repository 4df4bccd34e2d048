const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** A grant ends after this, however often its tokens were refreshed. */
export const GRANT_DAYS = 30;

/** Lifetimes in seconds (docs/specification/authorization.md, OAuth). */
export const LIFETIME = {
  AccessToken: 15 * MINUTE,
  ClientCredentials: 15 * MINUTE,
  AuthorizationCode: MINUTE,
  /** Of a program without a browser: until a person has entered its other code and decided. */
  DeviceCode: 10 * MINUTE,
  RefreshToken: GRANT_DAYS * DAY,
  Grant: GRANT_DAYS * DAY,
  IdToken: 15 * MINUTE,
  /** An open login or consent page. */
  Interaction: 10 * MINUTE,
  /** A login on the page, reused by further requests of the same browser. */
  Session: DAY / 2,
} as const;
