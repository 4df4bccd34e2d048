/** Paths of the authorization server, below the public address. */
export const PATHS = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  jwks: '/oauth2/jwks',
  revocation: '/oauth2/revoke',
  introspection: '/oauth2/introspect',
  device_authorization: '/oauth2/device_authorization',
  /** The page for the code that a program without a browser shows. */
  code_verification: '/oauth2/device',
} as const;

export const REGISTRATION_PATH = '/oauth2/register';

/** The login and consent pages, followed by the id of the visit. */
export const PAGE_PATH = '/oauth2/interaction';
