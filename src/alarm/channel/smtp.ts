import type { Clock } from '../../kernel/clock.ts';
import { isLoopbackName } from '../../kernel/request/loopback.ts';
import type { Outcome } from './delivery/channel.ts';
import { displayed, failureCode, late, limited } from './delivery/outcome.ts';

const TIMES = {
  dnsTimeout: 5_000,
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
  socketCloseTimeout: 0,
};
const MAX_RESPONSE = 16_384;

export type Parcel = { envelope: { from: string; to: string[] }; message: Buffer };

/**
 * Sends one mail to the server of `url`; its replies decide the outcome. Never throws. If the connection
 * breaks after the mail was sent, the server may have accepted it: the outcome is `unanswered`, and the next
 * attempt may deliver a second copy.
 */
export async function sendBySmtp(
  { url, clock }: { url: string; clock: Clock },
  { envelope, message }: Parcel,
  asked: AbortSignal,
): Promise<Outcome> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const server = serverOf(url);
  const { signal, release } = limited(clock, asked);
  const connection = new SMTPConnection({
    ...server.options,
    ...TIMES,
    maxResponseSize: MAX_RESPONSE,
  });
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let isOut = false;
  const failed = (error: unknown): void => resolve(outcomeOf(error, server.secrets, isOut));
  const hurry = (): void => resolve(late(isOut));
  signal.addEventListener('abort', hurry);
  connection.on('error', failed);
  // nodemailer emits `end` before the error with the server's last reply.
  connection.on('end', () => setImmediate(failed, null));
  const send = (): void => {
    isOut = true;
    connection.send(envelope, message, (error, info) => {
      if (error) return failed(error);
      connection.quit();
      resolve(takenBy(info, server.secrets));
    });
  };
  if (signal.aborted) hurry();
  else
    connection.connect((error) => {
      if (error) failed(error);
      else if (server.login) connection.login(server.login, (no) => (no ? failed(no) : send()));
      else send();
    });
  try {
    return await promise;
  } finally {
    release();
    signal.removeEventListener('abort', hurry);
    connection.close();
  }
}

type Answer = { response: string; rejected: string[]; rejectedErrors?: Error[] | undefined };

/** Of a mail that at least one receiver took: those that the server asks to try again are left. */
function takenBy(info: Answer | undefined, secrets: readonly string[]): Outcome {
  const answer = answerOf(info, secrets);
  const later = (info?.rejectedErrors ?? []).map((error) => (replyCode(error) ?? 500) < 500);
  const left = (info?.rejected ?? []).filter((_address, n) => later[n]);
  return left.length === 0
    ? { status: 'delivered', answer }
    : { status: 'unreachable', reason: answer, left };
}

/** Of a mail that some receivers were refused, how many, and what the server said of the first. */
function answerOf(info: Answer | undefined, secrets: readonly string[]): string {
  if (!info) return '';
  const { response, rejected, rejectedErrors: [first] = [] } = info;
  if (rejected.length === 0) return displayed(response, secrets);
  const why = first && 'response' in first ? String(first.response) : '';
  return displayed(`Not taken for ${rejected.join(', ')}: ${why}`, secrets);
}

/** Connection options of the operator's URL: `smtps:`, or `smtp:` with `?tls=required|off`. */
function serverOf(url: string) {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const secure = protocol === 'smtps:';
  const tls = searchParams.get('tls');
  const [user, pass] = [decoded(username), decoded(password)];
  const secrets = [pass, password, Buffer.from(pass).toString('base64')];
  return {
    options: {
      host: hostname.replace(/^\[|\]$/g, ''),
      ...(port ? { port: Number(port) } : {}),
      secure,
      // Without requireTLS, a man in the middle could strip STARTTLS and read the mail.
      requireTLS: !secure && (tls === 'required' || (tls !== 'off' && !isLoopbackName(hostname))),
      ignoreTLS: tls === 'off',
    },
    login: user ? { user, pass } : null,
    secrets: [...secrets, Buffer.from(`\0${user}\0${pass}`).toString('base64')],
  };
}

/** Answers the text unchanged if it is not valid percent-encoding: a password may contain `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function outcomeOf(error: unknown, secrets: readonly string[], isOut: boolean): Outcome {
  const network = failureCode(error);
  // Missing STARTTLS may be an attack: temporary, so that an attacker cannot end a delivery for good.
  if (network === 'ETLS') return { status: 'unreachable', reason: 'The mail server offers no TLS' };
  const code = replyCode(error);
  if (code === null)
    return {
      status: 'unreachable',
      reason: `The mail server cannot be reached (${network})`,
      ...(isOut && { unanswered: true }),
    };
  // RFC 5321, 4.2.1: 4yz may be tried again, 5yz may not.
  const status = code >= 500 ? 'refused' : 'unreachable';
  // The login belongs to the operator: the reply text is not shown to tenants.
  if (network === 'EAUTH') return { status, reason: `The mail server refuses the login (${code})` };
  const text = error instanceof Error && 'response' in error ? String(error.response) : '';
  return { status, reason: `The mail server answered: ${displayed(text, secrets) || code}` };
}

function replyCode(error: unknown): number | null {
  if (!(error instanceof Error && 'responseCode' in error)) return null;
  const { responseCode } = error;
  return typeof responseCode === 'number' && responseCode >= 400 && responseCode < 600
    ? responseCode
    : null;
}
