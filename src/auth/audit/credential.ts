import type { App } from '../../kernel/app/app.ts';
import { type NotAuthenticated, WrongAudience } from '../../kernel/errors.ts';
import { prefixOf } from '../permission/key-text.ts';
import { noteRefusal, type Refusal } from './refusal.ts';

type Shown = Pick<Refusal, 'door' | 'source' | 'detail'> & {
  error: NotAuthenticated;
  /** The route that was asked for. */
  place: string;
  /** The text of a bearer credential, of which a row keeps what tells keys apart and no more. */
  bearer?: string;
};

/** Notes a credential that is invented, ended or not for the place where it was shown. */
export function noteCredential(
  app: App,
  { door, source, error, place, bearer, detail }: Shown,
): void {
  const who = error instanceof WrongAudience ? error.holder : null;
  const credential = bearer === undefined ? '' : prefixOf(bearer);
  const kind = bearer === undefined ? 'session' : credential === '' ? 'token' : 'key';
  noteRefusal(app, {
    door,
    who,
    credential,
    source,
    resourceType: 'CREDENTIAL',
    resourceName: place,
    errorCode: 'R401',
    reason: error.message,
    detail: {
      kind,
      ...(who && { name: who.name }),
      ...(credential && { key: credential }),
      ...detail,
    },
  });
}
