import { setTimeout as sleep } from 'node:timers/promises';

import { fixture, PNG, said, text, WAV } from './fixture.ts';

const PAUSE_MS = 50;
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };

/** Tools that answer at once, with each kind of content, and those that say how far they are. */
export const contentTools = [
  fixture('test_simple_text', () => said(text('This is a simple text response for testing.'))),
  fixture('test_image_content', () => said([image])),
  fixture('test_audio_content', () => said([{ type: 'audio', data: WAV, mimeType: 'audio/wav' }])),
  fixture('test_embedded_resource', () =>
    said([
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ]),
  ),
  fixture('test_multiple_content_types', () =>
    said([
      ...text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ]),
  ),
  fixture('test_error_handling', () => ({
    kind: 'content',
    content: text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  fixture('test_tool_with_progress', async ({ progress }) => {
    for (const done of [0, 50, 100]) {
      progress(done, 100);
      await sleep(PAUSE_MS);
    }
    return said(text('done'));
  }),
  fixture('test_tool_with_logging', async ({ log }) => {
    for (const step of ['started', 'processing', 'completed']) {
      log('info', step === 'processing' ? 'Tool processing data' : `Tool execution ${step}`);
      await sleep(PAUSE_MS);
    }
    return said(text('logged'));
  }),
  fixture('test_logging_tool', ({ log }) => {
    log('info', 'for clients that asked for a level only');
    return said(text('logged'));
  }),
];
