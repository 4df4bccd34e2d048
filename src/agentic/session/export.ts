import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import type { Download } from '../../kernel/app/route.ts';
import { input } from '../../kernel/input/input.ts';
import { type Message, messageOf } from './message.ts';
import { ConversationId, requireSession } from './session.ts';
import { treeOf } from './tree.ts';

/** The latest messages of a conversation that an export has. */
const MAX_EXPORTED = 5_000;

export const ExportSession = input({
  conversationId: ConversationId,
  format: z.enum(['json', 'markdown']).default('markdown'),
});

/**
 * An own conversation as a file: as Markdown the branch that goes on, for people; as JSON all messages with the tree
 * of their branches. Throws NotFound.
 */
export const exported: Operation<z.output<typeof ExportSession>, Download> = async (
  app,
  caller,
  { conversationId, format },
) => {
  const { tenantId, principalId } = caller;
  const [session, rows, tree] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      requireSession(q, caller, conversationId),
      q
        .selectFrom('svc_message')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .where('userId', '=', principalId)
        .where('conversationId', '=', conversationId)
        .orderBy('messageIndex', 'desc')
        .limit(MAX_EXPORTED)
        .execute(),
      treeOf(q, caller, conversationId),
    ]),
  );
  const messages = rows.toReversed();
  if (format === 'json') {
    const parents = new Map(tree.map(({ index, parent }) => [index, parent]));
    const { title, createTime, sessionExt } = session;
    const all = messages.map((row) => ({
      ...messageOf(row),
      versions: undefined,
      parentIndex: parents.get(Number(row.messageIndex)) ?? 0,
      onBranch: row.onBranch,
    }));
    const content = JSON.stringify(
      { conversationId, title, createTime, sessionExt, messages: all },
      null,
      2,
    );
    return {
      fileName: `${nameOf(title)}.json`,
      contentType: 'application/json; charset=utf-8',
      content,
    };
  }
  const said = messages.filter(({ onBranch }) => onBranch).map((row) => partOf(messageOf(row)));
  return {
    fileName: `${nameOf(session.title)}.md`,
    contentType: 'text/markdown; charset=utf-8',
    content: [`# ${inLine(session.title)}`, ...said].join('\n\n').concat('\n'),
  };
};

function partOf({ role, model, status, createTime, content, contentExt }: Message): string {
  const by =
    role === 'user' ? 'User' : contentExt.receipt ? 'Platform' : `Assistant (${inLine(model)})`;
  const { attachments = [], tools, citations = [], failure } = contentExt;
  const ended = failure === undefined ? 'broke off' : `failed: ${inLine(failure)}`;
  return [
    `## ${by}, ${createTime}`,
    content.trim() === '' ? '(no text)' : content,
    ...(status === 'UNFINISHED' ? [`(This answer ${ended}.)`] : []),
    ...lines(
      'Files',
      attachments.map(({ fileName, size }) => `${inLine(fileName)} (${size} bytes)`),
    ),
    ...lines(
      'Steps',
      tools.map(({ name, status: how }) => `${inLine(name)}: ${how}`),
    ),
    ...lines(
      'Sources',
      citations.map(({ kind, label, value, unit, as_of }) =>
        kind === 'page'
          ? `${inLine(label)}, page ${value}`
          : `${inLine(label)}: ${value} ${inLine(unit)}${as_of === null ? '' : ` at ${as_of}`}`,
      ),
    ),
  ].join('\n\n');
}

const lines = (title: string, of: readonly string[]): string[] =>
  of.length === 0 ? [] : [`${title}:`, of.map((each) => `- ${each}`).join('\n')];

const inLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

const nameOf = (title: string): string =>
  title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ')
    .replaceAll(/^[ .]+|[ .]+$/g, '')
    .slice(0, 60)
    .trim() || 'conversation';
