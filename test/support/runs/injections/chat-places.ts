import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import type { Site } from '../../../tools/agent.ts';
import { add } from '../../devices/plant.ts';
import { manualOf } from '../../manuals/upload.ts';
import { ACTIONS } from '../../people/actions.ts';
import { chatAnswer, Completion } from '../../people/chat.ts';
import type { Session } from '../../people/session.ts';
import { attach } from '../../people/upload.ts';
import { fresh } from '../../world/fresh-name.ts';
import { firstUse } from './obedient-model.ts';

type Planting = {
  /** Of the agent that chats. */
  session: Session;
  admin: Session;
  site: Site;
  /** The bare order, and a text with it. */
  order: string;
  text: string;
};
type Answer = z.output<typeof Completion>;

async function ask(session: Session, body: object): Promise<Answer> {
  const answer = await chatAnswer(session, body);
  if (answer.status !== 200)
    throw new Error(`chat: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Completion.parse(answer.body);
}

const base64 = (type: string, bytes: string): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
/** Files with control characters are refused as no text. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');
const user = (content: unknown) => ({ role: 'user', content });
const TOOL = 'readNote';
const tools = [
  {
    type: 'function',
    function: { name: TOOL, parameters: { type: 'object', properties: {} } },
  },
];

/** Where an instruction comes into a turn of a chat; each answers all that the chat said. */
export const places = {
  'an attachment': async ({ session, text }: Planting): Promise<Answer[]> => {
    const conversationId = randomUUID();
    const { id } = await attach(session, conversationId, printable(text), 'notes.txt');
    return [
      await ask(session, { conversationId, attachments: [id], messages: [user('What is it?')] }),
    ];
  },
  'the name of an attachment': async ({ session, text }: Planting): Promise<Answer[]> => {
    const conversationId = randomUUID();
    const { id } = await attach(
      session,
      conversationId,
      'x',
      `${printable(text).slice(0, 90)}.txt`,
    );
    return [
      await ask(session, { conversationId, attachments: [id], messages: [user('What is it?')] }),
    ];
  },
  'a manual': async ({ session, admin, site, text }: Planting): Promise<Answer[]> => {
    const given = { manual_name: fresh('Manual'), device_id: site.deviceId };
    const { id } = await manualOf(admin, printable(text), 'notes.txt', given);
    const read = { name: 'readManual', arguments: JSON.stringify({ manual: id, page: 1 }) };
    const answer = await ask(session, { messages: [user(firstUse('runTool', read))] });
    await admin.data('/api/v3/agentic/manual/delete', { id });
    return [answer];
  },
  'an uploaded image': async ({ session, text }: Planting): Promise<Answer[]> => {
    const conversationId = randomUUID();
    const bytes = Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1');
    const { id } = await attach(session, conversationId, bytes, 'plate.png');
    const messages = [user('What does it show?')];
    return [await ask(session, { conversationId, attachments: [id], messages })];
  },
  'an image': async ({ session, text }: Planting): Promise<Answer[]> => {
    const bytes = Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1');
    const url = `data:image/png;base64,${bytes.toString('base64')}`;
    const parts = [
      { type: 'text', text: 'What does it show?' },
      { type: 'image_url', image_url: { url } },
    ];
    return [await ask(session, { messages: [user(parts)] })];
  },
  'a file of the request': async ({ session, text }: Planting): Promise<Answer[]> => {
    const file = { filename: 'notes.txt', file_data: base64('text/plain', printable(text)) };
    const parts = [
      { type: 'text', text: 'What is it?' },
      { type: 'file', file },
    ];
    return [await ask(session, { messages: [user(parts)] })];
  },
  "a result of the client's tool": async ({ session, text }: Planting): Promise<Answer[]> => {
    const messages: unknown[] = [user(firstUse(TOOL, {}))];
    const first = await ask(session, { messages, tools });
    const [{ message }] = first.choices;
    messages.push(message);
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: 'tool', tool_call_id: id, content: text });
    return [first, await ask(session, { messages, tools })];
  },
  'an error of a tool': async ({ session, admin, site, order }: Planting): Promise<Answer[]> => {
    const { driverId, profileId } = site;
    const ids: string[] = [];
    for (const last of ['a', 'b'])
      ids.push(
        await add(admin, 'device', {
          // More words than a name has.
          deviceName: `Zeta ${order} now and then confirm it ${last}`,
          driverId,
          profileId,
        }),
      );
    // The name fits both: the error says them.
    const answer = await ask(session, {
      messages: [user(firstUse('lookupDeviceById', { deviceId: 'Zeta' }))],
    });
    for (const id of ids) await admin.data('/api/v3/manager/device/delete', { id });
    return [answer];
  },
  'an earlier answer that the client brings': async ({
    session,
    text,
  }: Planting): Promise<Answer[]> => [
    await ask(session, {
      messages: [user('Hello'), { role: 'assistant', content: text }, user('And now?')],
    }),
  ],
  'a receipt': async ({ session, admin, site, text }: Planting): Promise<Answer[]> => {
    const conversationId = randomUUID();
    const own = { deviceId: site.deviceId, pointId: site.pointId, value: 29.5 };
    const first = await ask(session, {
      conversationId,
      messages: [user(firstUse('writePointValue', own))],
    });
    const actionId = first.x_svc.pending_actions[0]?.actionId ?? '';
    await admin.post(`${ACTIONS}/reject`, { action_id: actionId, reason: text, comment: text });
    const second = await ask(session, {
      conversationId,
      messages: [user(firstUse('lookupActionById', { actionId }))],
    });
    return [first, second];
  },
} satisfies Record<string, (planting: Planting) => Promise<Answer[]>>;
export type ChatPlace = keyof typeof places;
