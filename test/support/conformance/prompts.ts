import type { Prompt } from '../../../src/kernel/app/app.ts';
import { asks, form, PERMISSION, PNG, text } from './fixture.ts';

type Messages = Prompt['messages'];
const prompt = (name: string, messages: Messages, required: string[] = []): Prompt => ({
  name,
  title: name,
  description: `Fixture ${name} of the conformance suite.`,
  permission: PERMISSION,
  scope: 'svc:read',
  arguments: required.map((argument) => ({
    name: argument,
    description: argument,
    required: true,
    complete: async (_app, _caller, typed) =>
      ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)),
  })),
  messages,
});

export const fixturePrompts = [
  prompt('test_simple_prompt', async () => text('This is a simple prompt for testing.')),
  prompt(
    'test_prompt_with_arguments',
    async (_app, _caller, { arg1, arg2 }) =>
      text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    ['arg1', 'arg2'],
  ),
  prompt(
    'test_prompt_with_embedded_resource',
    async (_app, _caller, { resourceUri: uri = '' }) => [
      {
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      },
      ...text('Please process the embedded resource above.'),
    ],
    ['resourceUri'],
  ),
  prompt('test_prompt_with_image', async () => [
    { type: 'image', data: PNG, mimeType: 'image/png' },
    ...text('Please analyze the image above.'),
  ]),
  prompt('test_input_required_result_prompt', async (_app, _caller, _given, { answers }) => {
    if (answers['user_context'] !== undefined) return text(JSON.stringify(answers['user_context']));
    const question = form('What context should the prompt use?', { context: { type: 'string' } });
    const reply = asks({ user_context: question });
    if (reply.kind !== 'questions') throw new Error('it asks');
    return reply;
  }),
];
