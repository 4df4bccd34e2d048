import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, Int8, Time } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { ROLES } from './message.ts';

const MAX_WORDS = 8;
const MAX_FOUND = 50;
/** Characters around the first word. */
const EXCERPT = 160;

export const SearchSessions = input({
  words: Text(200)
    .trim()
    .min(1)
    .meta({ examples: ['boiler pressure'] }),
  limit: z.number().int().min(1).max(MAX_FOUND).default(20),
});

/** A conversation in which words were found: in its latest such message, or in its title alone. */
export const FoundSession = answer('FoundSession', {
  conversationId: z.string().meta({ examples: ['night-shift'] }),
  title: z.string().meta({ examples: ['Why is boiler 2 cold?'] }),
  operateTime: Time,
  messageIndex: Int8.nullable().describe('null: the words are in the title'),
  role: z.enum(ROLES).nullable(),
  excerpt: z.string().meta({ examples: ['… boiler 2 is at 41 °C …'] }),
});
type FoundSession = z.output<typeof FoundSession.schema>;

const escaped = (word: string): string => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
const hasAll = (text: RawBuilder<unknown>, words: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    words.map((word) => sql`${text} ilike ${escaped(word)}`),
    sql` and `,
  )})`;

/**
 * The caller's conversations that have all of these words in one message of any branch, or in the title; the latest
 * first. Words are parts of words too, in any case of letters.
 */
export const search: Operation<z.output<typeof SearchSessions>, FoundSession[]> = async (
  app,
  { tenantId, principalId },
  { words: given, limit },
) => {
  const words = given.split(/\s+/).slice(0, MAX_WORDS);
  const text = sql`(m.content ->> 'text')`;
  const { rows } = await inOneTrip(app.db, tenantId, (q) =>
    sql<{
      conversationId: string;
      title: string;
      operateTime: Date;
      messageIndex: string | null;
      role: (typeof ROLES)[number] | null;
      text: string | null;
    }>`
      select s.conversation_id, s.title, s.operate_time, f.message_index, f.role, f.text
      from svc_session s
      left join lateral (
        select m.message_index, m.role, ${text} as text
        from svc_message m
        where m.tenant_id = ${tenantId} and m.user_id = ${principalId}
          and m.conversation_id = s.conversation_id and ${hasAll(text, words)}
        order by m.on_branch desc, m.message_index desc limit 1) f on true
      where s.tenant_id = ${tenantId} and s.user_id = ${principalId}
        and (f.message_index is not null or ${hasAll(sql`s.title`, words)})
      order by s.operate_time desc, s.id desc
      limit ${limit}`.execute(q),
  );
  return rows.map(({ text: said, ...row }) =>
    FoundSession.of({ ...row, excerpt: said === null ? '' : excerptOf(said, words[0] ?? '') }),
  );
};

/** The text around a word, in one line. */
function excerptOf(text: string, word: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const at = Math.max(0, line.toLowerCase().indexOf(word.toLowerCase()));
  const from = Math.max(0, at - EXCERPT / 2);
  const cut = line.slice(from, from + EXCERPT).toWellFormed();
  return `${from > 0 ? '…' : ''}${cut}${from + EXCERPT < line.length ? '…' : ''}`;
}
