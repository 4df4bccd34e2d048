import { z } from 'zod';

import { Download, get, post, type Route } from '../../kernel/app/route.ts';
import { ByConversationId } from '../session/session.ts';
import * as attachment from './attachment.ts';
import * as download from './download.ts';

/** Files of conversations. */
export const routes: readonly Route[] = [
  {
    ...post(
      '/attachment/upload',
      {
        needs: 'attachment:add',
        scope: 'svc:chat',
        risk: 'add',
        summary: 'Attach a file to an own conversation: multipart/form-data, part `file`, 10 MB',
        input: attachment.Upload,
        output: attachment.Attachment.schema,
      },
      attachment.upload,
    ),
    file: attachment.MAX_FILE_BYTES,
  },
  get(
    '/attachment/list',
    {
      needs: 'attachment:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Attachments of an own conversation',
      input: ByConversationId,
      output: z.array(attachment.Attachment.schema),
    },
    attachment.list,
  ),
  {
    ...get(
      '/attachment/download',
      {
        needs: 'attachment:list',
        scope: 'svc:chat',
        risk: 'read',
        summary: 'The bytes of an own attachment, to be saved',
        reason: 'docs/specification/assistant.md, Branches of a conversation',
        input: download.ByAttachmentId,
        output: Download,
      },
      download.download,
    ),
    download: true,
  },
];
