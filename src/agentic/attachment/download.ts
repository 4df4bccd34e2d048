import type { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import type { Download } from '../../kernel/app/route.ts';
import { Gone, NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { isText } from '../document/file-kind.ts';
import { encodingOf } from '../document/text-encoding.ts';
import { readStored } from './file.ts';

export const ByAttachmentId = input({ id: Id });

/** The bytes of an own attachment. Throws NotFound, and Gone when the file is not there any more. */
export const download: Operation<z.output<typeof ByAttachmentId>, Download> = async (
  app,
  { tenantId, principalId },
  { id },
) => {
  const row = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_attachment')
      .select(['fileName', 'contentType', 'filePath', 'size'])
      .where('tenantId', '=', tenantId)
      .where('userId', '=', principalId)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  if (!row) throw new NotFound('Attachment');
  const content = await readStored(app, row.filePath, Number(row.size));
  if (content === null) throw new Gone('The file is not there any more');
  const contentType = isText(row.contentType)
    ? `text/plain; charset=${encodingOf(content) ?? 'utf-8'}`
    : row.contentType;
  return { fileName: row.fileName, contentType, content };
};
