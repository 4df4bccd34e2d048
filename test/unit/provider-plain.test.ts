import { expect, it } from 'vitest';

import { contentIn, saying } from '../../providers/openai/plain.ts';

const chunk = (delta: string, more = ''): string =>
  `{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{${delta}},"finish_reason":null}]${more}}`;

/** What is said of each event in turn; null for one that is left to the full reader. */
function said(events: readonly string[]): (string | null)[] {
  let last: string | null = null;
  const { take, handOn } = saying((text) => {
    last = text;
    return undefined;
  });
  return events.map((data) => {
    last = '';
    const isTaken = take(data);
    void handOn();
    return isTaken ? last : null;
  });
}

function whole(data: string): string | null {
  try {
    return contentIn(JSON.parse(data));
  } catch {
    return null;
  }
}

const EVENTS = [
  chunk('"role":"assistant","content":""'),
  chunk('"content":" one"'),
  chunk('"content":" two"'),
  chunk('"content":""'),
  chunk('"content":" \\"three\\" \\\\"'),
  chunk('"content":"\\u00e9 größer 反応堆"'),
  chunk('"content":"a","content":"b"'),
  chunk('"content":"a","tool_calls":[{"index":0}]'),
  chunk('"content":"a","refusal":"no"'),
  chunk('"content":"a\\"'),
  chunk('"content":"'),
  chunk('"content":null'),
  chunk('"content":"","reasoning_content":"hm"'),
  chunk('"content":"","reasoning":"hm"'),
  chunk('"content":" one","reasoning_content":null'),
  chunk('"content":" one","reasoning_content":""'),
  chunk('"content": "spaced"'),
  chunk('"content":"used"', ',"usage":{"prompt_tokens":1,"completion_tokens":1}'),
  chunk('"content":"hidden"', ',"obfuscation":"x1"'),
  chunk('"content":"hidden"', ',"obfuscation":"x22"'),
  `{"content":" one","choices":[{"delta":{"content": " one"}}]}`,
  `{"content":" else","choices":[{"delta":{"content": " one"}}]}`,
  chunk('"content":"end"').replace('null', '"stop"'),
  '[DONE]',
  '{}',
];

it('says the text of a chunk as its whole JSON has it, whatever came before', () => {
  for (const first of EVENTS)
    for (const second of EVENTS)
      for (const third of EVENTS) {
        const events = [first, second, third, second];
        expect(said(events), events.join('\n')).toEqual(events.map(whole));
      }
});
