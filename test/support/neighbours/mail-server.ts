import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

import { SMTPServer } from 'smtp-server';

import { certificate } from './certificate.ts';

type Mail = {
  from: string;
  to: string[];
  /** Headers as they came, folded lines joined, names in lower case. */
  headers: Record<string, string>;
  /** The body, decoded. */
  text: string;
  /** The whole message. */
  raw: string;
  /** Who was logged in. */
  user: string | null;
  secure: boolean;
};

/** A refusal: an SMTP code with its text, or none. */
type Refusal = { code: number; text: string } | null;

type MailAnswers = {
  connect?: () => Refusal;
  sender?: (address: string) => Refusal;
  receiver?: (address: string) => Refusal;
  /** After the message came; `drop` closes the connection without a word, `hang` says nothing. */
  data?: (mail: Mail) => Refusal | 'drop' | 'hang';
};

export type MailServer = {
  /** For `SVC_SMTP_URL`. */
  url: string;
  hostPort: string;
  mails: Mail[];
  /** How it answers from now on; it takes everything until told. */
  answer(answers: MailAnswers): void;
  stop(): Promise<void>;
};

type Options = {
  /** Offers STARTTLS with a certificate nobody signed. */
  tls?: boolean;
  /** Asks for this login. */
  login?: { user: string; password: string };
};

/** A mail server on loopback that keeps what it took. */
export async function startMailServer({ tls = false, login }: Options = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  let answers: MailAnswers = {};
  const server = new SMTPServer({
    authOptional: !login,
    allowInsecureAuth: true,
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    disableReverseLookup: true,
    ...(tls ? certificate : {}),
    closeTimeout: 100,
    onConnect: (_session, done) => done(refusal(answers.connect?.())),
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(refusal({ code: 535, text: `not ${username} with ${password}` })),
    onMailFrom: ({ address }, _session, done) => done(refusal(answers.sender?.(address))),
    onRcptTo: ({ address }, _session, done) => done(refusal(answers.receiver?.(address))),
    onData(stream, { envelope, secure, user, id }, done) {
      void (async () => {
        // A sender may leave in the middle of its message: then there is no mail, and no answer is heard.
        const bytes = await buffer(stream).catch(() => null);
        if (bytes === null) return;
        const raw = bytes.toString('latin1');
        const { mailFrom, rcptTo } = envelope;
        const mail: Mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...parts(raw),
          raw,
          user: typeof user === 'string' ? user : null,
          secure,
        };
        const answer = answers.data?.(mail) ?? null;
        if (answer === 'hang') return;
        if (answer === 'drop') {
          for (const connection of server.connections) if (connection.id === id) connection.close();
          return;
        }
        if (!answer) mails.push(mail);
        done(refusal(answer));
      })();
    },
  });
  // A client that leaves in the middle is a case of the tests, not a failure of the server.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const hostPort = `127.0.0.1:${address.port}`;
  return {
    url: login ? `smtp://${login.user}:${login.password}@${hostPort}` : `smtp://${hostPort}`,
    hostPort,
    mails,
    answer: (next) => {
      answers = next;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(given: Refusal | undefined): Error | null {
  return given ? Object.assign(new Error(given.text), { responseCode: given.code }) : null;
}

function parts(raw: string): { headers: Record<string, string>; text: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const named = Object.fromEntries(headers);
  const body = raw.slice(end + 4).trimEnd();
  return { headers: named, text: decoded(body, named['content-transfer-encoding'] ?? '7bit') };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** RFC 2047, 4.2 and 6.2, of ASCII: how a subject with quotation marks travels, a long one in parts. */
export const wordsOf = (subject = ''): string =>
  subject.replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=(?:\s+(?==\?))?/g, (_word, text: string) =>
    decodeURIComponent(text.replaceAll('_', ' ').replaceAll('=', '%')),
  );
