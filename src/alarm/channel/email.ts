import { type MailAddress, mailAddress } from '../../kernel/input/mail-address.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { Delivery, OpenChannel } from './delivery/channel.ts';
import { sendBySmtp } from './smtp.ts';

const MAX_RECEIVERS = 20;
const MAX_SUBJECT = 200;

/** The parts of a comma list, as they were written. */
const listed = (target: string): string[] =>
  target.split(',').map((part) => part.replaceAll(/^ +| +$/g, ''));

/** A plain text mail to its receivers over the operator's mail server. */
export const email: OpenChannel = ({ mail, clock }) => ({
  wrong({ target, credential }) {
    const given = listed(target);
    const wrong = given.find((one) => mailAddress(one) === null);
    if (wrong !== undefined)
      return `the receiver ${quoted(wrong, MAX_SHOWN)} is no mail address; several are separated by commas`;
    if (given.length > MAX_RECEIVERS) return `a channel has ${MAX_RECEIVERS} receivers at most`;
    if (credential !== '')
      return 'a mail channel has no credential: the mail server is the operator’s';
    return null;
  },
  async deliver(delivery, signal) {
    const from = mail && mailAddress(mail.from);
    if (!mail || !from) return { status: 'refused', reason: NO_SERVER };
    const to = listed(delivery.target).flatMap((one) => mailAddress(one) ?? []);
    if (to.length === 0 || to.length !== listed(delivery.target).length)
      return { status: 'refused', reason: 'The receiver is not a mail address' };
    const { left } = delivery;
    const all = to.map(({ address }) => address);
    const missing = all.filter((address) => left?.includes(address));
    // The channel has other receivers now: they get it.
    const envelope = { from: from.address, to: missing.length > 0 ? missing : all };
    const message = await compose(delivery, from, to);
    const outcome = await sendBySmtp({ url: mail.url, clock }, { envelope, message }, signal);
    // The others have it: no later attempt reaches more of them.
    return outcome.status === 'refused' && missing.length > 0
      ? { status: 'delivered', answer: `Not taken for ${missing.join(', ')}: ${outcome.reason}` }
      : outcome;
  },
});

const MAX_SHOWN = 100;
const NO_SERVER = 'no mail server is configured (SVC_SMTP_URL)';

async function compose(
  { id, subject, text, at }: Delivery,
  from: MailAddress,
  to: MailAddress[],
): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return new MailComposer({
    from,
    to,
    subject: oneLine(subject),
    text: text.toWellFormed(),
    date: new Date(at),
    messageId: `<${id.replace(/[^A-Za-z0-9-]/g, '-')}@${domain}>`,
    // RFC 3834, 5: suppresses automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

const oneLine = (subject: string): string =>
  subject
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SUBJECT)
    .toWellFormed();
