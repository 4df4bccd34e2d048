import { describe, expect, it } from 'vitest';

import { viewOf } from '../../src/agentic/proposal/rule-maker.ts';
import { Content } from '../../src/alarm/kind/rule-ext.ts';

const condition = { field: 'value', operator: '>', threshold: 80, unit: '°C' };
const rate = { mode: 'RATE', duration: 'PT30M' };
const recovery = { operator: '<=', threshold: 70 };
const hours = { start: '22:00', end: '06:00', timezone: 'Europe/Berlin' };

/** What differs in each key of a rule, and in those within it that change what a rule does. */
const DIFFER: Record<string, readonly (readonly [before: object, after: object])[]> = {
  condition: [[{}, { condition: { ...condition, threshold: 81 } }]],
  window: [
    [{}, { window: { mode: 'LAST', duration: 'PT5M' } }],
    [{ window: rate }, { window: { ...rate, mode: 'DELTA' } }],
    [{ window: rate }, { window: { ...rate, duration: 'PT31M' } }],
    [{ window: rate }, { window: { ...rate, hold: 'PT1M' } }],
    [{ window: rate }, { window: { ...rate, minSamples: 9 } }],
    [{ window: rate }, { window: { ...rate, per: 'PT10M' } }],
    [{ window: rate }, { window: { ...rate, maxGap: 'PT2M' } }],
  ],
  recovery: [
    [{}, { recovery: { enabled: false } }],
    [{}, { recovery }],
    [{}, { recovery: { duration: 'PT1M' } }],
    [{ recovery }, { recovery: { ...recovery, operator: '<' } }],
    [{ recovery }, { recovery: { ...recovery, threshold: -273 } }],
    [{ recovery }, { recovery: { ...recovery, duration: 'PT1M' } }],
  ],
  points: [[{ points: { pump: '7' } }, { points: { pump: '8' } }]],
  peers: [
    [{}, { peers: { groupId: '7' } }],
    [{ peers: { groupId: '7' } }, { peers: { groupId: '8' } }],
    [{ peers: { groupId: '7', minDevices: 5 } }, { peers: { groupId: '7', minDevices: 6 } }],
  ],
  maxAge: [[{}, { maxAge: 'PT1M' }]],
  schedule: [
    [{}, { schedule: [{ start: '03:00', end: '03:01' }] }],
    [{ schedule: [hours] }, { schedule: [{ ...hours, start: '23:00' }] }],
    [{ schedule: [hours] }, { schedule: [{ ...hours, end: '23:00' }] }],
    [{ schedule: [hours] }, { schedule: [{ ...hours, timezone: 'UTC' }] }],
    [{ schedule: [hours] }, { schedule: [{ ...hours, daysOfWeek: [7] }] }],
  ],
  severity: [[{}, { severity: 'P0' }]],
  levels: [
    [{}, { levels: [{ severity: 'P0', threshold: 95 }] }],
    [
      { levels: [{ severity: 'P0', threshold: 95 }] },
      { levels: [{ severity: 'P0', threshold: 96 }] },
    ],
  ],
  instruction: [[{}, { instruction: 'Close valve 3.' }]],
  devices: [
    [{}, { devices: { ids: ['1'] } }],
    [{ devices: { ids: ['1'] } }, { devices: { groupIds: ['1'] } }],
  ],
  aggregate: [
    [{}, { aggregate: { function: 'ALL' } }],
    [{ aggregate: { function: 'ANY' } }, { aggregate: { function: 'ANY', atLeast: 2 } }],
    [{ aggregate: { function: 'MEAN' } }, { aggregate: { function: 'MEAN', minDevices: 2 } }],
  ],
  eventType: [[{}, { eventType: 'leak' }]],
  labels: [[{}, { labels: ['night'] }]],
};

/** Without the content itself, which no person is shown. */
function shown(given: object): string {
  const { content: _content, ...words } = viewOf(Content.parse({ condition, ...given }), null, {
    unit: '°C',
    names: { device: new Map(), group: new Map() },
  });
  return JSON.stringify(words);
}

describe('the card of a rule', () => {
  it('differs wherever the rule differs, in every key that a rule has', () => {
    expect(Object.keys(DIFFER).toSorted()).toEqual(Object.keys(Content.shape).toSorted());
    for (const [key, pairs] of Object.entries(DIFFER))
      for (const [before, after] of pairs)
        expect(shown(after), `${key}: ${JSON.stringify(after)}`).not.toBe(shown(before));
  });
});
