import { all, usage, whole } from './anthropic-wire.ts';
import type { Expected } from './behaviour.ts';
import { changedAt, type Json, nameOf, oddForms, type Path } from './odd.ts';
import type { Case } from './sending.ts';

const COUNTS = Object.keys(usage);
const BESIDE: readonly Path[] = [
  ...[
    'id',
    'role',
    'model',
    'stop_reason',
    'stop_sequence',
    'usage',
    'container',
    'stop_details',
  ].map((name): Path => [name]),
  ...COUNTS.map((name): Path => ['usage', name]),
  ['content', 0, 'citations'],
  ['content', 0, 'id'],
];
/** Of events, by their type. */
const EVENT_FIELDS: readonly (readonly [string, Path])[] = [
  ['message_start', ['message']],
  ...['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage'].map(
    (name) => ['message_start', ['message', name]] as const,
  ),
  ['content_block_start', ['index']],
  ['content_block_start', ['content_block', 'text']],
  ['content_block_start', ['content_block', 'citations']],
  ['content_block_delta', ['index']],
  ['content_block_delta', ['delta', 'type']],
  ['content_block_stop', ['index']],
  ['message_delta', ['usage']],
  ...COUNTS.map((name) => ['message_delta', ['usage', name]] as const),
  ['message_delta', ['delta']],
  ['message_delta', ['delta', 'stop_reason']],
  ['message_delta', ['delta', 'stop_sequence']],
  ['message_stop', ['type']],
];
const changedIn = (type: string, path: Path, change: Parameters<typeof changedAt>[2]): Json[] =>
  all.map((event) => (event.type === type ? changedAt(event, path, change) : event));

/** Fields that say nothing of the text: whatever they hold, the answer is there. */
export const besides = (): Case[] => [
  ...BESIDE.flatMap((path) =>
    oddForms.map(({ form, change }): Case => ({
      name: `${nameOf(path)} is ${form}`,
      expected: 'answer',
      json: changedAt(whole, path, change),
    })),
  ),
  ...EVENT_FIELDS.flatMap(([type, path]) =>
    oddForms
      // A text there is a text of the answer.
      .filter(({ form }) => !(path.at(-1) === 'text' && form === 'a text'))
      .map(({ form, change }): Case => ({
        name: `${type}, ${nameOf(path)} is ${form}`,
        expected: 'answer',
        events: changedIn(type, path, change),
      })),
  ),
];

/** Fields that lead to the text: without them there is no answer, in capitals it may be found or not. */
export function towards(): Case[] {
  const expectedOf = (path: Path, isRenamed: boolean): Expected =>
    isRenamed || path.at(-1) === 'type' ? 'open' : 'fallback';
  const forms = oddForms.filter(({ form }) => form !== 'a text' && form !== 'a list');
  const inJson: readonly Path[] = [
    ['content'],
    ['content', 0],
    ['content', 0, 'text'],
    ['content', 0, 'type'],
    ['type'],
  ];
  const inEvents: readonly (readonly [string, Path])[] = [
    ['content_block_delta', ['delta']],
    ['content_block_delta', ['delta', 'text']],
    ['content_block_delta', ['type']],
    ['content_block_start', ['type']],
    ['content_block_start', ['content_block']],
    ['content_block_start', ['content_block', 'type']],
  ];
  return [
    ...inJson.flatMap((path) =>
      forms.map(({ form, change, isRenamed }): Case => ({
        name: `${nameOf(path)} is ${form}`,
        expected: expectedOf(path, isRenamed),
        json: changedAt(whole, path, change),
      })),
    ),
    ...inEvents.flatMap(([type, path]) =>
      forms.map(({ form, change, isRenamed }): Case => ({
        name: `${type}, ${nameOf(path)} is ${form}`,
        // The texts are in the deltas.
        expected: type === 'content_block_start' ? 'answer' : expectedOf(path, isRenamed),
        events: changedIn(type, path, change),
      })),
    ),
  ];
}
