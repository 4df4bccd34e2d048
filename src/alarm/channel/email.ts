import { z } from 'zod';

import type { Delivery, OpenChannel } from './channel.ts';
import { sendBySmtp } from './smtp.ts';

/** RFC 5321, 4.5.3.1; ASCII only, no quoted local part, so that a receiver is exactly one address. */
const Address = z.email().max(254);
const MAX_SUBJECT = 200;

/** A plain text mail to one receiver over the operator's mail server. */
export const email: OpenChannel = ({ mail, clock }) => ({
  wrong({ target, credential }) {
    if (!Address.safeParse(target).success) return 'the receiver must be one mail address';
    if (credential !== '')
      return 'a mail channel has no credential: the mail server is the operator’s';
    return null;
  },
  async deliver(delivery, signal) {
    if (!mail) return { status: 'refused', reason: NO_SERVER };
    if (!Address.safeParse(delivery.target).success)
      return { status: 'refused', reason: 'The receiver is not a mail address' };
    const envelope = { from: mail.from, to: [delivery.target] };
    const message = await compose(delivery, mail.from);
    return sendBySmtp({ url: mail.url, clock }, { envelope, message }, signal);
  },
});

const NO_SERVER = 'no mail server is configured (SVC_SMTP_URL)';

async function compose({ id, target, subject, text, at }: Delivery, from: string): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return new MailComposer({
    from: { name: '', address: from },
    to: { name: '', address: target },
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
