import { describe, expect, it } from 'vitest';

import type { ModelMessage } from '../../providers/request/provider.ts';
import { wholeTurn, withinMemory } from '../../src/agentic/chat/branch/past-turns.ts';

const user: ModelMessage = { role: 'user', content: 'q' };
const answer: ModelMessage = { role: 'assistant', content: 'a' };
const calls = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'searchDevices', arguments: '{}' })),
});
const result = (toolCallId: string): ModelMessage => ({ role: 'tool', toolCallId, content: '{}' });
const broken: ModelMessage = { role: 'assistant', content: 'This answer broke off here.' };

describe('a whole turn', () => {
  it('is left as it is', () => {
    const turn = [user, calls('1', '2'), result('1'), result('2'), answer];
    expect(wholeTurn(turn, '')).toEqual(turn);
  });

  it('has no call without its result, and an answer at its end', () => {
    expect(wholeTurn([user, calls('1', '2'), result('1')], '')).toEqual([user, broken]);
    expect(wholeTurn([user, calls('1'), result('1'), calls('2')], 'I see')).toEqual([
      user,
      calls('1'),
      result('1'),
      { role: 'assistant', content: 'I see' },
    ]);
    // Stopped at the third equal call: what was said instead is the end.
    expect(wholeTurn([user, calls('1'), answer], 'I stopped')).toEqual([
      user,
      { role: 'assistant', content: 'I stopped' },
    ]);
    expect(wholeTurn([user, calls('1'), answer], '')).toEqual([user, answer]);
    // Nothing was said at all, which no vendor takes back.
    expect(wholeTurn([user, { role: 'assistant', content: '' }], '')).toEqual([user, broken]);
  });
});

describe('the window of the memory', () => {
  const long = { exact: [user, calls('1'), result('1'), answer], said: [user, answer] };
  const short = { exact: [user, answer], said: [user, answer] };

  it('holds the latest turns, whole', () => {
    expect(withinMemory([long, short, long], 50)).toHaveLength(10);
    expect(withinMemory([long, short, long], 6)).toEqual([...short.exact, ...long.exact]);
    expect(withinMemory([long, short, long], 7)).toEqual([...short.exact, ...long.exact]);
    expect(withinMemory([long, long], 4)).toEqual(long.exact);
    expect(withinMemory([], 4)).toEqual([]);
  });

  it('shows a turn too large with its tools as what was said, and nothing of one larger still', () => {
    expect(withinMemory([long], 3)).toEqual([user, answer]);
    expect(withinMemory([long, long], 6)).toEqual([user, answer, ...long.exact]);
    expect(withinMemory([long], 1)).toEqual([]);
  });

  it('never begins with a tool result or an answer, whatever its size', () => {
    for (let max = 1; max <= 20; max += 1) {
      const shown = withinMemory([long, short, long, short, long], max);
      expect(shown.length).toBeLessThanOrEqual(max);
      expect(shown[0]?.role ?? 'user').toBe('user');
      const open = shown.flatMap((message) =>
        message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
      );
      expect(shown.filter(({ role }) => role === 'tool')).toHaveLength(open.length);
    }
  });
});
