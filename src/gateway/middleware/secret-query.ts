import type { RequestHandler } from 'express';

import { BadRequest } from '../../core/errors.ts';
import { camelKey } from '../../core/input/input.ts';
import { secretFields } from '../../core/input/secret.ts';
import type { Route } from '../../route.ts';

/** Addresses end in logs of proxies and histories of browsers: a secret in one is refused (400), right or wrong. */
export function noSecretInQuery({ input }: Pick<Route, 'input'>): RequestHandler[] {
  const secrets = new Set(secretFields(input));
  if (secrets.size === 0) return [];
  return [
    (req, _res, next) => {
      const name = Object.keys(req.query).find((key) => secrets.has(camelKey(key)));
      if (name !== undefined) {
        const why = 'must be in the body: URLs end up in logs';
        throw new BadRequest(`${name}: ${why}`, { fields: { [name]: why } });
      }
      next();
    },
  ];
}
