import { append, type NewMessage } from '../../agentic/session/message.ts';
import { openSession } from '../../agentic/session/session.ts';
import type { Making } from './plant/rows.ts';

const CONVERSATION = 'demo-week';

const said = (role: NewMessage['role'], text: string, tools: string[] = []): NewMessage => ({
  role,
  content: {
    text,
    tools: tools.map((name, index) => ({
      callId: `demo-${index + 1}`,
      name,
      title: '',
      domain: '',
      args: '',
      result: '',
      plots: [],
      status: 'success',
      durationMs: 0,
    })),
    actions: [],
  },
  // No model has said this.
  model: role === 'assistant' ? 'demo' : '',
  isFinished: true,
});

const MESSAGES = [
  said('user', 'What happened in the boiler house this week?'),
  said(
    'assistant',
    [
      'Four things stand out:',
      '- Feed pump 2: the vibration has risen for five days and is above its limit of 7.1 mm/s. Feed pump 1 runs at about 2.4 mm/s.',
      '- Boiler 2: it slowly lost pressure and is below 1.2 bar; the alarm is confirmed.',
      '- Boiler 1: one value of 3.4 bar two days ago, then back at 1.6 bar at once.',
      '- Buffer tank: it sent nothing for three and a half hours.',
      'This conversation is made up for the demo, as are the values it is about.',
    ].join('\n'),
    ['searchAlarms', 'getPointValueHistory'],
  ),
];

/** A conversation of the administrator about the week. */
export async function writeConversation({ app, q, caller }: Making): Promise<void> {
  await openSession(app, q, caller, {
    conversationId: CONVERSATION,
    title: 'Demo: what happened this week?',
  });
  for (const message of MESSAGES) await append(app, q, caller, CONVERSATION, message);
}
