import { createHash } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { created } from '../../db/stamp.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Caller, Operation } from '../../kernel/app/app.ts';
import { demandDiskRoom } from '../../kernel/app/disk-room.ts';
import { Int8, stored } from '../../kernel/entity/answer.ts';
import { AppError, BadRequest, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';
import { FileField } from '../../kernel/input/multipart.ts';
import { contentTypeOf, TAKEN } from '../document/file-kind.ts';
import { visibleName } from '../document/visible-text.ts';
import {
  type ByConversationId,
  ConversationId,
  openSession,
  requireSession,
} from '../session/session.ts';
import { keepFile, removeStored } from './file.ts';

/** docs/specification/endpoints.md, Limits of bodies; a CHECK of svc_attachment.size repeats the limit. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_IN_CONVERSATION = 20;
const MAX_BYTES_OF_TENANT = 1024 * 1024 * 1024;

/** A file of a conversation. */
export const Attachment = stored('Attachment', {
  conversationId: z.string().meta({ examples: ['night-shift'] }),
  fileName: z.string().meta({ examples: ['nameplate.jpg'] }),
  contentType: z.string().meta({ description: 'Found in the bytes', examples: ['image/jpeg'] }),
  size: Int8.describe('Bytes'),
  sha256: z.string(),
  // Relative, so that the server's own path is not exposed.
  filePath: z.string().describe('Below the storage directory'),
});
export type Attachment = z.output<typeof Attachment.schema>;

export const Upload = input({ conversationId: ConversationId, file: FileField });

/**
 * Stores a file in the user's conversation, which is created when it does not exist. Throws BadRequest for
 * an empty file, 413 beyond 10 MB, 415 for a type that is not accepted, Unprocessable when conversation or
 * tenant are full; no file is left behind then.
 */
export const upload: Operation<z.output<typeof Upload>, Attachment> = async (
  app,
  caller,
  { conversationId, file: { name, bytes } },
) => {
  if (bytes.length === 0) throw new BadRequest('The file is empty');
  if (bytes.length > MAX_FILE_BYTES) throw new AppError(413, 'R413', 'A file has at most 10 MB');
  const fileName = visibleName(name);
  const contentType = contentTypeOf(bytes, fileName);
  if (contentType === null) throw new AppError(415, 'R415', `Taken are ${TAKEN}`);
  await demandDiskRoom(app);
  const { tenantId, principalId: userId } = caller;
  const size = bytes.length;
  // Checked again below, under the lock; here, so that a full tenant writes no files.
  await inOneTrip(app.db, tenantId, (q) => requireRoom(q, caller, conversationId, size));
  const filePath = await keepFile(app, tenantId, bytes);
  try {
    return await inTenant(app.db, tenantId, async (q) => {
      await Promise.all([
        openSession(app, q, caller, { conversationId, title: fileName }),
        onlyUploadNow(q, tenantId),
        requireRoom(q, caller, conversationId, size),
      ]);
      const row = await q
        .insertInto('svc_attachment')
        .values({
          conversationId,
          fileName,
          contentType,
          size,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          filePath,
          tenantId,
          userId,
          ...created(app, caller),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return Attachment.of(row);
    });
  } catch (error) {
    await removeStored(app, [filePath]);
    throw error;
  }
};

/** Serialises the uploads of a tenant: two at the same time must not both take the last space. */
async function onlyUploadNow(q: Queries, tenantId: string): Promise<void> {
  const key = `attachment:${tenantId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
}

async function requireRoom(
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  size: number,
): Promise<void> {
  const used = await q
    .selectFrom('svc_attachment')
    .select([
      sql<string>`coalesce(sum(size), 0)`.as('bytes'),
      sql<string>`count(*) filter (where user_id = ${principalId}
        and conversation_id = ${conversationId})`.as('count'),
    ])
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(used.count) >= MAX_IN_CONVERSATION)
    throw new Unprocessable(`A conversation has at most ${MAX_IN_CONVERSATION} attachments`);
  if (Number(used.bytes) + size > MAX_BYTES_OF_TENANT)
    throw new Unprocessable('The attachments of the tenant have used up their 1 GiB');
}

/** Attachments of the user's conversation, oldest first; throws NotFound. */
export const list: Operation<z.output<typeof ByConversationId>, Attachment[]> = (
  app,
  caller,
  { conversationId },
) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const [rows] = await Promise.all([
      own(q, caller, conversationId).selectAll().orderBy('id').limit(MAX_IN_CONVERSATION).execute(),
      requireSession(q, caller, conversationId),
    ]);
    return rows.map(Attachment.of);
  });

const own = (q: Queries, { tenantId, principalId }: Caller, conversationId: string) =>
  q
    .selectFrom('svc_attachment')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId);

/** These attachments of the conversation, in the order of `ids`; throws NotFound for any other id. */
export async function attachmentsOf(
  q: Queries,
  caller: Caller,
  conversationId: string,
  ids: readonly string[],
): Promise<Attachment[]> {
  if (ids.length === 0) return [];
  const rows = await own(q, caller, conversationId)
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return ids.map((id) => {
    const row = rows.find((one) => one.id === id);
    if (!row) throw new NotFound('Attachment');
    return Attachment.of(row);
  });
}

/** The attachments of the stored question at this index, as far as they are still there. */
export async function attachmentsAt(
  q: Queries,
  caller: Caller,
  conversationId: string,
  messageIndex: number,
): Promise<Attachment[]> {
  const { tenantId, principalId } = caller;
  const rows = await own(q, caller, conversationId)
    .selectAll()
    .where(
      sql<boolean>`id::text in (
        select attached ->> 'id'
        from svc_message m, jsonb_array_elements(coalesce(m.content -> 'attachments', '[]')) attached
        where m.tenant_id = ${tenantId} and m.user_id = ${principalId}
          and m.conversation_id = ${conversationId} and m.message_index = ${messageIndex})`,
    )
    .orderBy('id')
    .limit(MAX_IN_CONVERSATION)
    .execute();
  return rows.map(Attachment.of);
}

/** Deletes a conversation's attachment rows; returns the files to remove after the commit. */
export async function forgetAttachments(
  q: Queries,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
): Promise<string[]> {
  const rows = await q
    .deleteFrom('svc_attachment')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .returning('filePath')
    .execute();
  return rows.map(({ filePath }) => filePath);
}
