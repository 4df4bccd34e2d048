import { z } from 'zod';

import { answered, asks, fixture, form, roots, said, sample, text } from './fixture.ts';

const string = { type: 'string' };
const titled = (...names: string[]) => names.map((title, i) => ({ const: `value${i + 1}`, title }));
const options = ['option1', 'option2', 'option3'];

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice') } },
};

/** A tool that asks one question and says what was answered. */
const oneForm = (name: string, properties: Record<string, object>) =>
  fixture(name, ({ answers }) =>
    answers['form'] === undefined
      ? asks({ form: form('Please fill in', properties) })
      : said(text(`Elicitation completed: ${JSON.stringify(answers['form'])}`)),
  );
const named = (answers: Record<string, unknown>) =>
  answered(answers['user_name'], 'content', 'name');
const whatName = form('What is your name?', { name: string });

/** Tools that ask the client something, in one round or several. */
export const askingTools = [
  fixture(
    'test_sampling',
    ({ answers }, { prompt }) =>
      answers['model'] === undefined
        ? asks({ model: sample(String(prompt)) })
        : said(text(`LLM response: ${answered(answers['model'], 'content', 'text')}`)),
    { input: z.object({ prompt: z.string() }) },
  ),
  fixture(
    'test_elicitation',
    ({ answers }, { message }) =>
      answers['form'] === undefined
        ? asks({ form: form(String(message), { username: string, email: string }) })
        : said(text(`User response: ${JSON.stringify(answers['form'])}`)),
    { input: z.object({ message: z.string() }) },
  ),
  oneForm('test_elicitation_sep1034_defaults', defaults),
  oneForm('test_elicitation_sep1330_enums', enums),
  oneForm('test_streaming_elicitation', { name: string }),
  fixture('test_missing_capability', () => asks({ model: sample('anything') })),
  fixture('test_input_required_result_elicitation', ({ answers }) => {
    const name = named(answers);
    return name === undefined ? asks({ user_name: whatName }) : said(text(`Hello, ${name}!`));
  }),
  fixture('test_input_required_result_sampling', ({ answers }) => {
    const capital = answered(answers['capital_question'], 'content', 'text');
    return capital === undefined
      ? asks({ capital_question: sample('What is the capital of France?') })
      : said(text(capital));
  }),
  fixture('test_input_required_result_list_roots', ({ answers }) =>
    answers['client_roots'] === undefined
      ? asks({ client_roots: roots })
      : said(text(JSON.stringify(answers['client_roots']))),
  ),
  fixture('test_input_required_result_request_state', ({ answers, state }) =>
    answers['confirm'] === undefined
      ? asks({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, 'first')
      : said(text(state === 'first' ? 'state-ok' : 'no state')),
  ),
  fixture('test_input_required_result_tampered_state', ({ state }) =>
    state === 'first'
      ? said(text('state-ok'))
      : asks({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, 'first'),
  ),
  fixture('test_input_required_result_multiple_inputs', ({ answers }) =>
    ['user_name', 'greeting', 'client_roots'].every((name) => name in answers)
      ? said(text('all answered'))
      : asks(
          {
            user_name: whatName,
            greeting: sample('Generate a greeting', 50),
            client_roots: roots,
          },
          'first',
        ),
  ),
  fixture('test_input_required_result_multi_round', ({ state }) => {
    if (state === 'second') return said(text('both answered'));
    return state === 'first'
      ? asks({ step2: form('Step 2: What is your favorite color?', { color: string }) }, 'second')
      : asks({ step1: form('Step 1: What is your name?', { name: string }) }, 'first');
  }),
  fixture('test_input_required_result_capabilities', ({ has, answers }) => {
    if (Object.keys(answers).length > 0) return said(text('answered'));
    return asks({
      ...(has('elicitation') && { user_name: whatName }),
      ...(has('sampling') && { greeting: sample('Generate a greeting') }),
    });
  }),
];
